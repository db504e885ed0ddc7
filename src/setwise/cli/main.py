"""Reading the command line; each subcommand's module is imported only when it is called."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from importlib.metadata import version

COMMANDS = {
    "demo": "a tour on real data: four models compared, then one row explored",
    "evaluate": "judge methods on the named data sets",
    "compare": "judge methods on your own data",
    "reproduce": "the papers' tables, their values beside ours",
}
"""Subcommands: the module of the same name has ``add_arguments(parser)`` and ``run(options)``."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code: 0 done, 1 some of the work failed, 2 wrong use."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    options = _parser(arguments).parse_args(arguments)
    try:
        return int(importlib.import_module(f"setwise.cli.{options.command}").run(options))
    except KeyboardInterrupt:
        print("setwise: stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:
        return 0
    except Exception as error:
        if options.debug:
            raise
        print(f"setwise: {_one_line(error)}", file=sys.stderr)
        return 2


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="setwise",
        description="Multi-label classification that predicts whole label sets.",
        epilog="Try `setwise demo` first; `setwise COMMAND --help` tells more.",
    )
    parser.add_argument("--version", action="version", version=_version())
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--debug", action="store_true", help="show the traceback of an error")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, summary in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=summary, parents=[shared])
        if name in arguments:  # only the asked command is imported
            importlib.import_module(f"setwise.cli.{name}").add_arguments(command)
    return parser


def _one_line(error: Exception) -> str:
    text = " ".join(str(error).split())
    return f"{text or type(error).__name__} (--debug shows where)"


def _version() -> str:
    return f"setwise {version('setwise')}"
