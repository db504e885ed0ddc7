"""Algorithms over label sets, on arrays, one per file."""
