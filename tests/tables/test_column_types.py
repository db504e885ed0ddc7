import numpy as np
import pytest

from setwise.datasets import InputError, InputWarning, Schema, read_csv


def test_numbers_stay_and_categories_become_features(table):
    data = read_csv(table("size,colour,y\n0.5,red,1\n?,blue,0\n2,green,1\n"), ["y"])
    assert data.feature_names == ("size", "colour=blue", "colour=green", "colour=red")
    np.testing.assert_array_equal(data.X, [[0.5, 0, 0, 1], [np.nan, 1, 0, 0], [2, 0, 1, 0]])
    assert data.schema.columns == ("size", "colour")
    assert data.schema.categories == {"colour": ("blue", "green", "red")}


def test_free_text_is_ignored_with_a_warning(table):
    rows = "".join(f"{i},text {i},1\n" for i in range(30))
    with pytest.warns(InputWarning, match="ignoring columns of free text: 'note'") as caught:
        assert read_csv(table("a,note,y\n" + rows), ["y"]).feature_names == ("a",)
    assert caught[0].message.column == "note"
    assert read_csv(table("a,note,y\n" + rows), ["y"], ignore=["note"]).feature_names == ("a",)


@pytest.mark.parametrize(
    "mark", ["", "NA", "na", "n/a", "N/A", "nan", "?", "-", "null", "NULL", "None", "none"]
)
def test_marks_of_missing_values_among_numbers(table, mark):
    """Red if a column of numbers with such a mark becomes categories, in a first file or in one read like it."""
    path = table("a,y\n" + "".join(f"{i},1\n" for i in range(12)) + f" {mark},0\n")
    data = read_csv(path, ["y"])
    assert data.feature_names == ("a",)
    expected = [*range(12), np.nan]
    np.testing.assert_array_equal(data.X.ravel(), expected)
    np.testing.assert_array_equal(read_csv(path, ["y"], like=data.schema).X.ravel(), expected)


def test_the_same_marks_are_categories_among_words(table):
    """Red if a dash or "none" is taken for a missing value though no entry is a number."""
    data = read_csv(table("sign,kind,dash\n+,none,-\n-,one,-\nx,two,-\n"), [])
    assert data.schema.categories == {"sign": ("+", "-", "x"), "kind": ("none", "one", "two"), "dash": ("-",)}
    assert not np.isnan(data.X).any()


@pytest.mark.filterwarnings("error")
def test_a_column_with_some_numbers_holds_categories(table):
    """Red if a column of which a fifth are words, or of nine numbers and a word, is taken for one of numbers."""
    some = "".join(f"{i % 5 or 'x'},1\n" for i in range(100))
    nine = "".join(f"{i or 'x'},1\n" for i in range(10))
    assert len(read_csv(table("a,y\n" + some), ["y"]).feature_names) == 5
    assert len(read_csv(table("a,y\n" + nine), ["y"]).feature_names) == 10


@pytest.mark.parametrize("labels", [["y"], "y*", "y", -1])
def test_two_features_of_one_name_are_refused(table, labels):
    """Red if a table is read whose second file would give the first of two columns twice."""
    path = table("a,a,b,y\n1,2,3,0\n4,5,6,1\n")
    with pytest.raises(InputError, match=r"toy\.csv: 2 columns are called 'a'; give each column a different"):
        read_csv(path, labels)
    assert read_csv(path, labels, ignore=["a"]).X.ravel().tolist() == [3, 6]
    with pytest.raises(InputError, match="2 columns are called 'a'"):
        read_csv(path, [], like=Schema(("a",)))
    assert read_csv(path, [], like=Schema(("b",))).X.ravel().tolist() == [3, 6]
