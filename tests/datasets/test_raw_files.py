"""Every original file at hand, against its .npz twin and against liac-arff."""

import warnings

import arff
import numpy as np
import pytest
from scipy import sparse

from setwise.datasets import load, read, read_label_file

TWINS = {
    "emotions.arff": "emotions",
    "emotions-train.arff": "emotions/train",
    "emotions-test.arff": "emotions/test",
    "birds-train.arff": "birds/train",
    "birds-test.arff": "birds/test",
    "flags.arff": "flags",
    "mulan-enron.arff": "enron",
    "mulan-medical.arff": "medical",
    "meka-Enron.arff": "enron",
    "meka-Enron.arff.bz2": "enron",
    "meka-Medical-labels-last.arff": "medical",
    "meka-Music.arff": "music",
    "meka-SLASHDOT-F.arff": "slashdot",
    "libsvm-yeast_train.svm": "yeast/train",
}
ALONE = {
    "VirusGO-train.arff": (131, 749, 6),
    "VirusGO-test.arff": (76, 749, 6),
    "foodtruck.arff": (407, 31, 12),
    "meka-Music_missing_classes.arff": (592, 71, 6),
    "mulan-test-sparseDataSet-train.arff": (154, 499, 6),
    "mulan-test-sparseDataSet-test.arff": (61, 499, 6),
    "stackex-coffee.arff": (225, 1763, 123),
}


def dense(matrix):
    return matrix.toarray() if sparse.issparse(matrix) else np.asarray(matrix)


def sorted_rows(data):
    """Rows of [X | Y] as float32, sorted: the other files have the training rows first."""
    both = np.hstack([dense(data.X).astype(np.float32), dense(data.Y).astype(np.float32)])
    return both[np.lexsort(both.T)]


@pytest.mark.parametrize(("file", "twin"), TWINS.items())
def test_equal_to_the_twin(data_folder, file, twin):
    name, _, part = twin.partition("/")
    theirs = getattr(load(name), part)() if part else load(name)
    ours = read(data_folder / "raw" / file)
    if not file.endswith(".svm"):
        assert (ours.feature_names, ours.label_names) == (theirs.feature_names, theirs.label_names)
    np.testing.assert_array_equal(sorted_rows(ours), sorted_rows(theirs))


@pytest.mark.parametrize(("file", "shape"), ALONE.items())
def test_files_without_a_twin(data_folder, file, shape):
    data = read(data_folder / "raw" / file)
    assert (*data.X.shape, data.Y.shape[1]) == shape


def test_missing_labels_are_kept_as_such(data_folder):
    whole, without = (read(data_folder / "raw" / f"meka-Music{end}.arff") for end in ("", "_missing_classes"))
    assert (without.Y == -1).all()
    assert without.X.shape == whole.X.shape


def test_the_split_of_slashdot(data_folder):
    assert read(data_folder / "raw" / "meka-SLASHDOT-F.arff").split.sum() == 1891


def test_the_label_hierarchy(data_folder):
    labels = read_label_file(data_folder / "raw" / "mulan-test-hierarchical.xml")
    place = {name: i for i, name in enumerate(labels.names)}
    for name, parent in zip(labels.names, labels.parents):
        assert parent == (place[name.rpartition("/")[0]] if "/" in name else -1)
    assert len(place) == len(labels.names) > 100


def liac_columns(path):
    """Name, type and values of each attribute as liac-arff gives them, with what sparse rows leave out."""
    text = path.read_text()
    is_sparse = text[text.lower().index("@data") + 5 :].lstrip().startswith("{")
    content = arff.loads(text, return_type=arff.LOD if is_sparse else arff.DENSE)
    columns = []
    for column, (name, kind) in enumerate(content["attributes"]):
        default = kind[0] if isinstance(kind, list) else 0.0
        values = [row.get(column, default) if is_sparse else row[column] for row in content["data"]]
        columns.append((name.replace("\\'", "'"), kind, values))  # it keeps escapes in names
    return columns


def expected_features(name, kind, values):
    if not isinstance(kind, list):
        yield name, np.array([np.nan if v is None else v for v in values], dtype=float)
    elif len(kind) == 2:
        yield name, np.array([np.nan if v is None else kind.index(v) for v in values], dtype=float)
    else:
        for value in kind:
            yield f"{name}={value}", np.array([v == value for v in values], dtype=float)


@pytest.mark.parametrize("file", [f for f in TWINS | ALONE if f.endswith(".arff") and "SLASHDOT" not in f])
def test_equal_to_liac_arff(data_folder, file):
    """SLASHDOT is left out because liac-arff refuses the comment behind its @relation."""
    ours = read(data_folder / "raw" / file)
    X, Y = dense(ours.X), dense(ours.Y)
    seen = 0
    for name, kind, values in liac_columns(data_folder / "raw" / file):
        if name in ours.label_names:
            expected = [-1 if v is None else int(v) for v in values]
            np.testing.assert_array_equal(Y[:, ours.label_names.index(name)], expected)
            continue
        for feature, column in expected_features(name, kind, values):
            assert ours.feature_names[seen] == feature
            np.testing.assert_array_equal(X[:, seen], column)
            seen += 1
    assert seen == X.shape[1]


def test_reading_them_warns_of_nothing(data_folder):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for file in TWINS | ALONE:
            read(data_folder / "raw" / file)
