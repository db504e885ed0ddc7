"""CSV files that a spreadsheet opens without running any of it."""

import csv

import pytest

from setwise.cli import main
from setwise.tables.files.csv_safety import safe_cell

FORMULA = "=cmd|' /C calc'!A0"


@pytest.mark.parametrize("text", [FORMULA, "+1+1", "-1+1", "@SUM(A1)", " =1", "\t=1", "\r=1"])
def test_formulas_are_quoted(text):
    assert safe_cell(text).startswith("'")


@pytest.mark.parametrize("value", ["red", "-1.5", "+2", "1e-5", "a=b", "", 3, -0.5, None])
def test_everything_else_is_unchanged(value):
    assert safe_cell(value) == value


def test_the_option_applies_to_answers_and_reports(tmp_path, capsys):
    """Red if a formula in a label name or a kept column reaches a CSV file in spite of --csv-safe."""
    table, file, out = tmp_path / "a.csv", str(tmp_path / "m.setwise"), tmp_path / "out.csv"
    with open(table, "w", newline="") as stream:
        rows = [["x", "id", FORMULA, "z"], *([i, "@id", i % 2, int(i > 9)] for i in range(20))]
        csv.writer(stream).writerows(rows)
    assert main(["fit", str(table), "--labels", "-2", "--ignore", "id", "--model", "br", "-o", file]) == 0
    predict = ["predict", file, str(table), "--keep", "id", "-o", str(out)]
    for arguments in (predict, [*predict, "--top-k", "2"], ["evaluate", file, str(table), "--csv", str(out)]):
        assert main(arguments) == 0
        assert f"'{FORMULA}" not in out.read_text()
        assert FORMULA in out.read_text()
        assert main([*arguments, "--csv-safe"]) == 0
        with open(out, newline="") as stream:
            cells = [cell for row in csv.reader(stream) for cell in row]
        assert f"'{FORMULA}" in cells
        assert not [cell for cell in cells if cell.startswith(("=", "@"))]
