"""Searches and draws along a chain of labels, level by level for all rows at once.

``level_beam`` and ``level_sample`` work for any conditionals: ``logits(position, rows, prefix)`` is called once
a level with the rows (m,) and their earlier labels (m, position). The twins of the kernels give them linear ones.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable

import numpy as np
from scipy.special import expit, log_expit

from setwise.contract import FREE, Array, Floats, Labels

Logits = Callable[[int, Array, Labels], Floats]


def linear_logits(offsets: Floats, coupling: Floats) -> Logits:
    """Logits ``offsets[row, position] + sum of coupling[i, position]`` over the earlier positions i that are on."""
    return lambda position, rows, prefix: np.asarray(
        offsets[rows, position] + prefix @ coupling[:position, position]
    )


def chain_log_prob(offsets: Floats, coupling: Floats, sets: Labels) -> Floats:
    """Log-probability (n, S) of the sets (n, S, L) under linear chains."""
    logits = offsets[:, None, :] + sets @ np.triu(coupling, 1)
    return np.asarray(log_expit(np.where(sets == 1, logits, -logits)).sum(axis=2))


def chain_sample(
    offsets: Floats, coupling: Floats, evidence: Labels, uniforms: Floats
) -> tuple[Labels, Floats, Floats]:
    """Draws (n, S, L), the log weight (n, S) of the evidence along each, and mean probabilities (n, L)."""
    return level_sample(linear_logits(offsets, coupling), evidence, uniforms)


def level_sample(logits: Logits, evidence: Labels, uniforms: Floats) -> tuple[Labels, Floats, Floats]:
    """Draws along any chain: one uniform number (n, S, L) decides each label that was not observed."""
    n, n_draws, L = uniforms.shape
    draws = np.zeros((n * n_draws, L), dtype=np.int8)
    weight, means = np.zeros(n * n_draws), np.zeros((n, L))
    rows = np.repeat(np.arange(n), n_draws)
    for j in range(L):
        z = logits(j, rows, draws[:, :j])
        observed, p = evidence[rows, j], expit(z)
        free = observed == FREE
        draws[:, j] = np.where(free, uniforms[:, :, j].ravel() < p, observed)
        weight += np.where(free, 0.0, log_expit(np.where(observed == 1, z, -z)))
        means[:, j] = np.where(free, p, observed).reshape(n, n_draws).mean(axis=1)
    return draws.reshape(n, n_draws, L), weight.reshape(n, n_draws), means


def chain_beam(
    offsets: Floats,
    coupling: Floats,
    evidence: Labels,
    k: int,
    width: int,
    log_epsilon: float,
    classes: int,
) -> tuple[Labels, Floats, Floats]:
    """Best ``k`` sets (n, k, L) of a beam, log-probabilities (n, k), and the largest one dropped (n,)."""
    return level_beam(linear_logits(offsets, coupling), evidence, k, width, log_epsilon, classes)


def level_beam(
    logits: Logits, evidence: Labels, k: int, width: int, log_epsilon: float, classes: int
) -> tuple[Labels, Floats, Floats]:
    """Beam search along any chain.

    A prefix below ``log_epsilon`` is not branched: only its likelier value goes on. Prefixes compete for
    ``width`` places with those that have as many labels on, counted up to ``classes``; the final sets have
    at least so many.
    """
    n, L = evidence.shape
    rows, prefix, value = np.arange(n), np.zeros((n, 0), dtype=np.int8), np.zeros(n)
    dropped = np.full(n, -np.inf)
    for j in range(L):
        z = logits(j, rows, prefix)
        both = value[:, None] + log_expit(np.stack([-z, z], axis=1))
        observed = evidence[rows, j][:, None]
        allowed = (observed == FREE) | (observed == np.arange(2))
        better = np.stack([both[:, 0] >= both[:, 1], both[:, 1] > both[:, 0]], axis=1)
        weak = (both.max(axis=1) < log_epsilon)[:, None]
        strong = np.where(weak, better, both >= log_epsilon) | (observed != FREE)
        possible = allowed & (both > -np.inf)
        np.maximum.at(dropped, np.repeat(rows, 2), np.where(possible & ~strong, both, -np.inf).ravel())
        parent, child = np.nonzero(possible & strong)
        labels = np.column_stack([prefix[parent], child.astype(np.int8)])
        grade = np.minimum(labels.sum(axis=1), classes)
        reachable = grade + L - j - 1 >= classes
        rows, prefix, value, grade = (
            a[reachable] for a in (rows[parent], labels, both[parent, child], grade)
        )
        keep, order = _best(rows, value, grade, width)
        np.maximum.at(dropped, rows[order[~keep]], value[order[~keep]])
        rows, prefix, value = (a[order[keep]] for a in (rows, prefix, value))
    return _ranked(rows, prefix, value, dropped, k)


def _best(rows: Array, value: Floats, grade: Array, width: int) -> tuple[Array, Array]:
    """Prefixes sorted by row and falling value, and which of them are among the ``width`` best of their grade."""
    order = np.lexsort((-value, rows))
    within = np.lexsort((np.arange(len(rows)), grade[order], rows[order]))
    key = np.stack([rows[order], grade[order]])[:, within]
    starts = np.flatnonzero(np.r_[True, (np.diff(key, axis=1) != 0).any(axis=0)][: len(rows)])
    place = np.empty(len(rows), dtype=np.int64)
    place[within] = np.arange(len(rows)) - np.repeat(starts, np.diff(np.r_[starts, len(rows)]))
    return place < width, order


def _ranked(
    rows: Array, sets: Labels, value: Floats, dropped: Floats, k: int
) -> tuple[Labels, Floats, Floats]:
    """The first ``k`` of each row's sorted sets as arrays; the others count as dropped."""
    n, L = len(dropped), sets.shape[1]
    first = np.searchsorted(rows, np.arange(n))
    rank = np.arange(len(rows)) - first[rows]
    np.maximum.at(dropped, rows[rank >= k], value[rank >= k])
    labels, log_prob = np.full((n, k, L), FREE, dtype=np.int8), np.full((n, k), -np.inf)
    top = rank < k
    labels[rows[top], rank[top]], log_prob[rows[top], rank[top]] = sets[top], value[top]
    return labels, log_prob, dropped


def chain_search(
    offsets: Floats, coupling: Floats, evidence: Labels, k: int, min_labels: int, budget: int
) -> tuple[Labels, Floats, Floats, Array]:
    """The ``k`` most probable sets of linear chains by A*, and the largest bound left open (-inf if certified)."""
    n, L = offsets.shape
    labels, log_prob = np.full((n, k, L), FREE, dtype=np.int8), np.full((n, k), -np.inf)
    left_open, steps = np.full(n, -np.inf), np.zeros(n, dtype=np.int64)
    for i in range(n):
        search = _AStar(offsets[i], np.triu(coupling, 1), evidence[i], min_labels)
        found, left_open[i], steps[i] = search.run(k, budget)
        for rank, (value, y) in enumerate(found):
            labels[i, rank], log_prob[i, rank] = y, value
    return labels, log_prob, left_open, steps


class _AStar:
    """One row; see the compiled kernel for the bound."""

    def __init__(self, offsets: Floats, coupling: Floats, evidence: Labels, min_labels: int) -> None:
        self.offsets, self.coupling, self.evidence, self.min_labels = offsets, coupling, evidence, min_labels
        free = (evidence == FREE)[:, None]
        fixed = np.maximum(evidence, 0)[:, None] * coupling
        self.low = _suffix_sums(np.where(free, np.minimum(coupling, 0.0), fixed))
        self.high = _suffix_sums(np.where(free, np.maximum(coupling, 0.0), fixed))
        self.possible = np.r_[np.cumsum((evidence != 0)[::-1])[::-1], 0]

    def run(self, k: int, budget: int) -> tuple[list[tuple[float, tuple[int, ...]]], float, int]:
        heap: list[tuple[float, int, int, float, tuple[int, ...]]] = [(0.0, 0, 0, 0.0, ())]
        found: list[tuple[float, tuple[int, ...]]] = []
        steps = made = 0
        while heap and len(found) < k:
            bound, _, _, g, y = heapq.heappop(heap)
            if len(y) == len(self.offsets):
                found.append((g, y))
                continue
            if steps == budget:
                return found, -bound, steps
            steps += 1
            for child in self._children(g, y):
                made += 1
                heapq.heappush(heap, (-child[0], -len(child[2]), made, *child[1:]))
        return found, -np.inf, steps

    def _children(self, g: float, y: tuple[int, ...]) -> list[tuple[float, float, tuple[int, ...]]]:
        j = len(y)
        z = self.offsets + np.asarray(y, dtype=float) @ self.coupling[:j]
        children = []
        for v in (0, 1):
            if self.evidence[j] not in (FREE, v) or sum(y) + v + self.possible[j + 1] < self.min_labels:
                continue
            value = g + float(log_expit(z[j] if v else -z[j]))
            later = (z + v * self.coupling[j])[j + 1 :]
            on, off = later + self.high[j + 1, j + 1 :], -(later + self.low[j + 1, j + 1 :])
            observed = self.evidence[j + 1 :]
            best = np.where(observed == FREE, np.maximum(on, off), np.where(observed == 1, on, off))
            if value > -np.inf:
                children.append((value + float(log_expit(best).sum()), value, (*y, v)))
        return children


def _suffix_sums(couplings: Floats) -> Floats:
    """Row j holds the sums of the rows from j on; one row of zeros ends them."""
    return np.concatenate([np.cumsum(couplings[::-1], axis=0)[::-1], np.zeros((1, couplings.shape[1]))])
