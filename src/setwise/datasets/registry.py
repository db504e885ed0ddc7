"""The papers' data sets by name: their sizes, where they are searched for, where to get them."""

from __future__ import annotations

import csv
import gzip
import importlib.util
import os
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np

from setwise.datasets.alignment import find_shift, realigned
from setwise.datasets.dataset import Dataset
from setwise.datasets.npz import read_npz
from setwise.errors import InputError

MULAN = "https://mulan.sourceforge.net/datasets-mlc.html"
MEKA = "https://sourceforge.net/projects/meka/files/Datasets/"
MLDR = "https://github.com/fcharte/mldr.datasets"


class Entry(NamedTuple):
    """A known data set: its shape, and where to get it."""

    rows: int
    features: int
    labels: int
    page: str
    openml_id: int | None = None


KNOWN = {
    "bibtex": Entry(7395, 1836, 159, MULAN),
    "birds": Entry(645, 271, 19, MULAN, 40588),
    "cal500": Entry(502, 68, 174, MULAN),
    "corel5k": Entry(5000, 499, 374, MULAN),
    "delicious": Entry(16105, 500, 983, MULAN),
    "emotions": Entry(593, 72, 6, MULAN, 40589),
    "enron": Entry(1702, 1001, 53, MULAN, 40590),
    "flags": Entry(194, 43, 7, MULAN),
    "genbase": Entry(662, 1185, 27, MULAN, 40591),
    "image135": Entry(2000, 135, 5, "https://www.lamda.nju.edu.cn/data_MIMLimage.ashx", 40592),
    "imdb": Entry(120919, 1001, 28, MEKA),
    "langlog": Entry(1460, 1004, 75, MEKA, 40593),
    "mediamill": Entry(43907, 120, 101, MULAN),
    "medical": Entry(978, 1449, 45, MULAN),
    "music": Entry(592, 71, 6, MEKA),
    "nus-wide": Entry(269648, 128, 81, MULAN),
    "rcv1subset1": Entry(6000, 47236, 101, MLDR),
    "rcv1subset2": Entry(6000, 47236, 101, MLDR),
    "rcv1subset3": Entry(6000, 47236, 101, MLDR),
    "rcv1subset4": Entry(6000, 47229, 101, MLDR),
    "rcv1subset5": Entry(6000, 47235, 101, MLDR),
    "scene": Entry(2407, 294, 6, MULAN, 40595),
    "slashdot": Entry(3782, 1079, 22, MEKA, 40596),
    "tmc2007_500": Entry(28596, 500, 22, MULAN),
    "yahoo_arts": Entry(7484, 23146, 26, MLDR),
    "yahoo_business": Entry(11214, 21924, 30, MLDR),
    "yahoo_computers": Entry(12444, 34096, 33, MLDR),
    "yahoo_education": Entry(12030, 27534, 33, MLDR),
    "yahoo_entertainment": Entry(12730, 32001, 21, MLDR),
    "yahoo_health": Entry(9205, 30605, 32, MLDR),
    "yahoo_recreation": Entry(12828, 30324, 22, MLDR),
    "yahoo_reference": Entry(8027, 39679, 33, MLDR),
    "yahoo_science": Entry(6428, 37187, 40, MLDR),
    "yahoo_social": Entry(12111, 52350, 39, MLDR),
    "yahoo_society": Entry(14512, 31802, 27, MLDR),
    "yeast": Entry(2417, 103, 14, MULAN, 40597),
}


MISALIGNED = frozenset(name for name in KNOWN if name.startswith("rcv1subset"))
"""Data sets whose public files have the labels of half of the rows in the wrong columns."""


class DataNotFound(FileNotFoundError):
    """Raised for a data set that is not in any of the places searched; the message says where to get it.

    Examples
    --------
    >>> issubclass(DataNotFound, FileNotFoundError)
    True
    """


def load(name: str, *, repair: bool | None = None) -> Dataset:
    """Load one of the papers' data sets by name.

    ``<name>.npz`` is looked for in the folder named by the environment variable ``SETWISE_DATA``, then in
    the cache (``SETWISE_CACHE``, else ``~/.cache/setwise``). ``yeast`` also comes with the package river.

    Parameters
    ----------
    name : one of :func:`available`
    repair : bool, optional
        Whether to move labels back that stand in the wrong columns in half of the rows, as in the public files of the
        rcv1 subsets (:func:`setwise.datasets.find_shift`). By default they stay, with a warning; False keeps them
        silently, for comparison with printed results.

    Returns
    -------
    Dataset
        With the expected shape; a file of another shape is refused.

    Examples
    --------
    >>> print(load("yeast").statistics())
    2417 rows, 103 features, 14 labels
    cardinality 4.237, density 0.3026, imbalance 7.20
    198 distinct label sets, 0 rows without labels
    """
    if name not in KNOWN:
        raise InputError(f"unknown data set {name!r}; known are {', '.join(KNOWN)}")
    for folder in _folders():
        path = folder / f"{name}.npz"
        if path.is_file():
            return _aligned(_verified(read_npz(path), name, str(path)), name, repair)
    if name == "yeast" and (yeast := _yeast_of_river()) is not None:
        return _verified(yeast, name, "river")
    raise DataNotFound(_advice(name))


def _aligned(dataset: Dataset, name: str, repair: bool | None) -> Dataset:
    """Repair misplaced labels, or warn of them. Only the data sets in which they were found are searched."""
    shift = find_shift(dataset) if name in MISALIGNED and repair is not False else None
    if shift is None:
        return dataset
    if repair:
        return realigned(dataset, shift)
    warnings.warn(
        f"{name}: the labels of rows {shift.start} to {shift.stop - 1} stand {shift.columns} columns too early in this "
        "file, as in the published one. Pass repair=True to move them back, or repair=False to keep them silently; "
        "see docs/rcv1_alignment.md",
        UserWarning,
        stacklevel=3,
    )
    return dataset


def available() -> list[str]:
    """List the names of the data sets that :func:`load` finds on this machine.

    Returns
    -------
    list of str
        Sorted.

    Examples
    --------
    >>> "yeast" in available()
    True
    """
    return [name for name in KNOWN if _is_here(name)]


def _is_here(name: str) -> bool:
    if any((folder / f"{name}.npz").is_file() for folder in _folders()):
        return True
    return name == "yeast" and importlib.util.find_spec("river") is not None


def cache_folder() -> Path:
    """Return the folder where data sets are kept: ``SETWISE_CACHE``, else ``~/.cache/setwise``.

    Returns
    -------
    Path

    Examples
    --------
    >>> cache_folder().name != ""
    True
    """
    base = os.environ.get("XDG_CACHE_HOME", "~/.cache")
    return Path(os.environ.get("SETWISE_CACHE") or Path(base) / "setwise").expanduser()


def _folders() -> list[Path]:
    given = os.environ.get("SETWISE_DATA")
    return [Path(given).expanduser(), cache_folder()] if given else [cache_folder()]


def _verified(dataset: Dataset, name: str, where: str) -> Dataset:
    entry = KNOWN[name]
    found = {"rows": dataset.Y.shape[0], "features": dataset.X.shape[1], "labels": dataset.Y.shape[1]}
    differences = [
        f"{size} {what} instead of {getattr(entry, what)}"
        for what, size in found.items()
        if size != getattr(entry, what)
    ]
    if differences:
        raise InputError(f"this is not the data set {name!r}: it has {', '.join(differences)}", file=where)
    return dataset


def _advice(name: str) -> str:
    entry = KNOWN[name]
    places = ", ".join(map(str, _folders()))
    source = f"it is published at {entry.page}"
    if entry.openml_id is not None:
        source += f" and as OpenML data set {entry.openml_id}"
    if name == "yeast":
        source += "; `pip install 'setwise[demo]'` installs it"
    return (
        f"data set {name!r} not found: no {name}.npz in {places}. Set SETWISE_DATA to the folder "
        f"that has it; {source}. Read the original with setwise.datasets.read and write it with write_npz."
    )


def _yeast_of_river() -> Dataset | None:
    """Read the copy inside river's wheel from its file: importing river takes longer than reading it."""
    spec = importlib.util.find_spec("river")
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent / "datasets" / "yeast.csv.gz"
    if not path.is_file():
        return None
    with gzip.open(path, "rt", encoding="utf-8") as file:
        names = next(csv.reader(file))
        values = np.loadtxt(file, delimiter=",", dtype=np.float64)
    n_features = KNOWN["yeast"].features
    return Dataset(
        X=values[:, :n_features].astype(np.float32),
        Y=values[:, n_features:],
        feature_names=names[:n_features],
        label_names=names[n_features:],
        name="yeast",
    )
