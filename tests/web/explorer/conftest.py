"""Two explorers for all tests of the page."""

import pytest

from setwise.web.explorer.launch import Explorer
from tests.web.explorer.sessions import journal_of, made_up, session_of


@pytest.fixture(scope="module")
def explorer(tmp_path_factory):
    """An explorer of made-up rows with two models, judged."""
    session = session_of(*made_up(150, seed=1), n_models=2)
    with Explorer(session, journal_of(session, tmp_path_factory.mktemp("journal"))) as opened:
        yield opened
