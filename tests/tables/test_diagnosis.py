import warnings

import pytest

from setwise.datasets import DataFormatError, InputWarning, read_csv


def numbers_and(entry, n_values):
    """200 rows of numbers, ``n_values`` different ones, and a row with something else on the fifth line."""
    column = [f"{i % n_values}.5" for i in range(200)]
    return "a,f1,y\n" + "".join(f"{i},{e},1\n" for i, e in enumerate([*column[:3], entry, *column[3:]]))


@pytest.mark.parametrize("n_values", [200, 30])
def test_a_word_among_numbers_is_refused(table, n_values):
    """Red if one mistake makes a column of numbers text that is ignored, or one feature a number."""
    message = "expected a number in column 'f1', found '12%': 200 of its 201 entries are numbers; correct it"
    with pytest.raises(DataFormatError, match=message) as caught:
        read_csv(table(numbers_and("12%", n_values)), ["y"])
    assert (caught.value.line, caught.value.position, caught.value.column) == (5, 2, "f1")
    assert read_csv(table(numbers_and("12%", n_values)), ["y"], ignore=["f1"]).feature_names == ("a",)


def test_a_word_among_codes_is_a_warning(table):
    """Red if a column of few numbers becomes one feature a value without a warning."""
    with pytest.warns(InputWarning, match=r"toy\.csv:5:2: expected .* found '3\+': .* read as categories"):
        data = read_csv(table(numbers_and("3+", 3)), ["y"])
    assert data.feature_names == ("a", "f1=0.5", "f1=1.5", "f1=2.5", "f1=3+")


def test_a_column_without_a_name_is_ignored_with_a_warning(table):
    """Red if the row numbers that pandas writes become a feature, or are ignored silently."""
    path = table(",a,y\n0,0.5,1\n1,2,0\n")
    with pytest.warns(InputWarning, match=r"toy\.csv: ignoring columns without a name.*: column 1"):
        data = read_csv(path, ["y"])
    assert data.feature_names == ("a",)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_csv(path, ["y"], ignore=[""]).feature_names == ("a",)
        assert read_csv(path, ["y"], encoder=data.encoder).X.ravel().tolist() == [0.5, 2]


@pytest.mark.parametrize(
    "entries",
    [
        [f"{i},5" if i % 2 else str(i) for i in range(60)],
        ["0,25", "1,25", "2"] * 20,
        [f"{i % 30},5" for i in range(100)],
    ],
    ids=["text", "categories", "many categories"],
)
def test_numbers_with_commas_are_warned_about(table, entries, recwarn):
    """Red if a column of such numbers is ignored, or read as categories, without the parameter to pass."""
    rows = [f"note {i} of many;{entry};{i % 2}" for i, entry in enumerate(entries)]
    comma = next(entry for entry in entries if "," in entry)
    read_csv(table("\n".join(["note;a;y", *rows]) + "\n"), ["y"], delimiter=";")
    message = f"expected numbers with a decimal point, found {comma!r} in column 'a'; "
    message += "if the comma is a decimal separator, pass decimal=','"
    assert [str(w.message).endswith(message) for w in recwarn].count(True) == 1


def test_a_comma_among_many_numbers_has_a_hint(table):
    """Red if the error about the one entry that is not a number does not say how to read it."""
    rows = [f"{i};{i % 2}" for i in range(58)] + ["0,5;1", "1,5;0"]
    with pytest.raises(DataFormatError, match=r":60:1: .* found '0,5'.* separator, pass decimal=','"):
        read_csv(table("\n".join(["a;y", *rows]) + "\n"), ["y"], delimiter=";")


def test_lists_of_codes_are_not_taken_for_decimals(table, recwarn):
    """Red if words with commas that are not numbers get a hint that cannot help."""
    rows = [f"{'1,2,3' if i % 2 else 'red, 2'};{i % 2}" for i in range(12)]
    read_csv(table("\n".join(["a;y", *rows]) + "\n"), ["y"], delimiter=";")
    assert not recwarn.list
