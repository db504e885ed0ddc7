"""Judgements of rows by models that were fitted without them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from setwise.contract import FREE, Array, Floats, Labels
from setwise.distributions import LabelDistribution
from setwise.evaluation.label_errors import held_out_folds, judge_labels, suggested_sets
from setwise.nesting import distribution_of
from setwise.tables.labels.tag_tables import LabelTable
from setwise.web.explorer.rows import ExploredRows

BLOCK = 1000
"""Rows that are judged at a time."""

Progress = Callable[[float], None]
"""Called with the share of the work that is done."""


class Judgement(NamedTuple):
    """What held-out models say of every row.

    Attributes
    ----------
    log_prob : array of shape (n,)
        Of the given set; NaN if some of its labels are unknown.
    score : array of shape (n,)
        How suspicious the given set is, as in :class:`~setwise.LabelErrors`; -inf if labels are unknown.
    wrong : array of shape (n, L)
        Probability that each given label is wrong.
    suggested : array of shape (n, L)
        The predicted sets.
    confidence : array of shape (n,)
        Probability of the predicted set.
    marginals : array of shape (n, L)
    """

    log_prob: Floats
    score: Floats
    wrong: Floats
    suggested: Labels
    confidence: Floats
    marginals: Floats


@dataclass
class HeldOut:
    """Fitted models with the rows that each may judge: those it was fitted without."""

    rows: ExploredRows
    parts: list[tuple[Array, Any]]

    @classmethod
    def itself(cls, model: Any, rows: ExploredRows) -> HeldOut:
        """The model judges all rows; right if it was fitted to others."""
        return cls(rows, [(np.arange(rows.n_rows), model)])

    @classmethod
    def fit(
        cls,
        model: Any,
        rows: ExploredRows,
        given: Labels,
        names: list[str],
        folds: list[tuple[Array, Array]],
        progress: Progress,
    ) -> HeldOut:
        """Fit a model of the same kind for every fold, without the rows of the fold."""
        parts = []
        for done, (train, test) in enumerate(folds):
            progress(done / len(folds))
            labels = LabelTable(given[train], names)
            parts.append((test, clone(unfitted(model)).fit(rows.features(train), labels)))
        return cls(rows, parts)

    def of(self, row: int) -> Any:
        """The model that judges a row."""
        return next(model for rows, model in self.parts if row in rows)

    def joints(self, wanted: Array) -> Iterator[tuple[Array, LabelDistribution]]:
        """Places in ``wanted`` and the distributions of these rows, in blocks."""
        for rows, model in self.parts:
            places = np.flatnonzero(np.isin(wanted, rows))
            for some in np.array_split(places, -(-len(places) // BLOCK)) if len(places) else ():
                yield some, distribution_of(model, self.rows.features(wanted[some]))

    def judge(self, given: Labels, progress: Progress) -> Judgement:
        """Judge the given labels of all rows."""
        n, n_labels = given.shape
        found = Judgement(
            np.full(n, np.nan),
            np.full(n, -np.inf),
            np.zeros((n, n_labels), dtype=np.float32),
            np.zeros((n, n_labels), dtype=np.int8),
            np.zeros(n),
            np.zeros((n, n_labels), dtype=np.float32),
        )
        done = 0
        for rows, joint in self.joints(np.arange(n)):
            _judge_block(found, rows, joint, given[rows])
            done += len(rows)
            progress(done / n)
        return found


def unfitted(model: Any) -> Any:
    """The estimator to fit again: for the automatic choice, the one that it chose."""
    return getattr(model, "estimator_", model)


def folds_of(model_rows: ExploredRows, given: Labels, n_folds: int) -> list[tuple[Array, Array]]:
    """Stratified folds of the rows, the same for every model."""
    return held_out_folds(n_folds, np.zeros((model_rows.n_rows, 1)), given)


def _judge_block(found: Judgement, rows: Array, joint: LabelDistribution, given: Labels) -> None:
    suggested = suggested_sets(joint)
    found.suggested[rows] = suggested
    found.confidence[rows] = np.exp(joint.log_prob(suggested))
    found.marginals[rows] = joint.marginals()
    whole = np.flatnonzero((given != FREE).all(axis=1))
    if whole.size:
        log_prob, wrong, score = judge_labels(joint.take(whole), given[whole])
        found.log_prob[rows[whole]], found.wrong[rows[whole]] = log_prob, wrong
        found.score[rows[whole]] = score
