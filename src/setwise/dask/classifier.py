"""Estimators on Dask collections."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import dask
import dask.array as da
import numpy as np
from distributed import Client, default_client
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from setwise.blockwise.families import refit_of
from setwise.blockwise.fitting import SAMPLE_ROWS, fit_in_blocks
from setwise.dask.answers import block_answer, framed_answer
from setwise.dask.collections import check_collection, dask_blocks, is_frame, partitions
from setwise.dask.rounds import ClusterError
from setwise.decisions import Decision
from setwise.estimators.base.set_classifier import SetClassifier


class LazyTopK(NamedTuple):
    """The most probable sets of rows on a cluster: Dask arrays ``labels`` (n, k, L) and ``log_prob`` (n, k)."""

    labels: Any
    log_prob: Any


class DaskSetClassifier(BaseEstimator):
    """An estimator fitted to a Dask array or dataframe, whose rows stay on the workers.

    The estimator is fitted to a sample of the rows, which makes its choices; its parameters then follow from sums over
    the partitions, one round of futures each. Answers are lazy.

    Parameters
    ----------
    estimator : SetClassifier
        One of BinaryRelevance, ClassifierChain, ConditionalDependencyNetwork, ConditionalTree, NaiBX,
        ConditionalBernoulliMixture, MixtureOfTreeExperts and MixtureOfTrees.
    client : distributed.Client, optional
        By default, the current client.
    sample_rows : int, default=20000
        Rows on which penalties and structure are chosen: those with the smallest hashes. They are collected on the
        client. With no more rows than that, the fit is that of the estimator itself.

    Attributes
    ----------
    model_ : SetClassifier
        The fitted estimator.
    traffic_ : Traffic
        Rounds of the fit, and bytes sent to the workers.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from distributed import Client
    >>> from setwise import BinaryRelevance
    >>> from setwise.dask import DaskSetClassifier
    >>> X, Y = np.arange(8.0)[:, None], np.repeat([[0, 1], [1, 0]], 4, axis=0)
    >>> rows, labels = da.from_array(X, chunks=(3, 1)), da.from_array(Y, chunks=(3, 2))
    >>> with Client(processes=False, dashboard_address=None) as client:
    ...     model = DaskSetClassifier(BinaryRelevance(l2=1.0), client).fit(rows, labels)
    ...     answers = model.predict(rows).compute()
    >>> answers[[0, 7]]
    array([[0, 1],
           [1, 0]])
    """

    def __init__(
        self, estimator: SetClassifier, client: Client | None = None, *, sample_rows: int = SAMPLE_ROWS
    ) -> None:
        self.estimator = estimator
        self.client = client
        self.sample_rows = sample_rows

    def __sklearn_clone__(self) -> Self:
        """Copy the parameters; the client is a connection, which cannot be copied."""
        return type(self)(clone(self.estimator), self.client, sample_rows=self.sample_rows)

    @property
    def client_(self) -> Client:
        """The client that is used: the given one, or the current one."""
        if self.client is not None:
            return self.client
        try:
            return default_client()
        except ValueError as error:
            raise ClusterError(
                "there is no Dask client; make one first: Client(address), or Client() for this machine"
            ) from error

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the estimator to the partitions of collections.

        Parameters
        ----------
        X : Dask array or dataframe of shape (n, d)
            Chunks may be dense or CSR, uneven, empty, and of unknown size.
        y : Dask array or dataframe of shape (n, L)
            With the same partitions as X.
        sample_weight : Dask array or series of shape (n,), optional

        Returns
        -------
        self
        """
        refit_of(self.estimator)
        blocks = dask_blocks(self.client_, X, y, sample_weight)
        self.model_ = fit_in_blocks(self.estimator, blocks, sample_rows=self.sample_rows)
        self.traffic_ = blocks.traffic
        return self

    def to_local(self) -> SetClassifier:
        """Return the fitted estimator, which needs no cluster.

        Returns
        -------
        SetClassifier
        """
        check_is_fitted(self)
        return self.model_

    def predict(self, X: Any, *, decision: Decision | None = None) -> Any:
        """Predict the label set of each row, lazily.

        Parameters
        ----------
        X : Dask array or dataframe of shape (n, d)
        decision : {"subset", "hamming", "f1", "jaccard", ...}, rule or callable, optional
            The loss. By default, that of the estimator. Losses of a whole batch, such as ``"macro_f1"``, are refused.

        Returns
        -------
        Dask array of shape (n, L), or dataframe with a column per label
        """
        if self.to_local().rule(decision).whole_batch:
            raise ValueError(
                f"the decision {decision or self.model_.decision!r} is about all rows together, which are on several "
                "workers; use predict_proba, or to_local() on rows that fit into memory"
            )
        return self._per_label("predict", X, np.dtype(self.model_._targets.dtype), decision=decision)

    def predict_proba(self, X: Any) -> Any:
        """Predict the probability that each label is on, lazily.

        Parameters
        ----------
        X : Dask array or dataframe of shape (n, d)

        Returns
        -------
        Dask array of shape (n, L), or dataframe with a column per label
        """
        return self._per_label("predict_proba", X, np.dtype(np.float64))

    def log_prob(self, X: Any, y: Any) -> Any:
        """Log-probability of a given label set of each row, lazily.

        Parameters
        ----------
        X : Dask array or dataframe of shape (n, d)
        y : Dask array or dataframe of shape (n, L)
            With the same partitions as X.

        Returns
        -------
        Dask array of shape (n,)
        """
        check_collection(y, "y")
        return self._rows(X, "log_prob", (), np.dtype(np.float64), y)

    def predict_top_k(self, X: Any, k: int) -> LazyTopK:
        """Predict the ``k`` most probable label sets of each row, lazily.

        Parameters
        ----------
        X : Dask array or dataframe of shape (n, d)
        k : int

        Returns
        -------
        LazyTopK
        """
        L = self.to_local().n_labels_
        labels = self._rows(X, "top_k_labels", (k, L), np.dtype(np.int8), k=k)
        return LazyTopK(labels, self._rows(X, "top_k_log_prob", (k,), np.dtype(np.float64), k=k))

    def _per_label(self, question: str, X: Any, dtype: np.dtype[Any], **options: Any) -> Any:
        """Answers with a column per label: an array, or a dataframe if X is one."""
        model = self.to_local()
        check_collection(X, "X")
        if not is_frame(X):
            return self._rows(X, question, (model.n_labels_,), dtype, **options)
        asked = dask.delayed(model, traverse=False)
        meta = type(X._meta)(np.empty((0, model.n_labels_), dtype), columns=list(model.label_names_))
        return X.map_partitions(framed_answer, asked, question, options, meta=meta)

    def _rows(
        self, X: Any, question: str, tail: tuple[int, ...], dtype: np.dtype[Any], *others: Any, **options: Any
    ) -> Any:
        """Answers of shape (n, *tail) as a Dask array with the row partitions of X."""
        check_collection(X, "X")
        asked = dask.delayed(self.to_local(), traverse=False)
        sizes = X.chunks[0] if isinstance(X, da.Array) else (np.nan,) * X.npartitions
        parts = zip(sizes, *map(partitions, (X, *others)), strict=True)
        blocks = [
            da.from_delayed(
                dask.delayed(block_answer)(asked, question, tail, dtype, options, *part), (size, *tail), dtype
            )
            for size, *part in parts
        ]
        return da.concatenate(blocks)
