"""Which estimators can be fitted to rows in blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from setwise.blockwise.families.counting import refit_counts
from setwise.blockwise.families.linear import refit_chain, refit_labels, refit_network
from setwise.blockwise.families.mixtures import refit_mixture, refit_tree_mixture
from setwise.blockwise.families.tree import refit_tree
from setwise.blockwise.rows import BlockRows
from setwise.estimators.binary_relevance import BinaryRelevance
from setwise.estimators.classifier_chain import ClassifierChain
from setwise.estimators.conditional_bernoulli_mixture import ConditionalBernoulliMixture
from setwise.estimators.conditional_dependency_network import ConditionalDependencyNetwork
from setwise.estimators.conditional_tree import ConditionalTree
from setwise.estimators.mixture_of_tree_experts import MixtureOfTreeExperts
from setwise.estimators.mixture_of_trees import MixtureOfTrees
from setwise.estimators.naibx import NaiBX

Refit = Callable[[Any, BlockRows], None]
"""Replaces the parameters of a model that was fitted to a sample by those of all rows."""

REFITS: dict[type, Refit] = {
    BinaryRelevance: refit_labels,
    ClassifierChain: refit_chain,
    ConditionalDependencyNetwork: refit_network,
    ConditionalTree: refit_tree,
    NaiBX: refit_counts,
    ConditionalBernoulliMixture: refit_mixture,
    MixtureOfTreeExperts: refit_tree_mixture,
    MixtureOfTrees: refit_tree_mixture,
}


def fits_in_blocks(estimator: Any) -> bool:
    """Check whether an estimator can be fitted to rows in blocks.

    Examples
    --------
    >>> from setwise import BinaryRelevance, DecisionForest
    >>> fits_in_blocks(BinaryRelevance()), fits_in_blocks(DecisionForest())
    (True, False)
    """
    try:
        refit_of(estimator)
    except TypeError:
        return False
    return True


def refit_of(estimator: Any) -> Refit:
    """Find how an estimator is fitted to blocks; a TypeError names those that can be.

    Examples
    --------
    >>> from setwise import BinaryRelevance
    >>> refit_of(BinaryRelevance()).__name__
    'refit_labels'
    """
    name = type(estimator).__name__
    refit = REFITS.get(type(estimator))
    if refit is None:
        able = ", ".join(kind.__name__ for kind in REFITS)
        raise TypeError(
            f"{name} cannot be fitted to rows in blocks; these can: {able}. Fit {name} to a sample of the rows that "
            "fits into memory"
        )
    learner = getattr(estimator, "learner", "logistic")
    if not isinstance(learner, str) or learner not in ("logistic", "naive_bayes"):
        raise TypeError(
            f"{name} can be fitted to rows in blocks only with its own learner, not with {learner!r}, which needs all "
            "rows at once"
        )
    return refit
