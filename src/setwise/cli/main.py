"""Read the command line; the module of a subcommand is imported only when it is called."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import warnings
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from setwise.cli.messages import is_wrong_usage, one_line
from setwise.cli.streams import prepare_streams

COMMANDS = {
    "fit": "learn a model from a data file and write it to a model file",
    "predict": "label sets, probabilities or the k best sets of each row",
    "evaluate": "how good a model is on data whose labels are known",
    "explain": "which columns and words make labels probable, overall and in chosen rows",
    "inspect": "the content of a model file",
    "errors": "rows whose given labels look wrong",
    "export": "a model as one web page to play with, without a server",
    "serve": "answer applications over HTTP: sets, probabilities, decisions as JSON",
    "explore": "a page to explore a model, review suspicious labels and correct them",
    "compare": "judge methods on data sets by name and on your own files",
    "reproduce": "the papers' tables, their values beside ours",
    "datasets": "known data sets, figures of a file, conversion to other formats",
    "demo": "a tour on real data: models of every family, then one row explored",
    "completion": "a script that completes the command in your shell",
}
"""Subcommands: the module of the same name has ``add_arguments(parser)``, ``run(options)`` and perhaps ``EXAMPLES``."""

DONE, FAILED, WRONG_USAGE, STOPPED = 0, 1, 2, 130
"""Exit codes."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code: 0 done, 1 some of the work failed, 2 wrong usage or input."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    options = argparse.Namespace(debug=False)
    try:
        prepare_streams()
        _parse(arguments, options)
        with warnings.catch_warnings():
            _print_warnings()
            code = int(importlib.import_module(f"setwise.cli.commands.{options.command}").run(options))
            sys.stdout.flush()
            return code
    except KeyboardInterrupt:
        print(f"setwise: stopped{_how_to_resume(options)}", file=sys.stderr)
        return STOPPED
    except BrokenPipeError:
        # the reader has closed the pipe; without this Python would raise again at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except Exception as error:
        if options.debug:
            raise
        print(f"setwise: {one_line(error)} (--debug shows where)", file=sys.stderr)
        return WRONG_USAGE if is_wrong_usage(error) else FAILED


def _parse(arguments: Sequence[str], options: argparse.Namespace) -> None:
    """Add the options of a command; its imports take most of a second."""
    try:
        parser = build_parser([name for name in COMMANDS if name in arguments])
    except ModuleNotFoundError as error:
        raise ImportError(f"{error.name} is not installed; pip install 'setwise[cli]' installs it") from error
    parser.parse_args(arguments, options)


def build_parser(imported: Sequence[str]) -> argparse.ArgumentParser:
    """The parser; only the commands ``imported`` have their options, the others just a line."""
    parser = argparse.ArgumentParser(
        prog="setwise",
        description="Multi-label classification that predicts whole label sets.",
        epilog="Try `setwise demo` first; `setwise COMMAND --help` has the options of a command.",
    )
    parser.add_argument("--version", action="version", version=f"setwise {version('setwise')}")
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--debug", action="store_true", help="show the traceback of an error")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, summary in COMMANDS.items():
        module: Any = importlib.import_module(f"setwise.cli.commands.{name}") if name in imported else None
        command = commands.add_parser(
            name,
            help=summary,
            description=summary[0].upper() + summary[1:] + ".",
            epilog=getattr(module, "EXAMPLES", None),
            parents=[shared],
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if module is not None:
            module.add_arguments(command)
    return parser


def _how_to_resume(options: argparse.Namespace) -> str:
    for name in ("checkpoint", "journal"):
        if getattr(options, name, None):
            return f"; the same command continues from {getattr(options, name)}"
    return "; nothing was written" if getattr(options, "output", None) else ""


def _print_warnings() -> None:
    """Print a warning as one line, without the place in the code."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        warning = message if isinstance(message, Warning) else UserWarning(message)
        print(f"setwise: {one_line(warning)}", file=sys.stderr)

    warnings.showwarning = show
    warnings.filterwarnings("ignore", category=DeprecationWarning)
    warnings.filterwarnings("ignore", category=FutureWarning)
    # the final step of a pipeline that was fitted to a DataFrame gets an array; its columns are in the right order
    warnings.filterwarnings("ignore", message="X does not have valid feature names")
