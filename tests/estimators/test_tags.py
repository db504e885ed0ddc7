"""Lists and sets of tags as labels."""

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import MultiLabelBinarizer

from setwise import BinaryRelevance, ConditionalTree, LabelPowerset, read_tags

X = np.arange(12.0)[:, None]
TAGS = [["low"], ["low", "odd"], ["low"], ["low", "odd"], [], ["odd"]] * 2


@pytest.mark.parametrize(
    "form", [list, lambda t: [set(r) for r in t], lambda t: [tuple(r) for r in t], pd.Series]
)
def test_tags_are_fitted_as_their_label_matrix(form):
    """Red when a form of tags gives another model than scikit-learn's binarizer."""
    matrix = MultiLabelBinarizer().fit_transform(TAGS)
    model, other = ConditionalTree(l2=1.0).fit(X, form(TAGS)), ConditionalTree(l2=1.0).fit(X, matrix)
    np.testing.assert_array_equal(model.predict_proba(X), other.predict_proba(X))
    np.testing.assert_array_equal(model.log_prob(X, form(TAGS)), other.log_prob(X, matrix))
    assert model.score(X, form(TAGS)) == other.score(X, matrix)
    assert model.label_names_.tolist() == ["low", "odd"]
    expected = [[name for name, on in zip(["low", "odd"], row) if on] for row in other.predict(X)]
    assert model.predict_tags(X) == expected


def test_a_row_of_none_is_not_known():
    """Red when unknown tags are taken for no tags."""
    some = [None, *TAGS[1:]]
    matrix = MultiLabelBinarizer().fit_transform(TAGS)
    matrix[0] = -1
    by_tags, by_matrix = (BinaryRelevance(l2=1.0).fit(X, y).predict_proba(X) for y in (some, matrix))
    np.testing.assert_array_equal(by_tags, by_matrix)
    with pytest.raises(ValueError, match="y is missing"):
        LabelPowerset().fit(X, some)


def test_unknown_tags_are_named():
    model = BinaryRelevance(l2=1.0).fit(X, TAGS)
    with pytest.raises(ValueError, match="tag 'high' of row 1 is not a label; the labels are 'low', 'odd'"):
        model.log_prob(X[:2], [["low"], ["high"]])
    with pytest.raises(ValueError, match="no row has a tag"):
        BinaryRelevance().fit(X, [set()] * 12)


@pytest.mark.parametrize(
    "column",
    [
        ["a;b", "b", "", None],
        ["a|b", "b", "", np.nan],
        ['["a", "b"]', "['b']", "[]", None],
        [["a", "b"], ["b"], [], None],
        ["a, b", "b", "", "NA"],
    ],
)
def test_columns_of_tags_are_read(column):
    """Red when a way of writing tags needs an option, or an unknown row becomes one without labels."""
    tags = read_tags(column)
    assert tags.columns == ("a", "b")
    assert np.asarray(tags).tolist() == [[1, 1], [0, 1], [0, 0], [-1, -1]]


def test_rare_tags_are_left_out_and_said():
    tags = read_tags(["a b", "a", "b a", "c"], separator=" ", min_rows=2)
    assert tags.columns == ("a", "b")
    assert tags.left_out == {"c": 1}
    assert "'c (1)'" in repr(tags)
    assert tags[[0, 3]].Y.tolist() == [[1, 1], [0, 0]]
