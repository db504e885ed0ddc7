import gzip

import pytest

from setwise.datasets import DataFormatError, InputError, raised_limits, read, read_csv
from setwise.tables.files.csv import csv_table


def test_tabs_quotes_and_delimiters(table):
    data = read(table('"a ""x"""\ty\n"1"\t0\n', "toy.tsv"), labels=["y"])
    assert data.feature_names == ('a "x"',)
    assert data.X.tolist() == [[1.0]]
    assert read_csv(table("a;y\n1;0\n"), ["y"], delimiter=";").X.tolist() == [[1.0]]


@pytest.mark.parametrize(
    ("text", "line", "position", "message"),
    [
        ("a,y\n1,0\n\n2\n", 4, 2, "expected 2 fields, found 1"),
        ('a,y\n1,"0\n', 2, None, "expected fields between ','"),
        ("", 1, None, "expected a header line .* found nothing"),
        ("1,2,0,1\n3,4,1,0\n", 1, None, "found numbers: 1,2,0,1; put a line with names first"),
        ("0.5, -2 ,1\n3,4,1\n", 1, None, "found numbers: 0.5,-2,1; put a line"),
        ("a;y\n1,5;0\n", 1, None, "expected ',' .* found 'a;y'; if ';' is between them, pass delimiter=';'"),
        ("a\ty\n1\t0\n", 1, None, r"if '\\t' is between them, pass delimiter='\\t'"),
    ],
)
def test_errors_name_the_place(table, text, line, position, message):
    """Red if an error lacks its line as an attribute, or a hint lacks the parameter to pass."""
    with pytest.raises(DataFormatError, match=message) as caught:
        read_csv(table(text), ["y"])
    assert (caught.value.line, caught.value.position) == (line, position)
    assert caught.value.file.endswith("toy.csv")


def test_a_delimiter_of_two_characters_is_refused(table):
    with pytest.raises(InputError, match=r"toy\.csv: delimiter=';;': expected one character") as caught:
        csv_table(table("a,y\n"), ";;")
    assert (caught.value.parameter.name, caught.value.parameter.value) == ("delimiter", ";;")


def test_columns_may_be_called_by_numbers(table):
    """Red if the header of a DataFrame without names is taken for a row."""
    data = read_csv(table("0,1,2,3\n0.5,2,0,1\n4,5,1,0\n"), -2)
    assert (data.feature_names, data.label_names) == (("0", "1"), ("2", "3"))
    assert data.X.shape == (2, 2)


def test_a_column_may_be_called_inf(table):
    """Red if a name that Python reads as a float makes the header look like numbers."""
    assert read_csv(table("0,inf\n1,0\n2,1\n"), ["inf"]).label_names == ("inf",)


def test_spaces_around_names_are_removed(table):
    """Red if a name is not found because the header has a space before it."""
    path = table("f1, f2 , mood_a\n1, 2, 0\n3, 4, 1\n")
    data = read_csv(path, ["mood_a"], ignore=["f1"])
    assert (data.feature_names, data.label_names) == (("f2",), ("mood_a",))
    assert read_csv(path, "mood_*", encoder=data.encoder).X.ravel().tolist() == [2, 4]


def test_too_many_columns_are_refused_unless_limits_are_raised(table, set_limits):
    """Red if the limit on columns is not checked, or cannot be raised."""
    set_limits(columns=3)
    path = table("a,b,c,y\n1,2,3,0\n4,5,6,1\n")
    with pytest.raises(DataFormatError, match=r"4 columns, more than the 3 allowed; .*raised_limits\(10\)"):
        read_csv(path, ["y"])
    with raised_limits(2):
        assert read_csv(path, ["y"]).X.shape == (2, 3)


def test_a_compressed_table_is_read(tmp_path):
    (tmp_path / "toy.csv.gz").write_bytes(gzip.compress(b"a,y\n1,0\n2,1\n"))
    assert read(tmp_path / "toy.csv.gz", ["y"]).X.ravel().tolist() == [1, 2]
