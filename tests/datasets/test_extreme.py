import numpy as np
import pytest
from scipy import sparse

from setwise.datasets import DataFormatError, read, read_extreme


@pytest.fixture
def file(tmp_path):
    def write(text, name="toy.txt"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_rows_are_read(file):
    data = read_extreme(file("4 3 5\n0,4 0:0.5 2:1\n 1:2\n\n3\n"))
    assert data.X.toarray().tolist() == [[0.5, 0, 1], [0, 2, 0], [0, 0, 0], [0, 0, 0]]
    assert data.Y.tolist() == [[1, 0, 0, 0, 1], [0] * 5, [0] * 5, [0, 0, 0, 1, 0]]


def test_huge_label_sets_stay_sparse(file, monkeypatch):
    monkeypatch.setattr("setwise.datasets.libsvm.MAX_DENSE", 10)
    data = read_extreme(file("2 3 50\n0,4 0:0.5\n49 1:2\n"))
    assert sparse.issparse(data.Y)
    assert np.argwhere(data.Y.toarray()).tolist() == [[0, 0], [0, 4], [1, 49]]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "expected a first line of three numbers"),
        ("1 2\n0 0:1\n", 1, "expected a first line of three numbers"),
        ("1 99999999 1\n", 1, "more than the 1048576 features or labels allowed"),
        ("2 2 2\n0 0:1\n", 2, "expected 2 rows, found 1"),
        ("1 2 2\n2 0:1\n", 2, "expected labels from 0 to 1"),
        ("1 2 2\n1 2:1\n", 2, "expected at most 2 features"),
    ],
)
def test_errors_of_extreme_files(file, text, line, message):
    with pytest.raises(DataFormatError, match=message) as caught:
        read_extreme(file(text))
    assert caught.value.line == line


def test_files_are_read_by_the_end_of_their_name(file):
    assert read(file("1 1 1\n0 0:1\n", "b.txt")).name == "b"
