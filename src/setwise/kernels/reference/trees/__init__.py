"""Twins of the kernels of regression trees."""
