"""Models of the labels one by one, as logits: scikit-learn classifiers of all labels at once, and given scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

from setwise.arrays import Array, Floats, Labels, Matrix
from setwise.kernels.matrices import to_dense
from setwise.learning.labels.classifiers import logit


def takes_label_matrix(classifier: Any) -> bool:
    """Whether a scikit-learn classifier is fitted to all labels at once.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from sklearn.linear_model import LogisticRegression
    >>> takes_label_matrix(RandomForestClassifier()), takes_label_matrix(LogisticRegression())
    (True, False)
    """
    tags = get_tags(classifier).classifier_tags
    return tags is not None and bool(tags.multi_label)


@dataclass(frozen=True)
class AllLabels:
    """A classifier of all labels at once: ``predict_proba`` gives one array (n, L), or one (n, 2) for each label."""

    classifier: Any
    n_labels: int

    @classmethod
    def fit(cls, classifier: Any, X: Matrix, Y: Labels, weights: Floats | None) -> Self:
        """Fit a clone; ``sample_weight`` is passed only if there are weights."""
        extra = {} if weights is None else {"sample_weight": weights}
        return cls(clone(classifier).fit(X, Y.astype(np.int64), **extra), Y.shape[1])

    def logits(self, X: Matrix) -> Floats:
        """Compute the logits (n, L); probabilities of 0 and 1 become infinite."""
        if not hasattr(self.classifier, "predict_proba"):
            return np.asarray(self.classifier.decision_function(X), dtype=np.float64).reshape(
                -1, self.n_labels
            )
        return logit(self._probabilities(self.classifier.predict_proba(X)))

    def _probabilities(self, found: Any) -> Floats:
        if isinstance(found, list):
            columns = zip(found, self.classifier.classes_)
            return np.stack([_of_one(np.asarray(p), classes) for p, classes in columns], axis=1)
        p = np.asarray(found, dtype=np.float64)
        if p.shape[1] == 2 and self.n_labels == 1:
            p = p[:, 1:]
        if p.shape[1] != self.n_labels:
            raise ValueError(
                f"the classifier predicts {p.shape[1]} probabilities a row; expected one for each of the "
                f"{self.n_labels} labels"
            )
        return p


def _of_one(p: Array, classes: Array) -> Floats:
    """Probability of the class 1; a label that was constant in training has one class."""
    at = np.flatnonzero(np.asarray(classes) == 1)
    return np.asarray(p[:, at[0]] if len(at) else np.zeros(len(p)), dtype=np.float64)


@dataclass(frozen=True)
class GivenScores:
    """Rows that are scores themselves, one of each label: logits or probabilities."""

    kind: Literal["logits", "probabilities"]

    def logits(self, X: Matrix) -> Floats:
        """Compute the logits (n, L).

        Examples
        --------
        >>> import numpy as np
        >>> GivenScores("probabilities").logits(np.array([[0.5, 0.9]])).round(2)
        array([[0. , 2.2]])
        """
        scores = np.asarray(to_dense(X), dtype=np.float64)
        if self.kind == "logits":
            return scores
        if ((scores < 0) | (scores > 1)).any():
            row, label = (int(i) for i in np.argwhere((scores < 0) | (scores > 1))[0])
            value = float(scores[row, label])
            raise ValueError(f"X is {value:g} in row {row}, column {label}; a probability is between 0 and 1")
        return logit(scores)
