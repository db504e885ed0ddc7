"""What ``read`` refuses before it opens a file."""

import pytest

from setwise.datasets import InputError, read


@pytest.mark.parametrize(
    ("path", "options", "message"),
    [
        ("toy.csv", {}, "toy.csv: which columns are labels[?]; pass labels=, e.g. names"),
        ("toy.xyz", {}, "toy.xyz: unknown format '.xyz'; known are .arff"),
        ("toy", {}, "unknown format ''"),
        ("toy.npz", {"labels": ["a"]}, "a .npz file defines its labels itself; leave out labels="),
        ("toy.arff", {"delimiter": ";"}, "delimiter=: a .arff file has no such option; leave it out"),
    ],
)
def test_wrong_options_are_named(path, options, message):
    with pytest.raises(InputError, match=message) as caught:
        read(path, **options)
    assert caught.value.file == path


def test_unknown_columns_to_ignore_are_named(tmp_path):
    (tmp_path / "toy.csv").write_text("a,y\n1,0\n")
    with pytest.raises(InputError, match="ignore=: column 'nothing' not found; the columns are 'a', 'y'"):
        read(tmp_path / "toy.csv", ["y"], ignore=["nothing"])


def test_a_missing_file_is_an_error_of_the_system():
    with pytest.raises(FileNotFoundError):
        read("nothing.csv", labels=["a"])
