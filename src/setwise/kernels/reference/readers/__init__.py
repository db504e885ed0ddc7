"""Twins of the kernels that read files."""
