"""Print the pages that are made from the code: ``python -m docs.tools.pages commands > docs/commands.md``."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from docs.tools.api_page import api
from setwise.cli.commands.completion import subcommands
from setwise.cli.main import COMMANDS, build_parser

HEAD = """\
# The command `setwise`

Made from the parser by `python -m docs.tools.pages commands`; a test fails when it is out of date.

Exit codes: 0 done; 1 some of the work failed, such as a full disk; 2 the command line or the input is wrong; 130
stopped by Ctrl-C. Errors are one line on standard error; `--debug` shows the traceback. Progress is shown only if
standard error is a terminal. No command writes over a file that it reads. Control characters in names are shown as
escapes on terminals and in Markdown; files keep them. `python -m setwise` is the same command.
"""


def commands() -> str:
    """Write the page of the command from its parser, as Markdown."""
    parsers = subcommands(build_parser(list(COMMANDS)))
    return "\n".join(
        [HEAD, *(line for name, parser in parsers.items() for line in _command(name, parser, 2))]
    )


def _command(name: str, parser: argparse.ArgumentParser, level: int) -> Iterator[str]:
    yield f"{'#' * level} `setwise {name}`\n"
    if parser.description:
        yield f"{parser.description}\n"
    if parser.epilog:
        yield f"```text\n{parser.epilog.rstrip()}\n```\n"
    rows = [
        _row(action) for action in parser._actions if action.help != argparse.SUPPRESS and _is_listed(action)
    ]
    if rows:
        yield "| argument | meaning |\n|---|---|"
        yield from rows
        yield ""
    for inner, inner_parser in subcommands(parser).items():
        yield from _command(f"{name} {inner}", inner_parser, level + 1)


def _is_listed(action: argparse.Action) -> bool:
    return not isinstance(action, (argparse._HelpAction, argparse._SubParsersAction))


def _row(action: argparse.Action) -> str:
    name = ", ".join(action.option_strings)
    value = "" if action.nargs == 0 else action.metavar or _choices(action)
    several = " ..." if action.nargs == "+" else ""
    shown = " ".join(part for part in (name, str(value) + several) if part)
    meaning = (action.help or "").replace("|", "\\|")
    return f"| `{shown}` | {meaning}{' (required)' if action.required and name else ''} |"


def _choices(action: argparse.Action) -> str:
    return "{" + ",".join(map(str, action.choices)) + "}" if action.choices else action.dest.upper()


PAGES = {"commands": commands, "api": api}
"""The pages of ``docs/`` that are made from the code, and what makes them."""

if __name__ == "__main__":
    pages = argparse.ArgumentParser(description="Print a page of docs/ that is made from the code.")
    pages.add_argument("page", choices=list(PAGES))
    print(PAGES[pages.parse_args().page](), end="")
