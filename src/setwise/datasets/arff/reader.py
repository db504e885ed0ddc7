"""ARFF files of multi-label data, in the styles of MEKA and of Mulan.

MEKA writes into the relation's name how many attributes are labels: ``@relation 'Music: -C 6'`` means the first six,
``-C -6`` the last six; ``-split-number n`` makes the first n rows the training part. Mulan lists the labels in an
.xml file beside the data.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np

from setwise.contract import Bools, Matrix
from setwise.datasets.arff.header import BINARY, NUMERIC, Header, read_header
from setwise.datasets.arff.rows import read_rows
from setwise.datasets.arff.values import Values
from setwise.datasets.dataset import Dataset
from setwise.datasets.label_files import resolve_label_file, sibling_label_file
from setwise.errors import InputError, Parameter, quote_some
from setwise.files.text import blocks
from setwise.kernels.matrices import contiguous_rows
from setwise.tables.diagnosis import warn_about_text
from setwise.tables.encode import encode_features, encode_labels
from setwise.tables.labels.label_columns import LabelChoice, label_columns
from setwise.tables.schema import Schema

_MEKA_LABELS = re.compile(r"-C\s+(-?\d{1,9})\b", re.IGNORECASE)
_MEKA_SPLIT = re.compile(r"-split-(number|percentage)\s+(\d{1,9}(?:\.\d{1,9})?)", re.IGNORECASE)
_PASS_LABELS = ("pass ", Parameter("labels"), ", a list of names or the number of label columns")


def read_arff(
    path: str | os.PathLike[str], labels: LabelChoice | None = None, *, ignore: Sequence[str] = ()
) -> Dataset:
    """Read an ARFF file, dense or sparse, plain or compressed with gzip or bzip2.

    Parameters
    ----------
    path : str or path
    labels : list of str, str, path or int, optional
        Names of the label attributes, a pattern (``"tag_*"``), the path of a Mulan .xml file, or k for the
        first k attributes and -k for the last. By default, the .xml file of the same name beside the data,
        otherwise MEKA's ``-C`` in the relation's name.
    ignore : sequence of str
        Attributes to leave out, such as identifiers. String attributes are always ignored, with a warning.

    Returns
    -------
    Dataset
        X is CSR if any row is sparse. Nominal attributes of more than two values become one
        feature per value; dates become seconds since 1970.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "toy.arff"
    >>> _ = path.write_text('''@relation 'toy: -C 2'
    ... @attribute red {0,1}
    ... @attribute round {0,1}
    ... @attribute size numeric
    ... @data
    ... 1,0,0.5
    ... 1,?,2
    ... ''')
    >>> read_arff(path).Y
    array([[ 1,  0],
           [ 1, -1]], dtype=int8)
    """

    incoming = blocks(path)
    header = read_header(incoming, path)
    chosen = _labels(header, Path(path), labels)
    _check_labels(header, chosen, path)
    features = _features(header, chosen, ignore, path)
    _check_names(header, [*chosen, *features], path)
    matrix = read_rows(chain([header.rest], incoming), Values(header), path, header.n_lines)
    columns, nominal = [header.names[c] for c in features], _nominal(header, features)
    X, feature_names = encode_features(_take(matrix, features), columns, nominal, path)
    Y = encode_labels(_take(matrix, chosen), _nominal(header, chosen), path)
    return Dataset(
        X=X,
        Y=Y,
        feature_names=feature_names,
        label_names=[header.names[c] for c in chosen],
        split=_split(header.relation, matrix.shape[0]),
        name=header.relation.split(":")[0].strip() or Path(path).stem,
        schema=Schema(tuple(columns), {columns[c]: values for c, values in nominal.items()}),
    )


def _nominal(header: Header, columns: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Values of the nominal attributes among some columns, by their position there."""
    types = [header.types[column] for column in columns]
    return {i: kind.values for i, kind in enumerate(types) if kind.kind == "nominal" and kind is not BINARY}


def _take(matrix: Matrix, columns: list[int]) -> Matrix:
    """Select columns, as a slice if they are adjacent, because indexing columns of a CSR matrix is slow."""
    first, last = (columns[0], columns[-1] + 1) if columns else (0, 0)
    taken = matrix[:, first:last] if columns == list(range(first, last)) else matrix[:, columns]
    return contiguous_rows(taken)


def _labels(header: Header, path: Path, labels: LabelChoice | None) -> list[int]:
    if labels is None:
        labels = sibling_label_file(path)
    if labels is None:
        option = _MEKA_LABELS.search(_meka_options(header.relation))
        if option is None:
            message = "which attributes are labels? There is no .xml file beside the data and no '-C <number>' in the "
            raise InputError(message + "relation's name", file=path, hint=_PASS_LABELS)
        labels = int(option.group(1))
        if not 0 < abs(labels) <= len(header.names):
            message = (
                f"'-C {labels}' in the relation's name makes {abs(labels)} of {len(header.names)} attributes"
            )
            raise InputError(f"{message} labels", file=path, hint=["correct the header, or ", *_PASS_LABELS])
    return label_columns(resolve_label_file(labels, header.names, path), header.names, path)


def _meka_options(relation: str) -> str:
    """The options that MEKA writes after the colon of the relation's name."""
    return relation.partition(":")[2]


def _check_labels(header: Header, labels: Sequence[int], path: str | os.PathLike[str]) -> None:
    """Declare numeric labels nominal with the values 0 and 1; refuse attributes that cannot be labels."""
    for column in labels:
        kind = header.types[column]
        if kind is NUMERIC:
            header.types[column] = BINARY
        elif kind.kind != "nominal" or len(kind.values) > 2:
            found = f"{len(kind.values)} values" if kind.kind == "nominal" else f"the type {kind.kind}"
            name = header.names[column]
            message = f"expected two values for label {name!r}, found {found}"
            raise InputError(message, file=path, label=name, column=name)


def _check_names(header: Header, used: Sequence[int], path: str | os.PathLike[str]) -> None:
    """Refuse two attributes of the same name, because other files are read by name."""
    counts = Counter(header.names[column] for column in used)
    twice = [name for name, count in counts.items() if count > 1]
    if twice:
        message = f"{counts[twice[0]]} attributes are called {quote_some(twice[:1])}"
        hint = ("give each a different name, or leave them out with ", Parameter("ignore", twice[:1]))
        raise InputError(message, file=path, column=twice[0], hint=hint)


def _features(
    header: Header, labels: Sequence[int], ignore: Sequence[str], path: str | os.PathLike[str]
) -> list[int]:
    unknown = [name for name in ignore if name not in header.names]
    if unknown:
        message = f"attribute {unknown[0]!r} not found; the attributes are {quote_some(header.names)}"
        raise InputError(message, parameter="ignore", file=path, column=unknown[0])
    left_out = {*labels, *(column for column, name in enumerate(header.names) if name in ignore)}
    rest = [column for column in range(len(header.names)) if column not in left_out]
    text = [header.names[column] for column in rest if header.types[column].kind == "string"]
    if text:
        warn_about_text(path, text)
    return [column for column in rest if header.types[column].kind != "string"]


def _split(relation: str, n_rows: int) -> Bools | None:
    """The training part of MEKA's options: the first rows."""
    option = _MEKA_SPLIT.search(_meka_options(relation))
    if option is None:
        return None
    amount = float(option.group(2))
    n_train = round(amount) if option.group(1).lower() == "number" else round(n_rows * amount / 100)
    return np.asarray(np.arange(n_rows) < n_train)
