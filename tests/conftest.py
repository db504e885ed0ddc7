"""Where the tests find real data, and how they lower the limits of data files."""

import os
from contextvars import ContextVar
from pathlib import Path

import pytest

from setwise.files.limits import Limits


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real data sets; tests that need it are skipped where there is none."""
    folder = os.environ.get("SETWISE_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("SETWISE_DATA does not name a folder of data sets")
    return Path(folder)


@pytest.fixture
def set_limits(monkeypatch):
    """A function that changes limits of data files for one test."""

    def change(**values: int) -> None:
        changed = Limits(**values)
        monkeypatch.setattr("setwise.files.limits._current", ContextVar("limits", default=changed))

    return change
