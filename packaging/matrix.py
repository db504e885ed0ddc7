"""``make matrix``: run the suite on the Pythons and dependency sets of this machine, and print a table.

Each run has an environment below ``build/matrix``. ``--dependencies`` and ``--python`` choose some of the runs;
``--tests`` runs a part of the suite.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MINORS = (11, 12, 13, 14)


@dataclass(frozen=True)
class Run:
    """One line of the table: an interpreter and what is installed with it."""

    python: str
    version: str
    dependencies: str

    @property
    def folder(self) -> Path:
        return ROOT / "build" / "matrix" / f"{self.version}-{self.dependencies}"


def pythons() -> dict[str, str]:
    """The interpreters of supported versions that are found, by version."""
    names = [sys.executable, *(found for minor in MINORS if (found := shutil.which(f"python3.{minor}")))]
    answers = {name: _ask(name, "import sys; print('%d.%d' % sys.version_info[:2])") for name in names}
    supported = {f"3.{minor}" for minor in MINORS}
    return {version: name for name, version in answers.items() if version in supported}


def _ask(python: str, code: str) -> str:
    return subprocess.run([python, "-c", code], capture_output=True, text=True).stdout.strip()


def runs(found: dict[str, str]) -> Iterator[Run]:
    """Newest dependencies everywhere; the other sets on the oldest Python, for which old wheels exist."""
    for version, python in sorted(found.items()):
        yield Run(python, version, "newest")
    version, python = min(found.items())
    for dependencies in ("oldest", "no-compiler", "no-extras"):
        yield Run(python, version, dependencies)


def oldest() -> list[str]:
    """The lowest versions that the project allows, as pip takes them."""
    return [re.sub(r">=([\d.]+)", r"==\1.*", requirement) for requirement in PROJECT["dependencies"]]


def requirements(run: Run) -> list[str]:
    """What pip installs for a run."""
    if run.dependencies == "oldest":
        return ["-e", f"{ROOT}[dev]", *oldest()]
    if run.dependencies == "no-extras":
        return ["-e", str(ROOT), "pytest", "pytest-timeout", "hypothesis", "pytest-xdist"]
    return ["-e", f"{ROOT}[dev]"]


def execute(run: Run, tests: list[str]) -> tuple[str, float]:
    """Make the environment, run the tests, and say how they ended, in how many seconds."""
    start = time.monotonic()
    environment = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    if run.dependencies == "no-compiler":
        environment |= {"CXX": "false", "CC": "false", "SKBUILD_CMAKE_ARGS": "-DCMAKE_CXX_COMPILER=false"}
    subprocess.run([run.python, "-m", "venv", "--clear", run.folder], check=True)
    python = run.folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requirements(run)]
    options = ["-C", f"build-dir={run.folder / 'kernels'}"]
    if subprocess.run([*pip, *options], env=environment).returncode:
        return "not installed", time.monotonic() - start
    command = [python, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", *tests]
    with open(run.folder / "log.txt", "w", encoding="utf-8") as log:
        subprocess.run(command, env=environment, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT)
    last = (run.folder / "log.txt").read_text(encoding="utf-8").strip().splitlines()[-1:]
    return " ".join(last).strip("= "), time.monotonic() - start


def main() -> None:
    """Run what was asked for; exit status 1 if something failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--dependencies", nargs="*", help="only these sets: newest oldest no-compiler no-extras"
    )
    parser.add_argument("--python", nargs="*", help="only these versions, such as 3.12")
    parser.add_argument("--tests", nargs="*", default=["tests"], help="which tests (default: all)")
    options = parser.parse_args()
    failed = False
    print("| Python | dependencies | result | seconds |\n|---|---|---|---|", flush=True)
    for run in runs(pythons()):
        if options.dependencies and run.dependencies not in options.dependencies:
            continue
        if options.python and run.version not in options.python:
            continue
        result, seconds = execute(run, options.tests)
        failed |= "failed" in result or "error" in result or "passed" not in result
        print(f"| {run.version} | {run.dependencies} | {result} | {seconds:.0f} |", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
