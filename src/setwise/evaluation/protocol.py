"""The protocol of a comparison: which rows train, which test, and what is measured on them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from setwise import metrics
from setwise.contract import Array
from setwise.datasets import Dataset, IterativeStratification, stratified_train_test_split
from setwise.estimators.base.seeds import seeded
from setwise.evaluation.peers.joints import joint_log_prob
from setwise.evaluation.true_sizes import OfTrueSizes

Split = tuple[Array, Array]

LOSSES = frozenset({"cll_loss", "joint_log_loss", "fit_seconds", "predict_seconds", "peak_megabytes"})
"""Measures of which smaller values are better; for all others, larger values are."""


@dataclass(frozen=True)
class Protocol:
    """How the rows of a data set are divided into training and test rows.

    Parameters
    ----------
    kind : {"folds", "official", "holdout"}, default="folds"
        Stratified folds, the split that comes with the data, or random partitions.
    repeats : int, default=10
        Number of folds or partitions, or of runs on the official split, each with another seed.
    seed : int, default=0
        Seed of the splits and of the estimators.
    test_size : float, default=1/3
        Share of the rows tested if below 1, otherwise their number; for ``kind="holdout"``.

    Examples
    --------
    >>> import numpy as np
    >>> data = Dataset(np.zeros((10, 1)), np.tile([[1, 0], [0, 1]], (5, 1)))
    >>> [len(test) for train, test in Protocol("folds", 5).splits(data)]
    [2, 2, 2, 2, 2]
    """

    kind: Literal["folds", "official", "holdout"] = "folds"
    repeats: int = 10
    seed: int = 0
    test_size: float = 1 / 3

    def __str__(self) -> str:
        if self.kind == "folds":
            return f"{self.repeats} folds, seed {self.seed}"
        if self.kind == "official":
            return "the official split" + (f", {self.repeats} runs" if self.repeats > 1 else "")
        tested = f"{self.test_size:.0%}" if self.test_size < 1 else f"{self.test_size:.0f} rows"
        return f"{self.repeats} random partitions, {tested} tested, seed {self.seed}"

    def splits(self, data: Dataset) -> list[Split]:
        """Split a data set.

        Parameters
        ----------
        data : Dataset
            The rows to split.

        Returns
        -------
        list of (train, test)
            Row indices of each repetition.

        Examples
        --------
        >>> import numpy as np
        >>> data = Dataset(np.zeros((6, 1)), np.tile([[1, 0], [0, 1]], (3, 1)))
        >>> len(Protocol("holdout", repeats=2).splits(data))
        2
        """
        if self.kind == "folds":
            folds = IterativeStratification(self.repeats, shuffle=True, random_state=self.seed)
            return list(folds.split(data.X, data.Y))
        if self.kind == "official":
            return [_official(data)] * self.repeats
        if self.kind == "holdout":
            return [self._partition(data, self.seed + r) for r in range(self.repeats)]
        raise ValueError(f"unknown protocol {self.kind!r}; expected 'folds', 'official' or 'holdout'")

    def _partition(self, data: Dataset, seed: int) -> Split:
        rows = np.arange(data.Y.shape[0])
        train, test, *_ = stratified_train_test_split(
            rows, data.Y, test_size=self.test_size, random_state=seed
        )
        return train, test


def _official(data: Dataset) -> Split:
    if data.split is None:
        raise ValueError(f"data set {data.name!r} has no official split; use folds or a holdout instead")
    return np.flatnonzero(data.split), np.flatnonzero(~data.split)


def evaluate_split(estimator: Any, data: Dataset, split: Split, *, seed: int = 0) -> dict[str, float]:
    """Fit a clone on the training rows and measure it on the test rows.

    Parameters
    ----------
    estimator : estimator
        It is cloned, not fitted itself.
    data : Dataset
        All rows.
    split : (train, test)
        Row indices.
    seed : int, default=0
        Value of every ``random_state`` of the estimator that is None.

    Returns
    -------
    dict
        ``exact_match``, ``hamming_score``, ``micro_f1``, ``macro_f1``, ``macro_f1_of_means``, the instance
        scores, ``joint_log_loss`` per row and its sum ``cll_loss`` (if the method has a joint),
        ``cardinality`` of the predictions, ``test_rows``, ``fit_seconds`` and ``predict_seconds``.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import BinaryRelevance
    >>> X = np.linspace(-1, 1, 40)[:, None]
    >>> data = Dataset(X, np.hstack([X > 0, X < 0.5]))
    >>> scores = evaluate_split(BinaryRelevance(), data, (np.arange(0, 40, 2), np.arange(1, 40, 2)))
    >>> scores["exact_match"]
    0.95
    """
    train, test = split
    model = seeded(estimator, seed)
    start = time.perf_counter()
    model.fit(data.X[train], data.Y[train])
    seconds = time.perf_counter() - start
    return measure(model, data, test) | {"fit_seconds": seconds}


def measure(model: Any, data: Dataset, test: Array) -> dict[str, float]:
    """Measure a fitted model on test rows: the scores of :func:`evaluate_split` without the fitting time."""
    X, Y = data.X[test], data.Y[test]
    start = time.perf_counter()
    predicted = model.predict_given(X, Y) if isinstance(model, OfTrueSizes) else model.predict(X)
    seconds = time.perf_counter() - start
    scores = score(Y, predicted) | {"predict_seconds": seconds}
    log_prob = joint_log_prob(model, X, Y)
    if log_prob is not None:
        scores["joint_log_loss"] = metrics.joint_log_loss(log_prob)
        scores["cll_loss"] = metrics.joint_log_loss_sum(log_prob)
    return scores


def score(Y_true: Any, Y_pred: Any) -> dict[str, float]:
    """Compute all measures that need only the predicted sets."""
    rows = metrics.instance_scores(Y_true, Y_pred)
    return {
        "exact_match": metrics.exact_match(Y_true, Y_pred),
        "hamming_score": metrics.hamming_score(Y_true, Y_pred),
        "micro_f1": metrics.micro_f1(Y_true, Y_pred),
        "macro_f1": metrics.macro_f1(Y_true, Y_pred),
        "macro_f1_of_means": metrics.macro_f1_of_means(Y_true, Y_pred),
        **{f"instance_{name}": float(values.mean()) for name, values in rows._asdict().items()},
        "cardinality": metrics.cardinality(Y_pred),
        "test_rows": float(Y_true.shape[0]),
    }


class Estimate(NamedTuple):
    """Mean of a measure over the repetitions of a protocol.

    Parameters
    ----------
    mean : float
        The mean.
    standard_error : float
        Its standard error; NaN if it cannot be estimated from one repetition.
    repeats : int
        Number of repetitions.

    Examples
    --------
    >>> print(Estimate(0.2512, 0.0123, 10), Estimate(153.04, 2.21, 10), sep="; ")
    0.251 ± 0.012; 153.0 ± 2.2
    """

    mean: float
    standard_error: float
    repeats: int

    def __str__(self) -> str:
        digits = 3 if abs(self.mean) < 10 else 1
        error = "" if np.isnan(self.standard_error) else f" ± {self.standard_error:.{digits}f}"
        return f"{self.mean:.{digits}f}{error}"


SHARES = frozenset({"exact_match"})
"""Measures that are shares of the test rows: even a single split gives a (binomial) standard error."""


def summarise(runs: Iterable[Mapping[str, float]]) -> dict[str, Estimate]:
    """Average every measure over repetitions.

    Examples
    --------
    >>> print(summarise([{"exact_match": 0.5}, {"exact_match": 0.7}])["exact_match"])
    0.600 ± 0.100
    """
    runs = list(runs)
    names = [name for name in runs[0] if all(name in run for run in runs)] if runs else []
    return {name: _estimate(name, runs) for name in names}


def _estimate(name: str, runs: list[Mapping[str, float]]) -> Estimate:
    values = np.array([run[name] for run in runs], dtype=np.float64)
    mean, n = float(values.mean()), len(values)
    if n > 1 and np.isfinite(values).all():
        return Estimate(mean, float(values.std(ddof=1) / np.sqrt(n)), n)
    if n == 1 and name in SHARES and "test_rows" in runs[0]:
        return Estimate(mean, float(np.sqrt(mean * (1.0 - mean) / runs[0]["test_rows"])), n)
    return Estimate(mean, float("nan"), n)
