import doctest
from pathlib import Path

GUIDE = Path(__file__).parents[2] / "docs" / "data.md"


def test_the_examples_of_the_guide_run():
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    result = doctest.testfile(str(GUIDE), module_relative=False, optionflags=flags, encoding="utf-8")
    assert result.attempted > 30
    assert result.failed == 0
