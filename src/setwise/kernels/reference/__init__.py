"""NumPy twins of the compiled kernels: the same names, signatures and results."""
