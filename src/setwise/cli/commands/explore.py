"""``setwise explore``: a page on which to explore a model, review labels and correct them."""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from setwise.cli.arguments import add_csv_arguments
from setwise.cli.explored import explored_data, explored_model
from setwise.cli.loaded_model import load_model
from setwise.cli.progress import waiting
from setwise.errors import InputError

EXAMPLES = """\
examples:
  setwise explore --demo
  setwise explore songs.setwise songs.csv
  setwise explore songs.setwise other.setwise new_songs.csv --folds 0

The page is served on this machine only. Corrections are kept in a journal beside the data; the data file is never
changed. Ctrl-C ends the explorer.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``setwise explore``."""
    parser.add_argument(
        "files", nargs="*", metavar="FILE", help="a model file, perhaps a second one, and the data to explore"
    )
    parser.add_argument("--demo", action="store_true", help="explore two models of the yeast data")
    add_csv_arguments(parser)
    parser.add_argument(
        "--folds",
        type=int,
        default=5,
        metavar="N",
        help="judge each row by one of N models that are fitted without it (5); 0: by the model itself, "
        "right if it was fitted to other rows",
    )
    parser.add_argument(
        "--journal",
        metavar="FILE",
        help="where corrections are kept (beside the data: DATA.corrections.jsonl)",
    )
    parser.add_argument("--port", type=int, default=0, metavar="N", help="port of the page (a free one)")
    parser.add_argument("--no-browser", action="store_true", help="only print the address of the page")


def run(options: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C."""
    if options.folds < 0 or options.folds == 1:
        raise InputError(f"--folds is {options.folds}; expected 0, or at least 2")
    open_explorer = _door()
    data, models = _demo() if options.demo else _files(options)
    explorer = open_explorer(
        data,
        models,
        folds=options.folds,
        journal=options.journal,
        port=options.port,
        open_browser=not options.no_browser,
    )
    print(f"Exploring {data.name} at {explorer.url} (Ctrl-C ends)", flush=True)
    if explorer.journal is not None:
        print(f"Corrections are kept in {explorer.journal}", flush=True)
    try:
        explorer.wait()
    except KeyboardInterrupt:
        print("\nThe explorer has ended.", file=sys.stderr)
    finally:
        explorer.close()
    return 0


def _door() -> Any:
    try:
        from setwise.web.explorer.explore import open_explorer
    except ModuleNotFoundError as error:
        message = f"{error.name} is not installed; pip install 'setwise[web]' installs it"
        raise ImportError(message) from error
    return open_explorer


def _demo() -> Any:
    from setwise.web.explorer.demo import demo

    with waiting("fitting two models of the yeast data"):
        return demo()


@contextmanager
def _without_collector() -> Iterator[None]:
    """The garbage collector would look at the millions of entries of a large table again and again."""
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        gc.enable()


def _files(options: argparse.Namespace) -> Any:
    """The data and the models that the command line names."""
    if len(options.files) not in (2, 3):
        hint = "setwise explore MODEL DATA, or setwise explore --demo"
        raise InputError(f"expected a model file and data, found {len(options.files)} names", hint=hint)
    *paths, options.data = options.files
    loaded = [load_model(path) for path in paths]
    with waiting("reading the data"), _without_collector():
        data = explored_data(loaded[0], options)
    return data, [explored_model(model) for model in loaded]
