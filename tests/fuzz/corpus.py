"""The models that are forged: every estimator, wrapper, learner and step of a pipeline, dense and sparse."""

import contextlib
import functools
import io
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from lightgbm import LGBMClassifier
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from sklearn.feature_selection import VarianceThreshold
from sklearn.frozen import FrozenEstimator
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import BernoulliNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
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
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

import setwise
from setwise.cli import main as command
from setwise.decisions import Abstain, Constrained, Costs, FBeta, MacroF, MicroF, PrecisionAtK, Sizes
from setwise.distributions.gibbs import Gibbs
from setwise.distributions.greedy import Greedy
from setwise.distributions.votes import Votes
from setwise.learning.mixtures.pooling.pool_gate import PoolGate
from setwise.tables.encoder import TableEncoder
from tests.estimators.registry import MAKERS

N_ROWS = 40
RNG = np.random.default_rng(0)
X = np.abs(RNG.normal(size=(N_ROWS, 4))).round(2)
Y = (X[:, :3] + RNG.normal(size=(N_ROWS, 3)) > 0.7).astype(int)
TEXTS = np.array(["the red ball", "a green ball", "the sky", "red sky ünïcode"] * 10, dtype=object)
TABLE = pd.DataFrame(X, columns=list("abcd")).assign(
    kind=pd.Series(["x", "y", "z", "y"] * 10, dtype=object), size=pd.Series(["s", "m"] * 20, dtype=object)
)
RICH = TABLE.assign(
    note=pd.Series(TEXTS) + [f", number {i}, and much more to say of it" for i in range(N_ROWS)],
    opened=[f"2024-{1 + i % 12:02d}-{1 + i % 28:02d}" for i in range(N_ROWS)],
    paid=["yes", "no", "no", "yes"] * 10,
    parts=["wheel|brake", "brake", "wheel", "bell|brake"] * 10,
    place=["[0.5, 1.5]", "[1.0, 2.0]", "[0.0, 0.5]", "[2.0, 1.0]"] * 10,
    same="constant",
)
"""A column of every kind."""
NAMED = pd.DataFrame(X, columns=list("abcd"))
GAPS = np.where(RNG.random(X.shape) < 0.1, np.nan, X)
DATA = {
    "rich": RICH,
    "dense": X,
    "sparse": sparse.csr_array(X),
    "text": TEXTS,
    "table": TABLE,
    "named": NAMED,
    "gaps": GAPS,
}

SEARCHES = ("greedy", "beam", "epsilon", "monte_carlo")
"""Searches of chains besides the default and the exhaustive one."""

Tree = functools.partial(setwise.ConditionalTree, l2=1.0)
Relevance = functools.partial(setwise.BinaryRelevance, l2=1.0)
Mixture = functools.partial(setwise.ConditionalBernoulliMixture, 2, tuning=False, max_iter=3, n_init=1)

LEARNERS = [
    LogisticRegression(),
    RidgeClassifier(),
    LinearSVC(),
    GaussianNB(),
    BernoulliNB(),
    MultinomialNB(),
    ComplementNB(),
    LinearDiscriminantAnalysis(store_covariance=True),
    QuadraticDiscriminantAnalysis(reg_param=0.1, store_covariance=True),
    DummyClassifier(),
    make_pipeline(StandardScaler(), LogisticRegression()),
    DecisionTreeClassifier(max_depth=2),
    ExtraTreeClassifier(max_depth=2),
    RandomForestClassifier(2, max_depth=2),
    ExtraTreesClassifier(2, max_depth=2),
    GradientBoostingClassifier(n_estimators=2),
    HistGradientBoostingClassifier(max_iter=2),
    LGBMClassifier(n_estimators=2, verbose=-1),
]
STEPS = [
    StandardScaler(),
    MinMaxScaler(),
    MaxAbsScaler(),
    RobustScaler(),
    Normalizer(),
    Binarizer(),
    PolynomialFeatures(),
    PowerTransformer(),
    QuantileTransformer(n_quantiles=10),
    FunctionTransformer(np.square),
    PCA(2, whiten=True),
    TruncatedSVD(2),
    VarianceThreshold(),
    SimpleImputer(add_indicator=True),
    MissingIndicator(features="all", error_on_new=False),
    FeatureUnion([("a", PCA(1)), ("b", MinMaxScaler()), ("c", "passthrough")]),
    ColumnTransformer([("a", StandardScaler(), [0, 2]), ("b", "drop", [1])], remainder="passthrough"),
    OneHotEncoder(handle_unknown="ignore"),
    OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
]
TEXT_STEPS = [
    [TfidfVectorizer(ngram_range=(1, 2), stop_words=["the"])],
    [CountVectorizer(), TfidfTransformer()],
    [HashingVectorizer(n_features=64)],
]
COLUMNS = ColumnTransformer(
    [
        ("n", make_pipeline(SimpleImputer(), StandardScaler()), ["a", "b"]),
        ("k", OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=2), ["kind"]),
        ("s", OrdinalEncoder(), ["size"]),
    ]
)


def models():
    """Name -> (function that makes an estimator, kind of its data).

    Those of dense rows are fitted to sparse rows too, if they take them.
    """
    found = {}
    found |= {make.func.__name__: (make, "dense") for make in MAKERS}
    for learner in LEARNERS:
        name = type(learner).__name__
        for cls in (setwise.BinaryRelevance, setwise.ClassifierChain, setwise.LabelPowerset):
            if cls is setwise.LabelPowerset and name == "QuadraticDiscriminantAnalysis":
                continue  # some sets have too few rows for a covariance
            found[f"{cls.__name__} {name}"] = functools.partial(cls, learner), "dense"
    found |= {name: (make, "dense") for name, make in variants().items()}
    for step in STEPS:
        found[f"pipeline {type(step).__name__}"] = functools.partial(make_pipeline, step, Tree()), "dense"
    uncentred = StandardScaler(with_mean=False), RobustScaler(with_centering=False)
    found["pipeline uncentred"] = functools.partial(make_pipeline, *uncentred, Tree()), "dense"
    for steps in TEXT_STEPS:
        found[f"text {type(steps[0]).__name__}"] = (
            functools.partial(make_pipeline, *steps, Relevance()),
            "text",
        )
    found["table"] = functools.partial(make_pipeline, COLUMNS, Relevance()), "table"
    kinds = {"parts": "tags", "place": "vector", "note": "text"}
    found["encoder"] = functools.partial(make_pipeline, TableEncoder(kinds), Relevance()), "rich"
    found["relevance named"] = Relevance, "named"
    for make in (Relevance, Mixture, functools.partial(setwise.DecisionForest, 5, max_features="sqrt")):
        found[f"{make.func.__name__} gaps"] = make, "gaps"
    for name, (make, kind) in list(found.items()):
        if kind == "dense":
            found[f"{name} sparse"] = make, "sparse"
    return found


def variants():
    """Settings under which estimators keep other parts, or decide otherwise."""
    bayes, logistic = GaussianNB(), LogisticRegression()
    part = functools.partial
    network, field, rakel = setwise.ConditionalDependencyNetwork, setwise.PairwiseCRF, setwise.RAkEL
    decisions = {
        "Abstain": Abstain(0.6),
        "Constrained": Constrained("subset", contains=["0"], implies=[("1", "2")], max_labels=2),
        "Costs": Costs(2.0, 1.0),
        "FBeta": FBeta(2.0),
        "MacroF": MacroF(2.0),
        "MicroF": MicroF(),
        "PrecisionAtK": PrecisionAtK(2, weights=[1.0, 2.0, 0.5]),
        "Sizes": Sizes(1, 2),
    }
    return {
        "network svm": part(network, "svm"),
        "network LogisticRegression": part(network, logistic),
        "network GaussianNB": part(network, bayes, n_samples=15, n_burn_in=5),
        "network LinearSVC": part(network, LinearSVC()),
        "field exact": part(field, search="exact", l2=1.0),
        "field loopy": part(field, search="loopy", training="pseudo", l2=1.0),
        "field label_feature": part(field, "label_feature", l2=1.0),
        "rakel disjoint": part(rakel, kind="disjoint", group_size=2, l2=1.0),
        "rakel GaussianNB": part(rakel, bayes, group_size=2),
        "ensemble GaussianNB": part(setwise.ChainEnsemble, 2, bayes, random_state=0),
        "features LogisticRegression": part(setwise.HeterogeneousFeatures, logistic),
        "regression with_features": part(setwise.IBLR, with_features=True, l2=1.0),
        "neighbours cosine": part(setwise.MLkNN, metric="cosine"),
        "cascade beam": part(setwise.NaiBX, search="beam"),
        "cascade exact": part(setwise.NaiBX, search="exact"),
        "cascade bernoulli": part(setwise.NaiBX, "bernoulli"),
        "cascade mixed": part(setwise.NaiBX, ["gaussian", "bernoulli", "multinomial", "gaussian"]),
        "cascade learner": part(setwise.NaiBX, learner=logistic, size_model=bayes),
        "cascade one size": part(setwise.NaiBX, size_model=1),
        "cascade chosen": part(setwise.NaiBX, size_model="auto", temper="auto"),
        "mixture boosting": part(Mixture, learner="boosting"),
        "mixture LogisticRegression": part(Mixture, learner=logistic),
        "mixture of one": part(setwise.ConditionalBernoulliMixture, 1, tuning=False),
        "calibrated isotonic": part(setwise.CalibratedSets, Relevance(), method="isotonic", cv=2),
        "marginals of all labels": part(setwise.SetsFromMarginals, Relevance(), Tree(), cv=2),
        "marginals of each label": part(setwise.SetsFromMarginals, bayes, cv=2),
        "marginals given": part(make_pipeline, TruncatedSVD(3), setwise.SetsFromMarginals("logits")),
        "tree additive": part(Tree, coupling="additive"),
        "chain exhaustive": part(setwise.ClassifierChain, search="exhaustive", l2=1.0),
        "marginals logits": part(
            make_pipeline,
            ColumnTransformer([("scores", "passthrough", [0, 1, 2])]),
            setwise.SetsFromMarginals("logits"),
        ),
        "relevance weighted": part(Relevance, class_weight="balanced"),
        "chain weighted": part(
            setwise.ClassifierChain, class_weight={"0": 2.0, "1": {0: 1.0, 1: 3.0}}, l2=1.0
        ),
        **{f"chain {search}": part(setwise.ClassifierChain, search=search, l2=1.0) for search in SEARCHES},
        "chains softmax": part(setwise.MixtureOfChains, 2, gate="softmax", gate_l2=1.0, l2=1.0, max_iter=3),
        "codes exact": part(setwise.MMOC, C=10.0, search="exact", l2=1.0),
        "field sparse": part(field, structure="sparse", l1=0.01, l2=1.0),
        "field learned": part(field, structure="learned", l2=1.0),
        "principal labels": part(setwise.LabelSpaceTransform, kind="principal", l2=1.0),
        "stack gated": GatedStack,
        "thresholds micro_f1": part(setwise.TunedThresholds, Tree(), measure="micro_f1", cv=2),
        "trees learned": part(setwise.TreeEnsemble, 2, structure="learned", l2=1.0),
        "marginals LogisticRegression": part(setwise.SetsFromMarginals, logistic, cv=2),
        "marginals at once": part(setwise.SetsFromMarginals, Relevance(), cv=2),
        "calibrated frozen": part(setwise.CalibratedSets, FrozenEstimator(Relevance().fit(X, Y))),
        "thresholds frozen": part(setwise.TunedThresholds, FrozenEstimator(Tree().fit(X, Y))),
        "conformal frozen": part(setwise.ConformalSets, FrozenEstimator(Tree().fit(X, Y))),
        "decision Gibbs": part(network, decision=Gibbs("best"), random_state=0),
        "decision Greedy": part(setwise.NaiBX, decision=Greedy()),
        "decision Votes": part(setwise.ChainEnsemble, 2, decision=Votes("subset"), random_state=0),
        **{f"decision {name}": part(Tree, decision=rule) for name, rule in decisions.items()},
    }


class GatedStack:
    """Fits a stack with a gate, which so few rows would not get."""

    def fit(self, X, Y):
        stack = setwise.StackedSets([Relevance(), Tree()], gate="softmax", cv=2).fit(X, Y)
        n = len(stack.estimators_)
        stack.gate_ = PoolGate(np.array([1, 3]), np.ones(2), np.ones(2), np.eye(2, n), np.zeros(n))
        return stack


def write(folder):
    """Fit and save every model; name -> path, data."""
    written = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, (name, (make, kind)) in enumerate(models().items()):
            path = Path(folder) / f"{number}.setwise"
            try:
                model = make().fit(DATA[kind], Y)
            except (TypeError, ValueError):
                if kind == "sparse":
                    continue
                raise
            setwise.save(model, path)
            written[name] = path, kind
        for name, model in {"command tree": "tree", "command naibx": "naibx"}.items():
            path = Path(folder) / f"{model}.setwise"
            _fit_by_command(model, path)
            written[name] = path, "csv"
    return written


def write_csv(path):
    """The table with its labels, as a user has it."""
    labels = {f"tag_{name}": Y[:, number] for number, name in enumerate("xyz")}
    TABLE.assign(**labels).to_csv(path, index=False)


def _fit_by_command(model, path):
    """A model of the command line, whose notes say how columns become features."""
    data = path.with_suffix(".csv")
    write_csv(data)
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        assert not command(["fit", str(data), "--labels", "tag_*", "--model", model, "-o", str(path)])
