"""Cascades: label sets drawn by size, then label by label."""
