"""One browser for all tests, and one server for those that do not change it."""

import pytest

from tests.web.explorer.browser import chromium
from tests.web.models import save_scaled, save_table, save_texts, save_tree
from tests.web.running import Running


@pytest.fixture(scope="session")
def browser():
    with chromium() as found:
        yield found


@pytest.fixture(scope="session")
def served(tmp_path_factory):
    """The fitted models of the common server, by name, and the folder of their files."""
    folder = tmp_path_factory.mktemp("models")
    makers = {"tree": save_tree, "table": save_table, "texts": save_texts, "scaled": save_scaled}
    return {name: make(folder) for name, make in makers.items()} | {"folder": folder}


@pytest.fixture(scope="session")
def server(served, tmp_path_factory):
    """A server of the common models."""
    with Running(str(served["folder"]), log=tmp_path_factory.mktemp("log") / "errors") as running:
        yield running
