"""NumPy twins of the compiled kernels: the same names, signatures and results."""

from setwise.kernels.reference.annealing import mixture_anneal
from setwise.kernels.reference.arff import arff_dense_rows, arff_sparse_rows
from setwise.kernels.reference.by_size import forest_best_sizes, forest_size_moments
from setwise.kernels.reference.chain import chain_beam, chain_log_prob, chain_sample, chain_search
from setwise.kernels.reference.gibbs import gibbs_linear, kept_shares
from setwise.kernels.reference.logistic import lbfgs_direction, logistic_step
from setwise.kernels.reference.messages import forest_condition, forest_log_evidence, forest_max_sum
from setwise.kernels.reference.moments import (
    forest_entropy,
    forest_marginals,
    forest_pairwise,
    forest_sample,
    forest_sizes,
)
from setwise.kernels.reference.search import mixture_top_k, mixture_top_k_of_size
from setwise.kernels.reference.softmax import softmax_step
from setwise.kernels.reference.sparse import csr_matmul
from setwise.kernels.reference.tree_growth import add_tree, grow_tree
from setwise.kernels.reference.trees import tree_scores

__all__ = [
    "add_tree",
    "arff_dense_rows",
    "arff_sparse_rows",
    "chain_beam",
    "chain_log_prob",
    "chain_sample",
    "chain_search",
    "csr_matmul",
    "forest_best_sizes",
    "forest_condition",
    "forest_entropy",
    "forest_log_evidence",
    "forest_marginals",
    "forest_max_sum",
    "forest_pairwise",
    "forest_sample",
    "forest_size_moments",
    "forest_sizes",
    "gibbs_linear",
    "grow_tree",
    "kept_shares",
    "lbfgs_direction",
    "logistic_step",
    "mixture_anneal",
    "mixture_top_k",
    "mixture_top_k_of_size",
    "set_threads",
    "softmax_step",
    "tree_scores",
]


def set_threads(n: int) -> None:
    """Accepted and ignored: NumPy's own threads are not ours to set."""
