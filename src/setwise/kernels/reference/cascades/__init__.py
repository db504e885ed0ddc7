"""Twins of the kernels of cascades."""
