"""Signed model files: only a holder of the key can have written them."""

import numpy as np
import pytest

import setwise
from setwise.persistence import ModelFileError, describe
from tests.persistence.sealing import reseal

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 4))
Y = (X[:, :3] > 0).astype(int)


def test_a_signed_file_opens_with_its_key_only(tmp_path):
    key, other = b"0" * 32, b"1" * 32
    model, path = setwise.BinaryRelevance(l2=1.0).fit(X, Y), tmp_path / "model.setwise"
    setwise.save(model, path, key=key)
    assert (setwise.load(path, key=key).predict(X) == model.predict(X)).all()
    assert describe(path, key=key).signed
    assert (setwise.load(path).predict(X) == model.predict(X)).all()
    with pytest.raises(ModelFileError, match="the signature does not match the key"):
        setwise.load(path, key=other)
    with pytest.raises(ModelFileError, match="the signature does not match the key"):
        describe(path, key=other)


def test_a_changed_file_with_a_right_digest_has_no_right_signature(tmp_path):
    """Red if the signature does not cover the arrays or the manifest."""
    path = tmp_path / "model.setwise"
    setwise.save(setwise.BinaryRelevance(l2=1.0).fit(X, Y), path, key=b"0" * 32)
    content = path.read_bytes()
    for at in range(60, len(content) - 200, 97):
        changed = content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]
        path.write_bytes(reseal(changed))
        with pytest.raises(ModelFileError, match=r"signature does not match|damaged|not a setwise"):
            setwise.load(path, key=b"0" * 32)


def test_files_without_a_signature_are_refused_if_a_key_is_given(tmp_path):
    path = tmp_path / "model.setwise"
    setwise.save(setwise.BinaryRelevance(l2=1.0).fit(X, Y), path)
    assert not describe(path).signed
    with pytest.raises(ModelFileError, match="the file is not signed, and a key was given"):
        setwise.load(path, key=b"0" * 32)


@pytest.mark.parametrize("key", ["text", b"short", 7])
def test_keys_are_enough_bytes(key, tmp_path):
    with pytest.raises(ValueError, match="key must be bytes, at least 16 of them"):
        setwise.save(setwise.BinaryRelevance(l2=1.0).fit(X, Y), tmp_path / "m", key=key)
