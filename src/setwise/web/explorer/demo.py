"""The demo: two models of the yeast data, to explore without data of one's own."""

from __future__ import annotations

import numpy as np

from setwise.datasets import load
from setwise.estimators.conditional_bernoulli_mixture import ConditionalBernoulliMixture
from setwise.estimators.conditional_tree import ConditionalTree
from setwise.web.explorer.rows import ArrayRows
from setwise.web.explorer.session import ExploredData, ExploredModel


def demo() -> tuple[ExploredData, list[ExploredModel]]:
    """The yeast genes with a mixture and a tree, both fitted to them."""
    data = load("yeast")
    labels = data.named_labels()
    given = np.asarray(labels.Y, dtype=np.int8)
    # Near the penalties that the defaults choose here, without the time of choosing. Weak ones make the models too
    # sure, and half of the rows suspicious.
    mixture = ConditionalBernoulliMixture(20, l2=100.0, gate_l2=30.0, random_state=0).fit(data.X, labels)
    tree = ConditionalTree().fit(data.X, labels)
    models = [ExploredModel("mixture", mixture), ExploredModel("tree", tree)]
    rows = ArrayRows(np.asarray(data.X, dtype=np.float64), data.feature_names)
    return ExploredData("yeast", rows, list(data.label_names), given), models
