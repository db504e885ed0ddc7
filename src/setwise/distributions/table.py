"""An explicit list of label sets with probabilities; every other set is impossible."""

from __future__ import annotations

from typing import Self

import numpy as np
import numpy.typing as npt
from scipy.special import entr, log_softmax, logsumexp

from setwise.contract import (
    FREE,
    Array,
    Bools,
    Entropy,
    Floats,
    Labels,
    Mode,
    TopK,
    check_evidence,
    check_possible,
    check_sizes,
)
from setwise.distributions.label_distribution import LabelDistribution
from setwise.inference.sets.listed import agreement


class Table(LabelDistribution):
    """A distribution over ``m`` given label sets. All rows share the sets; each row has its own probabilities.

    Parameters
    ----------
    sets : array (m, L)
        Distinct label sets of 0 and 1.
    log_probs : array (n, m)
        Log-probability of each set in each row; the probabilities of a row sum to one, and -inf is allowed.

    Examples
    --------
    >>> import numpy as np
    >>> table = Table([[0, 0, 1], [1, 1, 0]], np.log([[0.75, 0.25]]))
    >>> table.mode().labels
    array([[0, 0, 1]], dtype=int8)
    >>> table.condition([[1, -1, -1]]).marginals()
    array([[1., 1., 0.]])
    """

    def __init__(self, sets: npt.ArrayLike, log_probs: npt.ArrayLike) -> None:
        self.sets = _check_sets(sets)
        self.log_probs = _check_log_probs(log_probs, len(self.sets))
        self.n_rows, self.n_labels = len(self.log_probs), self.sets.shape[1]
        self._index = _Index(self.sets)

    def _like(self, log_probs: Floats) -> Self:
        """The same sets with other, already checked, log-probabilities (n, m)."""
        other = object.__new__(type(self))
        other.sets, other.log_probs, other._index = self.sets, log_probs, self._index
        other.n_rows, other.n_labels = len(log_probs), self.n_labels
        return other

    def __repr__(self) -> str:
        return f"Table(n_rows={self.n_rows}, n_sets={len(self.sets)}, n_labels={self.n_labels})"

    def _log_prob(self, Y: Labels) -> Floats:
        place = self._index.find(Y)
        log_prob = np.where(place >= 0, self.log_probs[np.arange(self.n_rows), place], -np.inf)
        partly = np.flatnonzero((Y == FREE).any(axis=1))
        if partly.size:
            log_prob[partly] = logsumexp(self._take(partly)._given(Y[partly]), axis=1)
        return log_prob

    def _log_probs_of(self, asked: Labels) -> Floats:
        place = self._index.find(asked)
        log_prob = np.where(place >= 0, self.log_probs[:, place], -np.inf)
        partly = np.flatnonzero((asked == FREE).any(axis=1))
        for which, agrees in zip(partly, agreement(self.sets, asked[partly])):
            log_prob[:, which] = logsumexp(np.where(agrees, self.log_probs, -np.inf), axis=1)
        return log_prob

    def find_top_k(self, k: int, evidence: Labels | None = None, *, least: int = 0) -> TopK:
        """Sort the sets of at least ``least`` labels that agree with checked ``evidence``."""
        joint = self.log_probs if evidence is None else self._given(evidence)
        joint = np.where(self.sets.sum(axis=1) >= least, joint, -np.inf)
        best = np.argsort(-joint, axis=1, kind="stable")[:, :k]
        log_prob = np.full((self.n_rows, k), -np.inf)
        log_prob[:, : best.shape[1]] = np.take_along_axis(joint, best, axis=1)
        labels = np.full((self.n_rows, k, self.n_labels), FREE, dtype=np.int8)
        labels[:, : best.shape[1]] = self.sets[best]
        labels[log_prob == -np.inf] = FREE
        return TopK(labels, log_prob, np.ones(self.n_rows, np.bool_), np.zeros(self.n_rows))

    def marginals(self) -> Floats:
        """P(y_l = 1) of each row and label, (n, L)."""
        return np.exp(self.log_probs) @ self.sets.astype(np.float64)

    def pairwise_marginals(self) -> Floats:
        """P(y_i = 1, y_j = 1) of each row, (n, L, L); the diagonal holds the marginals."""
        sets = self.sets.astype(np.float64)
        pairs = [(sets.T * p) @ sets for p in np.exp(self.log_probs)]
        return np.array(pairs).reshape(self.n_rows, self.n_labels, self.n_labels)

    def sample(self, n_draws: int, rng: np.random.Generator) -> Labels:
        """Independent label sets of each row, (n, n_draws, L)."""
        cumulative = np.exp(self.log_probs).cumsum(axis=1)
        cumulative /= cumulative[:, -1:]
        uniforms = rng.random((self.n_rows, n_draws))
        drawn = [np.searchsorted(c, u, side="right") for c, u in zip(cumulative, uniforms)]
        return self.sets[np.array(drawn, dtype=np.intp).reshape(self.n_rows, n_draws)]

    def _condition(self, evidence: Labels) -> Self:
        joint = self._given(evidence)
        total = np.asarray(logsumexp(joint, axis=1))
        check_possible(total)
        return self._like(joint - total[:, None])

    def size_probs(self) -> Floats:
        """P(|y| = s) for s = 0..L, (n, L + 1)."""
        sizes = self.sets.sum(axis=1)[:, None] == np.arange(self.n_labels + 1)
        return np.asarray(np.exp(self.log_probs) @ sizes)

    def joint_size_marginals(self) -> Floats:
        """P(y_l = 1, |y| = s) for s = 0..L, (n, L, L + 1)."""
        P, sizes = np.exp(self.log_probs), self.sets.sum(axis=1)
        shares = np.zeros((self.n_rows, self.n_labels, self.n_labels + 1))
        for size in np.unique(sizes):
            of_size = sizes == size
            shares[:, :, size] = P[:, of_size] @ self.sets[of_size].astype(np.float64)
        return shares

    def support(self) -> tuple[Labels, Floats]:
        """The sets (m, L) and their log-probabilities (n, m)."""
        return self.sets, self.log_probs

    def find_mode(self, evidence: Labels | None = None, *, least: int = 0, most: int | None = None) -> Mode:
        """Take the best set of ``least`` to ``most`` labels that agrees with checked ``evidence``."""
        most = self.n_labels if most is None else most
        check_sizes(least, most, self.n_labels)
        joint = self.log_probs if evidence is None else self._given(evidence)
        size = self.sets.sum(axis=1)
        joint = np.where((size >= least) & (size <= most), joint, -np.inf)
        best = joint.argmax(axis=1)
        log_prob = joint[np.arange(self.n_rows), best]
        labels = np.where(log_prob[:, None] > -np.inf, self.sets[best], FREE).astype(np.int8)
        return Mode(labels, log_prob, np.ones(self.n_rows, np.bool_), np.zeros(self.n_rows))

    def _entropy(self) -> Entropy:
        """Entropy of each row in nats, exact."""
        value = entr(np.exp(self.log_probs)).sum(axis=1)
        return Entropy(value, value, value, np.zeros_like(value), "exact")

    def _tempered(self, temperature: float) -> Self:
        return self._like(np.asarray(log_softmax(self.log_probs / temperature, axis=1)))

    def _take(self, rows: npt.NDArray[np.intp]) -> Self:
        return self._like(self.log_probs[rows])

    def _may_be_on(self, evidence: Labels | None = None) -> Bools:
        possible = (self.log_probs if evidence is None else self._given(evidence)) > -np.inf
        if possible.all():
            return np.tile(self.sets.any(axis=0), (self.n_rows, 1))
        return np.asarray(possible.astype(np.float32) @ self.sets > 0)

    def _given(self, evidence: Labels) -> Floats:
        """Joint log-probability (n, m) of each set and the evidence; -inf if they disagree."""
        return np.where(agreement(self.sets, evidence), self.log_probs, -np.inf)


class _Index:
    """Positions of distinct sets in their list."""

    def __init__(self, sets: Labels) -> None:
        self.sets = sets
        rng = np.random.default_rng(0)
        while True:
            self._weights = rng.integers(2**63, size=sets.shape[1], dtype=np.uint64) | np.uint64(1)
            keys = self._keys(sets)
            self._order = np.argsort(keys, kind="stable")
            self._sorted = keys[self._order]
            # Two sets hardly ever have the same key; if they do, new keys are drawn.
            if (np.diff(self._sorted) > 0).all():
                return

    def find(self, Y: Labels) -> Array:
        """Find the position (n,) of each row of ``Y`` (n, L) among the sets, -1 if it is not one of them."""
        if not len(Y):
            return np.empty(0, dtype=np.intp)
        at = np.minimum(np.searchsorted(self._sorted, self._keys(Y)), len(self._sorted) - 1)
        place = self._order[at]
        return np.where((self.sets[place] == Y).all(axis=1), place, -1)

    def _keys(self, sets: Labels) -> Array:
        with np.errstate(over="ignore"):
            return np.asarray((sets == 1).astype(np.uint64) @ self._weights)


def _check_sets(sets: npt.ArrayLike) -> Labels:
    sets = np.asarray(sets)
    if sets.ndim != 2 or 0 in sets.shape:
        raise ValueError(
            f"sets has shape {sets.shape}; expected (sets, labels) with at least one set and one label"
        )
    sets = check_evidence(sets, *sets.shape)
    if (sets == FREE).any():
        row, label = np.argwhere(sets == FREE)[0]
        raise ValueError(f"sets[{row}, {label}] is {FREE}; the labels of a set are 0 or 1")
    if len(np.unique(_sums(sets, np.random.default_rng(1)))) == len(sets):
        return sets  # different sums of the same numbers: the quick way to see that all sets differ
    _, first, counts = np.unique(sets, axis=0, return_index=True, return_counts=True)
    if (counts > 1).any():
        raise ValueError(f"sets[{first[counts > 1][0]}] occurs more than once; the sets must be distinct")
    return sets


def _check_log_probs(log_probs: npt.ArrayLike, n_sets: int) -> Floats:
    log_probs = np.asarray(log_probs, dtype=np.float64)
    if log_probs.ndim != 2 or log_probs.shape[1] != n_sets:
        raise ValueError(
            f"log_probs has shape {log_probs.shape}; expected (rows, {n_sets}), one for each set"
        )
    total = np.asarray(logsumexp(log_probs, axis=1))
    bad = ~(np.abs(total) < 1e-3)
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise ValueError(
            f"the probabilities of log_probs[{row}] sum to {np.exp(total[row]):.6g}; they must sum to one"
        )
    return np.asarray(log_probs - total[:, None])


def _sums(sets: Labels, rng: np.random.Generator) -> Array:
    """A number (m,) of each set: the sum of random numbers of its labels."""
    weights = rng.integers(2**63, size=sets.shape[1], dtype=np.uint64)
    with np.errstate(over="ignore"):
        return np.asarray((sets == 1).astype(np.uint64) @ weights)
