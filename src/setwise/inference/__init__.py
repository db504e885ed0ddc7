"""Algorithms over label sets, on arrays; one a file."""
