"""K forests over L labels for each of n rows, as arrays: the input of every algorithm of this room."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from setwise.contract import Array

ROOT = -1
"""Marks a label without a parent."""


class Forests(NamedTuple):
    """Tables P(y_l = 1 | value of l's parent) of K forests for each of n rows.

    Attributes
    ----------
    logits : array (n, K, L, V), float32 or float64
        ``logits[i, k, l, v]`` is the logit of P(y_l = 1 | parent value v). V = 1 if no component has an
        edge; with V = 2 a root uses v = 0. Infinite logits are probabilities of exactly 0 and 1.
    parents : int32 array (K, L)
        Parent of each label in each component, :data:`ROOT` if it has none.
    order : int32 array (K, L)
        The labels of each component, parents before their children.

    Examples
    --------
    >>> import numpy as np
    >>> forests = Forests.of(np.zeros((1, 1, 3, 2)), [[1, 2, -1]])
    >>> forests.order
    array([[2, 1, 0]], dtype=int32)
    """

    logits: Array
    parents: Array
    order: Array

    @classmethod
    def of(cls, logits: npt.ArrayLike, parents: npt.ArrayLike) -> Self:
        """Check the arrays and lay them out as the kernels need them.

        Parameters
        ----------
        logits : array-like of shape (n, K, L, V)
        parents : array-like of shape (K, L)

        Returns
        -------
        Forests

        Raises
        ------
        ValueError
            If a shape, a parent or a logit is invalid; the message names the component and the label.
        """
        logits = _check_logits(logits)
        parents = _check_parents(parents, logits)
        return cls(logits, parents, topological_order(parents))

    def take(self, rows: npt.NDArray[np.intp] | slice) -> Self:
        """Select rows."""
        return self._replace(logits=np.ascontiguousarray(self.logits[rows]))


def topological_order(parents: Array) -> Array:
    """Order the labels of each component, parents before their children.

    Parameters
    ----------
    parents : ndarray of shape (K, L)

    Returns
    -------
    int32 array of shape (K, L)

    Examples
    --------
    >>> import numpy as np
    >>> topological_order(np.array([[1, -1, 0]]))
    array([[1, 0, 2]], dtype=int32)
    """
    inside = parents >= 0
    depth = inside.astype(np.int32)  # steps from a label to its ancestor
    ancestor = parents.copy()
    for _ in range(parents.shape[1].bit_length()):  # each time twice as far
        if not inside.any():
            break
        at = np.maximum(ancestor, 0)
        depth += np.where(inside, np.take_along_axis(depth, at, axis=1), 0)
        ancestor = np.where(inside, np.take_along_axis(ancestor, at, axis=1), ROOT)
        inside = ancestor >= 0
    if inside.any():
        component = int(np.flatnonzero(inside.any(axis=1))[0])
        cycle = sorted(set(ancestor[component][inside[component]].tolist()))
        raise ValueError(f"the parents of component {component} form a cycle among labels {cycle}")
    return np.argsort(depth, axis=1, kind="stable").astype(np.int32)


def _check_logits(logits: npt.ArrayLike) -> Array:
    logits = np.asarray(logits)
    if logits.dtype not in (np.float32, np.float64):
        logits = logits.astype(np.float64)
    if logits.ndim != 4 or logits.shape[3] not in (1, 2) or 0 in logits.shape[1:]:
        raise ValueError(
            f"logits has shape {logits.shape}; expected (rows, components, labels, V) with at least one "
            "component and label, and V = 1 (no edges) or 2 (one table for each value of the parent)"
        )
    bad = np.isnan(logits)
    if bad.any():
        row, component, label, value = np.argwhere(bad)[0]
        raise ValueError(
            f"logits[{row}, {component}, {label}, {value}] is NaN (row {row}, component {component}, "
            f"label {label})"
        )
    return np.ascontiguousarray(logits)


def _check_parents(parents: npt.ArrayLike, logits: Array) -> Array:
    parents = np.ascontiguousarray(parents, dtype=np.int32)
    _, K, L, V = logits.shape
    if parents.shape != (K, L):
        raise ValueError(
            f"parents has shape {parents.shape}; expected one row of {L} labels for each of the {K} "
            f"components, i.e. ({K}, {L})"
        )
    bad = (parents < ROOT) | (parents >= L)
    if bad.any():
        component, label = np.argwhere(bad)[0]
        raise ValueError(
            f"parents[{component}, {label}] is {parents[component, label]}; a parent is a label from 0 to "
            f"{L - 1}, or {ROOT} for a root"
        )
    if V == 1 and (parents != ROOT).any():
        component, label = np.argwhere(parents != ROOT)[0]
        raise ValueError(
            f"label {label} of component {component} has a parent, but logits has one table per label "
            "(V = 1); give one table for each value of the parent (V = 2)"
        )
    return parents
