"""Models of other libraries as flat arrays give the same probabilities as the libraries themselves."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from setwise.learning.trees.flat.conversion import flatten
from setwise.learning.trees.flat.tree_classifier import TreeClassifier

lightgbm = pytest.importorskip("lightgbm", reason="lightgbm is not installed")

CATEGORICAL = [1, 3]


def gbm(**settings):
    return lightgbm.LGBMClassifier(
        n_estimators=12, min_child_samples=3, verbose=-1, n_jobs=1, random_state=0, **settings
    )


MODELS = {
    "tree": DecisionTreeClassifier(max_depth=5, random_state=0),
    "tree, best first": DecisionTreeClassifier(max_leaf_nodes=9, random_state=0),
    "random tree": ExtraTreeClassifier(random_state=0),
    "forest": RandomForestClassifier(9, random_state=0),
    "extra trees": ExtraTreesClassifier(9, bootstrap=True, random_state=0),
    "boosting": GradientBoostingClassifier(n_estimators=9, random_state=0),
    "boosting from zero": GradientBoostingClassifier(n_estimators=9, init="zero", random_state=0),
    "histograms": HistGradientBoostingClassifier(max_iter=12, min_samples_leaf=3, random_state=0),
    "histograms, categories": HistGradientBoostingClassifier(
        max_iter=12, min_samples_leaf=3, categorical_features=CATEGORICAL, random_state=0
    ),
    "lightgbm": gbm(),
    "lightgbm, categories": gbm(cat_smooth=0.1, min_data_per_group=2, max_cat_to_onehot=1),
}
TAKES_NAN = [name for name in MODELS if not name.startswith("boosting")]
TAKES_UNSEEN_NAN = [name for name in MODELS if name.startswith(("histograms", "lightgbm"))]


def rows(n=300, missing=False, n_classes=2, seed=0):
    """Four features; the second and the fourth are codes of categories that matter."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[:, CATEGORICAL] = rng.integers(0, 7, (n, 2))
    score = X[:, 0] + 2.0 * np.isin(X[:, 1], (1, 4, 6)) - 1.5 * np.isin(X[:, 3], (0, 5)) + rng.normal(size=n)
    if missing:
        score += 2.0 * (rng.random(n) < 0.5)
        X[rng.random(X.shape) < 0.25] = np.nan
    return X, np.digitize(score, np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1]))


def fitted(name, X, y):
    options = {"categorical_feature": CATEGORICAL} if name == "lightgbm, categories" else {}
    return MODELS[name].fit(X, y, **options)


def new_rows(missing):
    """Rows with values beyond those of training, and categories that were never seen."""
    X, _ = rows(200, missing, seed=1)
    X[:20, 0] *= 100
    X[20:40, CATEGORICAL] = 40
    return X


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("n_classes", [2, 4])
def test_probabilities_are_those_of_the_library(name, n_classes):
    """Red if thresholds, the order of nodes, single precision, starts or links are lost."""
    X, y = rows(n_classes=n_classes)
    model = fitted(name, X, y)
    flat = flatten(model)
    assert isinstance(flat, TreeClassifier)
    for new in (X, new_rows(missing=False)):
        np.testing.assert_allclose(flat.predict_proba(new), model.predict_proba(new), rtol=0, atol=1e-12)
        assert (flat.predict(new) == model.predict(new)).mean() > 0.99


@pytest.mark.parametrize(
    ("name", "in_training"),
    [(name, True) for name in TAKES_NAN] + [(name, False) for name in TAKES_UNSEEN_NAN],
)
def test_missing_values_go_where_the_library_sends_them(name, in_training):
    X, y = rows(missing=in_training)
    model = fitted(name, X, y)
    new = new_rows(missing=True)
    flat = flatten(model)
    np.testing.assert_allclose(flat.predict_proba(new), model.predict_proba(new), rtol=0, atol=1e-12)
    if in_training and name != "random tree":
        assert len(flat.columns.negated)


@pytest.mark.parametrize("name", ["histograms, categories", "lightgbm, categories"])
def test_categories_are_used(name):
    """Red if a split by categories is read as a threshold, or if the data do not make any."""
    X, y = rows(1000)
    flat = flatten(fitted(name, X, y))
    assert len(flat.columns.category_feature) > 3
    assert set(flat.columns.category_feature) == set(CATEGORICAL)


def test_sparse_rows_and_weights():
    X, y = rows()
    X = np.where(np.abs(X) < 0.7, 0.0, X)
    model = RandomForestClassifier(5, random_state=0).fit(X, y, sample_weight=np.arange(300) % 3)
    flat = flatten(model)
    np.testing.assert_allclose(flat.predict_proba(sparse.csr_array(X)), model.predict_proba(X), atol=1e-12)


def test_single_precision_counts():
    """A threshold between two features that are equal in single precision: scikit-learn cannot part them either."""
    X = np.array([[1.0], [1.0 + 1e-9], [2.0], [2.0 + 1e-9]] * 5)
    y = np.array([0, 0, 1, 1] * 5)
    model = DecisionTreeClassifier().fit(X, y)
    near = model.tree_.threshold[0] + np.array([[-1e-9], [0.0], [1e-9]])
    np.testing.assert_array_equal(flatten(model).predict(near), model.predict(near))


def test_what_cannot_be_converted_stays_as_it_is():
    X, y = rows()
    strings = X.astype(object)
    strings[:, 1] = np.array(list("abcdefg"))[X[:, 1].astype(int)]
    models = [
        LogisticRegression().fit(X, y),
        GradientBoostingClassifier(n_estimators=2, loss="exponential").fit(X, y),
        GradientBoostingClassifier(n_estimators=2, init=LogisticRegression()).fit(X, y),
        RandomForestClassifier(2).fit(X, np.column_stack([y, y])),
        HistGradientBoostingClassifier(max_iter=2, categorical_features=[1]).fit(strings, y),
        gbm(zero_as_missing=True).fit(X, y),
        gbm(boosting_type="rf", bagging_freq=1, bagging_fraction=0.5).fit(X, y),
        type("Own", (DecisionTreeClassifier,), {})().fit(X, y),
        DummyClassifier().fit(X, y),
    ]
    for model in models:
        assert flatten(model) is model


def test_other_numbers_of_features_are_refused():
    flat = flatten(DecisionTreeClassifier(max_depth=1).fit(*rows()))
    with pytest.raises(ValueError, match="3 features; the trees have 4"):
        flat.predict_proba(np.zeros((1, 3)))
