"""One door to the conversions: a fitted model of trees as flat arrays, any other model as it is."""

from __future__ import annotations

from typing import Any

from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from setwise.learning.trees.flat.boosted import flatten_boosted
from setwise.learning.trees.flat.forests import flatten_forest, flatten_tree
from setwise.learning.trees.flat.histograms import flatten_histograms
from setwise.learning.trees.flat.lightgbm import flatten_lightgbm
from setwise.learning.trees.flat.tree_classifier import TreeClassifier

CONVERSIONS = {
    DecisionTreeClassifier: flatten_tree,
    ExtraTreeClassifier: flatten_tree,
    RandomForestClassifier: flatten_forest,
    ExtraTreesClassifier: flatten_forest,
    GradientBoostingClassifier: flatten_boosted,
    HistGradientBoostingClassifier: flatten_histograms,
}


def flatten(fitted: Any) -> Any:
    """Convert a fitted classifier of trees to a :class:`TreeClassifier`; return any other model as it is.

    Parameters
    ----------
    fitted : classifier
        Of scikit-learn (decision trees, forests, extremely randomized trees, gradient boosting with and without
        histograms) or LightGBM. A subclass is not converted, since it may predict otherwise.

    Returns
    -------
    TreeClassifier, or ``fitted``
        With the same probabilities.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = np.arange(6.0)[:, None], np.array([0, 0, 1, 0, 1, 1])
    >>> tree = DecisionTreeClassifier(max_depth=1).fit(X, y)
    >>> flat = flatten(tree)
    >>> bool((flat.predict_proba(X) == tree.predict_proba(X)).all())
    True
    """
    convert = CONVERSIONS.get(type(fitted))
    if convert is None and type(fitted).__module__.startswith("lightgbm."):
        convert = flatten_lightgbm
    converted: TreeClassifier | None = None if convert is None else convert(fitted)
    return fitted if converted is None else converted
