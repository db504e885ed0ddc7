import pytest

from setwise.plotting.base.names import plain


def test_names_are_one_printable_line():
    assert plain("two\n lines") == "two lines"
    assert plain("\x00b\ud800\ufffe") == r"\x00b\ud800\ufffe"
    assert len(plain("x" * 300)) == 40


def test_a_dollar_before_or_after_a_backslash_is_not_a_formula():
    """matplotlib's own test of formulas; red when a name with dollars would be typeset."""
    cbook = pytest.importorskip("matplotlib.cbook")
    for name in ("$x$", r"\$x$", r"a\$b\$", "$$", "$"):
        assert not cbook.is_math_text(plain(name))
        assert plain(name).replace(r"\$", "$") == name
