import numpy as np
import pytest
from sklearn.utils import Bunch

from setwise.datasets import read_openml


@pytest.fixture
def fetched(monkeypatch):
    """Stands for openml.org: gives what scikit-learn gives for a data set, and keeps the arguments."""
    calls = []
    bunch = Bunch(
        data=np.array([[0.5, 2.0], [1.5, 0.0]]),
        target=np.array([["TRUE", "FALSE"], ["FALSE", "TRUE"]], dtype=object),
        feature_names=["size", "colour"],
        target_names=["Class1", "Class2"],
        categories={"colour": ["red", "green", "blue"]},
        details={"name": "toy"},
    )

    def fetch(**arguments):
        calls.append(arguments)
        return bunch

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch)
    return bunch, calls


def test_targets_become_label_sets(fetched):
    data = read_openml("toy", version=4)
    assert data.Y.tolist() == [[1, 0], [0, 1]]
    assert data.label_names == ("Class1", "Class2")
    assert data.X.tolist() == [[0.5, 0, 0, 1], [1.5, 1, 0, 0]]
    assert data.feature_names == ("size", "colour=red", "colour=green", "colour=blue")


def test_the_arguments_passed_on(fetched):
    read_openml("toy", version=4, labels=["Class1"], data_home="/x")
    read_openml(40597)
    calls = fetched[1]
    assert calls[0]["name"] == "toy"
    assert calls[0]["target_column"] == ["Class1"]
    assert calls[0]["data_home"] == "/x"
    assert calls[1]["data_id"] == 40597
    assert calls[1]["target_column"] == "default-target"


def test_a_single_target_is_refused(fetched):
    fetched[0].target = np.array(["a", "b"])
    with pytest.raises(ValueError, match="one target or none"):
        read_openml("iris")


def test_labels_of_other_values_are_refused(fetched):
    fetched[0].target = np.array([["3", "0"]], dtype=object)
    with pytest.raises(
        ValueError, match=r"OpenML data set 'toy'.*expected 0 or 1 for label 'Class1', found '3'"
    ):
        read_openml("toy")
