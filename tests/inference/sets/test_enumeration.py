"""Enumeration of all label sets."""

import numpy as np
import pytest

from setwise.inference.sets.enumeration import label_sets


def test_all_sets_are_listed_once():
    """Red if a set is missing or listed twice."""
    sets = label_sets(5)
    assert sets.shape == (32, 5)
    assert len(np.unique(sets, axis=0)) == 32


def test_too_many_labels_are_refused():
    """Red if a call that would fill the memory starts."""
    with pytest.raises(ValueError, match="at most 20 labels"):
        label_sets(21)
