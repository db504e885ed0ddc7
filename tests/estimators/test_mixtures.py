"""The three mixtures: what they equal in special cases, their learners, and how they report a long fit."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import logsumexp
from sklearn.tree import DecisionTreeClassifier

import setwise
from setwise import (
    BinaryRelevance,
    ConditionalBernoulliMixture,
    LabelPowerset,
    MixtureOfTreeExperts,
    MixtureOfTrees,
)
from setwise.distributions import ForestMixture, Table
from setwise.learning.by_content.sample import sample_rows
from setwise.learning.mixtures import tuning as mixture_tuning
from setwise.learning.mixtures.em import run_em
from setwise.learning.mixtures.gates import SoftmaxGate
from setwise.learning.mixtures.training_rows import TrainingRows


@pytest.fixture(scope="module")
def data():
    """Which of two label patterns a row has depends on the product of two features."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    side = (X[:, 0] * X[:, 1] > 0)[:, None]
    Y = np.where(side, [1, 1, 0], [0, 0, 1]) ^ (rng.random((400, 3)) < 0.1)
    return X, Y


@pytest.mark.parametrize("l2", ["auto", 3.0])
def test_one_component_is_binary_relevance(data, l2):
    X, Y = data
    mixture = ConditionalBernoulliMixture(1, l2=l2, random_state=0).fit(X, Y)
    np.testing.assert_allclose(
        mixture.log_prob(X, Y), BinaryRelevance(l2=l2).fit(X, Y).log_prob(X, Y), rtol=1e-10
    )
    assert mixture.components(X).gate.shape == (400, 1)


def test_certain_components_are_a_table():
    """One component per label set with labels of probability 0 and 1 is the powerset family."""
    rng = np.random.default_rng(1)
    sets = np.array([[0, 1, 1], [1, 0, 0], [1, 1, 1]], np.int8)
    log_gate = np.log(rng.dirichlet(np.ones(3), 20))
    logits = np.where(sets == 1, np.inf, -np.inf)[None, :, :, None].repeat(20, axis=0)
    mixture, table = ForestMixture(log_gate, logits, np.full((3, 3), -1)), Table(sets, log_gate)
    np.testing.assert_allclose(mixture.marginals(), table.marginals(), atol=1e-12)
    np.testing.assert_array_equal(mixture.mode().labels, table.mode().labels)
    for labels in np.ndindex(2, 2, 2):
        rows = np.tile(labels, (20, 1))
        np.testing.assert_allclose(mixture.log_prob(rows), table.log_prob(rows))


class CertainExperts:
    """A component for each label set; nothing to learn."""

    def __init__(self, rows, sets):
        self.rows, self.sets = rows, sets

    def log_values(self, rows=None):
        Y = (self.rows if rows is None else rows).Y
        same = (Y[:, None, :] == self.sets).all(axis=2)
        return np.where(same, 0.0, -np.inf)

    def update(self, responsibilities, steps):
        return 0

    def penalty(self):
        return 0.0

    def state(self):
        return {}


def test_em_over_certain_components_is_the_label_powerset(data):
    """Red if the gate is not the softmax regression on the responsibilities that equation (9) asks for."""
    X, Y = data[0], data[1].astype(np.int8)
    rows, sets = TrainingRows.of(X, Y), np.unique(Y, axis=0)
    gate = SoftmaxGate(rows, np.zeros((rows.design.n_columns, len(sets))), 2.0)
    run_em(gate, CertainExperts(rows, sets), rows.weights, max_iter=200, tol=1e-10)
    powerset = LabelPowerset(l2=2.0, backoff=0).fit(X, Y)
    joint = gate.log_values() + CertainExperts(rows, sets).log_values()
    np.testing.assert_allclose(logsumexp(joint, axis=1), powerset.log_prob(X, Y), atol=1e-3)


@pytest.mark.parametrize("learner", ["boosting", "lightgbm"])
def test_trees_learn_what_no_linear_model_can(data, learner):
    """Red if trees get the wrong gradient: two linear components part the rows by one line, the pattern needs two.

    Four linear components would do: a gate can give each of the four quadrants its own.
    """
    if learner == "lightgbm":
        pytest.importorskip("lightgbm", reason="lightgbm is not installed")
    X, Y = data
    trees, linear = (
        ConditionalBernoulliMixture(2, learner=kind, tuning=False, max_iter=12, random_state=0).fit(
            X[:300], Y[:300]
        )
        for kind in (learner, "logistic")
    )
    assert trees.score(X[300:], Y[300:]) > linear.score(X[300:], Y[300:]) + 0.2
    np.testing.assert_allclose(np.exp(trees.components(X).gate.sum(axis=1)), np.e)


def test_any_classifier_that_takes_weights(data):
    """One component of clones is binary relevance with them; more of them give a distribution all the same."""
    X, Y = data
    learner = DecisionTreeClassifier(max_depth=3, random_state=0)
    one = ConditionalBernoulliMixture(1, learner=learner, tuning=False, random_state=0).fit(X, Y)
    np.testing.assert_allclose(
        one.predict_proba(X), BinaryRelevance(learner).fit(X, Y).predict_proba(X), atol=1e-8
    )
    more = ConditionalBernoulliMixture(3, learner=learner, tuning=False, max_iter=3, random_state=0).fit(X, Y)
    assert np.isfinite(more.log_prob(X, Y)).all()
    np.testing.assert_allclose(more.distribution(X[:5]).size_probs().sum(axis=1), 1.0)


def test_boosting_raises_the_bound_dense_and_sparse(data):
    X, Y = data
    for rows in (X, sp.csr_array(X)):
        mixture = ConditionalBernoulliMixture(
            3, learner="boosting", tuning=False, max_iter=8, random_state=0
        ).fit(rows, Y)
        bounds = [row["bound"] for row in mixture.trace_]
        # Newton steps of a tenth: a fall of more than a thousandth would be a bug, not a long step.
        assert np.diff(bounds).min() > -1e-3 * abs(bounds[0])
        np.testing.assert_allclose(mixture.log_prob(rows, Y).sum(), bounds[-1])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"learner": "forest"},
            "learner is 'forest'; expected 'logistic', 'boosting', 'lightgbm' or a scikit-learn",
        ),
        ({"learner": DecisionTreeClassifier(), "checkpoint": "x"}, "a checkpoint holds arrays"),
        ({"init": "random"}, "init is 'random'"),
        ({"n_components": 0}, "n_components is 0"),
        ({"l2": -1.0}, "l2 is -1.0"),
    ],
)
def test_bad_parameters_are_named(data, parameters, message):
    with pytest.raises(ValueError, match=message):
        ConditionalBernoulliMixture(**parameters, random_state=0).fit(*data)


@pytest.mark.parametrize("estimator", [ConditionalBernoulliMixture, MixtureOfTrees, MixtureOfTreeExperts])
def test_hard_inputs_give_finite_models(estimator):
    """More components than rows, labels that are constant, equal, exclusive or absent, rows that repeat."""
    rng = np.random.default_rng(2)
    X = np.repeat(rng.normal(size=(6, 3)), 4, axis=0)
    first = rng.integers(0, 2, (24, 1))
    Y = np.hstack([first, first, 1 - first, np.ones_like(first), np.zeros_like(first)])
    options = {"tuning": False} if estimator is ConditionalBernoulliMixture else {}
    for labels in (Y, Y * 0, Y[:, :1]):
        model = estimator(30, **options).fit(X, labels)
        assert np.isfinite(model.log_prob(X, labels)).all()
        assert model.mixture_sizes_.max() <= 30
        assert np.isfinite(model.predict_proba(X)).all()


def test_tuning_says_what_it_tried(data):
    X, Y = data
    model = ConditionalBernoulliMixture(max_iter=5, random_state=0).fit(X[:150], Y[:150])
    tried = {row["n_components"] for row in model.tuning_}
    assert len(tried) > 1
    assert all(np.isfinite(row["held_out"]) for row in model.tuning_)
    assert {row["l2"] for row in model.tuning_} & {model.l2_}


@pytest.mark.parametrize("learner", ["logistic", "boosting"])
def test_a_mixture_of_free_size_is_the_mean_of_three(learner, data, tmp_path):
    """Red if a mixture is left out or weighs more than another, or a saved model forgets the parts."""
    X, Y = data
    model = ConditionalBernoulliMixture(learner=learner, max_iter=5, random_state=0).fit(X[:150], Y[:150])
    assert len(model.mixture_sizes_) == 3
    assert model.mixture_sizes_.sum() == model.n_components_
    joint = model.distribution(X)
    log_prob = joint.log_prob(Y.astype(int))
    ends = np.cumsum(model.mixture_sizes_)
    parts = []
    for first, last in zip(ends - model.mixture_sizes_, ends):
        gate, logits = joint.log_gate[:, first:last], joint.forests.logits[:, first:last]
        np.testing.assert_allclose(logsumexp(gate, axis=1), -np.log(3))
        part = ForestMixture(gate + np.log(3), logits, model.parents_[first:last])
        parts.append(part.log_prob(Y.astype(int)))
    np.testing.assert_allclose(log_prob, logsumexp(parts, axis=0) - np.log(3))
    assert not np.allclose(parts[0], parts[1])
    setwise.save(model, tmp_path / "mean.setwise")
    np.testing.assert_array_equal(
        setwise.load(tmp_path / "mean.setwise").log_prob(X, Y.astype(int)), model.log_prob(X, Y.astype(int))
    )


def test_a_given_number_of_components_is_one_mixture(data):
    """Red if the number that the user gave is not the model's."""
    X, Y = data
    model = ConditionalBernoulliMixture(4, max_iter=5, random_state=0).fit(X[:150], Y[:150])
    assert model.mixture_sizes_.tolist() == [model.n_components_]
    assert model.n_components_ <= 4


def test_given_penalties_are_kept(data):
    """Red if a penalty that the user gave is changed by the search."""
    X, Y = data
    given = ConditionalBernoulliMixture(gate_l2=7.0, max_iter=5, random_state=0).fit(X[:150], Y[:150])
    assert {row["gate_l2"] for row in given.tuning_} == {7.0}


@pytest.mark.parametrize("seed", [None, np.random.RandomState(0)])
def test_seeds_that_are_no_numbers(data, seed):
    """Red if a mixture of a given size takes fewer kinds of seeds than scikit-learn has."""
    X, Y = data
    model = ConditionalBernoulliMixture(2, tuning=False, max_iter=2, random_state=seed).fit(X, Y)
    assert model.n_components_ == 2


def test_a_mixture_chosen_on_a_sample_is_finished_on_all_rows(data, monkeypatch):
    """Red if the model is that of the sample, or rows that the sample leaves out get no more iterations."""
    X, Y = data
    fit = lambda: ConditionalBernoulliMixture(4, l2=1.0, gate_l2=1.0, random_state=0).fit(X, Y)  # noqa: E731
    whole = fit()
    monkeypatch.setattr(mixture_tuning, "MAX_TRIAL_ROWS", 100)
    sampled = fit()
    assert len(sample_rows(X, 100)) < len(X) / 2
    assert sampled.trace_[-1]["bound"] > sampled.trace_[0]["bound"]
    assert sampled.n_iter_ > whole.n_iter_


def test_callbacks_follow_the_fit(data):
    pytest.importorskip("sklearn.callback", reason="this scikit-learn has no callbacks yet")

    class Count:
        def __init__(self):
            self.begun, self.ended, self.torn_down = 0, 0, 0

        def setup(self, estimator, context):
            assert self.begun == 0

        def on_fit_task_begin(self, estimator, context):
            self.begun += 1

        def on_fit_task_end(self, estimator, context):
            self.ended += 1

        def teardown(self, estimator, context):
            self.torn_down += 1

    count = Count()
    model = (
        ConditionalBernoulliMixture(2, tuning=False, max_iter=3, random_state=0)
        .set_callbacks(count)
        .fit(*data)
    )
    # The fit, its one EM run, and an E-step for every row of the trace.
    assert count.begun == count.ended == 2 + len(model.trace_)
    assert count.torn_down == 1


@pytest.mark.parametrize("estimator", [ConditionalBernoulliMixture, MixtureOfTreeExperts])
def test_a_wrong_penalty_of_the_gate_is_called_by_its_name(estimator, data):
    """Red if the message names the experts' penalty."""
    with pytest.raises(ValueError, match=r"^gate_l2 is -1"):
        estimator(2, gate_l2=-1.0).fit(*data)


def test_one_component_says_the_penalties_it_has():
    """Red if l2_ is that of a mixture that was not fitted."""
    X = np.random.default_rng(0).normal(size=(200, 2))
    Y = (X + np.random.default_rng(1).normal(size=(200, 2)) > 0).astype(int)
    one = ConditionalBernoulliMixture(1, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(one.l2_, BinaryRelevance().fit(X, Y).l2_)
