"""Models come back from files exactly as they were, or the file says why not."""

import json
import zipfile

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

import setwise
from setwise import (
    BinaryRelevance,
    CalibratedSets,
    ClassifierChain,
    ConditionalBernoulliMixture,
    ConditionalTree,
    LabelPowerset,
    NaiBX,
)
from setwise.decisions import Costs, FBeta, Jaccard, MacroF, MicroF, PrecisionAtK, Sizes
from setwise.persistence import ModelFileError, describe
from setwise.storage import Container
from tests.estimators.registry import MAKERS, SAMPLED
from tests.persistence.sealing import rewrite

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
Y = (X[:, :3] + RNG.normal(size=(60, 3)) > 0).astype(int)


def through_a_file(model, tmp_path):
    path = tmp_path / "model.setwise"
    setwise.save(model, path)
    return setwise.load(path)


def assert_same_answers(model, other, X):
    assert type(other) is type(model)
    np.testing.assert_array_equal(other.predict(X), model.predict(X), strict=True)
    np.testing.assert_array_equal(other.predict_proba(X), model.predict_proba(X), strict=True)


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.func.__name__)
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_every_estimator_comes_back_bit_for_bit(make, convert, tmp_path):
    """Red if an estimator keeps a part that is not registered, or an array changes order or type."""
    data = convert(np.abs(X))
    model = make().fit(data, Y)
    other = through_a_file(model, tmp_path)
    assert_same_answers(model, other, data)
    assert repr(other) == repr(model)
    if make.func.__name__ not in SAMPLED:
        np.testing.assert_array_equal(other.log_prob(data, Y), model.log_prob(data, Y), strict=True)
    assert set(vars(other)) == set(vars(model))


@pytest.mark.parametrize(
    "learner", [LogisticRegression(), GaussianNB(), BernoulliNB(), LinearSVC(), RidgeClassifier()]
)
@pytest.mark.parametrize("estimator", [BinaryRelevance, ClassifierChain, LabelPowerset])
def test_scikit_learn_learners_of_arrays_are_kept(estimator, learner, tmp_path):
    model = estimator(learner).fit(X, Y)
    assert_same_answers(model, through_a_file(model, tmp_path), X)


TREE_LEARNERS = [
    DecisionTreeClassifier(random_state=0),
    RandomForestClassifier(3, random_state=0),
    ExtraTreesClassifier(3, random_state=0),
    GradientBoostingClassifier(n_estimators=3, random_state=0),
    HistGradientBoostingClassifier(max_iter=3, categorical_features=[0], random_state=0),
]


def other_learners():
    lightgbm = pytest.importorskip("lightgbm", reason="lightgbm is not installed")
    return [*TREE_LEARNERS, lightgbm.LGBMClassifier(n_estimators=3, min_child_samples=2, verbose=-1)]


@pytest.mark.parametrize(
    "estimator",
    [BinaryRelevance, ClassifierChain, LabelPowerset, setwise.ConditionalDependencyNetwork],
)
def test_models_of_trees_are_kept(estimator, tmp_path):
    """Red if a tree, its missing values or its categories are lost, or if the learner cannot be cloned again."""
    codes = np.column_stack([np.arange(len(X)) % 4, X[:, 1:]])
    holes = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, codes)
    for learner in other_learners():
        data = codes if isinstance(learner, GradientBoostingClassifier) else holes
        model = estimator(learner, random_state=0).fit(data, Y)
        other = through_a_file(model, tmp_path)
        assert_same_answers(model, other, data)
        assert repr(clone(other.learner)) == repr(learner)


@pytest.mark.parametrize("learner", ["boosting", LogisticRegression()])
def test_mixtures_of_other_learners_are_kept(learner, tmp_path):
    model = ConditionalBernoulliMixture(
        2, learner=learner, tuning=False, max_iter=3, n_init=1, random_state=0
    ).fit(X, Y)
    assert_same_answers(model, through_a_file(model, tmp_path), X)


@pytest.mark.parametrize("learner", [SVC(), KNeighborsClassifier()])
def test_other_learners_are_refused_by_name_and_place(learner, tmp_path):
    """Red if a compiled structure slips into a file, or the message does not say which part it is."""
    with pytest.raises(ModelFileError, match=rf"BinaryRelevance\.learner is a {type(learner).__name__}"):
        setwise.save(BinaryRelevance(learner).fit(X, Y), tmp_path / "m.setwise")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "rule",
    [FBeta(2.0), Sizes(1, 2), Costs(2.0, 1.0), Jaccard(), MacroF(2.0), MicroF(), PrecisionAtK(1)],
    ids=repr,
)
def test_decisions_are_kept(rule, tmp_path):
    model = ConditionalTree(l2=1.0, decision=rule).fit(X, Y)
    assert_same_answers(model, through_a_file(model, tmp_path), X)


def test_calibrated_sets_of_every_method_are_kept(tmp_path):
    for method in ("temperature", "isotonic"):
        model = CalibratedSets(ConditionalTree(l2=1.0), method=method, cv=2).fit(X, Y)
        other = through_a_file(model, tmp_path)
        assert_same_answers(model, other, X)
        np.testing.assert_array_equal(other.set_proba(X), model.set_proba(X), strict=True)


def test_functions_are_refused(tmp_path):
    model = BinaryRelevance(decision=lambda p: p.mode().labels).fit(X, Y)
    with pytest.raises(ModelFileError, match=r"BinaryRelevance\.decision is a function"):
        setwise.save(model, tmp_path / "m.setwise")


def test_what_is_not_a_fitted_model_is_refused(tmp_path):
    with pytest.raises(NotFittedError):
        setwise.save(BinaryRelevance(), tmp_path / "m.setwise")
    for other in ({}, DecisionTreeClassifier().fit(X, Y), np.zeros(3)):
        with pytest.raises(ModelFileError, match="cannot be stored in a model file"):
            setwise.save(other, tmp_path / "m.setwise")


@pytest.mark.parametrize(
    "transformer",
    [
        StandardScaler(),
        MinMaxScaler(),
        MaxAbsScaler(),
        RobustScaler(),
        Normalizer(),
        PolynomialFeatures(),
        PowerTransformer(),
        QuantileTransformer(n_quantiles=10),
        FunctionTransformer(np.square),
        PCA(2),
        TruncatedSVD(2),
        SimpleImputer(add_indicator=True),
        ColumnTransformer([("a", StandardScaler(), [0, 2]), ("b", "drop", [1])], remainder="passthrough"),
        FeatureUnion([("a", PCA(1)), ("b", MinMaxScaler())]),
    ],
    ids=lambda step: type(step).__name__,
)
def test_pipelines_of_known_transformers(transformer, tmp_path):
    model = make_pipeline(transformer, ConditionalTree(l2=1.0)).fit(X, Y)
    assert_same_answers(model, through_a_file(model, tmp_path), X)


@pytest.mark.parametrize(
    "steps",
    [
        [TfidfVectorizer(ngram_range=(1, 2), stop_words=["the"])],
        [CountVectorizer(dtype=np.float32, vocabulary={"red": 0, "ball": 1}), TfidfTransformer()],
    ],
)
def test_pipelines_of_text(steps, tmp_path):
    texts = ["the red ball", "a green ball", "the sky", "red sky ünïcode"] * 5
    model = make_pipeline(*steps, BinaryRelevance(l2=1.0)).fit(texts, Y[:20])
    assert_same_answers(model, through_a_file(model, tmp_path), texts)


def test_pipelines_of_data_frames_keep_names(tmp_path):
    """Columns by name, words and missing values: what a table of one's own looks like."""
    table = pd.DataFrame(X, columns=list("abcd")).assign(
        kind=pd.Series(["x", "y", None] * 20, dtype=object), size=pd.Series(["s", "m"] * 30, dtype=object)
    )
    labels = pd.DataFrame(Y, columns=["red", "<script>", "ünï\n"])
    columns = ColumnTransformer(
        [
            ("n", StandardScaler(), ["a", "b"]),
            ("k", OneHotEncoder(handle_unknown="ignore"), ["kind"]),
            ("s", OrdinalEncoder(), ["size"]),
        ]
    )
    model = Pipeline([("columns", columns), ("tree", ConditionalTree(l2=1.0))]).fit(table, labels)
    other = through_a_file(model, tmp_path)
    assert_same_answers(model, other, table)
    assert list(other[-1].label_names_) == list(labels.columns)
    about = describe(tmp_path / "model.setwise")
    assert about.estimator == "ColumnTransformer | ConditionalTree"
    assert about.feature_names == list(table.columns)
    assert about.label_names == list(labels.columns)


@pytest.mark.parametrize("y", [Y[:, 0], np.where(Y[:, 0], "yes", "no"), Y[:, 0].astype(np.uint8)])
def test_one_dimensional_targets(y, tmp_path):
    model = BinaryRelevance(l2=1.0).fit(X, y)
    assert_same_answers(model, through_a_file(model, tmp_path), X)


def test_online_learning_goes_on_after_loading(tmp_path):
    model = NaiBX().fit(X[:30], Y[:30])
    other = through_a_file(model, tmp_path)
    model.partial_fit(X[30:], Y[30:])
    assert_same_answers(model, other.partial_fit(X[30:], Y[30:]), X)


def test_equal_models_make_equal_files(tmp_path):
    for name in ("a", "b"):
        setwise.save(ConditionalTree().fit(X, Y), tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_arrays_of_the_other_byte_order_load(tmp_path):
    """A file from a big-endian machine: the arrays say so, and are turned around."""
    model = ConditionalTree().fit(X, Y)
    path = tmp_path / "model.setwise"
    setwise.save(model, path)
    rewrite(path, arrays=lambda name, array: array.astype(array.dtype.newbyteorder(">")))
    with Container(path) as archive:
        assert any(entry["dtype"] == ">f8" for entry in archive.manifest["members"].values())
    other = setwise.load(path)
    assert_same_answers(model, other, X)
    assert other.coef_given_parent_.dtype.isnative


def test_parameters_of_other_versions(tmp_path):
    """A parameter that came later takes its default; one that is gone is named."""
    path = tmp_path / "model.setwise"
    setwise.save(BinaryRelevance(l2=1.0).fit(X, Y), path)
    rewrite(path, manifest=lambda m: m["model"]["parameters"].pop("tol"))
    assert setwise.load(path).tol == BinaryRelevance().tol
    rewrite(path, manifest=lambda m: m["model"]["parameters"].update(gone=1))
    with pytest.raises(ModelFileError, match="BinaryRelevance has no parameter 'gone' in this version"):
        setwise.load(path)


def test_parts_of_another_scikit_learn_are_told(tmp_path, recwarn):
    path = tmp_path / "model.setwise"
    old = {"written_by": {"scikit-learn": "1.2.0"}}
    setwise.save(BinaryRelevance(l2=1.0).fit(X, Y), path)
    rewrite(path, manifest=lambda m: m.update(old))
    setwise.load(path)  # holds nothing of scikit-learn
    assert not recwarn.list
    setwise.save(make_pipeline(StandardScaler(), BinaryRelevance(l2=1.0)).fit(X, Y), path)
    rewrite(path, manifest=lambda m: m.update(old))
    with pytest.warns(
        UserWarning, match=r"Pipeline, StandardScaler of the model were written by scikit-learn 1\.2\.0"
    ):
        setwise.load(path)


def test_newer_formats_are_refused_with_the_reason(tmp_path):
    path = tmp_path / "model.setwise"
    setwise.save(BinaryRelevance(l2=1.0).fit(X, Y), path)
    rewrite(path, manifest=lambda m: m.update(version=3))
    for read in (setwise.load, describe):
        with pytest.raises(ModelFileError, match=r"has format 3, written by setwise .* Upgrade setwise"):
            read(path)


def test_notes_and_descriptions(tmp_path):
    path = tmp_path / "model.setwise"
    setwise.save(ConditionalTree(l2=2.0).fit(X, Y), path, notes={"data": "mine", "rows": 60})
    about = describe(path)
    assert about.notes == {"data": "mine", "rows": 60}
    assert about.parameters["l2"] == 2.0
    assert (about.format_version, about.n_features, about.size) == (2, 4, path.stat().st_size)
    assert "scikit-learn" in about.written_by


def test_the_file_is_an_ordinary_zip_of_arrays(tmp_path):
    """The format page says so: any zip and NumPy can look into it without setwise."""
    path = tmp_path / "model.setwise"
    model = ConditionalTree(l2=1.0).fit(X, Y)
    setwise.save(model, path)
    with zipfile.ZipFile(path) as archive:
        members = json.loads(archive.read("manifest.json"))["members"]
    with np.load(path, allow_pickle=False) as arrays:
        assert any(np.array_equal(arrays[name], model.scores_.coef) for name in members)
