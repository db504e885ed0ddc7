"""Independent groups of labels, each with its own table."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Self

import numpy as np
import numpy.typing as npt

from setwise.contract import (
    FREE,
    Array,
    Bools,
    Entropy,
    Floats,
    Labels,
    TopK,
    check_possible,
)
from setwise.distributions.label_distribution import LabelDistribution
from setwise.distributions.table import Table


class Product(LabelDistribution):
    """P(y) = prod_g P_g(y_g) over disjoint groups of labels. Every answer is exact.

    Parameters
    ----------
    groups : sequence of int arrays
        The labels of each group. Every label is in exactly one group.
    tables : sequence of Table
        The distribution of each group's labels, of the same n rows.

    Examples
    --------
    >>> import numpy as np
    >>> pair = Table([[0, 0], [1, 1]], np.log([[0.3, 0.7]]))
    >>> alone = Table([[0], [1]], np.log([[0.9, 0.1]]))
    >>> joint = Product([[0, 2], [1]], [pair, alone])
    >>> joint.mode().labels
    array([[1, 0, 1]], dtype=int8)
    """

    def __init__(self, groups: Sequence[npt.ArrayLike], tables: Sequence[Table]) -> None:
        self.groups = [np.asarray(group) for group in groups]
        self.tables = list(tables)
        labels = np.concatenate(self.groups)
        self.n_rows, self.n_labels = self.tables[0].n_rows, len(labels)
        if not np.array_equal(np.sort(labels), np.arange(self.n_labels)):
            raise ValueError(f"the groups hold the labels {labels.tolist()}; expected each label once")

    def __repr__(self) -> str:
        return f"Product(n_rows={self.n_rows}, n_labels={self.n_labels}, groups={len(self.groups)})"

    def _log_prob(self, Y: Labels) -> Floats:
        return np.sum([t.log_prob(Y[:, g]) for g, t in zip(self.groups, self.tables)], axis=0)

    def find_top_k(self, k: int, evidence: Labels | None = None, *, least: int = 0) -> TopK:
        """Join the groups one by one.

        The k best of the sets joined so far are kept for each number of labels up to ``least``. No other set can be
        part of an answer.
        """
        given = np.full((self.n_rows, self.n_labels), FREE, np.int8) if evidence is None else evidence
        labels, value = np.zeros((self.n_rows, 1, self.n_labels), dtype=np.int8), np.zeros((self.n_rows, 1))
        for group, table in zip(self.groups, self.tables):
            every = table.find_top_k(len(table.sets), given[:, group])
            n, width = value.shape
            value = (value[:, :, None] + every.log_prob[:, None, :]).reshape(n, width * len(table.sets))
            labels = np.repeat(labels, every.labels.shape[1], axis=1)
            labels[:, :, group] = np.tile(np.maximum(every.labels, 0), (1, width, 1))
            labels, value = _best_by_size(labels, value, k, least)
        value[labels.sum(axis=2) < least] = -np.inf
        labels, value = _best_by_size(labels, value, k, 0)
        labels, value = _padded(labels, value, k)
        labels[value == -np.inf] = FREE
        return TopK(labels, value, np.ones(self.n_rows, np.bool_), np.zeros(self.n_rows))

    def marginals(self) -> Floats:
        """P(y_l = 1) of each row and label, (n, L)."""
        return self._gather(lambda table: table.marginals())

    def pairwise_marginals(self) -> Floats:
        """P(y_i = 1, y_j = 1) of each row, (n, L, L); the diagonal holds the marginals."""
        single = self.marginals()
        pairs = single[:, :, None] * single[:, None, :]
        for group, table in zip(self.groups, self.tables):
            pairs[:, group[:, None], group] = table.pairwise_marginals()
        return pairs

    def sample(self, n_draws: int, rng: np.random.Generator) -> Labels:
        """Independent label sets of each row, (n, n_draws, L)."""
        return self._gather(lambda table: table.sample(n_draws, rng))

    def _condition(self, evidence: Labels) -> Self:
        check_possible(self._log_prob(evidence))
        return type(self)(
            self.groups, [t.condition(evidence[:, g]) for g, t in zip(self.groups, self.tables)]
        )

    def size_probs(self) -> Floats:
        """P(|y| = s) for s = 0..L, (n, L + 1)."""
        return functools.reduce(_convolved, (table.size_probs() for table in self.tables))

    def joint_size_marginals(self) -> Floats:
        """P(y_l = 1, |y| = s) for s = 0..L, (n, L, L + 1)."""
        sizes = [table.size_probs() for table in self.tables]
        shares = np.empty((self.n_rows, self.n_labels, self.n_labels + 1))
        for g, (group, table) in enumerate(zip(self.groups, self.tables)):
            others = functools.reduce(_convolved, sizes[:g] + sizes[g + 1 :], np.ones((self.n_rows, 1)))
            own = table.joint_size_marginals()
            for j, label in enumerate(group):
                shares[:, label] = _convolved(own[:, j], others)
        return shares

    def _entropy(self) -> Entropy:
        """Entropy of each row in nats, summed over the groups."""
        value = np.sum([table.entropy().value for table in self.tables], axis=0)
        return Entropy(value, value, value, np.zeros_like(value), "exact")

    def _tempered(self, temperature: float) -> Self:
        return type(self)(self.groups, [table.tempered(temperature) for table in self.tables])

    def _take(self, rows: npt.NDArray[np.intp]) -> Self:
        return type(self)(self.groups, [table.take(rows) for table in self.tables])

    def _may_be_on(self, evidence: Labels | None = None) -> Bools:
        possible = np.empty((self.n_rows, self.n_labels), dtype=np.bool_)
        for group, table in zip(self.groups, self.tables):
            possible[:, group] = table._may_be_on(None if evidence is None else evidence[:, group])
        return possible

    def _gather(self, answer: Callable[[Table], Array]) -> Array:
        """Put answers (..., group) of the tables in the columns of their labels."""
        parts = [answer(table) for table in self.tables]
        whole = np.empty((*parts[0].shape[:-1], self.n_labels), dtype=parts[0].dtype)
        for group, part in zip(self.groups, parts):
            whole[..., group] = part
        return whole


def _convolved(a: Floats, b: Floats) -> Floats:
    """Distribution (n, .) of the sum of two independent sizes."""
    joined = np.zeros((len(a), a.shape[1] + b.shape[1] - 1))
    for size in range(b.shape[1]):
        joined[:, size : size + a.shape[1]] += a * b[:, size : size + 1]
    return joined


def _best_by_size(labels: Labels, value: Floats, k: int, min_labels: int) -> tuple[Labels, Floats]:
    """The ``k`` best sets of each number of labels, counted up to ``min_labels``."""
    size = np.minimum(labels.sum(axis=2), min_labels)
    kept = []
    for s in range(min_labels + 1):
        ranked = np.argsort(np.where(size == s, -value, np.inf), axis=1, kind="stable")[:, :k]
        own = np.take_along_axis(size, ranked, axis=1) == s
        best = np.where(own, np.take_along_axis(value, ranked, axis=1), -np.inf)
        kept.append((np.take_along_axis(labels, ranked[:, :, None], axis=1), best))
    return np.concatenate([a for a, _ in kept], axis=1), np.concatenate([b for _, b in kept], axis=1)


def _padded(labels: Labels, value: Floats, k: int) -> tuple[Labels, Floats]:
    missing = max(0, k - value.shape[1])
    return (
        np.pad(labels, ((0, 0), (0, missing), (0, 0)), constant_values=FREE),
        np.pad(value, ((0, 0), (0, missing)), constant_values=-np.inf),
    )
