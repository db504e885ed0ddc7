"""Fitting on one machine to rows that do not fit into its memory."""

from __future__ import annotations

import os
from typing import Any, Self

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from setwise.blockwise.families import refit_of
from setwise.blockwise.fitting import SAMPLE_ROWS, fit_in_blocks
from setwise.blockwise.memory import bytes_of, room_to_keep, rows_within
from setwise.blockwise.sources import array_blocks
from setwise.blockwise.tables import encode_table
from setwise.datasets.large_tables import LargeTable
from setwise.estimators.base.set_classifier import SetClassifier
from setwise.kernels.matrices import is_sparse
from setwise.pipeline import SetPipeline


class BlockwiseSetClassifier(BaseEstimator):
    """An estimator fitted to memory-mapped arrays, or to tables in files, a block of rows at a time.

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
    model_ : SetClassifier or SetPipeline
        The fitted estimator; after :meth:`fit_table`, behind the encoder of the table.
    block_rows_ : int
        Rows of a block of arrays.

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
        room = room_to_keep(budget, sparse=is_sparse(X))
        self.block_rows_ = rows_within(budget - room, X.shape[1], y.shape[1])
        sample = min(self.sample_rows, rows_within(2 * budget, X.shape[1], y.shape[1]))
        blocks = array_blocks(X, y, sample_weight, self.block_rows_, room=room)
        self.model_ = fit_in_blocks(self.estimator, blocks, sample_rows=sample)
        return self

    def fit_table(
        self,
        path: str | os.PathLike[str],
        labels: Any,
        *,
        delimiter: str | None = None,
        decimal: str | None = None,
        **options: Any,
    ) -> Self:
        """Fit the estimator to a table in files, some rows at a time.

        Rows are encoded once, and kept in temporary files until the fit ends.

        Parameters
        ----------
        path : path
            A CSV or Parquet file, or a folder of Parquet files.
        labels : list of str, str or int
            As in :func:`~setwise.datasets.read_csv`. Of a column of tags, the labels are those that a sample has.
        delimiter, decimal : str, optional
            Of a CSV file.
        **options
            ``encoder``, ``ignore``, ``tag_separator`` and ``min_rows``, as in :func:`~setwise.datasets.read_csv`; the
            encoder is a :class:`~setwise.TableEncoder` by default, and is fitted to the sample.

        Returns
        -------
        self
            ``to_local()`` is a pipeline of the encoder and the estimator.
        """
        refit_of(self.estimator)
        table = encode_table(
            LargeTable(path, delimiter, decimal),
            labels,
            memory_limit=self.memory_limit,
            sample_rows=self.sample_rows,
            unknown_labels=self.estimator.takes_missing_labels,
            **options,
        )
        fitted = fit_in_blocks(self.estimator, table.blocks, sample_rows=table.sample_rows)
        self.model_ = SetPipeline([("encoder", table.first.encoder), ("model", fitted)])
        return self

    def to_local(self) -> Any:
        """Return the fitted estimator, or a pipeline of it behind the encoder of its table.

        Returns
        -------
        SetClassifier or SetPipeline
        """
        check_is_fitted(self)
        return self.model_
