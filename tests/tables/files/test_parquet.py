import contextlib
import datetime

import numpy as np
import polars
import pytest

from setwise.datasets import DataFormatError, InputError, read, read_parquet

FRAME = polars.DataFrame(
    {
        "size": [1, 2, None],
        "kind": ["u", "v", "u"],
        "on": [True, False, None],
        "tags": [["p", "q"], [], ["q"]],
        "pair": [{"a": 1}] * 3,
        "raw": [b"x"] * 3,
        "vector": polars.Series([[1, 2]] * 3, dtype=polars.Array(polars.Int64, 2)),
        "deep": [[["p"]], [["q"]], [[]]],
    }
)
NESTED = {"pair": "structs", "raw": "bytes", "deep": "nested lists"}
LISTS = ["tags", "vector"]


@pytest.fixture
def toy(tmp_path):
    FRAME.write_parquet(tmp_path / "toy.parquet")
    return tmp_path / "toy.parquet"


def test_columns_of_single_values_are_read(toy):
    data = read(toy, labels=["on"], ignore=[*NESTED, *LISTS])
    assert data.Y.ravel().tolist() == [1, 0, -1]
    np.testing.assert_array_equal(data.X, [[1, 0], [2, 1], [np.nan, 0]])


def test_lists_may_be_tags(toy):
    data = read_parquet(toy, "tags", ignore=["on", "vector", *NESTED])
    assert data.label_names == ("p", "q")
    assert data.Y.tolist() == [[1, 1], [0, 0], [0, 1]]


@pytest.mark.parametrize(("name", "kind"), NESTED.items())
def test_nested_columns_are_refused_as_features(toy, name, kind):
    """Red if a list, struct or bytes become a category by the way Python prints them."""
    message = (
        f"toy.parquet: expected one value in each row of column '{name}', found {kind}; leave the column out"
    )
    with pytest.raises(InputError, match=message) as caught:
        read(toy, labels=["on"], ignore=[*LISTS, *(other for other in NESTED if other != name)])
    assert caught.value.column == name


def test_lists_are_features(toy):
    """Red when lists of words are not tags, or arrays of numbers not vectors."""
    data = read(toy, labels=["on"], ignore=list(NESTED))
    assert data.feature_names == ("size", "kind", "tags=p", "tags=q", "vector[0]", "vector[1]")
    assert data.X[:, 2:].tolist() == [[1, 1, 1, 2], [0, 0, 1, 2], [0, 1, 1, 2]]


@pytest.mark.parametrize("name", ["pair", "raw", "deep"])
def test_nested_columns_are_refused_as_tags(toy, name):
    with pytest.raises(InputError, match=f"column '{name}', found {NESTED[name]}"):
        read(toy, labels=name, ignore=[other for other in NESTED if other != name])


def test_dates_decimals_and_categories_are_single_values(tmp_path):
    frame = polars.DataFrame(
        {
            "day": [datetime.date(2026, 1, 1), datetime.date(2026, 1, 2)],
            "price": polars.Series(["1.50", "2.25"]).cast(polars.Decimal(10, 2)),
            "kind": polars.Series(["u", "v"], dtype=polars.Categorical),
            "y": [0, 1],
        }
    )
    frame.write_parquet(tmp_path / "toy.parquet")
    data = read(tmp_path / "toy.parquet", labels=["y"])
    assert data.feature_names[0] == "day"
    assert data.feature_names[-2:] == ("price", "kind")
    assert data.X[:, -2].tolist() == [1.5, 2.25]


@pytest.mark.parametrize("content", [b"", b"PAR1 nothing PAR1", b"PAR1" + bytes(100) + b"PAR1", b"x" * 1000])
def test_a_broken_file_is_named(tmp_path, content):
    (tmp_path / "toy.parquet").write_bytes(content)
    with pytest.raises(DataFormatError, match=r"toy\.parquet: not a readable Parquet file"):
        read_parquet(tmp_path / "toy.parquet", ["y"])


def test_damaged_files_are_refused_as_such(toy):
    """Red if a changed byte makes polars panic, or raises anything but a DataFormatError."""
    rng, whole = np.random.default_rng(0), toy.read_bytes()
    for _ in range(300):
        damaged = bytearray(whole)
        for place in rng.integers(0, len(damaged), rng.integers(1, 4)):
            damaged[place] = rng.integers(256)
        toy.write_bytes(damaged)
        with contextlib.suppress(DataFormatError):
            read(toy, labels=["on"], ignore=[*NESTED, *LISTS])
