"""Twins of the kernels of forests over labels."""
