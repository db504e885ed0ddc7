"""``make matrix``: run the suite on the Pythons and dependency sets of this machine, and print a table.

Each run has an environment below ``build/matrix``. ``--only 3.11-oldest`` and the like choose some of the runs,
one by one if they are slow; ``--table`` prints what earlier runs found; ``--tests`` runs a part of the suite.
"""

from __future__ import annotations

import argparse
import json
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
    def name(self) -> str:
        return f"{self.version}-{self.dependencies}"

    @property
    def folder(self) -> Path:
        return ROOT / "build" / "matrix" / self.name

    @property
    def result(self) -> Path:
        return self.folder.with_suffix(".json")


def pythons() -> dict[str, str]:
    """The interpreters of supported versions that are found, by version: this one, those on the path, pyenv's."""
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    names = [sys.executable]
    for minor in MINORS:
        names += filter(None, [shutil.which(f"python3.{minor}")])
        names += map(str, sorted(versions.glob(f"3.{minor}.*/bin/python3.{minor}")))
    found: dict[str, str] = {}
    for name in names:
        found.setdefault(_ask(name, "import sys; print('%d.%d' % sys.version_info[:2])"), name)
    return {version: found[version] for minor in MINORS if (version := f"3.{minor}") in found}


def _ask(python: str, code: str) -> str:
    return subprocess.run([python, "-c", code], capture_output=True, text=True).stdout.strip()


def runs(found: dict[str, str]) -> Iterator[Run]:
    """Newest dependencies everywhere; the other sets on the oldest Python, for which old wheels exist."""
    for version, python in found.items():
        yield Run(python, version, "newest")
    version, python = next(iter(found.items()))
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


def execute(run: Run, tests: list[str], workers: int) -> dict[str, object]:
    """Make the environment, run the tests, and say how they ended, in how many minutes."""
    start = time.monotonic()
    environment = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    if run.dependencies == "no-compiler":
        environment |= {"CXX": "false", "CC": "false", "SKBUILD_CMAKE_ARGS": "-DCMAKE_CXX_COMPILER=false"}
    subprocess.run([run.python, "-m", "venv", "--clear", run.folder], check=True)
    python = run.folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requirements(run)]
    options = ["-C", f"build-dir={run.folder / 'kernels'}"]
    log = run.folder / "log.txt"
    if subprocess.run([*pip, *options], env=environment).returncode:
        ended = "not installed"
    else:
        command = [python, "-m", "pytest", "-q", "-n", str(workers), "-p", "no:cacheprovider", *tests]
        if run.dependencies == "no-extras":
            command.append("--doctest-ignore-import-errors")
        with open(log, "w", encoding="utf-8") as stream:
            subprocess.run(command, env=environment, cwd=ROOT, stdout=stream, stderr=subprocess.STDOUT)
        ended = re.sub(r" in .*", "", log.read_text(encoding="utf-8").strip().splitlines()[-1].strip("= "))
    versions = "; ".join(
        f"{name} {version}"
        for name in ("numpy", "scipy", "scikit-learn")
        if (version := _ask(str(python), f"import importlib.metadata as m; print(m.version('{name}'))"))
    )
    minutes = round((time.monotonic() - start) / 60)
    found = {"result": ended, "versions": versions, "minutes": minutes}
    run.result.write_text(json.dumps(found), encoding="utf-8")
    return found


def passed(result: str) -> bool:
    """Whether the last line of pytest tells of a suite without failures."""
    return "passed" in result and not re.search("failed|error", result)


def main() -> None:
    """Run what was asked for; exit status 1 if something failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    every = list(runs(pythons()))
    parser.add_argument(
        "--only", nargs="*", default=[run.name for run in every], metavar="RUN", help="some of: %(default)s"
    )
    parser.add_argument(
        "--workers", type=int, default=2, help="processes that run tests (default: %(default)s)"
    )
    parser.add_argument("--tests", nargs="*", default=["src", "tests"], help="which tests (default: all)")
    parser.add_argument("--table", action="store_true", help="run nothing; print the last results")
    options = parser.parse_args()
    if unknown := set(options.only) - {run.name for run in every}:
        parser.error(f"not on this machine: {', '.join(sorted(unknown))}")
    failed = False
    print("| Python, dependencies | versions | result | minutes |\n|---|---|---|---|", flush=True)
    for run in every:
        if run.name not in options.only or (options.table and not run.result.exists()):
            continue
        found = (
            json.loads(run.result.read_text(encoding="utf-8"))
            if options.table
            else execute(run, options.tests, options.workers)
        )
        failed |= not passed(str(found["result"]))
        print(f"| {run.name} | {found['versions']} | {found['result']} | {found['minutes']} |", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
