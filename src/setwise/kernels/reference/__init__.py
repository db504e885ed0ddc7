"""NumPy twins of the compiled kernels: the same names, signatures and results."""

from setwise.kernels.reference.logistic import lbfgs_direction, logistic_step
from setwise.kernels.reference.sparse import csr_matmul

__all__ = ["csr_matmul", "lbfgs_direction", "logistic_step", "set_threads"]


def set_threads(n: int) -> None:
    """Accepted and ignored: NumPy's own threads are not ours to set."""
