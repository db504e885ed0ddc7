"""Labels that are not known, completed by what a forest expects of them given the known ones: EM's E-step.

A label of which nothing is known, neither itself nor any label below it, is summed out to one and says nothing
about its regression: it is left out, not completed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from setwise.contract import FREE, Array, Bools, Floats, Labels
from setwise.inference.forests.arrays import ROOT, Forests, topological_order
from setwise.inference.forests.messages import condition, marginals


class Completed(NamedTuple):
    """What a forest expects of the labels of n rows, given those that are known.

    ``on`` (n, L) is P(y_l = 1); ``targets`` (n, L, V) is P(y_l = 1) given each value of the parent, FREE where
    neither the label nor any below it is known.
    """

    on: Floats
    targets: Floats


def complete(logits: Floats, parents: Array, Y: Labels) -> Completed:
    """The expected labels of partly known rows.

    Parameters
    ----------
    logits : ndarray of shape (n, L, V)
        Logit of each label for each value of its parent.
    parents : ndarray of shape (L,)
        Parent of each label, -1 for a root.
    Y : ndarray of shape (n, L)
        Labels, FREE where not known.

    Examples
    --------
    The second label agrees with the first nine times in ten; it is known to be on, the first is not known.

    >>> import numpy as np
    >>> odds = np.log(9.0)
    >>> logits = np.array([[[0.0, 0.0], [-odds, odds]]])
    >>> complete(logits, np.array([-1, 0]), np.array([[-1, 1]], np.int8)).on.round(3)
    array([[0.9, 1. ]])
    """
    forest = Forests.of(logits[:, None], parents[None])
    _, given, _ = condition(np.zeros((len(Y), 1)), forest, Y)
    targets = np.where(informed(parents, Y)[:, :, None], expit(given.logits[:, 0].astype(np.float64)), FREE)
    return Completed(marginals(given)[:, 0], targets)


def informed(parents: Array, Y: Labels) -> Bools:
    """Whether each label (n, L), or any below it in the forest, is known.

    Examples
    --------
    >>> import numpy as np
    >>> informed(np.array([-1, 0, 0]), np.array([[-1, 1, -1]], np.int8))
    array([[ True,  True, False]])
    """
    known = Y != FREE
    for label in topological_order(parents[None])[0][::-1]:
        if parents[label] != ROOT:
            known[:, parents[label]] |= known[:, label]
    return known
