"""A small model for the examples in docstrings."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from setwise.estimators.binary_relevance import BinaryRelevance
from setwise.persistence import save
from setwise.web.api.model import Model, read_model


@cache
def beach() -> Model:
    """A model of the labels sand and sea with one feature.

    Examples
    --------
    >>> beach().labels
    ['sand', 'sea']
    """
    fitted = BinaryRelevance(l2=0.1).fit([[0.0], [1.0], [2.0]], [["sand"], ["sand", "sea"], ["sea"]])
    with TemporaryDirectory() as folder:
        save(fitted, Path(folder) / "beach.setwise")
        return read_model(Path(folder) / "beach.setwise")
