import numpy as np
import pytest

from setwise.datasets import DataFormatError, InputError, InputWarning, Schema, read_csv


def test_a_second_file_is_encoded_like_the_first(tmp_path):
    """Red if the 1 of a column of two categories depends on which of them the second file happens to have."""
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    first.write_text("size,colour,key,text,tag\n1,blue,C,a,1\n2,red,D,b,0\n3,red,E,c,1\n")
    second.write_text("key,colour,size\nE,red,5\nF,red,?\n")
    data = read_csv(first, ["tag"], ignore=["text"])
    with pytest.warns(InputWarning, match="1 entries of column 'key' are new, such as 'F'"):
        other = read_csv(second, [], like=data.schema)
    assert other.feature_names == data.feature_names == ("size", "colour", "key=C", "key=D", "key=E")
    np.testing.assert_array_equal(other.X, [[5, 1, 0, 0, 1], [np.nan, 1, 0, 0, 0]])
    assert other.Y.shape == (2, 0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "colour,key\nred,C\n",
            "column 'size' of the training table is missing; the columns are 'colour', 'key'",
        ),
        ("size,colour,key\nbig,red,C\n", r"b\.csv:2:1: expected a number in column 'size', found 'big'"),
        (
            "size,colour,key\n1,pink,C\n",
            r"b\.csv:2:2: expected 'blue' or 'red' in column 'colour', found 'pink'",
        ),
    ],
)
def test_a_second_file_that_cannot_be_encoded_is_refused(tmp_path, content, message):
    path = tmp_path / "b.csv"
    path.write_text(content)
    like = Schema(("size", "colour", "key"), {"colour": ("blue", "red"), "key": ("C", "D", "E")})
    with pytest.raises(InputError, match=message) as caught:
        read_csv(path, [], like=like)
    assert caught.value.column in ("size", "colour")


@pytest.mark.parametrize("known", [("False", "True"), ("no", "yes")])
def test_words_for_on_and_off_may_change_case(table, known):
    """Red if TRUE is not True, or other words are the same in lower case."""
    like = Schema(("on", "kind"), {"on": known, "kind": ("Y", "red", "y")})
    rows = "".join(f"{word},{kind}\n" for word, kind in zip([*known, known[1].upper()], ["Y", "y", "red"]))
    data = read_csv(table("on,kind\n" + rows), [], like=like)
    np.testing.assert_array_equal(data.X, [[0, 1, 0, 0], [1, 0, 0, 1], [1, 0, 1, 0]])
    with pytest.warns(InputWarning, match="1 entries of column 'kind' are new, such as 'Red'"):
        read_csv(table(f"on,kind\n{known[0]},Red\n"), [], like=like)


@pytest.mark.parametrize("row", ["?,red", "1,NA"])
def test_a_missing_value_is_named_if_none_may_be_missing(table, row):
    """Red if a model that takes no missing features cannot say where one is."""
    like = Schema(("size", "colour"), {"colour": ("blue", "green", "red")})
    message = "is missing, which the model cannot take; fill it in"
    with pytest.raises(DataFormatError, match=message) as caught:
        read_csv(table(f"size,colour\n1,blue\n\n{row}\n"), [], like=like, allow_missing=False)
    assert (caught.value.line, caught.value.position) == (4, 1 if row.startswith("?") else 2)
