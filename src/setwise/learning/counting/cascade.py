"""The general cascade: any classifier predicts the next label.

Section 3.4 of Mossina and Rachelson, "Naive Bayes classification for subset selection". The paper has one
classifier per level; here one serves all levels, as naive Bayes does there. Its features are x, the size of the set and
the labels chosen so far, so that every level learns from all others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from setwise.contract import Array, Bools, Floats, Labels, Matrix
from setwise.kernels.matrices import append_columns
from setwise.learning.by_content.keys import example_keys
from setwise.learning.counting.labels import IMPOSSIBLE
from setwise.learning.labels.classifiers import fit_weighted
from setwise.random_bits import keys, uniforms


@dataclass(frozen=True)
class ClassifierSteps:
    """Steps of a cascade by a fitted multi-class classifier of [x | size | chosen labels].

    ``classifier`` is None if only one label was ever seen.
    """

    X: Matrix
    classifier: Any
    classes: Array
    n_labels: int

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    def scores(self, rows: Array, sizes: Array, chosen: Labels) -> Floats:
        """Compute the log-probabilities (r, L) of the next label by the classifier."""
        scores = np.full((len(rows), self.n_labels), -np.inf)
        scores[:, self.classes] = 0.0
        if self.classifier is not None and len(rows):
            with np.errstate(divide="ignore"):
                log_p = np.log(self.classifier.predict_proba(_inputs(self.X[rows], sizes, chosen)))
            scores[:, self.classes] = np.maximum(log_p, IMPOSSIBLE)
        return scores

    def possible(self) -> Bools:
        """Mark the labels (L,) seen in training."""
        return np.isin(np.arange(self.n_labels), self.classes)

    def take(self, rows: Any) -> Self:
        """Select rows."""
        return type(self)(self.X[rows], self.classifier, self.classes, self.n_labels)


def fit_steps(
    X: Matrix, Y: Labels, weights: Floats | None, base: BaseEstimator, seed: int
) -> ClassifierSteps:
    """Train ``base`` on one random order of each row's labels: a row with m labels gives m examples.

    The order follows from the row's content and the seed.
    """
    rows, labels = np.nonzero(Y)
    numbers = uniforms(keys(example_keys(X, Y), seed), Y.shape[1])
    order = np.lexsort([numbers[rows, labels], rows])
    rows, labels = rows[order], labels[order]
    own = np.eye(Y.shape[1], dtype=np.int32)[labels]
    through = np.cumsum(own, axis=0)
    first = np.searchsorted(rows, rows)
    before = through - own - (through - own)[first]
    classes = np.unique(labels)
    steps = ClassifierSteps(X[:0], None, classes, Y.shape[1])
    if len(classes) < 2:
        return steps
    inputs = _inputs(X[rows], Y.sum(axis=1, dtype=np.intp)[rows], before)
    fitted = fit_weighted(base, inputs, labels, None if weights is None else weights[rows])
    return ClassifierSteps(X[:0], fitted, classes, Y.shape[1])


def _inputs(X: Matrix, sizes: Array, chosen: Array) -> Matrix:
    return append_columns(X, np.hstack([sizes[:, None], chosen]))
