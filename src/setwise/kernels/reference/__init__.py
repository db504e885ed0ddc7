"""NumPy twins of the compiled kernels: the same names, signatures and results."""

from setwise.kernels.reference.arff import arff_dense_rows, arff_sparse_rows

__all__ = ["arff_dense_rows", "arff_sparse_rows"]
