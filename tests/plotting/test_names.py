import pytest

from setwise.plotting.names import change_name, check_names, plain, set_text


def test_names_are_one_printable_line():
    assert plain("two\n lines") == "two lines"
    assert plain("\x00b\ud800") == "\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}"
    assert len(plain("x" * 300)) == 40


def test_a_dollar_before_or_after_a_backslash_is_not_a_formula():
    """matplotlib's own test of formulas; red when a name with dollars would be typeset."""
    cbook = pytest.importorskip("matplotlib.cbook")
    for name in ("$x$", r"\$x$", r"a\$b\$", "$$", "$"):
        assert not cbook.is_math_text(plain(name))
        assert plain(name).replace(r"\$", "$") == name


def test_sets_and_changes():
    assert set_text([1, 1], ["a", "b"]) == "a, b"
    assert change_name([1, 0], [0, 1], ["a", "b"]) == "+b −a"
    assert change_name([1, 0], [1, 0], ["a", "b"]) == "(no change)"


def test_as_many_names_as_labels():
    with pytest.raises(ValueError, match="2 label names for 3 labels"):
        check_names(["a", "b"], 3)
