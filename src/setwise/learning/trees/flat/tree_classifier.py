"""A classifier that is a sum or a mean of trees, as flat arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import expit, softmax

from setwise.contract import Array, Floats, Matrix
from setwise.kernels.matrices import dense_blocks
from setwise.kernels.tree_scores import TreeScores
from setwise.learning.trees.flat.columns import SplitColumns

Link = Literal["mean", "logistic", "softmax"]
"""How the sums of trees become probabilities: divided by the number of trees, or by a logistic function or softmax."""


@dataclass(frozen=True)
class TreeClassifier:
    """A fitted forest or boosted model of another library.

    Parameters
    ----------
    classes_ : ndarray of shape (c,)
    n_features_in_ : int
    link : {"mean", "logistic", "softmax"}
    n_members : int
        Number of trees of which a mean is taken; 1 for sums.
    single : bool
        Whether features are compared in single precision.
    scale : float
        Factor of the scores inside the logistic function or softmax.
    columns : SplitColumns
    scores : TreeScores
        One per class; for two classes that of the second, unless the link is softmax.
    """

    classes_: Array
    n_features_in_: int
    link: Link
    n_members: int
    single: bool
    scale: float
    columns: SplitColumns
    scores: TreeScores

    def predict_proba(self, X: Matrix) -> Floats:
        """Probabilities (n, c) of the classes."""
        raw = self._raw(X)
        if self.link == "softmax":
            return np.asarray(softmax(self.scale * raw, axis=1))
        p = raw / self.n_members if self.link == "mean" else expit(self.scale * raw)
        return np.hstack([1.0 - p, p]) if len(self.classes_) == 2 else p

    def predict(self, X: Matrix) -> Array:
        """The most probable class (n,) of each row."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def logits(self, X: Matrix) -> Floats:
        """The logits (n,) of the second of two classes, with the logistic link: the scores of the trees themselves."""
        return np.asarray(self.scale * self._raw(X)[:, 0])

    def _raw(self, X: Matrix) -> Floats:
        if X.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {X.shape[1]} features; the trees have {self.n_features_in_}")
        out = np.tile(self.scores.intercept, (X.shape[0], 1))
        for rows, block in dense_blocks(X, n_arrays=2):
            values = block.astype(np.float32).astype(np.float64) if self.single else block
            self.scores.add_to(out[rows], self.columns.added_to(values))
        return out
