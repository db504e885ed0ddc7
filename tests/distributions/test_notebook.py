"""What notebooks show of distributions and estimators."""

import numpy as np
import pytest

from setwise import BinaryRelevance, ConditionalDependencyNetwork, ConditionalTree, NaiBX
from setwise.contract import NotTractable
from setwise.distributions import Table


def test_the_first_rows_with_their_best_sets():
    shown = Table([[0, 0, 1], [1, 1, 0]], np.log([[0.75, 0.25]] * 9))._repr_html_()
    assert (
        shown.count("<tr") == 11
    )  # the header, and two sets for each of five rows, as a third set does not exist
    assert shown.count("0.750") == 5


@pytest.mark.parametrize(
    "estimator",
    [BinaryRelevance(l2=1.0), ConditionalTree(l2=1.0), ConditionalDependencyNetwork(random_state=0), NaiBX()],
)
def test_hostile_names_of_an_estimator_are_escaped(estimator):
    pd = pytest.importorskip("pandas")
    X = np.random.default_rng(0).normal(size=(50, 2))
    Y = pd.DataFrame((X > 0).astype(int), columns=["<script>alert(1)</script>", "b"])
    shown = estimator.fit(X, Y).distribution(X[:2])._repr_html_()
    assert "<script" not in shown
    assert "&lt;script&gt;" in shown
    assert "<script>alert" not in estimator._repr_html_()


def test_a_family_that_cannot_search_shows_its_name(monkeypatch):
    table = Table([[0, 1]], [[0.0]])

    def refuse(*_, **__):
        raise NotTractable("no")

    monkeypatch.setattr(Table, "top_k", refuse)
    assert table._repr_html_() == "<code>Table(n_rows=1, n_sets=1, n_labels=2)</code>"
