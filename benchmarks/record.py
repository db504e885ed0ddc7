"""``python -m benchmarks.record``: the ratios of all recorded runs, commit by commit, and a check of the last one.

Every full run of ``python -m benchmarks`` writes one JSON file. This command makes the page ``benchmarks/history.md``
of them; ``--check`` lists the ratios that fell by a fifth against the run before, and then exits with 1.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy
import scipy
import sklearn

from benchmarks.timing import Line
from setwise.kernels import COMPILED

FOLDER = Path(__file__).parent / "runs"
PAGE = Path(__file__).parent / "history.md"
FALL = 0.2
"""Share of a ratio whose loss is flagged."""
SHOWN = 8
"""Runs on the page, the last ones."""

Run = dict[str, Any]


def write(folder: Path, lines: list[Line], *, threads: int) -> Path:
    """Write a run to a new file of the folder, named by its time and commit."""
    now = datetime.datetime.now(datetime.UTC)
    run = {
        "commit": _commit(),
        "date": now.isoformat(timespec="seconds"),
        "command": " ".join(["python -m benchmarks", *sys.argv[1:]]),
        "threads": threads,
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "versions": {
            "python": platform.python_version(),
            **{module.__name__: module.__version__ for module in (numpy, scipy, sklearn)},
        },
        "compiled": COMPILED,
        "lines": [asdict(line) for line in lines],
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{now:%Y%m%dT%H%M%S}-{run['commit']}.json"
    path.write_text(json.dumps(run, indent=1) + "\n", encoding="utf-8")
    return path


def _commit() -> str:
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def read(folder: Path) -> list[Run]:
    """Read all runs, the oldest first."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]


def gains(run: Run) -> dict[str, float]:
    """The ratios of a run by name; a line without a number is left out."""
    return {line["name"]: line["gain"] for line in run["lines"] if line["gain"] is not None}


def falls(runs: list[Run]) -> list[str]:
    """Describe each ratio of the last run that is a fifth below that of the last run before it that has it."""
    if not runs:
        return []
    found = []
    for name, now in gains(runs[-1]).items():
        before = [(run["commit"], gains(run)[name]) for run in runs[:-1] if name in gains(run)]
        if before and now < (1.0 - FALL) * before[-1][1]:
            commit, then = before[-1]
            found.append(f"{name}: {then:.3g} at {commit}, {now:.3g} at {runs[-1]['commit']}")
    return found


def page(runs: list[Run]) -> str:
    """Make a table with a row for each benchmark and a column for each of the last runs."""
    runs = runs[-SHOWN:]
    names = list(dict.fromkeys(name for run in runs for name in gains(run)))
    head = [f"{run['commit']}<br>{run['date'][:10]}" for run in runs]
    rows = [[name, *(_cell(gains(run).get(name)) for run in runs)] for name in names]
    table = ["| benchmark | " + " | ".join(head) + " |", "|---" * (1 + len(runs)) + "|"]
    commands = [f"- {run['commit']}: `{run['command']}`, {_machine(run)}" for run in runs]
    text = "Made by `python -m benchmarks.record`. Ratios against the other program; the larger, the better."
    return "\n".join(
        [
            "# Ratios over commits",
            "",
            text,
            "",
            *table,
            *("| " + " | ".join(r) + " |" for r in rows),
            "",
            *commands,
            "",
        ]
    )


def _cell(gain: float | None) -> str:
    return "" if gain is None else f"{gain:.3g}"


def _machine(run: Run) -> str:
    return f"{run['threads']} threads on {run['cores']} cores, load {run['load']}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.record", description=__doc__)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--check", action="store_true", help="flag ratios that fell by a fifth")
    options = parser.parse_args()
    runs = read(options.folder)
    if options.check:
        found = falls(runs)
        print("\n".join(found) or "no ratio fell by a fifth")
        return 1 if found else 0
    PAGE.write_text(page(runs), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
