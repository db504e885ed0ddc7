import numpy as np
import pytest

from setwise.datasets import DataNotFound, Dataset, available, load, write_npz
from setwise.datasets.registry import KNOWN


@pytest.fixture
def empty_machine(monkeypatch, tmp_path):
    monkeypatch.delenv("SETWISE_DATA", raising=False)
    monkeypatch.setenv("SETWISE_CACHE", str(tmp_path))
    return tmp_path


def test_every_data_set_here_has_its_expected_shape(data_folder):
    for name in available():
        data, entry = load(name), KNOWN[name]
        assert (*data.X.shape, data.Y.shape[1]) == (entry.rows, entry.features, entry.labels)


def test_yeast_comes_with_river_and_equals_the_original(data_folder, monkeypatch, tmp_path):
    original = load("yeast")
    monkeypatch.setenv("SETWISE_DATA", str(tmp_path))
    monkeypatch.setenv("SETWISE_CACHE", str(tmp_path))
    ours = load("yeast")

    def rows(data):
        return sorted(np.hstack([data.X, data.Y]).tolist())

    assert rows(ours) == rows(original)
    assert (ours.feature_names, ours.label_names) == (original.feature_names, original.label_names)


def test_offline_yeast_is_available(empty_machine):
    assert available() == ["yeast"]
    assert load("yeast").Y.shape == (2417, 14)


def test_the_cache_is_searched_too(empty_machine):
    write_npz(Dataset(np.zeros((194, 43)), np.zeros((194, 7))), empty_machine / "flags.npz")
    assert load("flags").name == "flags"


def test_a_wrong_file_is_refused_with_the_difference(empty_machine):
    write_npz(Dataset(np.zeros((194, 19)), np.zeros((194, 7))), empty_machine / "flags.npz")
    with pytest.raises(ValueError, match=r"flags.npz: this is not .*: it has 19 features instead of 43$"):
        load("flags")


def test_unknown_names_list_the_known_ones():
    with pytest.raises(ValueError, match=r"unknown data set 'yeats'; known are bibtex, birds, .*yeast"):
        load("yeats")


def test_absent_data_says_where_to_get_it(empty_machine):
    with pytest.raises(DataNotFound, match=r"no scene.npz in .*mulan.*OpenML data set 40595"):
        load("scene")
