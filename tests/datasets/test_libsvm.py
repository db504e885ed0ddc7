import warnings

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

from setwise.datasets import DataFormatError, read, read_libsvm


@pytest.fixture
def file(tmp_path):
    def write(text, name="toy.svm"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_libsvm(file):
    data = read_libsvm(file("# head\n0,2 1:0.5 3:-1e3\n # note\n1:2 # no label\n1\n"))
    assert data.X.toarray().tolist() == [[0.5, 0, -1000], [2, 0, 0], [0, 0, 0]]
    assert data.Y.tolist() == [[1, 0, 1], [0, 0, 0], [0, 1, 0]]
    assert data.label_names == ("0", "1", "2")


@pytest.mark.parametrize("zero_based", [True, False])
def test_rows_of_nothing_are_kept(tmp_path, zero_based):
    """Red if rows that scikit-learn wrote as a space vanish, at the end too, or change where counting starts."""
    X, Y = np.zeros((6, 3)), np.zeros((6, 2), dtype=int)
    X[1, 0] = X[4, 2] = Y[4, 1] = 1
    path = tmp_path / "toy.svm"
    dump_svmlight_file(X, Y, str(path), multilabel=True, zero_based=zero_based, comment="head")
    data = read_libsvm(path, n_labels=2)
    np.testing.assert_array_equal(data.X.toarray(), X)
    np.testing.assert_array_equal(data.Y, Y)
    assert data.schema.zero_based is zero_based


def test_empty_lines_are_rows_up_to_the_last(file):
    """Red if an empty line between rows is not a row, one at the end is, or no warning counts them."""
    text = "\n0 1:1\n\n# note\n1 2:1\n\n# end\n\n"
    with pytest.warns(
        UserWarning, match="2 empty lines are read as rows .* 2 empty lines at the end are ignored"
    ):
        data = read_libsvm(file(text))
    assert data.X.toarray().tolist() == [[0, 0], [1, 0], [0, 0], [0, 1]]
    assert data.Y.tolist() == [[0, 0], [1, 0], [0, 0], [0, 1]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_libsvm(file("0 1:1\n1 2:1\n")).X.shape == (2, 2)


def test_libsvm_with_given_numbers(file):
    data = read_libsvm(file("2 0:1\n"), n_labels=4, n_features=3, first_label=1, zero_based=True)
    assert data.X.toarray().tolist() == [[1, 0, 0]]
    assert data.Y.tolist() == [[0, 1, 0, 0]]
    assert data.label_names == ("1", "2", "3", "4")


@pytest.mark.parametrize(
    ("text", "options", "line", "column", "message"),
    [
        ("1 1:1\n1 x:1\n", {}, 2, 3, "expected <index>:<value>, found 'x:1'"),
        ("1 1:one\n", {}, 1, 3, "expected <index>:<value>"),
        ("1 2:1 1:1\n", {}, 1, 7, "expected an index above 2"),
        ("red 2:1\n", {}, 1, 1, "expected labels such as 2,5, found 'red'"),
        ("0.5 2:1\n", {}, 1, 1, "expected labels such as 2,5"),
        ("-1 2:1\n", {}, 1, 1, "expected labels such as 2,5"),
        ("1 1:1\n3 1:1\n", dict(n_labels=3), 2, 1, "expected labels from 0 to 2"),
        ("0 1:1\n", dict(first_label=1), 1, 1, "expected labels from 1 to"),
        ("1 5:1\n", dict(n_features=3), 1, 3, "expected at most 3 features"),
        ("1 0:1\n", dict(zero_based=False), 1, 3, "above 0, as features are counted from 1 here"),
        ("1 1:1\n\n1 x:1\n", {}, 3, 3, "expected <index>:<value>, found 'x:1'"),
        ("1 99999999:1\n", {}, 1, 3, "expected at most 1048576 features"),
        ("1 99999999999:1\n", {}, 1, 3, "expected at most 1048576 features"),
        ("99999999999 1:1\n", {}, 1, 1, "expected labels from 0 to 1048575"),
    ],
)
def test_errors_name_the_place(file, text, options, line, column, message):
    with pytest.raises(DataFormatError, match=message) as caught:
        read_libsvm(file(text), **options)
    assert (caught.value.line, caught.value.position) == (line, column)


def test_files_are_read_by_the_end_of_their_name(file):
    assert read(file("0 1:1\n", "a.libsvm")).name == "a"
