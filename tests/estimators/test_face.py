"""The interface of every estimator: the same answers from all methods, for every container."""

from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from setwise import ChainEnsemble, ClassifierChain, ConditionalTree, NaiBX, NotTractable
from setwise.decisions import Abstain, Constrained, Costs, Sizes
from tests.estimators.random_labels import correlated
from tests.estimators.registry import EXACT_MAKERS, MAKERS, SAMPLED_MAKERS


def name_of(make):
    return make.func.__name__


exact_estimators = pytest.mark.parametrize("cls", EXACT_MAKERS, ids=name_of)
sampled_estimators = pytest.mark.parametrize("cls", SAMPLED_MAKERS, ids=name_of)
every_estimator = pytest.mark.parametrize("cls", MAKERS, ids=name_of)


@pytest.fixture(scope="module")
def data():
    """Correlated labels of features that explain part of them; no row is without labels."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 6)).round(2)
    first = X[:, 0] + rng.normal(size=240) > 0
    second = np.where(rng.random(240) < 0.85, first, ~first)
    third = (X[:, 1] - X[:, 2] > 0.5) | ~(first | second)
    return X, np.column_stack([first, second, third]).astype(int)


@every_estimator
def test_answers_agree_with_the_distribution(cls, data):
    X, Y = data
    model = cls().fit(X, Y)
    joint = model.distribution(X)
    np.testing.assert_allclose(model.predict_proba(X), joint.marginals(), atol=1e-9)
    np.testing.assert_array_equal(model.predict(X, decision="subset"), joint.mode().labels)
    top = model.predict_top_k(X, 3)
    np.testing.assert_array_equal(top.labels, joint.top_k(3).labels)
    assert model.sample(X[:4], 5, random_state=0).shape == (4, 5, 3)
    np.testing.assert_array_equal(
        model.sample(X[:4], 5, random_state=0), model.sample(X[:4], 5, random_state=0)
    )


@every_estimator
def test_probabilities_are_the_share_of_samples(cls, data):
    """Red if predict_proba is not the marginal: 0.04 is five standard errors of 4000 draws.

    Gibbs draws depend on each other, so there are more of them.
    """
    X, Y = data
    settings, n_draws = ({"n_samples": 20_000}, 20_000) if cls in SAMPLED_MAKERS else ({}, 4000)
    model = cls(**settings).fit(X, Y)
    share = model.sample(X[:12], n_draws, random_state=0).mean(axis=1)
    np.testing.assert_allclose(model.predict_proba(X[:12]), share, atol=0.04)


@every_estimator
def test_answers_are_plain_arrays_of_one_dtype(cls, data):
    X, Y = data
    model = cls().fit(X, Y)
    for answers, dtype in ((model.predict(X), np.int64), (model.predict_proba(X), np.float64)):
        assert type(answers) is np.ndarray
        assert (answers.shape, answers.dtype) == (Y.shape, dtype)


@exact_estimators
def test_probabilities_agree_with_the_distribution(cls, data):
    X, Y = data
    model = cls().fit(X, Y)
    joint = model.distribution(X)
    np.testing.assert_allclose(model.log_prob(X, Y), joint.log_prob(Y))
    assert (model.outlier_score(X, joint.mode().labels) < 1e-9).all()
    np.testing.assert_array_equal(model.predict_top_k(X, 3).labels[:, 0], model.predict(X, decision="subset"))


@sampled_estimators
def test_without_a_joint_probabilities_are_refused(cls, data):
    model = cls().fit(*data)
    for question in (model.log_prob, model.outlier_score):
        with pytest.raises(NotTractable, match="pseudo_log_prob"):
            question(*data)


@exact_estimators
def test_partial_rows_are_evidence(cls, data):
    X, Y = data
    model = cls().fit(X, Y)
    known = np.full((len(Y), 3), -1)
    known[:, 0] = 1
    np.testing.assert_allclose(np.exp(model.log_prob(X, known)), model.predict_proba(X)[:, 0], rtol=1e-9)


@every_estimator
def test_containers_change_nothing_but_names(cls, data):
    """Red if CSR, float32, pandas or polars learn another model."""
    X, Y = data
    expected = cls().fit(X, Y).predict_proba(X)
    for other_X, other_Y in (
        (sp.csr_array(X), Y),
        (X, sp.csr_matrix(Y)),
        (X, Y.astype(bool)),
        (X, Y.astype(float)),
    ):
        np.testing.assert_allclose(cls().fit(other_X, other_Y).predict_proba(other_X), expected, atol=1e-4)
    features, labels = [f"f{j}" for j in range(6)], ["red", "green", "blue"]
    for frame in (pd.DataFrame, pl.DataFrame):
        make = {"columns": features} if frame is pd.DataFrame else {"schema": features}
        make_y = {"columns": labels} if frame is pd.DataFrame else {"schema": labels}
        model = cls().fit(frame(X, **make), frame(Y, **make_y))
        assert model.label_names_.tolist() == labels
        assert model.feature_names_in_.tolist() == features
        np.testing.assert_allclose(model.predict_proba(frame(X, **make)), expected, atol=1e-9)


@every_estimator
@pytest.mark.filterwarnings("error::UserWarning")
def test_every_question_knows_the_features_names(cls, data):
    """Red if a question checks a frame and then once more the bare array, which has no names to check."""
    X, Y = data
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(6)])
    model = cls().fit(frame, Y)
    questions = [
        model.predict,
        model.predict_proba,
        model.sample,
        model.decide,
        model.distribution,
        lambda frame: model.predict_top_k(frame, 2),
    ]
    if cls in EXACT_MAKERS:
        questions += [lambda frame: model.log_prob(frame, Y), lambda frame: model.outlier_score(frame, Y)]
    if hasattr(model, "contains"):
        questions += [model.predict_sets, lambda frame: model.contains(frame, Y)]
    for question in questions:
        question(frame)


@every_estimator
def test_decide_gives_the_answers_of_predict(cls, data):
    """Red if a decision is known to one of them only."""
    X, Y = data
    model = cls().fit(X, Y)
    np.testing.assert_array_equal(model.decide(X).labels, model.predict(X))


@every_estimator
def test_blocks_change_nothing(cls, data, monkeypatch):
    X, Y = data
    model = cls().fit(X, Y)
    whole = model.predict(X), model.predict_proba(X)
    monkeypatch.setattr("setwise.blocks.budget.BLOCK_BYTES", 160)
    np.testing.assert_array_equal(model.predict(X), whole[0])
    np.testing.assert_allclose(model.predict_proba(X), whole[1], rtol=1e-12)


@pytest.mark.parametrize(
    "model",
    [
        ConditionalTree(l2=1.0),
        NaiBX(),
        ClassifierChain(l2=1.0),
        ClassifierChain(l2=1.0, search="monte_carlo"),
        ChainEnsemble(2, l2=1.0, random_state=0),
    ],
    ids=str,
)
def test_a_row_is_answered_as_it_is_alone(model):
    """Red if the random numbers of a row depend on the other rows."""
    X, Y = correlated(0, n_rows=120, n_labels=14)
    model = clone(model).fit(X, Y)
    questions = [model.predict_proba, *(partial(model.predict, decision=name) for name in ("jaccard", "f1"))]
    questions += [lambda X: model.decide(X).expected_loss, lambda X: model.distribution(X).entropy().value]
    for question in questions:
        together = question(X[:8])
        alone = np.concatenate([question(X[i : i + 1]) for i in range(8)])
        np.testing.assert_allclose(alone, together, atol=1e-9)


@every_estimator
def test_the_empty_set_is_answered_only_if_it_occurs(cls, data):
    X, Y = data
    assert cls().fit(X, Y).min_labels_ == 1
    rare = Y * (np.random.default_rng(0).random(Y.shape) < 0.15)
    with_empty = cls().fit(X, rare)
    assert with_empty.min_labels_ == 0
    assert (with_empty.predict(X).sum(axis=1) == 0).any()
    forced = cls(min_labels=1).fit(X, rare)
    assert (forced.predict(X).sum(axis=1) >= 1).all()
    assert (forced.predict(X, decision="hamming").sum(axis=1) >= 1).all()
    with pytest.raises(ValueError, match="min_labels"):
        cls(min_labels=4).fit(X, Y)


@every_estimator
def test_decisions_are_chosen_by_name_or_callable(cls, data):
    X, Y = data
    model = cls(decision="hamming").fit(X, Y)
    assert np.array_equal(model.predict(X, decision=lambda p: np.ones((p.n_rows, 3))), np.ones((240, 3)))
    marginals = model.predict_proba(X)
    sure = (marginals > 0.5).any(axis=1)
    assert np.array_equal(model.predict(X)[sure], (marginals > 0.5).astype(int)[sure])
    with pytest.raises(ValueError, match="'subset', 'hamming'"):
        model.predict(X, decision="best")


@every_estimator
def test_every_decision_is_answered_with_its_expected_loss(cls, data):
    X, Y = data
    named = pd.DataFrame(Y, columns=["red", "green", "blue"])
    model = cls(decision="f1").fit(X, named)
    rules = (Sizes(2, 2), Costs(1.0, 2.0), Constrained("f1", contains=["red"], implies=[("red", "blue")]))
    for rule in ("subset", "hamming", "f1", "jaccard", *rules):
        decided = model.decide(X[:40], rule)
        np.testing.assert_array_equal(decided.labels, model.predict(X[:40], decision=rule))
        assert (decided.expected_loss >= 0).all()
        assert np.isfinite(decided.standard_error).all()
    np.testing.assert_array_equal(model.predict(X[:40]), model.decide(X[:40], "f1").labels)
    assert (model.predict(X[:40], decision=rules[0]).sum(axis=1) == 2).all()
    assert (model.predict(X[:40], decision=rules[2])[:, [0, 2]] == 1).all()
    assert model.distribution(X[:2]).take([0]).label_names.tolist() == ["red", "green", "blue"]


@every_estimator
def test_permuting_labels_permutes_answers(cls, data):
    X, Y = data
    order = [2, 0, 1]
    if cls.func.__name__ in ("ClassifierChain", "ChainEnsemble", "MixtureOfChains"):
        pytest.skip("a chain depends on its order; test_classifier_chain permutes both")
    settings, noise = ({"n_samples": 20_000}, 0.05) if cls in SAMPLED_MAKERS else ({}, 1e-5)
    np.testing.assert_allclose(
        cls(**settings).fit(X, Y[:, order]).predict_proba(X),
        cls(**settings).fit(X, Y).predict_proba(X)[:, order],
        atol=noise,
    )


@every_estimator
def test_refit_equals_fit_and_parameters_stay(cls, data):
    X, Y = data
    model = cls()
    before = model.get_params()
    first = model.fit(X, Y).predict_proba(X)
    np.testing.assert_array_equal(model.fit(X, Y).predict_proba(X), first)
    assert model.get_params() == before
    np.testing.assert_array_equal(clone(model).fit(X, Y).predict_proba(X), first)


@every_estimator
def test_it_lives_in_pipelines_and_searches(cls, data):
    X, Y = data
    pipeline = make_pipeline(StandardScaler(), cls())
    assert cross_val_score(pipeline, X, Y, cv=3).mean() > 0.3
    search = GridSearchCV(cls(), {"decision": ["subset", "hamming"]}, cv=2).fit(X, Y)
    scores = search.cv_results_["mean_test_score"]
    assert np.isfinite(scores).all()
    assert search.best_score_ == scores.max() > 1 / len(np.unique(Y, axis=0))
    assert search.predict(X).shape == Y.shape


def test_no_answer_is_no_class(data):
    """Red if a row on which the model abstains is answered by a class, or by 255."""
    X, Y = data
    rule = Abstain(0.95)
    unsigned = ConditionalTree(l2=1.0).fit(X, Y.astype(np.uint8))
    abstains = (unsigned.decide(X, rule).labels == -1).all(axis=1)
    assert abstains.any()
    np.testing.assert_array_equal((unsigned.predict(X, decision=rule) == -1).all(axis=1), abstains)
    classes = ConditionalTree(l2=1.0).fit(X, np.array(["no", "yes"])[Y[:, 0]])
    with pytest.raises(
        ValueError, match=r"rows have no answer, which none of the classes \['no', 'yes'\] can express"
    ):
        classes.predict(X, decision=rule)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_label_columns_go_by_their_names(data, frame):
    """Red if reordered labels are read by position."""
    X, Y = data
    names = ["sun", "sea", "sky"]
    named = frame(Y, **({"columns": names} if frame is pd.DataFrame else {"schema": names}))
    model = ConditionalTree(l2=1.0).fit(X, named)
    np.testing.assert_array_equal(model.log_prob(X, named[["sky", "sea", "sun"]]), model.log_prob(X, Y))
    with pytest.raises(ValueError, match="missing 'sky'"):
        model.log_prob(X, named[["sun", "sea"]])
    np.testing.assert_array_equal(model.log_prob(X, pd.DataFrame(Y)), model.log_prob(X, Y))


def test_numbered_label_columns_go_by_their_numbers(data):
    """Red if numbers as column names are ignored, and a reversed frame is read by position."""
    X, Y = data
    frame = pd.DataFrame(Y)
    for columns in ([0, 1, 2], [2, 1, 0]):
        model = ConditionalTree(l2=1.0).fit(X, frame[columns])
        expected = model.log_prob(X, Y[:, columns])
        for other in ([0, 1, 2], [2, 1, 0], [1, 2, 0]):
            np.testing.assert_array_equal(model.log_prob(X, frame[other]), expected)
    with pytest.raises(ValueError, match="missing '0'"):
        model.log_prob(X, frame.rename(columns={0: 3}))
    bare = ConditionalTree(l2=1.0).fit(X, Y)
    named = frame.set_axis(["sun", "sea", "sky"], axis=1)
    np.testing.assert_array_equal(bare.log_prob(X, named), bare.log_prob(X, Y))
