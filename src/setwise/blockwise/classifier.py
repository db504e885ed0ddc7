"""Fitting on one machine to rows that do not fit into its memory."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from setwise.blockwise.fitting import SAMPLE_ROWS, fit_in_blocks
from setwise.blockwise.memory import bytes_of, rows_within
from setwise.blockwise.sources import array_blocks
from setwise.estimators.base.set_classifier import SetClassifier


class BlockwiseSetClassifier(BaseEstimator):
    """An estimator fitted to memory-mapped arrays a block of rows at a time.

    The estimator is fitted to a sample of the rows, which makes its choices; its parameters then follow from sums over
    all rows (see :func:`~setwise.blockwise.fit_in_blocks`). The fitted estimator answers every question.

    Parameters
    ----------
    estimator : SetClassifier
        One of BinaryRelevance, ClassifierChain, ConditionalDependencyNetwork, ConditionalTree, NaiBX,
        ConditionalBernoulliMixture, MixtureOfTreeExperts and MixtureOfTrees.
    memory_limit : int or str, default="1GB"
        What the fit may take, such as ``"500MB"``; blocks and the sample are made small enough.
    sample_rows : int, default=20000
        Rows of the sample, fewer if the memory limit demands it.

    Attributes
    ----------
    model_ : SetClassifier
        The fitted estimator.
    block_rows_ : int
        Rows of a block.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import BinaryRelevance
    >>> from setwise.blockwise import BlockwiseSetClassifier
    >>> X, Y = np.arange(8.0)[:, None], np.repeat([[0, 1], [1, 0]], 4, axis=0)
    >>> BlockwiseSetClassifier(BinaryRelevance(l2=1.0)).fit(X, Y).to_local().predict([[0.0]])
    array([[0, 1]])
    """

    def __init__(
        self, estimator: SetClassifier, *, memory_limit: int | str = "1GB", sample_rows: int = SAMPLE_ROWS
    ) -> None:
        self.estimator = estimator
        self.memory_limit = memory_limit
        self.sample_rows = sample_rows

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the estimator, a block of rows at a time.

        Parameters
        ----------
        X : array of shape (n, d)
            Memory-mapped (``np.load(path, mmap_mode="r")`` or ``np.memmap``), so that only one block is in memory; or
            in memory, dense or CSR.
        y : array of shape (n, L)
            Likewise.
        sample_weight : array of shape (n,), optional

        Returns
        -------
        self
        """
        budget = bytes_of(self.memory_limit)
        self.block_rows_ = rows_within(budget, X.shape[1], y.shape[1])
        sample = min(self.sample_rows, rows_within(2 * budget, X.shape[1], y.shape[1]))
        blocks = array_blocks(X, y, sample_weight, self.block_rows_)
        self.model_ = fit_in_blocks(self.estimator, blocks, sample_rows=sample)
        return self

    def to_local(self) -> SetClassifier:
        """Return the fitted estimator.

        Returns
        -------
        SetClassifier
        """
        check_is_fitted(self)
        return self.model_
