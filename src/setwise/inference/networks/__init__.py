"""Dependency networks and pairwise fields."""
