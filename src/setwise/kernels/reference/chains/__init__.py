"""Twins of the kernels of label chains."""
