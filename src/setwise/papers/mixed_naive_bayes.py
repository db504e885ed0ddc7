"""Naive Bayes as in MEKA, which the NaiBX paper used for chains: labels used as features are nominal, not numbers."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.utils.validation import check_is_fitted, validate_data

from setwise.contract import Array, Floats


class MixedNaiveBayes(ClassifierMixin, BaseEstimator):
    """Naive Bayes with Bernoulli columns, smoothed by one, if all values are 0 or 1, and Gaussian columns otherwise.

    A chain gives earlier labels to later classifiers as columns of 0 and 1. A normal density of such a column is
    arbitrarily sharp if the label is nearly constant in a class, and dominates the features.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.1, 1], [0.3, 1], [2.2, 0], [1.9, 1]])
    >>> MixedNaiveBayes().fit(X, [0, 0, 1, 1]).predict([[0.2, 0], [2.0, 1]])
    array([0, 1])
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Compute weighted counts and means."""
        X, y = validate_data(self, X, y)
        self.classes_, which = np.unique(y, return_inverse=True)
        prior = np.bincount(which, sample_weight)
        self.log_prior_ = np.log(prior / prior.sum())
        counted = ((X == 0) | (X == 1)).all(axis=0)
        kinds = [(GaussianNB(), ~counted), (BernoulliNB(), counted)]
        self.parts_ = [
            (model.fit(X[:, columns], y, sample_weight=sample_weight), columns)
            for model, columns in kinds
            if columns.any()
        ]
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Probability (n, classes) of each class."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False)
        # Each part contains the prior.
        joint = self.log_prior_ + sum(
            model.predict_joint_log_proba(X[:, columns]) - self.log_prior_ for model, columns in self.parts_
        )
        return np.asarray(softmax(joint, axis=1))

    def predict(self, X: Any) -> Array:
        """The most probable class (n,) of each row."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])
