"""``make wheels``: source distribution, wheel of this platform and pure-Python wheel; each is installed and tried.

Sizes are checked, and the wheels run ``smoke.py`` in fresh environments that have no compiler.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LARGEST = 3_000_000
"""Bytes that a wheel may have."""


def build(folder: Path) -> list[Path]:
    """Make the three files in ``folder``."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--quiet", "build"], check=True)
    pure = [sys.executable, "-m", "build", "--wheel", "--outdir", folder, "-Cwheel.cmake=false", ROOT]
    subprocess.run([sys.executable, "-m", "build", "--outdir", folder, ROOT], check=True)
    subprocess.run(pure, check=True)
    return sorted(folder.iterdir())


def check(file: Path, work: Path) -> None:
    """Install a wheel where no compiler is found, and run the smoke test."""
    if file.suffix == ".whl" and file.stat().st_size > LARGEST:
        raise SystemExit(f"{file.name} has {file.stat().st_size} bytes, more than {LARGEST}")
    environment = work / file.name
    subprocess.run([sys.executable, "-m", "venv", "--clear", environment], check=True)
    python = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
    blind = dict(os.environ, CC="false", CXX="false")
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", file],
        env=blind,
        check=True,
    )
    subprocess.run([python, ROOT / "packaging" / "smoke.py"], env=blind, cwd=work, check=True)


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "dist").resolve()
    target.mkdir(parents=True, exist_ok=True)
    for made in build(target):
        print(f"== {made.name}: {made.stat().st_size} bytes", flush=True)
        check(made, target.parent / "build" / "wheels")
