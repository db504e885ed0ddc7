import numpy as np
import pytest

from setwise.datasets import DataFormatError, InputError, read_csv


def test_decimal_commas_are_read(table):
    """Red if a comma is lost, categories or tags with commas change, or the schema forgets the separator."""
    rows = [f"{i},5;-{i},25e1;small, {i % 2};{i % 3},{i % 2}" for i in range(30)]
    path = table("\n".join(["a;b;c;tags", *rows, "?;,5;;"]) + "\n")
    data = read_csv(path, "tags", delimiter=";", decimal=",")
    assert data.label_names == ("0", "1", "2")
    assert data.feature_names[:2] == ("a", "b")
    np.testing.assert_array_equal(data.X[:30, 0], np.arange(30) + 0.5)
    np.testing.assert_array_equal(data.X[:, 1], [*(-10.0 * np.arange(30) - 2.5), 0.5])
    assert np.isnan(data.X[30, 0])
    assert data.encoder.columns_["c"].values == ("small, 0", "small, 1")
    again = read_csv(path, "tags", like=data.schema, encoder=data.encoder)
    np.testing.assert_array_equal(again.X, data.X)
    message = r":2:1: expected a number .* '0,5'; if the comma is a decimal separator, pass decimal=','"
    with pytest.raises(DataFormatError, match=message):
        read_csv(path, "tags", decimal=".", like=data.schema, encoder=data.encoder)


def test_labels_may_have_decimal_commas(table):
    """Red if 1,0 is two tags, or not a label: pandas writes numbers like that."""
    rows = [f"{i},5;{i % 2},0;{int(i > 4)},0" for i in range(12)]
    path = table("\n".join(["a;y;z", *rows]) + "\n")
    for labels in ("y", ["y"], -2):
        data = read_csv(path, labels, delimiter=";", decimal=",")
        assert data.label_names[0] == "y"
        assert data.Y[:, 0].tolist() == [i % 2 for i in range(12)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,5;2,5;1\n0,5;0,25;0\n", ":1: expected a header line .* found numbers"),
        ("a;y\n1,5;0\n1.234;1\n", r":3:1: expected numbers with decimal commas in column 'a', found '1.234'"),
    ],
)
def test_what_decimal_commas_make_doubtful_is_refused(table, text, message):
    """Red if a first row becomes names, or a thousand becomes one and a bit."""
    with pytest.raises(DataFormatError, match=message):
        read_csv(table(text), -1, delimiter=";", decimal=",")


def test_points_in_categories_are_allowed(table):
    rows = [f"{i},5;{'v1.2' if i % 2 else '1.2'};{i % 2}" for i in range(12)]
    data = read_csv(table("\n".join(["a;version;y", *rows]) + "\n"), ["y"], delimiter=";", decimal=",")
    assert data.X[:, 0].tolist() == [i + 0.5 for i in range(12)]
    assert data.encoder.describe()[1].kind == "category"


def test_another_decimal_separator_is_refused(table):
    with pytest.raises(InputError, match=r"decimal=';': expected '\.' or ','"):
        read_csv(table("a,y\n1,0\n"), ["y"], decimal=";")
