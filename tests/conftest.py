"""Where the tests find real data."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real data sets; tests that need it are skipped where there is none."""
    folder = os.environ.get("SETWISE_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("SETWISE_DATA does not name a folder of data sets")
    return Path(folder)
