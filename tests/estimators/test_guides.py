import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(
    "guide", ["cdn.md", "naibx.md", "decisions.md", "which_question.md", "missing_labels.md"]
)
def test_the_examples_of_the_guide_run(guide):
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    result = doctest.testfile(str(DOCS / guide), module_relative=False, optionflags=flags, encoding="utf-8")
    assert result.attempted > 7
    assert result.failed == 0
