"""Chains of conditionals: searches for the most probable sets, and sums over sets."""
