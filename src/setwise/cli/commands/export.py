"""``setwise export``: write a model as one self-contained page to play with."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from setwise.cli.arguments import add_csv_arguments, add_model_argument, files_read
from setwise.cli.loaded_model import LoadedModel, load_model
from setwise.cli.output_files import check_outputs, write_output
from setwise.estimators.meta.auto import AutoSetClassifier
from setwise.web.standalone import export_page

EXAMPLES = """\
examples:
  setwise export yeast.setwise test.csv -o yeast.html
  setwise export yeast.setwise -o yeast.html        # without example rows

Open the page by double click. It needs no server and sends nothing.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``setwise export``."""
    add_model_argument(parser)
    parser.add_argument("data", metavar="DATA", nargs="?", help="example rows for the page (the first 200)")
    parser.add_argument("-o", "--output", metavar="PAGE", required=True, help="the HTML file to write")
    parser.add_argument("--title", help="heading of the page (default: the name of the model file)")
    add_csv_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Write the page."""
    check_outputs([options.output], [options.model, *files_read(options)])
    model = load_model(options.model)
    final: Any = model.final.estimator_ if isinstance(model.final, AutoSetClassifier) else model.final
    X, names = _rows(options, model)
    page = export_page(
        final,
        X,
        feature_names=names,
        editable=model.takes.encoder is None and model.before is None,
        title=options.title or Path(options.model).stem,
    )
    write_output(page.encode(), options.output)
    return 0


def _rows(options: argparse.Namespace, model: LoadedModel) -> tuple[Any, Sequence[str]]:
    if options.data is None:
        return None, model.takes.feature_names if model.before is None else []
    data, _ = model.read(options, with_labels=False)
    names = [] if model.before is not None else list(data.feature_names)
    return model.transform(data), names
