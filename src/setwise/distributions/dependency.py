"""Dependency networks: each label given all others. The joint is only defined by a Gibbs sampler."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple, NoReturn, Self

import numpy as np
import numpy.typing as npt

from setwise.contract import (
    FREE,
    Array,
    Bools,
    Entropy,
    Evidence,
    Floats,
    ImpossibleEvidence,
    Labels,
    NotTractable,
    TopK,
)
from setwise.distributions.label_distribution import LabelDistribution
from setwise.inference.networks.fixed_point import FixedPoint, fixed_point
from setwise.inference.networks.gibbs import Conditionals, Samples, gibbs, pseudo_log_prob, r_hat, scan_orders
from setwise.printable import plain_repr
from setwise.random_bits import RowNumbers, keys, uniforms

RUNS = 5
"""Number of parts into which a chain is split to estimate the variance of its means."""
MIXED = 1.2
"""Largest R-hat at which a label counts as mixed."""


class Sampling(NamedTuple):
    """How states are collected.

    Each row has ``n_samples`` states in all, from ``n_gibbs_chains`` chains after ``n_burn_in`` sweeps each. Algorithm
    1 uses the ``n_keep`` states with the highest products of conditionals.
    """

    n_burn_in: int = 100
    n_samples: int = 500
    n_keep: int = 100
    n_gibbs_chains: int = 4
    seed: int = 0


class Mixing(NamedTuple):
    """Convergence of the sampler: ``r_hat`` (n, L), which rows have ``mixed`` (n,), and ``share_not_mixed``."""

    r_hat: Floats
    mixed: Bools
    share_not_mixed: float


class DependencyNetwork(LabelDistribution):
    """P(y | x) as the stationary distribution of the Gibbs sampler over the full conditionals.

    The conditionals are learned separately and need not agree on a joint, so the probability of a set has no closed
    form: ``log_prob`` raises :class:`NotTractable`, and ``pseudo_log_prob`` is the product of the conditionals. All
    other answers are estimated from samples, and ``condition`` clamps labels. ``mode`` is the set sampled most often;
    the paper's algorithms are the decision :class:`~setwise.distributions.gibbs.Gibbs`.

    Parameters
    ----------
    conditionals : Conditionals of n rows and L labels
    evidence : array (n, L), optional
        Labels clamped to 0 or 1.
    streams : array (n,) of uint64, optional
        Seed of each row's random numbers; by default the number of the row.
    sampling : Sampling
    start : array (n, L), optional
        Starting states, if the conditionals only say yes or no. Each chain then runs to a fixed point (Algorithm 2),
        the first from ``start``, the others from random states. The samples are the fixed points.

    Examples
    --------
    Two labels that tend to agree:

    >>> import numpy as np
    >>> from setwise.inference.networks.gibbs import LinearConditionals
    >>> pair = LinearConditionals(np.array([[1.0, 0.0]]), np.array([[0.0, 2.0], [2.0, 0.0]]))
    >>> network = DependencyNetwork(pair)
    >>> network.mode().labels
    array([[1, 1]], dtype=int8)
    >>> network.condition([[0, -1]]).mode().labels
    array([[0, 0]], dtype=int8)
    """

    def __init__(
        self,
        conditionals: Conditionals,
        evidence: npt.ArrayLike | None = None,
        streams: Array | None = None,
        *,
        sampling: Sampling | None = None,
        start: Labels | None = None,
    ) -> None:
        self.n_rows, self.n_labels = conditionals.n_rows, conditionals.n_labels
        self.conditionals = conditionals
        self.evidence = (
            np.full((self.n_rows, self.n_labels), FREE, np.int8) if evidence is None else self._read(evidence)
        )
        self.streams = np.arange(self.n_rows, dtype=np.uint64) if streams is None else streams
        self.sampling = _check_sampling(Sampling() if sampling is None else sampling)
        self.start = start

    def __repr__(self) -> str:
        return f"DependencyNetwork(n_rows={self.n_rows}, n_labels={self.n_labels})"

    @cached_property
    def samples(self) -> Samples:
        """Collected states (n, chains, S, L) and the logs of their products of conditionals (n, chains, S)."""
        if self.start is not None:
            ends = self.fixed_points
            labels, scores = (
                np.stack([getattr(e, name) for e in ends], axis=1) for name in ("labels", "scores")
            )
            return Samples(labels[:, :, None], scores[:, :, None], labels.astype(np.float64))
        s = self.sampling
        return self._walk(s.n_gibbs_chains, s.n_burn_in, -(-s.n_samples // s.n_gibbs_chains), s.seed)

    def _walk(self, n_chains: int, n_burn_in: int, n_collect: int, seed: int) -> Samples:
        order = scan_orders(n_chains, self.n_labels, seed)
        streams = keys(self.streams, seed)
        return gibbs(self.conditionals, self.evidence, streams, order, n_burn_in, n_collect)

    @cached_property
    def fixed_points(self) -> list[FixedPoint]:
        """Fixed points of Algorithm 2, one per chain: the first from ``start``, the others from random states."""
        return self._fixed_points(self.sampling.n_gibbs_chains, self.sampling.seed, self.start)

    def _fixed_points(self, n_starts: int, seed: int, first: Labels | None) -> list[FixedPoint]:
        orders = scan_orders(n_starts, self.n_labels, seed)
        streams = keys(self.streams, seed)
        starts = [(uniforms(keys(streams, c), self.n_labels) < 0.5).astype(np.int8) for c in range(n_starts)]
        if first is not None:
            starts[0] = first
        return [
            fixed_point(self.conditionals, self.evidence, start, order)
            for start, order in zip(starts, orders)
        ]

    def mixing(self) -> Mixing:
        """Check whether the chains of each row agree; clamped labels count as mixed.

        Returns
        -------
        Mixing

        Examples
        --------
        >>> from setwise.inference.networks.gibbs import LinearConditionals
        >>> pair = LinearConditionals(np.array([[1.0, 0.0]]), np.array([[0.0, 2.0], [2.0, 0.0]]))
        >>> network = DependencyNetwork(pair)
        >>> network.mixing().mixed
        array([ True])
        """
        if self.start is not None:
            labels = self.samples.labels[:, :, 0]
            r = np.where((labels == labels[:, :1]).all(axis=1), 1.0, np.inf)
        else:
            r = r_hat(self.samples.labels)
        mixed = np.asarray(~(r > MIXED).any(axis=1))
        return Mixing(r, mixed, float(1.0 - mixed.mean()) if len(mixed) else 0.0)

    def pseudo_log_prob(self, Y: Evidence) -> Floats:
        """Log of the product of the conditionals of full label sets.

        Parameters
        ----------
        Y : array or DataFrame of shape (n, L)

        Returns
        -------
        array of shape (n,)

        Examples
        --------
        >>> from setwise.inference.networks.gibbs import LinearConditionals
        >>> pair = LinearConditionals(np.array([[1.0, 0.0]]), np.array([[0.0, 2.0], [2.0, 0.0]]))
        >>> network = DependencyNetwork(pair)
        >>> network.pseudo_log_prob([[1, 1]]).round(3)
        array([-0.176])
        """
        Y = self._read(Y)
        if (Y == FREE).any():
            row = int((Y == FREE).any(axis=1).argmax())
            raise ValueError(f"row {row} is partial; the product of conditionals needs every label")
        return pseudo_log_prob(self.conditionals, Y)

    def _log_prob(self, Y: Labels) -> Floats:
        """Raise NotTractable: the conditionals need not agree on a joint."""
        self._refuse(
            "log_prob", "use pseudo_log_prob for the product of conditionals, top_k for shares of samples"
        )

    def find_top_k(self, k: int, evidence: Labels | None = None, *, least: int = 0) -> TopK:
        """Return the sets sampled most often, with the logs of their shares; never certified."""
        given, impossible = self._given(evidence, least)
        flat, _ = given.states()
        labels = np.full((self.n_rows, k, self.n_labels), FREE, np.int8)
        log_prob = np.full((self.n_rows, k), -np.inf)
        for i in np.flatnonzero(~impossible):
            states = flat[i]
            sets, counts = np.unique(states, axis=0, return_counts=True)
            large = sets.sum(axis=1) >= least
            sets, counts = sets[large], counts[large]
            best = np.argsort(-counts, kind="stable")[:k]
            labels[i, : len(best)], log_prob[i, : len(best)] = sets[best], np.log(counts[best] / len(states))
        return TopK(
            labels, log_prob, impossible, np.where(impossible, 0.0, np.maximum(-log_prob[:, -1], 0.0))
        )

    def marginals(self) -> Floats:
        """Mean (n, L) over all samples of each label's conditional; clamped labels are 0 or 1."""
        return np.where(self.evidence == FREE, self.samples.probs.mean(axis=1), self.evidence)

    def pairwise_marginals(self) -> Floats:
        """Share (n, L, L) of the samples that have both labels; the diagonal holds the marginals."""
        flat = self.states()[0].astype(np.float32)
        pairs = np.asarray(np.swapaxes(flat, 1, 2) @ flat, dtype=np.float64) / flat.shape[1]
        diagonal = np.arange(self.n_labels)
        pairs[:, diagonal, diagonal] = self.marginals()
        return pairs

    def row_numbers(self, seed: int) -> RowNumbers:
        """Random numbers from the rows' streams, as rows cannot be identified by the probability of a set."""
        return RowNumbers(self.streams, seed)

    def sample(self, n_draws: int, rng: np.random.Generator) -> Labels:
        """Draw label sets (n, n_draws, L), each the last state of a separate chain."""
        seed = int(rng.integers(2**62))
        if self.start is not None:
            ends = self._fixed_points(n_draws, seed, None)
            return np.stack([end.labels for end in ends], axis=1)
        return self._walk(n_draws, self.sampling.n_burn_in, 1, seed).labels[:, :, 0]

    def _condition(self, evidence: Labels) -> Self:
        """Clamp the labels of ``evidence`` (n, L) too."""
        clash = self._clash(evidence)
        if clash.any():
            row, label = np.argwhere(clash)[0]
            raise ImpossibleEvidence(
                f"row {row}, label {label} is already clamped to {self.evidence[row, label]}"
            )
        both = np.where(evidence == FREE, self.evidence, evidence)
        return type(self)(self.conditionals, both, self.streams, sampling=self.sampling, start=self.start)

    def size_probs(self) -> Floats:
        """Share (n, L + 1) of the samples with s labels, s = 0..L."""
        sizes = self.states()[0].sum(axis=2, dtype=np.intp)
        shares = np.zeros((self.n_rows, self.n_labels + 1))
        np.add.at(shares, (np.arange(self.n_rows)[:, None], sizes), 1.0 / sizes.shape[1])
        return shares

    @property
    def sampled(self) -> bool:
        """Always True: all answers are estimated from samples."""
        return True

    def draws(self) -> Labels:
        """The samples (n, S, L) that all answers are estimated from."""
        return self.states()[0]

    def independent_draws(self) -> Floats:
        """Effective number of samples (n,). Successive states are correlated, so it follows from means of runs."""
        states = self.samples.labels
        n, n_chains, n_kept, L = states.shape
        length = n_kept // RUNS
        if self.start is not None or length < 2:
            return np.full(n, float(n_chains * n_kept))
        runs = states[:, :, : RUNS * length].reshape(n, n_chains * RUNS, length, L).mean(axis=2)
        of_states, of_runs = self.marginals() * (1.0 - self.marginals()), runs.var(axis=1, ddof=1)
        wanted = np.maximum(of_runs.sum(axis=1), np.finfo(np.float64).tiny)
        worth = of_states.sum(axis=1) / wanted * n_chains * RUNS
        return np.asarray(np.clip(worth, 1.0, n_chains * n_kept))

    def _entropy(self) -> Entropy:
        """Raise NotTractable: the probability of a set has no closed form."""
        self._refuse("entropy", "marginals, size_probs and top_k are estimated from samples")

    def _take(self, rows: npt.NDArray[np.intp]) -> Self:
        """Select some rows, which keep their random numbers."""
        start = None if self.start is None else self.start[rows]
        kept = self.evidence[rows], self.streams[rows]
        return type(self)(self.conditionals.take(rows), *kept, sampling=self.sampling, start=start)

    def states(self) -> tuple[Labels, Floats]:
        """Join the states of all chains.

        Returns
        -------
        tuple of arrays of shapes (n, S, L) and (n, S)
            The states, and the logs of their products of conditionals.

        Examples
        --------
        >>> from setwise.inference.networks.gibbs import LinearConditionals
        >>> pair = LinearConditionals(np.array([[1.0, 0.0]]), np.array([[0.0, 2.0], [2.0, 0.0]]))
        >>> network = DependencyNetwork(pair)
        >>> network.states()[0].shape
        (1, 500, 2)
        """
        labels, scores, _ = self.samples
        n, n_chains, n_kept, L = labels.shape
        return labels.reshape(n, n_chains * n_kept, L), scores.reshape(n, n_chains * n_kept)

    def _clash(self, given: Labels) -> Bools:
        """Cells (n, L) whose evidence contradicts what is clamped."""
        return (given != FREE) & (self.evidence != FREE) & (given != self.evidence)

    def _given(self, evidence: Labels | None, least: int) -> tuple[Self, Bools]:
        """The network given the evidence, and which rows (n,) have no set of at least ``least`` labels with it.

        Rows whose evidence contradicts clamped labels are not changed.
        """
        known, clash = self, np.zeros(self.n_rows, dtype=np.bool_)
        if evidence is not None:
            clash = np.any(self._clash(evidence), axis=1)
            known = self._condition(np.where(clash[:, None], FREE, evidence))
        return known, np.asarray(clash | ((known.evidence != 0).sum(axis=1) < least))

    def _refuse(self, what: str, instead: str) -> NoReturn:
        raise NotTractable(f"a dependency network has no {what}; {instead}")


def _check_sampling(sampling: Sampling) -> Sampling:
    for name, least in (("n_burn_in", 0), ("n_samples", 1), ("n_keep", 1), ("n_gibbs_chains", 1)):
        value = getattr(sampling, name)
        if not isinstance(value, (int, np.integer)) or value < least:
            raise ValueError(f"{name} is {plain_repr(value)}; expected a whole number, at least {least}")
    return sampling
