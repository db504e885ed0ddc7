"""Options that several commands share."""

from __future__ import annotations

import argparse
from pathlib import Path

from setwise.cli.streams import STANDARD
from setwise.datasets.label_files import sibling_label_file

FORMATS = ".arff, .csv, .tsv, .parquet, .xlsx, .svm, .txt, .npz; also .gz, .bz2"
WHAT_DATA = f"a file ({FORMATS}), a name that `setwise datasets list` shows, or - for CSV from standard input"


def add_data_argument(parser: argparse.ArgumentParser) -> None:
    """DATA: what is read."""
    parser.add_argument("data", metavar="DATA", help=WHAT_DATA)


def add_model_argument(parser: argparse.ArgumentParser) -> None:
    """MODEL: a model file."""
    parser.add_argument("model", metavar="MODEL", help="a file that `setwise fit` or setwise.save wrote")


def add_label_arguments(parser: argparse.ArgumentParser) -> None:
    """Which columns are labels, and which are ignored."""
    parser.add_argument(
        "--labels",
        nargs="+",
        metavar="LABEL",
        help="label columns: names, one pattern such as 'tag_*', one column of tags, a Mulan .xml, or a number: "
        "the first k columns, or the last if negative; most ARFF, libsvm and .npz files define their labels",
    )
    parser.add_argument(
        "--ignore", nargs="+", metavar="COLUMN", help="columns to leave out, such as identifiers"
    )
    parser.add_argument(
        "--tag-separator",
        metavar="TEXT",
        help="between the tags of a column of tags (default: ; | , or a space, whichever is there); it also says that "
        "a column of numbers holds tags",
    )
    parser.add_argument(
        "--min-rows", type=int, metavar="N", help="leave out labels of fewer rows, such as rare tags (0)"
    )
    parser.add_argument(
        "--columns",
        nargs="+",
        metavar="NAME=KIND",
        help="kinds of columns of tables that are guessed wrongly: number, category, boolean, date, text, tags, vector "
        "or ignore",
    )
    add_csv_arguments(parser, "default , and a tab for .tsv", "default .")


def add_csv_arguments(
    parser: argparse.ArgumentParser,
    delimiter: str = "default: the model's",
    decimal: str = "default: the model's",
) -> None:
    """How CSV files are written, and whether they are trusted."""
    parser.add_argument(
        "--delimiter",
        type=lambda text: text.replace("\\t", "\t"),
        metavar="CHAR",
        help=f"between the columns of CSV files, such as ';' ({delimiter})",
    )
    parser.add_argument(
        "--decimal", metavar="CHAR", help=f"decimal separator of CSV files, a point or a comma ({decimal})"
    )
    parser.add_argument(
        "--raise-limits",
        type=float,
        default=1.0,
        metavar="X",
        help="multiply the limits on the size of data files, for a file that you trust (1)",
    )


def add_keep_argument(parser: argparse.ArgumentParser) -> None:
    """Columns to show beside the answers."""
    parser.add_argument(
        "--keep",
        nargs="+",
        default=[],
        metavar="COLUMN",
        help="columns of a table to show beside each answer, such as identifiers",
    )


def add_csv_safe_argument(parser: argparse.ArgumentParser) -> None:
    """CSV files for spreadsheets."""
    parser.add_argument(
        "--csv-safe",
        action="store_true",
        help="put ' before text in CSV files that a spreadsheet would run as a formula",
    )


def files_read(options: argparse.Namespace) -> list[str | Path]:
    """List the files that a command reads: its data, and files that define the labels."""
    data = options.data if isinstance(options.data, list) else [options.data]
    read: list[str | Path] = [name for name in data if name not in (None, STANDARD)]
    beside = [sibling_label_file(Path(name)) for name in read if Path(name).name]
    labels = [name for name in getattr(options, "labels", None) or [] if name.lower().endswith(".xml")]
    return [*read, *labels, *(path for path in beside if path is not None)]
