import numpy as np
import pytest

from setwise.inference.sets.enumeration import label_sets


def test_all_sets_once():
    sets = label_sets(5)
    assert sets.shape == (32, 5)
    assert len(np.unique(sets, axis=0)) == 32


def test_refuses_what_cannot_end():
    with pytest.raises(ValueError, match="at most 20 labels"):
        label_sets(21)
