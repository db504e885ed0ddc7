"""Cascades: the size of the set first, then its labels one after another."""

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
    Floats,
    LabelDistribution,
    Labels,
    Mode,
    NotTractable,
    TopK,
    check_evidence,
    check_rows,
    check_search,
)
from setwise.distributions.table import Table
from setwise.inference.cascades.beam import beam
from setwise.inference.cascades.cascade import Steps, draw, greedy, log_sizes_given
from setwise.inference.cascades.orders import SetLogProb, all_set_log_probs, log_prob_given_size
from setwise.inference.sets.candidates import ROUNDING
from setwise.inference.sets.enumeration import label_sets
from setwise.limits import CASCADE_DRAWS, CASCADE_LABELS
from setwise.random_bits import mixed

Search = Literal["greedy", "beam", "exact"]
SEARCHES: tuple[Search, ...] = get_args(Search)
N_SURPRISES = 100
SEED = 0


class Cascade(LabelDistribution):
    """P(y | x) = P(|y| = m | x) times the probability of drawing the labels of y one by one, in any order.

    The probability of a set sums over its orders: exact up to twelve labels in the set, estimated beyond.
    With at most twelve labels in all, :meth:`table` lists every set and every question but ``condition`` is
    answered exactly; with more, marginals and entropy come from draws and partial rows raise NotTractable.

    Parameters
    ----------
    log_sizes : array (n, L + 1)
        log P(|y| = m | x), each row summing to one in probability.
    steps : Steps
        What comes next, given the size and the labels chosen so far.
    search : {"greedy", "beam", "exact"}
        How ``mode`` looks for the most probable set: the likeliest size and then the likeliest next label (the
        paper's Algorithm 2), a beam over sets and sizes, or all sets (at most twelve labels).
    beam_width : int
        Sets kept at each level of the beam.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.inference.cascades.cascade import NaiveBayesSteps
    >>> steps = NaiveBayesSteps(np.log([[0.5, 0.3, 0.2]]), np.zeros((4, 3)), np.zeros((3, 3)))
    >>> cascade = Cascade(np.log([[0.1, 0.2, 0.4, 0.3]]), steps)
    >>> cascade.mode().labels
    array([[1, 1, 0]], dtype=int8)
    >>> cascade.marginals().round(3)
    array([[0.736, 0.63 , 0.534]])
    """

    def __init__(
        self, log_sizes: npt.ArrayLike, steps: Steps, *, search: Search = "greedy", beam_width: int = 10
    ) -> None:
        self.n_rows, self.n_labels = steps.n_rows, steps.n_labels
        self.log_sizes = np.asarray(log_sizes, dtype=np.float64)
        self.steps, self.search, self.beam_width = steps, search, beam_width
        if self.log_sizes.shape != (self.n_rows, self.n_labels + 1):
            raise ValueError(
                f"log_sizes have shape {self.log_sizes.shape}; expected ({self.n_rows}, {self.n_labels + 1}), "
                "a probability for each size from 0 to the number of labels"
            )
        if search not in SEARCHES:
            raise ValueError(f"search is {search!r}; expected one of {', '.join(map(repr, SEARCHES))}")
        if beam_width < 1:
            raise ValueError(f"beam_width is {beam_width}; expected at least 1")

    def __repr__(self) -> str:
        return f"Cascade(n_rows={self.n_rows}, n_labels={self.n_labels}, search={self.search!r})"

    def given_sizes(self, sizes: npt.ArrayLike) -> Self:
        """The cascade that knows the size (n,) of each row's set."""
        sizes = np.asarray(sizes)
        most = int(self.steps.possible().sum())
        if sizes.shape != (self.n_rows,):
            raise ValueError(f"sizes have shape {sizes.shape}; expected ({self.n_rows},), one for each row")
        bad = (sizes != sizes.astype(np.intp)) | (sizes < 0) | (sizes > most)
        if bad.any():
            row = int(bad.argmax())
            raise ValueError(
                f"sizes[{row}] is {sizes[row]}; expected a whole number from 0 to {most}, the labels seen in training"
            )
        return self._with(one_size(sizes.astype(np.intp), self.n_labels), self.steps)

    def table(self) -> Table:
        """Every label set with its exact probability; for at most twelve labels."""
        if self.n_labels > CASCADE_LABELS:
            self._refuse("a table of every set", "top_k lists the best sets, sample draws sets")
        return self._table

    @cached_property
    def _table(self) -> Table:
        return Table(label_sets(self.n_labels), all_set_log_probs(self.steps, self.log_sizes))

    @property
    def _small(self) -> bool:
        return self.n_labels <= CASCADE_LABELS

    def log_prob(self, Y: npt.ArrayLike) -> Floats:
        """Log-probability (n,) of each row of ``Y`` (n, L), whose values are 0, 1 or FREE.

        Sets of more than twelve labels are estimated, and a warning says so; partial rows need at most twelve
        labels in all.
        """
        Y = check_evidence(Y, self.n_rows, self.n_labels)
        partial = (Y == FREE).any(axis=1)
        if partial.any():
            if not self._small:
                self._refuse("the probability of a partial row", "sample draws sets to count in")
            return self.table().log_prob(Y)
        answer = self.set_log_prob(Y)
        if not answer.exact.all():
            rows = np.flatnonzero(~answer.exact)
            warnings.warn(
                f"{len(rows)} rows, the first of them {int(rows[0])}, have sets of more than {CASCADE_LABELS} labels: "
                f"their probability is estimated, with standard errors of its log up to "
                f"{answer.standard_error.max():.2g}; set_log_prob gives them",
                stacklevel=2,
            )
        return answer.log_prob

    def set_log_prob(self, Y: npt.ArrayLike) -> SetLogProb:
        """Log-probability (n,) of full rows ``Y`` (n, L), whether each is exact, and its standard error."""
        Y = check_evidence(Y, self.n_rows, self.n_labels)
        given_size = log_prob_given_size(self.steps, Y)
        of_size = self.log_sizes[np.arange(self.n_rows), Y.sum(axis=1, dtype=np.intp)]
        return given_size._replace(log_prob=given_size.log_prob + of_size)

    def best_set(self, evidence: npt.ArrayLike | None = None, *, min_labels: int = 0) -> Labels:
        """The labels (n, L) of ``mode`` without their probability, which costs more than finding them."""
        if self.search != "greedy":
            return self.mode(evidence, min_labels=min_labels).labels
        known = self._evidence(evidence)
        possible = log_sizes_given(self.steps, self.log_sizes, known, min_labels)
        labels = greedy(self.steps, possible.argmax(axis=1), None if evidence is None else known)
        labels[(possible == -np.inf).all(axis=1)] = FREE
        return labels

    def mode(self, evidence: npt.ArrayLike | None = None, *, min_labels: int = 0) -> Mode:
        """A probable set of each row that agrees with ``evidence`` (n, L), by the chosen search.

        Certified where no other set can be more probable because too little probability is left.
        """
        check_search(1, min_labels, self.n_labels)
        if self.search != "greedy":
            best = self.top_k(1, evidence, min_labels=min_labels)
            return Mode(best.labels[:, 0], best.log_prob[:, 0], best.certified, best.gap)
        labels = self.best_set(evidence, min_labels=min_labels)
        none = (labels == FREE).all(axis=1)
        scored = self.set_log_prob(np.where(none[:, None], 0, labels))
        log_prob = np.where(none, -np.inf, scored.log_prob)
        left = np.log(np.maximum(-np.expm1(np.minimum(log_prob, 0.0)), ROUNDING))
        gap = np.where(none, 0.0, np.maximum(left - log_prob, 0.0))
        certified = none | (scored.exact & (gap <= 0.0))
        return Mode(labels, log_prob, certified, gap)

    def top_k(self, k: int, evidence: npt.ArrayLike | None = None, *, min_labels: int = 0) -> TopK:
        """The ``k`` best sets of each row, by a beam, or among all sets where the search is exact."""
        check_search(k, min_labels, self.n_labels)
        if self.search == "exact":
            return self.table().top_k(k, evidence, min_labels=min_labels)
        known = self._evidence(evidence)
        return beam(self.steps, self.log_sizes, known, k, min_labels=min_labels, width=self.beam_width)

    def marginals(self) -> Floats:
        """P(y_j = 1) of each row and label, (n, L): exact up to twelve labels, else shares of 500 draws."""
        return self.table().marginals() if self._small else self._draws.mean(axis=1)

    def pairwise_marginals(self) -> Floats:
        """P(y_i = 1, y_j = 1) of each row, (n, L, L), exact or from draws as the marginals are."""
        if self._small:
            return self.table().pairwise_marginals()
        draws = self._draws.astype(np.float32)
        return np.asarray(np.swapaxes(draws, 1, 2) @ draws / CASCADE_DRAWS, dtype=np.float64)

    def joint_size_marginals(self) -> Floats:
        """P(y_l = 1, |y| = s) for s = 0..L, (n, L, L + 1), exact or from draws as the marginals are."""
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

    def condition(self, evidence: npt.ArrayLike) -> Self:
        """Not tractable: labels given are no longer drawn in turn."""
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

    def entropy(self) -> Entropy:
        """Entropy of each row in nats: exact up to twelve labels, else the mean of -log P over 100 draws."""
        if self._small:
            return self.table().entropy()
        draws = self._draws[:, :N_SURPRISES].swapaxes(0, 1)
        surprise = -np.stack([self.set_log_prob(sets).log_prob for sets in draws], axis=1)
        error = surprise.std(axis=1, ddof=1) / np.sqrt(N_SURPRISES)
        p, sizes = self.size_probs(), np.arange(self.n_labels + 1)
        of_size = entr(p).sum(axis=1)
        log_count = -np.log(self.n_labels + 1) - betaln(self.n_labels - sizes + 1, sizes + 1)
        return Entropy(surprise.mean(axis=1), of_size, of_size + p @ log_count, error, "sampled")

    def take(self, rows: npt.ArrayLike | slice) -> Self:
        """The distributions of some rows, by index, slice or mask."""
        rows = check_rows(rows, self.n_rows)
        return self._with(self.log_sizes[rows], self.steps.take(rows))

    def _with(self, log_sizes: Floats, steps: Steps) -> Self:
        return self._named(type(self)(log_sizes, steps, search=self.search, beam_width=self.beam_width))

    def _evidence(self, evidence: npt.ArrayLike | None) -> Labels:
        if evidence is None:
            return np.full((self.n_rows, self.n_labels), FREE, np.int8)
        return check_evidence(evidence, self.n_rows, self.n_labels)

    def _refuse(self, what: str, instead: str) -> NoReturn:
        raise NotTractable(f"a cascade over {self.n_labels} labels cannot answer {what}; {instead}")


def one_size(sizes: Array, n_labels: int) -> Floats:
    """Log-probabilities (n, L + 1) that are certain of ``sizes`` (n,)."""
    return np.where(np.arange(n_labels + 1) == sizes[:, None], 0.0, -np.inf)
