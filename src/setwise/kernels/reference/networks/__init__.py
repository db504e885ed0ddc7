"""Twins of the kernels of dependency networks."""
