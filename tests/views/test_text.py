import pytest

from setwise.views.text import change_text, check_names, escape_html, one_line, set_text


def test_names_are_one_printable_line():
    """Red if a name can move the cursor, change colours or break the encoding of a page."""
    assert one_line("two\n lines") == "two lines"
    assert one_line("\x00b\ud800\u202e") == r"\x00b\ud800\u202e"
    assert len(one_line("x" * 300)) == 60
    assert escape_html('<b a="1">\x1b') == "&lt;b a=&quot;1&quot;&gt;\\x1b"


def test_sets_and_changes():
    assert set_text([1, 1], ["a", "b"]) == "a, b"
    assert set_text([-1, -1], ["a", "b"]) == "(no answer)"
    assert change_text([1, 0], [0, 1], ["a", "b"]) == "+b −a"
    assert change_text([1, 0], [1, 0], ["a", "b"]) == "(no change)"


def test_as_many_names_as_labels():
    with pytest.raises(ValueError, match="2 label names for 3 labels"):
        check_names(["a", "b"], 3)
