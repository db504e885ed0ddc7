"""``setwise reproduce``: print a paper's tables beside ours."""

from __future__ import annotations

import argparse
import os
from typing import get_args

from setwise.cli.output import add_experiment_arguments, finish, flat_table
from setwise.cli.output_files import check_reports
from setwise.cli.progress import watching
from setwise.evaluation.protocol import Estimate
from setwise.papers.figures import STUDIES
from setwise.papers.one_row import RowFigure
from setwise.papers.recipes import PAPERS
from setwise.papers.reproduction import Form, Line, Outcome, reproduce
from setwise.papers.studies import Study
from setwise.reports import report_reproduction
from setwise.views import Table

EXAMPLES = """\
examples:
  setwise reproduce mc --datasets emotions yeast
  setwise reproduce cbm --data ~/data --journal cbm.jsonl --html cbm.html
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``setwise reproduce``."""
    parser.add_argument(
        "paper", choices=list(PAPERS), help="; ".join(f"{p.key}: {p.citation}" for p in PAPERS.values())
    )
    parser.add_argument("--data", metavar="DIR", help="folder of data sets (default: SETWISE_DATA)")
    parser.add_argument("--datasets", nargs="+", metavar="NAME", help="some of the paper's data sets")
    parser.add_argument("--methods", nargs="+", metavar="NAME", help="some of the paper's methods")
    parser.add_argument(
        "--form",
        choices=get_args(Form),
        default="both",
        help="the paper's own methods as published, with our defaults, or both (default)",
    )
    parser.add_argument(
        "--parts",
        nargs="+",
        choices=("tables", "studies"),
        default=["tables", "studies"],
        help="the printed tables, or figures and ablations; both by default",
    )
    parser.add_argument("--folds", type=int, metavar="N", help="another number of folds than the paper's")
    parser.add_argument(
        "--quick", action="store_true", help="two folds of small data sets; says what it cuts"
    )
    parser.add_argument(
        "--minutes",
        type=float,
        metavar="N",
        help="begin nothing later than this; 0 only shows what the journal has",
    )
    add_experiment_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Print the tables, one line per printed number."""
    check_reports(options, [])
    if options.data is not None:
        os.environ["SETWISE_DATA"] = options.data
    paper = PAPERS[options.paper]
    with watching(f"reproduce {paper.key}", options) as watch:
        made = reproduce(
            paper,
            data=options.datasets if "tables" in options.parts else [],
            methods=options.methods,
            studies=_studies(options),
            form=options.form,
            quick=options.quick,
            repeats=options.folds,
            journal=options.journal,
            n_jobs=options.jobs,
            watch=watch,
            seconds=None if options.minutes is None else 60.0 * options.minutes,
        )
    records = [_record(line) for line in made.lines]
    finish(report_reproduction(made), _flat(made.lines), records, options)
    return 1 if made.result.failures else 0


def _studies(options: argparse.Namespace) -> list[Study | RowFigure]:
    """The studies asked for, on the data sets asked for; none if only some methods are wanted."""
    if "studies" not in options.parts or options.methods is not None:
        return []
    wanted = options.datasets
    found = STUDIES.get(options.paper, ())
    named = [study if wanted is None else study.on(wanted) for study in found]
    return [study for study in named if study.data]


def _record(line: Line) -> dict[str, object]:
    ours = None if line.ours is None else line.ours._asdict()
    plain = {} if line.published is None else {"published": _plain(line.published)}
    compared = {"ours": ours, "difference": line.difference, "verdict": line.verdict}
    return line.printed._asdict() | compared | plain


def _plain(outcome: Outcome) -> dict[str, object]:
    ours = None if outcome.ours is None else outcome.ours._asdict()
    return {"ours": ours, "verdict": outcome.verdict}


def _flat(lines: list[Line]) -> Table:
    """A row for each printed number."""
    rows = [
        [
            *line.printed,
            *(line.ours or [None] * 3),
            line.difference,
            line.verdict,
            *(_flat_plain(line.published)),
        ]
        for line in lines
    ]
    printed = ["table", "data", "method", "measure", "printed", "marker"]
    plain = [f"published_{name}" for name in (*Estimate._fields, "verdict")]
    return flat_table([*printed, *Estimate._fields, "difference", "verdict", *plain], rows)


def _flat_plain(outcome: Outcome | None) -> list[object]:
    return [None] * 4 if outcome is None else [*(outcome.ours or [None] * 3), outcome.verdict]
