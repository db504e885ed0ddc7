"""Multi-label data sets of openml.org, through scikit-learn and its cache."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn import datasets as sklearn_datasets

from setwise.datasets.dataset import Dataset
from setwise.errors import InputError
from setwise.tables.encode import encode_features
from setwise.tables.labels.label_sets import label_sets
from setwise.tables.table import Table


def read_openml(
    name: str | int, *, version: int | str = "active", labels: Sequence[str] | None = None, **options: Any
) -> Dataset:
    """Fetch a multi-label data set from openml.org; scikit-learn keeps it on disk.

    Parameters
    ----------
    name : str or int
        Name or number of the data set, e.g. ``"yeast"`` (version 4) or 40597.
    version : int or "active"
    labels : sequence of str, optional
        Names of the label columns; by default the data set's own targets.
    **options
        Passed on to ``sklearn.datasets.fetch_openml``, e.g. ``data_home``, ``n_retries``.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> from setwise.datasets import read_openml
    >>> yeast = read_openml(40597)  # doctest: +SKIP
    """
    which: dict[str, Any] = {"data_id": name} if isinstance(name, int) else {"name": name, "version": version}
    target = "default-target" if labels is None else list(labels)
    bunch = sklearn_datasets.fetch_openml(
        **which, target_column=target, as_frame=False, parser="liac-arff", **options
    )
    if bunch.target is None or np.ndim(bunch.target) != 2:
        raise InputError(
            f"OpenML data set {name!r} has one target or none; expected the names of its label columns",
            parameter="labels",
        )
    columns = list(np.asarray(bunch.target).T)
    table = Table(list(bunch.target_names), columns, lambda row: row + 1, f"OpenML data set {name!r}")
    nominal = {
        column: [str(value) for value in bunch.categories[feature]]
        for column, feature in enumerate(bunch.feature_names)
        if feature in (bunch.categories or {})
    }
    X, feature_names = encode_features(bunch.data, bunch.feature_names, nominal)
    Y = label_sets(table, range(len(columns)))
    return Dataset(X, Y, feature_names, table.names, name=str(bunch.details.get("name", name)))
