"""ARFF files of multi-label data, in the styles of MEKA and of Mulan.

MEKA says in the relation's name how many attributes are labels: ``@relation 'Music: -C 6'`` the first six,
``-C -6`` the last six; ``-split-number n`` makes the first n rows the training part. Mulan lists the labels
in an .xml file beside the data.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np

from setwise.contract import Bools
from setwise.datasets.arff.header import BINARY, NUMERIC, Header, read_header
from setwise.datasets.arff.rows import read_rows
from setwise.datasets.arff.values import Values
from setwise.datasets.dataset import Dataset, Matrix
from setwise.datasets.encode import encode_features, encode_labels
from setwise.datasets.label_columns import LabelChoice, label_columns, sibling_label_file
from setwise.datasets.schema import Schema
from setwise.datasets.source import blocks
from setwise.kernels.matrices import contiguous_rows

_MEKA_LABELS = re.compile(r":.*?-C\s+(-?\d{1,9})\b", re.IGNORECASE)
_MEKA_SPLIT = re.compile(r":.*?-split-(number|percentage)\s+(\d{1,9}(?:\.\d{1,9})?)", re.IGNORECASE)


def read_arff(
    path: str | os.PathLike[str], labels: LabelChoice | None = None, *, ignore: Sequence[str] = ()
) -> Dataset:
    """Read an ARFF file, dense or sparse, plain or compressed with gzip or bzip2.

    Parameters
    ----------
    path : path of the .arff file
    labels : list of str, str, path or int, optional
        Names of the label attributes, a pattern (``"tag_*"``), the path of a Mulan .xml file, or k for the
        first k attributes and -k for the last. By default the .xml file of the same name beside the data,
        else MEKA's ``-C`` in the relation's name.
    ignore : sequence of str
        Attributes to leave out, such as identifiers. String attributes are always left out, with a warning.

    Returns
    -------
    Dataset
        X is CSR if any row is written sparsely. Nominal attributes of more than two values become one
        feature a value; dates seconds since 1970.

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
    matrix = read_rows(chain([header.rest], incoming), Values(header), path, header.n_lines)
    columns, nominal = [header.names[c] for c in features], _nominal(header, features)
    try:
        X, feature_names = encode_features(_take(matrix, features), columns, nominal)
        Y = encode_labels(_take(matrix, chosen), _nominal(header, chosen))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
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
    """Values of the nominal attributes among some columns, by their place there."""
    types = [header.types[column] for column in columns]
    return {i: kind.values for i, kind in enumerate(types) if kind.kind == "nominal" and kind is not BINARY}


def _take(matrix: Matrix, columns: list[int]) -> Matrix:
    """Some columns, as a slice where they are neighbours: picking columns of a CSR matrix is slow."""
    first, last = (columns[0], columns[-1] + 1) if columns else (0, 0)
    taken = matrix[:, first:last] if columns == list(range(first, last)) else matrix[:, columns]
    return contiguous_rows(taken)


def _labels(header: Header, path: Path, labels: LabelChoice | None) -> list[int]:
    if labels is None:
        labels = sibling_label_file(path)
    if labels is None:
        option = _MEKA_LABELS.search(header.relation)
        if option is None:
            raise ValueError(
                f"{path}: which attributes are labels? There is no .xml file beside it and no '-C <number>' "
                "in the relation's name: pass labels=, a list of names or the number of label columns"
            )
        labels = int(option.group(1))
        if not 0 < abs(labels) <= len(header.names):
            raise ValueError(
                f"{path}: '-C {labels}' in the relation's name makes {abs(labels)} of {len(header.names)} attributes "
                "labels; correct the file's header, or pass labels=, a list of names or the number of label columns"
            )
    return label_columns(labels, header.names, path)


def _check_labels(header: Header, labels: Sequence[int], path: str | os.PathLike[str]) -> None:
    """Make numeric labels nominal ones of the values 0 and 1; refuse what cannot be a label."""
    for column in labels:
        kind = header.types[column]
        if kind is NUMERIC:
            header.types[column] = BINARY
        elif kind.kind != "nominal" or len(kind.values) > 2:
            found = f"{len(kind.values)} values" if kind.kind == "nominal" else f"the type {kind.kind}"
            raise ValueError(f"{path}: label {header.names[column]!r} has {found}; a label is on or off")


def _features(
    header: Header, labels: Sequence[int], ignore: Sequence[str], path: str | os.PathLike[str]
) -> list[int]:
    unknown = [name for name in ignore if name not in header.names]
    if unknown:
        raise ValueError(f"{path}: ignore= names {unknown[0]!r}, which is no attribute")
    left_out = {*labels, *(column for column, name in enumerate(header.names) if name in ignore)}
    rest = [column for column in range(len(header.names)) if column not in left_out]
    text = [header.names[column] for column in rest if header.types[column].kind == "string"]
    if text:
        warnings.warn(f"{path}: text is no feature and is left out: {', '.join(text)}", stacklevel=3)
    return [column for column in rest if header.types[column].kind != "string"]


def _split(relation: str, n_rows: int) -> Bools | None:
    """The training part of MEKA's options: the first rows."""
    option = _MEKA_SPLIT.search(relation)
    if option is None:
        return None
    amount = float(option.group(2))
    n_train = round(amount) if option.group(1).lower() == "number" else round(n_rows * amount / 100)
    return np.asarray(np.arange(n_rows) < n_train)
