"""Detection of label errors: every row is scored by a model that was not trained on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _num_samples

from setwise.contract import FREE, Array, Floats, Labels, column_names
from setwise.datasets.splits import IterativeStratification
from setwise.distributions import LabelDistribution
from setwise.distributions.outliers import log_ratio, outlier_scores
from setwise.estimators.base.checks.validation import Targets
from setwise.nesting import distribution_of
from setwise.views import RowAnswer, Sheet
from setwise.views.answer import row_names_of
from setwise.views.frames import RowNames

BLOCK_ROWS = 1000


@dataclass(frozen=True, eq=False, repr=False)
class LabelErrors(RowAnswer):
    """How suspicious each row's labels are, according to models that were trained without the row.

    Parameters
    ----------
    order : ndarray of shape (n,)
        Rows, the most suspicious first.
    score : ndarray of shape (n,)
        Log of how much more probable the row's labels become, on average, by flipping one of them: the likelihood
        ratio of "one label is wrong" against "all are right".
    log_prob : ndarray of shape (n,)
        Log-probability of the given set.
    label_score : ndarray of shape (n, L)
        Probability that each label is wrong if the row's other labels are right. If the model considers the set
        impossible with either value of the label, the probability that the label is wrong whatever the others are.
    given, suggested : ndarray of shape (n, L)
        The labels as given, and the predictions of the models; the most probable sets if they abstain.
    label_names : ndarray of shape (L,)
        Names of the labels.
    row_names : pandas Index, optional
        Index of the DataFrame X.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import ConditionalTree, find_label_errors
    >>> X = np.linspace(-1, 1, 60)[:, None]
    >>> Y = np.repeat((X > 0).astype(int), 2, axis=1)
    >>> Y[7] = [0, 1]
    >>> errors = find_label_errors(ConditionalTree(l2=1.0), X, Y)
    >>> errors.to_frame(1)[["given", "suggested"]]
        given    suggested
    row
    7       1  (no labels)
    """

    order: Array
    score: Floats
    log_prob: Floats
    label_score: Floats
    given: Labels
    suggested: Labels
    label_names: Array
    row_names: RowNames | None = None

    def suspects(self, row: int, n_labels: int = 3) -> list[tuple[str, float]]:
        """List the labels of a row that are most likely wrong, with the probability of that.

        Parameters
        ----------
        row : int
            Number of the row.
        n_labels : int
            Number of labels.

        Returns
        -------
        list of (str, float)

        Examples
        --------
        >>> import numpy as np
        >>> sets = np.array([[1, 0]])
        >>> one = np.zeros(1)
        >>> errors = LabelErrors(np.array([0]), one, one, np.array([[0.9, 0.2]]), sets, sets, np.array(["a", "b"]))
        >>> errors.suspects(0, 1)
        [('a', 0.9)]
        """
        worst = np.argsort(-self.label_score[row], kind="stable")[:n_labels]
        return [(str(self.label_names[label]), float(self.label_score[row, label])) for label in worst]

    def _sheet(self, n_rows: int | None) -> Sheet:
        rows = self.order[:n_rows]
        worst = self.label_score[rows].argmax(axis=1)
        columns = {
            "score": self.score[rows],
            "log_prob": self.log_prob[rows],
            "given": self._set_texts(self.given[rows]),
            "suspect": [str(self.label_names[label]) for label in worst],
            "suspect_given": self.given[rows, worst],
            "suspect_probability": self.label_score[rows, worst],
            "suggested": self._set_texts(self.suggested[rows]),
        }
        return Sheet(columns, rows, self.row_names)

    def _shown(self) -> Sheet:
        return super()._shown().only("score", "given", "suspect", "suspect_probability", "suggested")

    def _n_rows(self) -> int:
        return len(self.order)

    def _title(self) -> str:
        likely = int((self.label_score.max(axis=1, initial=0.0) > 0.5).sum())
        return f"Label errors: {len(self.order):,} rows, {likely:,} with a label more likely wrong than right"


def find_label_errors(
    estimator: Any, X: Any, Y: Any, *, cv: Any = 5, n_jobs: int | None = None
) -> LabelErrors:
    """Rank rows by how wrong their labels look to models trained on other rows.

    Parameters
    ----------
    estimator : estimator of setwise, or a Pipeline whose last step is one
        Cloned for every fold.
    X : array, DataFrame, CSR or, before a Pipeline, list of shape (n, ...)
        The index of a DataFrame names the rows of the result.
    Y : array, DataFrame or CSR of shape (n, L)
        Labels as given.
    cv : int, splitter or iterable of (train, test)
        A number of stratified, shuffled folds, or what scikit-learn accepts; each row must be tested once.
    n_jobs : int, optional
        Number of folds that are fitted in parallel; -1 uses all cores. None means 1 unless joblib's
        ``parallel_config`` says otherwise.

    Returns
    -------
    LabelErrors

    Examples
    --------
    Two labels that always agree, but for one row:

    >>> import numpy as np
    >>> from setwise import ConditionalTree, find_label_errors
    >>> X = np.linspace(-1, 1, 60)[:, None]
    >>> Y = np.repeat((X > 0).astype(int), 2, axis=1)
    >>> Y[7] = [0, 1]
    >>> errors = find_label_errors(ConditionalTree(l2=1.0), X, Y)
    >>> int(errors.order[0]), errors.given[7], errors.suggested[7]
    (7, array([0, 1], dtype=int8), array([0, 0], dtype=int8))
    """
    names = row_names_of(X) if row_names_of(X) is not None else row_names_of(Y)
    X, Y = indexable(X, Y)
    targets, given = Targets.of(Y, _num_samples(X))
    # Stratified folds depend on the order of the labels, but the order of a frame's columns must not matter.
    by_name = given if column_names(Y) is None else given[:, np.argsort(targets.names.astype(str))]
    folds = held_out_folds(cv, X, by_name)
    judge = delayed(_judge_fold)
    parts = Parallel(n_jobs=n_jobs)(judge(estimator, X, Y, given, train, test) for train, test in folds)
    back = np.argsort(np.concatenate([test for _, test in folds]), kind="stable")
    log_prob, wrong, score, suggested = (np.concatenate(column)[back] for column in zip(*parts))
    order = np.argsort(-score, kind="stable")
    return LabelErrors(order, score, log_prob, wrong, given, suggested, targets.names, names)


def _judge_fold(
    estimator: Any, X: Any, Y: Any, given: Labels, train: Array, test: Array
) -> tuple[Floats, Floats, Floats, Labels]:
    """Score the ``test`` rows by a model of the ``train`` rows: what ``judge_labels`` says, and the suggested sets."""
    model = clone(estimator).fit(_safe_indexing(X, train), _safe_indexing(Y, train))
    parts = []
    for rows in np.array_split(test, -(-len(test) // BLOCK_ROWS)):
        joint = distribution_of(model, _safe_indexing(X, rows))
        parts.append((*judge_labels(joint, given[rows]), suggested_sets(joint)))
    log_prob, wrong, score, suggested = (np.concatenate(column) for column in zip(*parts))
    return log_prob, wrong, score, suggested


def judge_labels(joint: LabelDistribution, Y: Labels) -> tuple[Floats, Floats, Floats]:
    """Log-probability (n,) of the given sets, probability (n, L) that each label is wrong, and score (n,)."""
    log_prob, flips = joint.log_prob(Y), joint.flip_log_probs(Y)
    wrong = expit(log_ratio(flips, log_prob[:, None]))
    unknown = np.isneginf(flips) & np.isneginf(log_prob)[:, None]
    rows = np.flatnonzero(unknown.any(axis=1))
    if rows.size:
        alone = np.abs(Y[rows] - joint.take(rows).marginals())
        wrong[rows] = np.where(unknown[rows], alone, wrong[rows])
    return log_prob, wrong, outlier_scores(joint, Y, "flips")


def suggested_sets(joint: LabelDistribution) -> Labels:
    """The sets (n, L) that a model predicts; the most probable ones if it abstains."""
    labels = np.array(joint.predict())
    none = np.flatnonzero((labels == FREE).any(axis=1))
    if none.size:
        labels[none] = joint.take(none).decide("subset").labels
    return labels


def held_out_folds(cv: Any, X: Any, Y: Labels) -> list[tuple[Array, Array]]:
    """Training and test rows, after a check that every row is tested once."""
    if isinstance(cv, (int, np.integer)):
        cv = IterativeStratification(int(cv), shuffle=True, random_state=0)
    folds = list(check_cv(cv).split(X, Y))
    times = np.bincount(np.concatenate([test for _, test in folds]), minlength=len(Y))
    if (times != 1).any():
        row = int((times != 1).argmax())
        raise ValueError(f"cv tests row {row} {times[row]} times; every row must be tested exactly once")
    return folds
