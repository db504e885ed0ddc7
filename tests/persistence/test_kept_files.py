"""Files of every format version that was ever written stay readable, with the answers they gave then."""

import json

import numpy as np
import pytest

import setwise
from setwise.persistence import describe
from setwise.persistence.model_file import FORMAT_VERSION
from tests.persistence.keep import FOLDER


def test_every_version_is_kept():
    kept = {describe(path).format_version for path in FOLDER.glob("*.setwise")}
    assert kept == set(range(1, FORMAT_VERSION + 1))


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.setwise")), ids=lambda path: path.stem)
def test_kept_files_answer_as_they_did(path):
    """Red if a change to an estimator or to the reader breaks files that people have."""
    expected = json.loads(path.with_suffix(".json").read_text())
    model = setwise.load(path)
    X = np.array(expected["X"])
    np.testing.assert_array_equal(model.predict(X), expected["predict"])
    np.testing.assert_allclose(model.predict_proba(X), expected["predict_proba"], rtol=1e-10)
    assert describe(path).notes == {"kept": True}
