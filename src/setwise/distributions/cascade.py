"""Cascades: first the size of the set, then its labels one after another."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Literal, NoReturn, Self, get_args

import numpy as np
import numpy.typing as npt
from scipy.special import betaln, entr

from setwise.blocks import row_slices
from setwise.contract import (
    FREE,
    Array,
    Entropy,
    Evidence,
    Floats,
    Labels,
    NotTractable,
    TopK,
)
from setwise.distributions.label_distribution import LabelDistribution
from setwise.distributions.table import Table
from setwise.inference.cascades.beam import beam
from setwise.inference.cascades.cascade import Steps, draw, greedy, log_sizes_given
from setwise.inference.cascades.marginals import estimate_marginals
from setwise.inference.cascades.orders import SetLogProb, all_set_log_probs, log_prob_given_size
from setwise.inference.sets.enumeration import label_sets
from setwise.limits import CASCADE_DRAWS, CASCADE_LABELS
from setwise.random_bits import mixed

Search = Literal["beam", "exact"]
SEARCHES: tuple[Search, ...] = get_args(Search)
N_SURPRISES = 100
SEED = 0


class Cascade(LabelDistribution):
    """P(y | x) = P(|y| = m | x) times the probability of drawing the labels of y one by one, in any order.

    The probability of a set is a sum over the orders of its labels. It is exact for sets of up to twelve labels and
    estimated for larger ones. If there are at most twelve labels in all, :meth:`table` lists every set, and every
    question except ``condition`` is answered exactly. With more labels, marginals and entropy are estimated from
    draws, and partial rows raise NotTractable.

    Parameters
    ----------
    log_sizes : array (n, L + 1)
        log P(|y| = m | x); the probabilities of each row sum to one.
    steps : Steps
        Probabilities of the next label, given the size and the labels chosen so far.
    search : {"beam", "exact"}
        How ``mode`` and ``top_k`` search for the most probable sets: by a beam over sets and sizes, or among all sets
        (at most twelve labels). The paper's Algorithm 2 is the decision :class:`~setwise.distributions.greedy.Greedy`.
    beam_width : int
        Number of sets kept at each level of the beam.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.inference.cascades.cascade import NaiveBayesSteps
    >>> steps = NaiveBayesSteps(np.log([[0.5, 0.3, 0.2]]), np.zeros((4, 3)), np.zeros((3, 3)))
    >>> cascade = Cascade(np.log([[0.1, 0.2, 0.4, 0.3]]), steps)
    >>> cascade.mode().labels
    array([[1, 1, 1]], dtype=int8)
    >>> cascade.marginals().round(3)
    array([[0.736, 0.63 , 0.534]])
    """

    def __init__(
        self, log_sizes: npt.ArrayLike, steps: Steps, *, search: Search = "beam", beam_width: int = 10
    ) -> None:
        self.n_rows, self.n_labels = steps.n_rows, steps.n_labels
        self.log_sizes = np.asarray(log_sizes, dtype=np.float64)
        self.steps, self.search, self.beam_width = steps, search, beam_width
        if self.log_sizes.shape != (self.n_rows, self.n_labels + 1):
            raise ValueError(
                f"log_sizes has shape {self.log_sizes.shape}; expected ({self.n_rows}, {self.n_labels + 1}), "
                "a probability for each size from 0 to the number of labels"
            )
        if search not in SEARCHES:
            raise ValueError(f"search is {search!r}; expected one of {', '.join(map(repr, SEARCHES))}")
        if beam_width < 1:
            raise ValueError(f"beam_width is {beam_width}; expected at least 1")

    def __repr__(self) -> str:
        return f"Cascade(n_rows={self.n_rows}, n_labels={self.n_labels}, search={self.search!r})"

    def given_sizes(self, sizes: npt.ArrayLike) -> Self:
        """Condition on the size of each row's set.

        Parameters
        ----------
        sizes : int array of shape (n,)

        Returns
        -------
        Cascade

        Examples
        --------
        >>> from setwise.inference.cascades.cascade import NaiveBayesSteps
        >>> steps = NaiveBayesSteps(np.log([[0.5, 0.3, 0.2]]), np.zeros((4, 3)), np.zeros((3, 3)))
        >>> cascade = Cascade(np.log([[0.1, 0.2, 0.4, 0.3]]), steps)
        >>> cascade.given_sizes([1]).size_probs()
        array([[0., 1., 0., 0.]])
        """
        sizes = np.asarray(sizes)
        most = int(self.steps.possible().sum())
        if sizes.shape != (self.n_rows,):
            raise ValueError(f"sizes has shape {sizes.shape}; expected ({self.n_rows},), one for each row")
        bad = (sizes != sizes.astype(np.intp)) | (sizes < 0) | (sizes > most)
        if bad.any():
            row = int(bad.argmax())
            raise ValueError(
                f"sizes[{row}] is {sizes[row]}; expected a whole number from 0 to {most}, the number of labels seen in "
                "training"
            )
        return self._carry(self._with(one_size(sizes.astype(np.intp), self.n_labels), self.steps))

    def table(self) -> Table:
        """List every label set with its exact probability, for at most twelve labels.

        Returns
        -------
        Table

        Examples
        --------
        >>> from setwise.inference.cascades.cascade import NaiveBayesSteps
        >>> steps = NaiveBayesSteps(np.log([[0.5, 0.3, 0.2]]), np.zeros((4, 3)), np.zeros((3, 3)))
        >>> cascade = Cascade(np.log([[0.1, 0.2, 0.4, 0.3]]), steps)
        >>> len(cascade.table().sets)
        8
        """
        if self.n_labels > CASCADE_LABELS:
            self._refuse("a table of every set", "top_k lists the best sets, sample draws sets")
        return self._table

    @cached_property
    def _table(self) -> Table:
        return Table(label_sets(self.n_labels), all_set_log_probs(self.steps, self.log_sizes))

    @property
    def _small(self) -> bool:
        return self.n_labels <= CASCADE_LABELS

    def _log_prob(self, Y: Labels) -> Floats:
        """Log-probability of each row. For sets of more than twelve labels it is estimated, with a warning."""
        partial = (Y == FREE).any(axis=1)
        if partial.any():
            if not self._small:
                self._refuse("the probability of a partial row", "estimate it from draws of sample")
            return self.table().log_prob(Y)
        answer = self.set_log_prob(Y)
        if not answer.exact.all():
            rows = np.flatnonzero(~answer.exact)
            warnings.warn(
                f"{len(rows)} rows, the first of them {int(rows[0])}, have sets of more than {CASCADE_LABELS} labels: "
                f"their probability is estimated, with standard errors of its log up to "
                f"{answer.standard_error.max():.2g}; set_log_prob gives them",
                stacklevel=3,
            )
        return answer.log_prob

    def set_log_prob(self, Y: Evidence) -> SetLogProb:
        """Log-probability of full rows, with standard errors.

        Parameters
        ----------
        Y : array or DataFrame of shape (n, L)

        Returns
        -------
        SetLogProb
            ``log_prob``, ``exact`` and ``standard_error``, each (n,).

        Examples
        --------
        >>> from setwise.inference.cascades.cascade import NaiveBayesSteps
        >>> steps = NaiveBayesSteps(np.log([[0.5, 0.3, 0.2]]), np.zeros((4, 3)), np.zeros((3, 3)))
        >>> cascade = Cascade(np.log([[0.1, 0.2, 0.4, 0.3]]), steps)
        >>> cascade.set_log_prob([[1, 1, 1]])
        SetLogProb(log_prob=array([-1.2039728]), exact=array([ True]), standard_error=array([0.]))
        """
        Y = self._read(Y)
        given_size = log_prob_given_size(self.steps, Y)
        of_size = self.log_sizes[np.arange(self.n_rows), Y.sum(axis=1, dtype=np.intp)]
        return given_size._replace(log_prob=given_size.log_prob + of_size)

    def greedy_sets(self, least: int = 0) -> Labels:
        """Choose the likeliest size of at least ``least`` labels, then the likeliest next label until it is reached.

        Parameters
        ----------
        least : int

        Returns
        -------
        int8 array of shape (n, L)
            FREE in rows for which no such size is possible.

        Examples
        --------
        >>> from setwise.inference.cascades.cascade import NaiveBayesSteps
        >>> steps = NaiveBayesSteps(np.log([[0.5, 0.3, 0.2]]), np.zeros((4, 3)), np.zeros((3, 3)))
        >>> Cascade(np.log([[0.1, 0.2, 0.4, 0.3]]), steps).greedy_sets()
        array([[1, 1, 0]], dtype=int8)
        """
        possible = log_sizes_given(self.steps, self.log_sizes, self._full(None), least)
        labels = greedy(self.steps, possible.argmax(axis=1), None)
        labels[(possible == -np.inf).all(axis=1)] = FREE
        return labels

    def find_top_k(self, k: int, evidence: Labels | None = None, *, least: int = 0) -> TopK:
        """Search by a beam, or among all sets if the search is exact."""
        if self.search == "exact":
            return self.table().find_top_k(k, evidence, least=least)
        known = self._full(evidence)
        return beam(self.steps, self.log_sizes, known, k, min_labels=least, width=self.beam_width)

    def marginals(self) -> Floats:
        """P(y_j = 1) of each row and label, (n, L): exact up to twelve labels, otherwise to a standard error of .01."""
        if self._small:
            return self.table().marginals()
        streams = self.row_numbers(SEED).streams
        return estimate_marginals(self.steps, self.log_sizes, streams).means

    def pairwise_marginals(self) -> Floats:
        """P(y_i = 1, y_j = 1) of each row, (n, L, L), exact up to twelve labels, otherwise from 500 draws."""
        if self._small:
            return self.table().pairwise_marginals()
        draws = self._draws.astype(np.float32)
        pairs = np.asarray(np.swapaxes(draws, 1, 2) @ draws / CASCADE_DRAWS, dtype=np.float64)
        np.einsum("nll->nl", pairs)[:] = self.marginals()
        return pairs

    def joint_size_marginals(self) -> Floats:
        """P(y_l = 1, |y| = s) for s = 0..L, (n, L, L + 1), exact up to twelve labels, otherwise from draws."""
        return self.table().joint_size_marginals() if self._small else super().joint_size_marginals()

    @property
    def sampled(self) -> bool:
        """Whether there are more than twelve labels, so that sums over label sets are estimated from draws."""
        return not self._small

    def draws(self) -> Labels:
        """The 500 sets (n, 500, L) of each row that estimates are made from."""
        return self._draws

    @cached_property
    def _draws(self) -> Labels:
        return self.sample(CASCADE_DRAWS, self.row_numbers(SEED))

    def sample(self, n_draws: int, rng: np.random.Generator) -> Labels:
        """Independent label sets of each row, (n, n_draws, L)."""
        cumulative = np.exp(self.log_sizes).cumsum(axis=1)
        uniforms = rng.random((self.n_rows, n_draws)) * cumulative[:, -1:]
        sizes = (uniforms[:, :, None] >= cumulative[:, None]).sum(axis=2).ravel()
        rows = np.arange(self.n_rows).repeat(n_draws)
        streams = mixed(rng.random((self.n_rows, n_draws)).view(np.uint64)).ravel()
        blocks = row_slices(len(rows), self.n_labels)
        draws = [draw(self.steps, sizes[at], rows[at], streams[at]) for at in blocks]
        return np.concatenate(draws).reshape(self.n_rows, n_draws, self.n_labels)

    def _condition(self, evidence: Labels) -> Self:
        """Raise NotTractable: given labels are no longer drawn in turn."""
        self._refuse(
            "conditioning", "table().condition works up to twelve labels, mode and top_k take evidence"
        )

    def query(
        self,
        about: Sequence[str | int] | Mapping[str | int, int],
        given: Mapping[str | int, int] | None = None,
    ) -> Floats:
        """P(about | x, given) for labels by name or number; for at most twelve labels, from the table."""
        table = self.table()
        table.label_names = self.label_names
        return table.query(about, given)

    def size_probs(self) -> Floats:
        """P(|y| = s) for s = 0..L, (n, L + 1)."""
        return np.exp(self.log_sizes)

    def _entropy(self) -> Entropy:
        """Entropy of each row in nats: exact up to twelve labels, otherwise the mean of -log P over 100 draws."""
        if self._small:
            return self.table().entropy()
        draws = self._draws[:, :N_SURPRISES].swapaxes(0, 1)
        surprise = -np.stack([self.set_log_prob(sets).log_prob for sets in draws], axis=1)
        error = surprise.std(axis=1, ddof=1) / np.sqrt(N_SURPRISES)
        p, sizes = self.size_probs(), np.arange(self.n_labels + 1)
        of_size = entr(p).sum(axis=1)
        log_count = -np.log(self.n_labels + 1) - betaln(self.n_labels - sizes + 1, sizes + 1)
        return Entropy(surprise.mean(axis=1), of_size, of_size + p @ log_count, error, "sampled")

    def _take(self, rows: npt.NDArray[np.intp]) -> Self:
        return self._with(self.log_sizes[rows], self.steps.take(rows))

    def _with(self, log_sizes: Floats, steps: Steps) -> Self:
        return type(self)(log_sizes, steps, search=self.search, beam_width=self.beam_width)

    def _full(self, evidence: Labels | None) -> Labels:
        """The evidence, or evidence that leaves every label free."""
        return np.full((self.n_rows, self.n_labels), FREE, np.int8) if evidence is None else evidence

    def _refuse(self, what: str, instead: str) -> NoReturn:
        raise NotTractable(f"a cascade over {self.n_labels} labels cannot answer {what}; {instead}")


def one_size(sizes: Array, n_labels: int) -> Floats:
    """Log-probabilities (n, L + 1) of sizes that are known: 0 for each of ``sizes`` (n,), -inf for all others."""
    return np.where(np.arange(n_labels + 1) == sizes[:, None], 0.0, -np.inf)
