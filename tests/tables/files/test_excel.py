import datetime as dt
import zipfile
from contextlib import suppress

import numpy as np
import pytest

from setwise.datasets import DataFormatError, InputWarning, read
from setwise.tables.files.excel import excel_table

openpyxl = pytest.importorskip("openpyxl")


def book(path, *sheets):
    made = openpyxl.Workbook()
    made.remove(made.active)
    for number, rows in enumerate(sheets):
        sheet = made.create_sheet(f"sheet {number}")
        for row in rows:
            sheet.append(row)
    made.save(path)
    return path


def test_cells_are_what_they_are(tmp_path):
    """Red when a date, an empty cell or a formula without a value reaches the encoder as something else."""
    day = dt.datetime(2026, 1, 2)
    rows = [
        [],
        ["size", "when", "note", "on"],
        [1.5, day, "café", True],
        [None] * 4,
        [2, None, "#N/A", False],
    ]
    table = excel_table(book(tmp_path / "toy.xlsx", rows))
    assert table.names == ["size", "when", "note", "on"]
    assert table.columns == [[1.5, 2], [day, None], ["café", None], [True, False]]
    assert [table.line(row) for row in range(2)] == [3, 5]


def test_a_workbook_is_read_like_csv(tmp_path):
    """Red when labels or features of a workbook differ from those of the same table as CSV."""
    rows = [
        ["size", "colour", "tags"],
        *([i % 7, "red" if i % 3 else "blue", "a;b" if i % 2 else "a"] for i in range(30)),
    ]
    (tmp_path / "toy.csv").write_text("\n".join(",".join(map(str, row)) for row in rows))
    ours, other = read(book(tmp_path / "toy.xlsx", rows), "tags"), read(tmp_path / "toy.csv", "tags")
    np.testing.assert_array_equal(ours.X, other.X)
    np.testing.assert_array_equal(ours.Y, other.Y)
    assert (ours.feature_names, ours.label_names) == (other.feature_names, other.label_names)


def test_the_first_of_several_sheets_is_read_and_named(tmp_path):
    path = book(tmp_path / "toy.xlsx", [["a", "y"], [1, 0]], [["b"], [2]])
    with pytest.warns(InputWarning, match="reading the sheet 'sheet 0', the first of 2"):
        assert excel_table(path).names == ["a", "y"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [([], "expected a first row"), ([["a"], [1, 2]], r"toy\.xlsx:2:2: expected 1 cells, found 2")],
)
def test_errors_name_the_place(tmp_path, rows, message):
    with pytest.raises(DataFormatError, match=message):
        excel_table(book(tmp_path / "toy.xlsx", rows))


def test_damaged_workbooks_are_refused_as_such(tmp_path):
    """Red when a changed byte raises anything but a DataFormatError."""
    path = book(tmp_path / "toy.xlsx", [["a", "y"], [1, 0]])
    rng, whole = np.random.default_rng(0), path.read_bytes()
    for content in (b"", b"PK nothing", *(_changed(whole, rng) for _ in range(20))):
        path.write_bytes(content)
        with suppress(DataFormatError):
            excel_table(path)


def _changed(whole, rng):
    damaged = bytearray(whole)
    damaged[rng.integers(len(damaged))] = rng.integers(256)
    return bytes(damaged)


def _with_sheet(path, xml):
    """The workbook with other content in its sheet."""
    with zipfile.ZipFile(path) as archive:
        parts = {part: archive.read(part) for part in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for part, content in parts.items():
            archive.writestr(part, xml if part.endswith("sheet1.xml") else content)
    return path


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (b'<row r="1"><c r="A1"><v>1</v></c></row><row r="9999999999"><c r="A9"><v>1</v></c></row>', None),
        (b'<row r="1"><c r="XFD1"><v>1</v></c></row>' + b"<row><c><v>1</v></c></row>" * 5000, "cells"),
        (b'<row r="1"><c r="A1"><v>' + b" " * 2**27 + b"1</v></c></row>", "unpacks to more than"),
    ],
)
def test_workbooks_that_claim_too_much_are_refused(tmp_path, rows, message):
    """Red when a small file fills the memory, or takes minutes: far rows, wide rows, long texts."""
    path = book(tmp_path / "toy.xlsx", [["a"], [1]])
    dimension = b'<dimension ref="A1:XFD1048576"/>'
    start = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">' + dimension
    _with_sheet(path, start + b"<sheetData>" + rows + b"</sheetData></worksheet>")
    if message is None:
        assert excel_table(path).n_rows == 0
        return
    with pytest.raises(DataFormatError, match=message):
        excel_table(path)
