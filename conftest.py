"""For the tests and the examples in docstrings alike: plots open no window and leave nothing open."""

import os
import sys

os.environ.setdefault("MPLBACKEND", "Agg")


def pytest_runtest_teardown() -> None:
    """Close what a test plotted: matplotlib warns, as an error here, when more than twenty figures are open."""
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
