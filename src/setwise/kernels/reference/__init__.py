"""NumPy twins of the compiled kernels: the same names, signatures and results."""

from setwise.kernels.reference.annealing import mixture_anneal
from setwise.kernels.reference.messages import forest_condition, forest_log_evidence, forest_max_sum
from setwise.kernels.reference.moments import (
    forest_entropy,
    forest_marginals,
    forest_pairwise,
    forest_sample,
    forest_sizes,
)
from setwise.kernels.reference.search import mixture_top_k

__all__ = [
    "forest_condition",
    "forest_entropy",
    "forest_log_evidence",
    "forest_marginals",
    "forest_max_sum",
    "forest_pairwise",
    "forest_sample",
    "forest_sizes",
    "mixture_anneal",
    "mixture_top_k",
]
