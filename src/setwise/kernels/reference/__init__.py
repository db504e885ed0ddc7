"""NumPy twins of the compiled kernels: the same names, signatures and results, in the same rooms."""

from setwise.kernels.generic.size_moments import forest_size_moments
from setwise.kernels.reference.cascades.means import cascade_means
from setwise.kernels.reference.chains.beam import chain_beam
from setwise.kernels.reference.chains.draws import chain_log_prob, chain_means, chain_sample
from setwise.kernels.reference.chains.search import chain_search
from setwise.kernels.reference.forests.annealing import mixture_anneal
from setwise.kernels.reference.forests.messages import forest_condition, forest_log_evidence, forest_max_sum
from setwise.kernels.reference.forests.moments import (
    forest_entropy,
    forest_marginals,
    forest_pairwise,
    forest_sample,
)
from setwise.kernels.reference.forests.search import mixture_top_k, mixture_top_k_of_size
from setwise.kernels.reference.forests.sizes import forest_best_sizes, forest_sizes
from setwise.kernels.reference.linear.lbfgs import lbfgs_direction, lbfgs_update
from setwise.kernels.reference.linear.logistic import logistic_step
from setwise.kernels.reference.linear.newton import newton_directions
from setwise.kernels.reference.linear.softmax import softmax_step
from setwise.kernels.reference.linear.sparse import csr_add_product
from setwise.kernels.reference.networks.gibbs import gibbs_linear, kept_shares
from setwise.kernels.reference.readers.arff import arff_dense_rows, arff_sparse_rows
from setwise.kernels.reference.trees.growth import grow_tree
from setwise.kernels.reference.trees.leaves import add_members, tree_leaves
from setwise.kernels.reference.trees.scores import add_tree, tree_scores
from setwise.kernels.reference.trees.set_trees import grow_set_trees

__all__ = [
    "add_members",
    "add_tree",
    "arff_dense_rows",
    "arff_sparse_rows",
    "cascade_means",
    "chain_beam",
    "chain_log_prob",
    "chain_means",
    "chain_sample",
    "chain_search",
    "csr_add_product",
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
    "grow_set_trees",
    "grow_tree",
    "kept_shares",
    "lbfgs_direction",
    "lbfgs_update",
    "logistic_step",
    "mixture_anneal",
    "mixture_top_k",
    "mixture_top_k_of_size",
    "newton_directions",
    "set_threads",
    "softmax_step",
    "tree_leaves",
    "tree_scores",
]


def set_threads(n: int) -> None:
    """Ignored: NumPy's threads are not set here."""
