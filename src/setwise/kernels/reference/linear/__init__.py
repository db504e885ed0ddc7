"""Twins of the kernels of linear learners."""
