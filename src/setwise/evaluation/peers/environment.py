"""The environment of the peers: other libraries hold other versions of scikit-learn, so they live apart."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

from setwise.datasets.registry import cache_folder
from setwise.errors import InputError

PACKAGES = ("mlrl-boomer", "lightgbm", "xgboost", "catboost")
READY = "ready"
"""A file that says that the environment is complete."""


def peer_folder() -> Path:
    """Return the folder of the environment: ``SETWISE_PEERS``, else ``peers`` where data sets are kept.

    Returns
    -------
    Path

    Examples
    --------
    >>> peer_folder().name != ""
    True
    """
    given = os.environ.get("SETWISE_PEERS")
    return Path(given).expanduser() if given else cache_folder() / "peers"


def peer_python() -> Path:
    """Return the Python of the environment; it must have been made.

    Returns
    -------
    Path
    """
    folder = peer_folder()
    if not (folder / READY).is_file():
        raise InputError(
            f"there is no environment of peers in {folder}", hint="make it by setwise compare --peers"
        )
    return _python(folder)


def make_peer_environment() -> None:
    """Make the environment unless it is there: a virtual environment with the peers, about 2 GB."""
    folder = peer_folder()
    if (folder / READY).is_file():
        return
    if folder.exists() and any(folder.iterdir()):
        if not (folder / "pyvenv.cfg").is_file():
            raise InputError(
                f"{folder} is not empty and no environment", hint="set SETWISE_PEERS to another folder"
            )
        shutil.rmtree(folder)  # one that was not finished
    venv.create(folder, with_pip=True)
    done = subprocess.run(
        [_python(folder), "-m", "pip", "install", "--quiet", *PACKAGES], capture_output=True, text=True
    )
    if done.returncode:
        said = done.stderr.strip().splitlines()
        raise InputError(f"the peers cannot be installed: {said[-1] if said else 'pip failed'}")
    (folder / READY).touch()


def _python(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
