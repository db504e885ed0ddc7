"""One function that reads every format, chosen by the name of the file."""

from __future__ import annotations

import os
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import Any

from setwise.datasets.arff.reader import read_arff
from setwise.datasets.dataset import Dataset
from setwise.datasets.extreme import read_extreme
from setwise.datasets.libsvm import read_libsvm
from setwise.datasets.npz import read_npz
from setwise.datasets.table_files import read_csv, read_excel, read_parquet
from setwise.errors import InputError, Parameter
from setwise.tables.labels.label_columns import LabelChoice

# with each reader: whether it needs labels=, False if it may have it, None if the format says its labels itself
_READERS: dict[str, tuple[Callable[..., Dataset], bool | None]] = {
    ".arff": (read_arff, False),
    ".csv": (read_csv, True),
    ".tsv": (read_csv, True),
    ".parquet": (read_parquet, True),
    ".xlsx": (read_excel, True),
    ".svm": (read_libsvm, None),
    ".libsvm": (read_libsvm, None),
    ".svmlight": (read_libsvm, None),
    ".txt": (read_extreme, None),
    ".npz": (read_npz, None),
}


def read(path: str | os.PathLike[str], labels: LabelChoice | None = None, **options: Any) -> Dataset:
    """Read a multi-label data file of any known format.

    Parameters
    ----------
    path : str or path
        .arff, .csv, .tsv, .parquet, .xlsx, .svm, .libsvm, .svmlight, .txt (Extreme Classification Repository) or .npz;
        text files may be compressed, with .gz or .bz2 at the end of their name.
    labels : list of str, str, path or int, optional
        Names of the label columns, a pattern (``"tag_*"``), the path of a Mulan .xml file, k for the first k
        columns and -k for the last, or the name of a column of tags. Most ARFF files define their labels.
    **options
        Passed on to the reader of the format, such as ``ignore=`` or ``tag_separator=``.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "toy.csv"
    >>> _ = path.write_text("size,is_red,is_round\\n0.5,1,0\\n2,1,1\\n")
    >>> read(path, labels="is_*")
    Dataset('toy', rows=2, features=1, labels=2)
    """
    form = file_format(path)
    reader, needs_labels = _READERS[form]
    if needs_labels is None and labels is not None:
        message = f"a {form} file defines its labels itself"
        raise InputError(message, file=path, hint=["leave out ", Parameter("labels")])
    if needs_labels and labels is None:
        hint = ("pass ", Parameter("labels"), ", e.g. names, a pattern, or the number of label columns")
        raise InputError("which columns are labels?", file=path, hint=hint)
    unknown = [name for name in options if name not in signature(reader).parameters]
    if unknown:
        message = f"a {form} file has no such option"
        raise InputError(message, parameter=Parameter(unknown[0]), file=path, hint="leave it out")
    return reader(path, **options) if needs_labels is None else reader(path, labels, **options)


def file_format(path: str | os.PathLike[str]) -> str:
    """Find the format of a file from the end of its name, ignoring the suffix of compression.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    str

    Examples
    --------
    >>> file_format("yeast.arff.gz")
    '.arff'
    """
    suffixes = [suffix.lower() for suffix in Path(path).suffixes if suffix.lower() not in (".gz", ".bz2")]
    form = suffixes[-1] if suffixes else ""
    if form not in _READERS:
        raise InputError(f"unknown format {form!r}; known are {', '.join(_READERS)}", file=path)
    return form
