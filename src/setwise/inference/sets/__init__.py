"""Algorithms that need nothing but the probability of a label set."""
