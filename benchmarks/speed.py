"""``python -m benchmarks.speed PART... --before PYTHON``: what fits cost now, beside an earlier state of the library.

``PYTHON`` is an interpreter in which the earlier state is installed. Each fit runs in a fresh process with one thread;
the two sides of a line take turns, and the median of their processor times is compared (of three, or of one if a fit
takes longer than ``LONG`` seconds). The lines are put into ``benchmarks/speed.md``, where ``--data`` and ``--methods``
replace only those they name. ``threads`` compares wall times, which need an idle machine.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

PAGE = Path(__file__).parent / "speed.md"
WORKER = Path(__file__).parent / "one_fit.py"
LONG = 5.0
REPEATS = 3
HEAD = (
    "| data | fit | beside | fit, s | beside, s | beside / fit | log-loss | beside | ms a row | GB | wanted |"
)
MIXTURES = ("MixtureOfTrees", "MixtureOfTreeExperts", "ConditionalBernoulliMixture", "DecisionForest")
LARGE = ("bibtex", "corel5k", "tmc2007_500", "mediamill")


class Side(NamedTuple):
    """An estimator with parameters, now or before."""

    estimator: str
    parameters: dict[str, Any] | None = None
    before: bool = False
    threads: int = 1

    def __str__(self) -> str:
        given = ", ".join(f"{name}={value}" for name, value in (self.parameters or {}).items())
        return f"{self.estimator}({given})" + ", before" * self.before + ", two threads" * (self.threads > 1)


class Comparison(NamedTuple):
    """A fit, what it is compared with, and the ratio that is wanted."""

    data: str
    fit: Side
    beside: Side | None
    wanted: str


def _parts() -> dict[str, list[Comparison]]:
    relevance, fixed = Side("BinaryRelevance"), Side("BinaryRelevance", {"l2": 1.0})
    twenty = Side(
        "ConditionalBernoulliMixture", {"n_components": 20, "l2": 10.0, "gate_l2": 10.0, "n_init": 1}
    )
    before = {"before": True}
    return {
        "defaults over a fixed penalty": [
            Comparison(data, relevance, fixed, "at least 0.33")
            for data in ("yeast", "scene", "enron", "bibtex", "corel5k", "rcv1subset1")
        ],
        "defaults": [
            Comparison(data, relevance, relevance._replace(**before), "log-loss within 0.2 %")
            for data in ("yeast", "scene", "enron", "bibtex", "mediamill")
        ],
        "trees over binary relevance before": [
            Comparison(data, Side("ConditionalTree"), relevance._replace(**before), "at least 0.2")
            for data in ("enron", "corel5k", "bibtex", "mediamill")
        ],
        "mixtures": [
            Comparison(data, Side(name), Side(name, **before), "at least 4 beyond 5 s, log-loss within 0.5 %")
            for data in ("emotions", "yeast", "scene", "enron")
            for name in MIXTURES
        ],
        "twenty components": [
            Comparison(data, twenty, twenty._replace(**before), wanted)
            for data, wanted in {"yeast": "at least 1", "scene": "at least 1", "enron": "at least 4"}.items()
        ],
        "sets and pairs": [
            Comparison(data, Side(name), Side(name, **before), "at least 5")
            for data in ("enron", "corel5k")
            for name in ("LabelPowerset", "PairwiseCRF")
        ],
        "all rows": [
            Comparison(data, Side(name), None, "900 s, 3 GB")
            for data in LARGE
            for name in ("BinaryRelevance", *MIXTURES)
        ],
        "threads": [
            Comparison("bibtex", side._replace(threads=2), side, "at least 1.6, wall time")
            for side in (relevance, Side("ConditionalTree"))
        ],
    }


def measure(comparison: Comparison, before: str, limit: int) -> str:
    """Run both sides in turn, and make a line of the table."""
    sides = [comparison.fit] + ([comparison.beside] if comparison.beside else [])
    runs: list[list[dict[str, float]]] = [[] for _ in sides]
    for _ in range(REPEATS):
        for side, found in zip(sides, runs, strict=True):
            found.append(_run(comparison.data, side, before, limit))
        if any(found[0].get("seconds", LONG) >= LONG for found in runs):
            break
    clock = "wall" if any(side.threads > 1 for side in sides) else "seconds"
    middle = [{key: statistics.median(run[key] for run in found) for key in found[0]} for found in runs]
    ours, theirs = middle[0], middle[1] if len(middle) > 1 else {}
    ratio = theirs[clock] / ours[clock] if clock in ours and clock in theirs else None
    cells = [
        comparison.data,
        comparison.fit,
        comparison.beside or "-",
        _number(ours.get(clock), unfinished=f"over {limit}"),
        _number(theirs.get(clock), unfinished=f"over {limit}" if comparison.beside else "-"),
        _number(ratio),
        _number(ours.get("log_loss"), 3),
        _number(theirs.get("log_loss"), 3),
        _number(ours.get("predict_ms"), 3),
        _number(ours.get("peak_gb")),
        comparison.wanted,
    ]
    return "| " + " | ".join(map(str, cells)) + " |"


def _run(data: str, side: Side, before: str, limit: int) -> dict[str, float]:
    task = {
        "data": data,
        "estimator": side.estimator,
        "parameters": side.parameters or {},
        "threads": side.threads,
    }
    command = [
        before if side.before else sys.executable,
        "-P",
        str(WORKER),
        json.dumps(task | {"limit": limit}),
    ]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    return dict(json.loads(done.stdout)) if done.returncode == 0 else {}


def _number(value: float | None, digits: int = 2, unfinished: str = "-") -> str:
    return unfinished if value is None else f"{value:.{digits}f}"


def put(page: str, part: str, line: str) -> str:
    """Put a line into the table of a part: over the line with the same data and fit, or at its end."""
    title, key = f"## {part[0].upper()}{part[1:]}", line.split("|")[1:4]
    if title not in page:
        page = f"{page.rstrip()}\n\n{title}\n\n{HEAD}\n{'|---' * HEAD.count(' | ')}|---|\n"
    start, tail = page.index(title), page.find("\n## ", page.index(title))
    section, rest = (page[start:], "") if tail < 0 else (page[start:tail], page[tail:])
    lines = section.rstrip().split("\n")
    same = [at for at, old in enumerate(lines) if old.split("|")[1:4] == key]
    lines[same[0] if same else len(lines) : same[0] + 1 if same else len(lines)] = [line]
    return page[:start] + "\n".join(lines) + "\n" + rest


def chosen(options: argparse.Namespace) -> Iterator[tuple[str, Comparison]]:
    """The comparisons that the command names."""
    for part, comparisons in _parts().items():
        for one in comparisons:
            named = part in options.parts, one.data in options.data, one.fit.estimator in options.methods
            given = options.parts, options.data, options.methods
            if all(name or not names for name, names in zip(named, given, strict=True)):
                yield part, one


def main() -> None:
    """Measure, and write each line as it comes."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    parser.add_argument("parts", nargs="*", help=", ".join(map(repr, _parts())))
    parser.add_argument("--before", default=sys.executable, help="the interpreter of the earlier state")
    parser.add_argument("--data", nargs="*", default=[])
    parser.add_argument("--methods", nargs="*", default=[])
    parser.add_argument("--limit", type=int, default=900, help="processor seconds of a fit")
    options = parser.parse_args()
    for part, comparison in chosen(options):
        line = measure(comparison, options.before, options.limit)
        print(f"{part}: {line}", flush=True)
        PAGE.write_text(put(PAGE.read_text(encoding="utf-8"), part, line), encoding="utf-8")


if __name__ == "__main__":
    main()
