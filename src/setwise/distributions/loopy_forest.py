"""Forests that approximate pairwise fields with loops, by loopy belief propagation or mean fields."""

from __future__ import annotations

from setwise.arrays import Array, Floats
from setwise.distributions.forest_mixture import ForestMixture
from setwise.inference.networks.loopy import forest_logits, loopy_beliefs
from setwise.inference.networks.mean_field import mean_field


def loopy_forest(unary: Floats, pairs: Array, coupling: Floats, parents: Array) -> ForestMixture:
    """Approximate pairwise fields by forests with the same beliefs on labels and edges.

    Parameters
    ----------
    unary : ndarray of shape (n, L)
        Potentials of the labels.
    pairs : ndarray of shape (P, 2)
    coupling : ndarray of shape (P,)
        Potentials of the pairs.
    parents : ndarray of shape (L,)
        The forest, whose edges are among the pairs; -1 for a root.

    Returns
    -------
    ForestMixture

    Examples
    --------
    >>> import numpy as np
    >>> joint = loopy_forest(np.zeros((1, 2)), np.array([[0, 1]]), np.array([2.0]), np.array([-1, 0]))
    >>> joint.marginals().round(3)
    array([[0.807, 0.807]])
    """
    beliefs = loopy_beliefs(unary, pairs, coupling)
    return ForestMixture.forest(forest_logits(beliefs, pairs, parents), parents)


def mean_field_labels(unary: Floats, coupling: Floats) -> ForestMixture:
    """Approximate pairwise fields by independent labels.

    Parameters
    ----------
    unary : ndarray of shape (n, L)
        Potentials of the labels.
    coupling : ndarray of shape (L, L)
        Potentials of the pairs, symmetric.

    Returns
    -------
    ForestMixture

    Examples
    --------
    >>> import numpy as np
    >>> mean_field_labels(np.array([[1.0, -0.5]]), np.array([[0.0, 2.0], [2.0, 0.0]])).mode().labels
    array([[1, 1]], dtype=int8)
    """
    return ForestMixture.independent(mean_field(unary, coupling))
