"""``setwise fit --memory``: a table larger than memory, encoded once and fitted in blocks of rows."""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from setwise.blockwise import fit_in_blocks
from setwise.blockwise.families import refit_of
from setwise.blockwise.fitting import SAMPLE_ROWS
from setwise.blockwise.memory import bytes_of, rows_within
from setwise.blockwise.tables import stored_blocks
from setwise.cli.sources import TABLES, is_file, reader_options
from setwise.datasets import Dataset, file_format, raised_limits
from setwise.datasets.table_parts import read_parts, read_sample
from setwise.errors import InputError
from setwise.tables.encoder import TableEncoder

CELLS = 4_000_000
"""Cells of a table that are read at a time: as texts they take some 60 bytes each."""
FIRST_ROWS = 20_000
"""Rows that are read at a time before the number of columns is known."""


class BlockFit(NamedTuple):
    """A fitted model, the sample that taught it how to read the table, and the number of rows of the table."""

    model: Any
    data: Dataset
    n_rows: int


@dataclass(frozen=True)
class Reading:
    """How the parts of a table are read."""

    path: Path
    how: dict[str, Any]

    @classmethod
    def of(cls, options: argparse.Namespace) -> Reading:
        """Read the options; refuse what cannot be read in parts."""
        if not is_file(options.data) or file_format(Path(options.data)) not in TABLES:
            raise InputError(f"--memory reads tables ({', '.join(TABLES)}), not {options.data}")
        how = reader_options(options)
        if how.pop("min_rows", 0):
            raise InputError("--min-rows needs all rows at once", hint="leave out --min-rows or --memory")
        return cls(Path(options.data).resolve(), how)


def fit_table(model: Any, options: argparse.Namespace) -> BlockFit:
    """Fit a model to the table of the command line within the memory it allows.

    Parameters
    ----------
    model : SetClassifier
    options : argparse.Namespace

    Returns
    -------
    BlockFit
    """
    try:
        refit_of(model)
        budget = bytes_of(options.memory)
    except (TypeError, ValueError) as error:
        raise InputError(str(error)) from error
    reading = Reading.of(options)
    how = dict(reading.how)
    labels, columns = how.pop("labels", None), how.pop("columns", None)
    if labels is None:
        raise InputError("no column is named as a label", hint="pass --labels")
    encoder = TableEncoder().set_params(columns=columns)
    with raised_limits(options.raise_limits), tempfile.TemporaryDirectory() as folder:
        data, n_rows = read_sample(
            reading.path, labels, encoder, n_wanted=SAMPLE_ROWS, n_rows=FIRST_ROWS, **how
        )
        at_once = min(rows_within(budget, data.X.shape[1], data.Y.shape[1]), CELLS // data.X.shape[1] + 1)
        blocks = stored_blocks(read_parts(reading.path, labels, data, at_once, **how), Path(folder))
        return BlockFit(fit_in_blocks(model, blocks), data, n_rows)
