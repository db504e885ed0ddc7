"""Expected values of unknown labels under a forest, given the known ones: EM's E-step.

If a label and all labels below it are unknown, it is summed out and does not affect its regression: it is left out
instead of completed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from setwise.contract import FREE, Array, Bools, Floats, Labels
from setwise.inference.forests.arrays import ROOT, Forests, topological_order
from setwise.inference.forests.messages import condition, marginals


class Completed(NamedTuple):
    """Expected labels of n rows under a forest, given the known ones.

    ``on`` (n, L) is P(y_l = 1); ``targets`` (n, L, V) is P(y_l = 1) given each value of the parent, FREE if neither the
    label nor any label below it is known.
    """

    on: Floats
    targets: Floats


def complete(logits: Floats, parents: Array, Y: Labels) -> Completed:
    """Compute the expected labels of partly known rows.

    Parameters
    ----------
    logits : ndarray of shape (n, L, V)
        Logit of each label for each value of its parent.
    parents : ndarray of shape (L,)
        Parent of each label, -1 for a root.
    Y : ndarray of shape (n, L)
        Labels, FREE if unknown.

    Returns
    -------
    Completed

    Examples
    --------
    The second label agrees with the first nine times in ten. It is known to be on; the first is unknown.

    >>> import numpy as np
    >>> odds = np.log(9.0)
    >>> logits = np.array([[[0.0, 0.0], [-odds, odds]]])
    >>> complete(logits, np.array([-1, 0]), np.array([[-1, 1]], np.int8)).on.round(3)
    array([[0.9, 1. ]])
    """
    forest = Forests.of(logits[:, None], parents[None])
    _, given, _ = condition(np.zeros((len(Y), 1)), forest, Y)
    targets = np.where(
        known_below(parents, Y)[:, :, None], expit(given.logits[:, 0].astype(np.float64)), FREE
    )
    return Completed(marginals(given)[:, 0], targets)


def known_below(parents: Array, Y: Labels) -> Bools:
    """Mark the labels (n, L) that are known themselves, or above a known one in the forest.

    Examples
    --------
    >>> import numpy as np
    >>> known_below(np.array([-1, 0, 0]), np.array([[-1, 1, -1]], np.int8))
    array([[ True,  True, False]])
    """
    known = Y != FREE
    for label in topological_order(parents[None])[0][::-1]:
        if parents[label] != ROOT:
            known[:, parents[label]] |= known[:, label]
    return known
