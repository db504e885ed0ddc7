"""Explanations of fitted estimators: which features make a label, a pair, a set or a component probable."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np

from setwise.contract import FREE, Array, Decided, Floats, Labels, Matrix, NotTractable
from setwise.distributions import LabelDistribution
from setwise.explanations import Explanation, StrongestFeatures
from setwise.explanations.events import Event, read_given, read_target
from setwise.explanations.explain import Explained, predicted_labels
from setwise.explanations.forests import ForestScores, SeenSetScores
from setwise.explanations.linear import LinearSource
from setwise.explanations.scored import Scored, Source
from setwise.explanations.trees import boosted_source
from setwise.kernels.matrices import column_moments, fill_missing
from setwise.kernels.tree_scores import TreeScores
from setwise.learning.by_content.sample import sample_rows
from setwise.learning.linear.scores import LinearScores
from setwise.nesting import numbered
from setwise.views.answer import row_names_of

SPARSE_COLUMN = 0.5
"""A feature that is zero in more than this share of the rows has the baseline zero."""
SMALLEST = 1e-15
"""Models that are asked for probabilities may answer 0 or 1."""
MOST_ROWS = 500
"""Most rows that a table of the strongest features explains."""
ENTRIES, SAMPLED_ENTRIES = 20_000, 100
"""Entries, rows times targets, that such a table explains: of models that can be read, and of others."""
SAMPLED_PREDICTIONS = 600
"""Predictions for an entry of such a table: its means over rows need fewer than the explanation of one row."""


class Explaining(ABC):
    """Explanations in terms of the scores that a model computes from features."""

    n_features_in_: int
    n_labels_: int
    label_names_: Array
    baseline_: Floats

    @abstractmethod
    def _checked(self, X: Any) -> Array:
        """Check new rows."""

    @abstractmethod
    def decide(self, X: Any, decision: Any = None) -> Decided:
        """Predict label sets with their expected loss."""

    @abstractmethod
    def _prepared(self, X: Matrix) -> Matrix:
        """Fill and scale checked rows as ``_distribution`` takes them."""

    @abstractmethod
    def _joint_of(self, X: Matrix) -> LabelDistribution:
        """P(y | x) of checked rows."""

    @abstractmethod
    def _label_probs(self, joint: LabelDistribution) -> Floats:
        """P(y_j = 1 | x) of each row and label, (n, L)."""

    @abstractmethod
    def _cells_per_row(self) -> int:
        """Number of array entries that a row needs."""

    def _scored(self) -> Scored | None:
        """The joint as a function of scores; None if the model cannot be read that way."""
        return None

    def _fit_baseline(self, X: Matrix, fill: Floats | None, weights: Floats | None) -> None:
        """Keep a typical row, which explanations compare with."""
        mean, _, filled = column_moments(X if fill is None else fill_missing(X, fill), weights)
        self.baseline_ = np.where(filled < SPARSE_COLUMN, 0.0, mean)

    def _baseline(self) -> Floats:
        return np.asarray(getattr(self, "baseline_", np.zeros(self.n_features_in_)))

    def _source(self, scores: Any) -> Source | None:
        """Linear or boosted scores as a source; None for other learners."""
        row = self._baseline()[None]
        if isinstance(scores, LinearScores):
            return LinearSource(scores.coef, scores.intercept, self._prepared, row)
        return boosted_source(scores, self._prepared, row) if isinstance(scores, TreeScores) else None

    def explain(
        self, X: Any, target: Any = None, *, given: Any = None, component: int | None = None
    ) -> Explanation:
        """Explain what each feature adds to the log-odds of a label, of several together, or of a whole set.

        Parameters
        ----------
        X : array, DataFrame or CSR of shape (n, d)
        target : label, tuple of labels, mapping, set of labels, or array of shape (n, L), optional
            ``"sea"``: why the label is on. ``("sea", "sand")``: why both are on. ``{"sea": 1, "city": 0}``: why labels
            have these values. ``{"sea", "sand"}``, a Python set: why exactly these labels are on and no other. An array
            of label sets, such as ``model.predict(X)``: the set of each row; -1 marks labels that do not matter. By
            default, each label that ``predict`` answers for a row, or its most probable label if the answer is empty.
        given : mapping or label, optional
            Labels that are known: explains the probability given that they have these values.
        component : int, optional
            A component of a mixture: why a row belongs to it or, with a target, why it gives the target its
            probability.

        Returns
        -------
        Explanation
            Contributions of the features, which add up to the log-odds. They are exact for linear models and trees:
            the value of Aumann and Shapley. Other models are asked about rows between the baseline and the row.

        Examples
        --------
        >>> from setwise import BinaryRelevance
        >>> X = [[0.0, 1.0], [1.0, 0.0], [2.0, 0.0], [3.0, 1.0]]
        >>> model = BinaryRelevance(l2=0.1).fit(X, [["sand"], ["sand"], ["sea"], ["sea"]])
        >>> why = model.explain([[3.0, 1.0]], "sea")
        >>> bool(abs(why.base + why.contributions.sum() - why.log_odds) < 1e-9)
        True
        """
        rows = self._checked(X)
        model, targets = self._explained(), None
        if component is not None:
            model = replace(model, scored=self._component(component, target is None))
        answer, wanted = self._wanted(X, rows, target, component)
        event = Event(wanted, read_given(given, wanted, self.label_names_))
        if component is not None:
            texts = event.texts(self.label_names_)
            targets = [
                f"{text} in component {component}" if text else f"component {component}" for text in texts
            ]
        why = model.explain(rows, event, answer, targets)
        why.row_names = row_names_of(X)
        return why

    def _wanted(self, X: Any, rows: Matrix, target: Any, component: int | None) -> tuple[Array, Labels]:
        """The row of each entry, and the labels that it explains."""
        n = rows.shape[0]
        if target is not None:
            return np.arange(n), read_target(target, n, self.label_names_)
        if component is not None:
            return np.arange(n), np.full((n, self.n_labels_), FREE, dtype=np.int8)
        return predicted_labels(self.decide(X).labels, self._label_probs(self._joint_of(rows)))

    def strongest_features(
        self, X: Any, target: Any = None, *, pairs: int = 10, n_features: int = 10
    ) -> StrongestFeatures:
        """Rank the features by the root mean square of their contributions to each label, and to pairs of labels.

        Parameters
        ----------
        X : array, DataFrame or CSR of shape (n, d)
            Typical rows, for example those of the training. Many rows are sampled.
        target : list of targets, optional
            What to explain, each as in :meth:`explain`. By default, every label, and some pairs.
        pairs : int, default=10
            Number of pairs of labels, those that are most probable together in the rows.
        n_features : int, default=10
            Number of features of a label or pair.

        Returns
        -------
        StrongestFeatures

        Examples
        --------
        >>> from setwise import BinaryRelevance
        >>> X = [[0.0, 1.0], [1.0, 0.0], [2.0, 0.0], [3.0, 1.0]]
        >>> model = BinaryRelevance(l2=0.1).fit(X, [["sand"], ["sand"], ["sea"], ["sea"]])
        >>> model.strongest_features(X, ["sea"]).features
        ['x0']
        """
        rows = self._checked(X)
        model = self._explained()
        if target is None:
            target = [*range(self.n_labels_), *self._common_pairs(rows, pairs)]
        entries = ENTRIES
        if model.scored is None:
            model, entries = replace(model, predictions=SAMPLED_PREDICTIONS), SAMPLED_ENTRIES
        elif model.scored.n_joints > 1:
            entries //= 4 * model.scored.n_joints**2  # ensembles of chains would take minutes
        rows = rows[sample_rows(rows, int(np.clip(entries // max(len(target), 1), 5, MOST_ROWS)))]
        parts = []
        for one in target:
            wanted = read_target(one, rows.shape[0], self.label_names_)
            event = Event(wanted, read_given(None, wanted, self.label_names_))
            parts.append(model.explain(rows, event, np.arange(rows.shape[0])))
        return StrongestFeatures.of(parts, n_features)

    def _common_pairs(self, rows: Matrix, n_pairs: int) -> list[tuple[int, int]]:
        """The pairs of labels that are most often both on in the most probable sets of some rows."""
        if n_pairs <= 0 or self.n_labels_ < 2:
            return []
        some = rows[sample_rows(rows, MOST_ROWS)]
        p = self._label_probs(self._joint_of(some))
        together = np.triu(p.T @ p, 1)
        best = np.argsort(-together, axis=None, kind="stable")[:n_pairs]
        first, second = np.unravel_index(best, together.shape)
        return [(int(a), int(b)) for a, b in zip(first, second) if a < b]

    def _explained(self) -> Explained:
        names = getattr(self, "feature_names_in_", numbered(self.n_features_in_))
        return Explained(
            self._scored(), self._log_odds, self._baseline(), self.label_names_, names, self._cells_per_row()
        )

    def _component(self, component: int, weight: bool) -> Scored:
        """A component of the mixture, or its weight, as a function of scores."""
        scored = self._scored()
        mixture = scored.mixture if isinstance(scored, SeenSetScores) else scored
        if not isinstance(mixture, ForestScores) or mixture.gate is None:
            raise NotTractable(
                f"{type(self).__name__} has no components that can be explained; a mixture of linear or boosted "
                "experts has, such as ConditionalBernoulliMixture"
            )
        if not 0 <= component < len(mixture.parents):
            raise ValueError(
                f"component is {component}; expected a number from 0 to {len(mixture.parents) - 1}"
            )
        return mixture.weight_of(component) if weight else replace(mixture, only=component)

    def _log_odds(self, X: Matrix, event: Event) -> Floats:
        """Log-odds (n,) of the event of each row by the model itself."""
        joint = self._joint_of(X)
        if (event.sizes() == 1).all() and (event.given == FREE).all():
            label = (event.wanted != FREE).argmax(axis=1)
            p = np.take_along_axis(self._label_probs(joint), label[:, None], axis=1)[:, 0]
            p = np.where(event.wanted[np.arange(len(label)), label] == 1, p, 1.0 - p)
        else:
            p = np.exp(joint.log_prob(event.and_given()) - joint.log_prob(event.given))
        p = np.clip(p, SMALLEST, 1.0 - SMALLEST)
        return np.asarray(np.log(p) - np.log1p(-p))
