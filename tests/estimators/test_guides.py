import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
GUIDES = sorted(page.name for page in DOCS.glob("*.md") if ">>>" in page.read_text(encoding="utf-8"))


def test_the_guides_with_examples_are_found():
    known = {"cdn.md", "data.md", "decisions.md", "getting_started.md", "missing_labels.md", "naibx.md"}
    assert known | {"which_question.md"} <= set(GUIDES)


@pytest.mark.parametrize("guide", GUIDES)
def test_the_examples_of_the_guide_run(guide):
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    result = doctest.testfile(str(DOCS / guide), module_relative=False, optionflags=flags, encoding="utf-8")
    assert result.attempted > 7
    assert result.failed == 0
