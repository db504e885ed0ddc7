"""The way from rows and a target to an explanation: exact where the model can be read, by moved features elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from setwise.contract import FREE, Array, Floats, Labels, Matrix
from setwise.explanations.answer import Explanation, Method
from setwise.explanations.events import Event
from setwise.explanations.path import mean_slopes
from setwise.explanations.sampled import PREDICTIONS, sampled_shapley
from setwise.explanations.scored import Scored
from setwise.kernels.matrices import add_matrices, stack_rows

ENTRIES = 64
"""Entries that are explained at a time."""


@dataclass(frozen=True)
class Explained:
    """A fitted model as explanations see it.

    Parameters
    ----------
    scored : Scored or None
        The joint as a function of scores, if the model can be read that way.
    log_odds : callable
        ``log_odds(rows, event)``: of the event of each row, by the model itself.
    baseline : array of shape (d,)
    label_names, feature_names : arrays
    cells : int
        Array entries that the distribution of a row needs.
    predictions : int, default=4000
        Rows that are predicted for an entry if the model cannot be read.
    """

    scored: Scored | None
    log_odds: Callable[[Matrix, Event], Floats]
    baseline: Floats
    label_names: Array
    feature_names: Array
    cells: int
    predictions: int = PREDICTIONS

    def explain(self, X: Matrix, event: Event, rows: Array, targets: list[str] | None = None) -> Explanation:
        """Explain the event of each entry, which is about a row of checked ``X``."""
        how = self._sampled if self.scored is None else self._exact
        sizes = event.sizes()
        if len(np.unique(sizes)) < 2:
            parts, order = [how(X, event.take(e), rows[e]) for e in _slices(len(rows))], np.arange(len(rows))
        else:
            groups = [np.flatnonzero(sizes == size) for size in np.unique(sizes)]
            groups = [group[e] for group in groups for e in _slices(len(group))]
            parts, order = (
                [how(X, event.take(g), rows[g]) for g in groups],
                np.argsort(np.concatenate(groups)),
            )
        contributions, base, here, error = zip(*parts)
        return Explanation(
            stack_rows([*contributions])[order],
            X[rows],
            np.concatenate(base)[order],
            np.concatenate(here)[order],
            rows,
            event.texts(self.label_names) if targets is None else targets,
            self._method(),
            np.concatenate(error)[order],
            self.feature_names,
            self.feature_names,
        )

    def _method(self) -> Method:
        if self.scored is None:
            return "sampled"
        return "exact" if self.scored.is_exact else "estimated"

    def _exact(self, X: Matrix, event: Event, rows: Array) -> tuple[Matrix, Floats, Floats, Floats]:
        assert self.scored is not None
        used, sources = X[rows], self.scored.sources
        end = [source.scores(used) for source in sources]
        start = [np.broadcast_to(source.baseline(), part.shape) for source, part in zip(sources, end)]
        joint = self.scored.for_event(event, end, start)
        way = mean_slopes(joint, event, start, end)
        parts = [source.contributions(used, slopes) for source, slopes in zip(sources, way.slopes)]
        whole = parts[0]
        for part in parts[1:]:
            whole = add_matrices(whole, part)
        return whole, way.base, way.here, np.zeros(len(rows))

    def _sampled(self, X: Matrix, event: Event, rows: Array) -> tuple[Matrix, Floats, Floats, Floats]:
        def log_odds(hybrids: Matrix, entry: int) -> Floats:
            return self.log_odds(hybrids, event.take(np.full(hybrids.shape[0], entry)))

        return sampled_shapley(X[rows], self.baseline, log_odds, self.cells, self.predictions)


def _slices(n: int) -> list[slice]:
    return [slice(a, min(a + ENTRIES, n)) for a in range(0, max(n, 1), ENTRIES)]


def predicted_labels(answers: Labels, marginals: Floats) -> tuple[Array, Labels]:
    """One entry for each label of the answer of each row, or for its most probable label if the answer has none.

    Parameters
    ----------
    answers : array of shape (n, L)
    marginals : array of shape (n, L)

    Returns
    -------
    rows : array of shape (m,)
    wanted : array of shape (m, L)
        The label of the entry is 1, others are FREE.

    Examples
    --------
    >>> predicted_labels(np.array([[1, 1], [0, 0]]), np.array([[0.9, 0.6], [0.1, 0.2]]))
    (array([0, 0, 1]), array([[ 1, -1],
           [-1,  1],
           [-1,  1]], dtype=int8))
    """
    on = answers == 1
    empty = ~on.any(axis=1)
    on[empty, marginals[empty].argmax(axis=1)] = True
    rows, labels = np.nonzero(on)
    return rows, single_labels(labels, answers.shape[1])


def single_labels(labels: Array, n_labels: int) -> Labels:
    """Evidence (m, L) that each of the ``labels`` (m,) is on."""
    wanted = np.full((len(labels), n_labels), FREE, dtype=np.int8)
    wanted[np.arange(len(labels)), labels] = 1
    return wanted
