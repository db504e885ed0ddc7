"""Discrete inference in dependency networks whose classifiers predict labels without probabilities.

Guo and Gu, "Multi-label classification using conditional dependency networks", IJCAI 2011, Algorithm 2: set every label
in turn to its classifier's prediction given the others, until nothing changes. The paper leaves open what happens if
the labels never settle; here a cycle of states is detected.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from setwise.contract import Array, Floats, Labels
from setwise.inference.networks.gibbs import Conditionals

MAX_SWEEPS = 200
"""Sweeps over the labels after which a row is given up."""


class FixedPoint(NamedTuple):
    """Where the sweeps of each row end.

    ``labels`` (n, L), their total margin ``scores`` (n,), and ``period`` (n,): 1 at a fixed point, the length of the
    cycle if there is one, 0 if neither was reached.
    """

    labels: Labels
    scores: Floats
    period: Array


def fixed_point(
    conditionals: Conditionals,
    evidence: Labels,
    start: Labels,
    order: Array,
    max_sweeps: int = MAX_SWEEPS,
) -> FixedPoint:
    """Sweep over the labels until each row repeats a state.

    Cycles are found by Brent's method: every state is compared with one remembered state, which is replaced after
    1, 2, 4, ... sweeps. The answer is the state of a cycle with the largest total margin.

    Parameters
    ----------
    conditionals : Conditionals
        Of n rows and L labels.
    evidence : ndarray of shape (n, L)
        Labels that are 0 or 1 are kept.
    start : ndarray of shape (n, L)
    order : ndarray of shape (L,)
        Order in which the labels are visited.
    max_sweeps : int, default=200

    Returns
    -------
    FixedPoint
    """
    state = np.where(evidence < 0, start, evidence).astype(np.int8)
    anchor, best = state.copy(), state.copy()
    best_score = np.full(len(state), -np.inf)
    period = np.zeros(len(state), np.intp)
    since, power = 0, 1
    for _ in range(max_sweeps):
        open_ = np.flatnonzero(period == 0)
        if not len(open_):
            break
        state[open_], score = _sweep(conditionals.take(open_), evidence[open_], state[open_], order)
        since += 1
        better = score > best_score[open_]
        best[open_[better]], best_score[open_[better]] = state[open_[better]], score[better]
        period[open_[(state[open_] == anchor[open_]).all(axis=1)]] = since
        if since == power:
            left = period == 0
            anchor[left], best_score[left] = state[left], -np.inf
            since, power = 0, 2 * power
    unseen = best_score == -np.inf
    best[unseen] = state[unseen]
    return FixedPoint(best, total_margin(conditionals, best), period)


def _sweep(
    conditionals: Conditionals, evidence: Labels, state: Labels, order: Array
) -> tuple[Labels, Floats]:
    state = state.copy()
    for label in order:
        predicted = conditionals.logits(int(label), state) > 0
        state[:, label] = np.where(evidence[:, label] < 0, predicted, evidence[:, label])
    return state, total_margin(conditionals, state)


def total_margin(conditionals: Conditionals, Y: Labels) -> Floats:
    """Sum (n,) over the labels the margin by which each classifier agrees with ``Y`` (n, L), between -1 and 1 each."""
    margins = np.zeros(len(Y))
    for label in range(conditionals.n_labels):
        z = conditionals.logits(label, Y)
        margins += np.clip(np.where(Y[:, label] == 1, z, -z), -1.0, 1.0)
    return margins
