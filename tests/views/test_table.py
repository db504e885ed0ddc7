"""Tables of text: aligned in a terminal, escaped everywhere."""

from setwise.views import Table


def test_columns_are_aligned_whatever_the_script():
    """Red if wide characters, which take two places, shift what follows."""
    lines = str(Table("", ["name", "n"], [["海", "1"], ["sea", "1000"]])).splitlines()
    assert lines == ["name     n", "----  ----", "海       1", "sea   1000"]


def test_hostile_cells_are_text_in_every_format():
    table = Table("t\x1b", ["<a>"], [["<b>|\x1b[0m\nc"]], ["<n>"])
    assert "\x1b" not in str(table) + table.to_html() + table.to_markdown()
    assert "<b>" not in table.to_html()
    assert len(str(table).splitlines()) == 5
    assert table.to_markdown().splitlines()[4] == r"| <b>\|\x1b[0m c |"


def test_columns_of_numbers_become_numbers():
    frame = Table("", ["name", "x", "y"], [["a", "1.5", "2 ± 1"], ["b", "-", "3"]]).to_frame()
    assert frame["x"].tolist()[0] == 1.5
    assert frame["x"].isna().tolist() == [False, True]
    assert frame["y"].tolist() == ["2 ± 1", "3"]
    assert Table("", ["x"], []).to_frame().columns.tolist() == ["x"]
