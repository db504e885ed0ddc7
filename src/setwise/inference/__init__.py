"""Algorithms over label sets, on arrays; one algorithm a file."""
