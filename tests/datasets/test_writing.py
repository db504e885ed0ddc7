import re

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from setwise.datasets import Dataset, available, load, read, write_arff, write_csv, write_libsvm

names = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=8
).filter(lambda name: name == name.strip() and name not in ("?",))


@st.composite
def data_sets(draw, missing_labels=True):
    n, d, n_labels = draw(st.integers(1, 5)), draw(st.integers(1, 4)), draw(st.integers(1, 4))
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    width = 32 if dtype == np.float32 else 64
    number = st.floats(allow_infinity=False, width=width) | st.integers(-3, 3).map(float)
    X = draw(hnp.arrays(dtype, (n, d), elements=number))
    Y = draw(hnp.arrays(np.int8, (n, n_labels), elements=st.integers(-1 if missing_labels else 0, 1)))
    every = draw(st.lists(names, min_size=d + n_labels, max_size=d + n_labels, unique=True))
    split = np.arange(n) < draw(st.integers(0, n)) if draw(st.booleans()) else None
    if draw(st.booleans()):
        X = sparse.csr_array(X)
    return Dataset(X, Y, every[:d], every[d:], split, "toy")


def dense(matrix):
    return matrix.toarray() if sparse.issparse(matrix) else matrix


def assert_same(back, data):
    np.testing.assert_array_equal(dense(back.X).astype(data.X.dtype), dense(data.X))
    np.testing.assert_array_equal(dense(back.Y), dense(data.Y))
    assert sparse.issparse(back.X) == sparse.issparse(data.X)


@pytest.mark.parametrize("style", ["meka", "mulan"])
@pytest.mark.parametrize("end", ["", ".gz", ".bz2"])
@settings(max_examples=40, deadline=None)
@given(data=data_sets())
def test_arff_round_trip(tmp_path_factory, style, end, data):
    path = tmp_path_factory.mktemp("arff") / f"toy.arff{end}"
    write_arff(data, path, style=style)
    back = read(path)
    assert_same(back, data)
    assert (back.feature_names, back.label_names, back.name) == (data.feature_names, data.label_names, "toy")
    if style == "meka":
        np.testing.assert_array_equal(back.split, data.split)


@given(data=data_sets(missing_labels=False))
def test_libsvm_round_trip(tmp_path_factory, data):
    """Red too when a missing feature is written as the reader does not take it."""
    path = tmp_path_factory.mktemp("svm") / "toy.svm"
    write_libsvm(data, path)
    back = read(path, n_features=data.X.shape[1], n_labels=data.Y.shape[1], zero_based=False)
    np.testing.assert_array_equal(back.X.toarray().astype(data.X.dtype), dense(data.X))
    np.testing.assert_array_equal(back.Y, dense(data.Y))


@given(data=data_sets())
@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_csv_round_trip(tmp_path_factory, form, data):
    every = [*data.feature_names, *data.label_names]
    # a header of other numbers than whole ones is refused, as it would be the first row
    assume(all(name.isdecimal() for name in every) or any(not re.search(r"\d", name) for name in every))
    path = tmp_path_factory.mktemp("csv") / f"toy.{form}"
    write_csv(data, path)
    back = read(path, labels=list(data.label_names))
    np.testing.assert_array_equal(back.X.astype(data.X.dtype), dense(data.X))
    np.testing.assert_array_equal(back.Y, dense(data.Y))
    assert (back.feature_names, back.label_names) == (data.feature_names, data.label_names)


def test_real_data_survive_every_writer(data_folder, tmp_path):
    for name in {"emotions", "flags", "medical"} & set(available()):
        data = load(name)
        for style in ("meka", "mulan"):
            write_arff(data, tmp_path / f"{style}-{name}.arff.gz", style=style)
            back = read(tmp_path / f"{style}-{name}.arff.gz")
            assert_same(back, data)
            assert (back.feature_names, back.label_names) == (data.feature_names, data.label_names)
        write_libsvm(data, tmp_path / f"{name}.svm")
        back = read(tmp_path / f"{name}.svm", n_features=data.X.shape[1], n_labels=data.Y.shape[1])
        np.testing.assert_array_equal(back.X.toarray().astype(data.X.dtype), dense(data.X))
        write_csv(data, tmp_path / f"{name}.csv")
        back = read(tmp_path / f"{name}.csv", labels=-data.Y.shape[1])
        np.testing.assert_array_equal(dense(back.X).astype(data.X.dtype), dense(data.X))
        np.testing.assert_array_equal(back.Y, dense(data.Y))


def test_sparse_label_sets_are_written(tmp_path):
    data = Dataset(sparse.eye_array(3).tocsr(), sparse.csr_array(np.eye(3, dtype=np.int8)))
    write_arff(data, tmp_path / "toy.arff")
    assert_same(read(tmp_path / "toy.arff"), data)
    write_libsvm(data, tmp_path / "toy.svm")
    assert read(tmp_path / "toy.svm").Y.tolist() == np.eye(3).tolist()


def test_what_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(ValueError, match="libsvm format cannot express"):
        write_libsvm(Dataset([[1.0]], [[-1]]), tmp_path / "toy.svm")
    with pytest.raises(ValueError, match="expected 'meka' or 'mulan'"):
        write_arff(Dataset([[1.0]], [[1]]), tmp_path / "toy.arff", style="weka")
