"""Pairwise random fields by pseudo-likelihood: one logistic regression per label, given its neighbours."""

from __future__ import annotations

import numpy as np

from setwise.arrays import Array, Floats, Labels, Matrix
from setwise.learning.linear.design import Design
from setwise.learning.linear.logistic_problems import LogisticProblems
from setwise.learning.linear.penalties import fit_tuned
from setwise.learning.linear.scores import LinearScores
from setwise.learning.structure.label_pairs import adjacency


def fit_pseudo_likelihood(
    design: Design, X: Matrix, Y: Labels, weights: Floats | None, pairs: Array, *, l2: float | str, tol: float
) -> tuple[LinearScores, Floats, Floats]:
    """Fit a field by pseudo-likelihood: each label given its neighbours.

    Parameters
    ----------
    design : Design
        Of X, with all labels as features.
    X : array or CSR of shape (n, d)
    Y : ndarray of shape (n, L)
    weights : ndarray of shape (n,) or None
    pairs : ndarray of shape (P, 2)
    l2 : float or "auto"
    tol : float

    Returns
    -------
    scores : LinearScores
        One function of the features per label.
    couplings : ndarray of shape (P,)
        The mean of both labels' coefficients of each other.
    l2 : ndarray of shape (L,)
    """
    columns = np.ones((design.n_columns, Y.shape[1]), dtype=np.bool_)
    columns[design.intercept + 1 :] = adjacency(pairs, Y.shape[1])
    problems = LogisticProblems.of(Y, weights=weights, columns=columns)
    fit, penalties = fit_tuned(design, problems, X, l2=l2, tol=tol)
    scores = design.to_features(fit.coef)
    first, second = pairs.T
    return scores, 0.5 * (scores.labels[first, second] + scores.labels[second, first]), penalties
