"""Calibrated probabilities are true, and conformal lists cover what they promise."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from setwise import (
    AutoSetClassifier,
    BinaryRelevance,
    CalibratedSets,
    ClassifierChain,
    ConditionalDependencyNetwork,
    ConditionalTree,
    ConformalSets,
    LabelPowerset,
    NaiBX,
    NotTractable,
    RAkEL,
)
from setwise.inference.sets.enumeration import label_sets
from setwise.metrics import set_calibration


def draw(n, seed=0, n_labels=4):
    """Labels that mostly repeat the first one: independent models are wrong about sets."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    first = rng.random(n) < expit(2 * X[:, 0])
    same = rng.random((n, n_labels - 1)) < 0.85
    return X, np.column_stack([first, np.where(same, first[:, None], ~first[:, None])]).astype(int)


@pytest.fixture(scope="module")
def split():
    return *draw(1500), *draw(3000, seed=1)


def error_of(probability, model, X, Y):
    return set_calibration(probability, (model.predict(X) == Y).all(axis=1)).error


@pytest.mark.parametrize("method", ["temperature", "isotonic"])
def test_calibration_halves_the_error_of_a_model_that_is_too_unsure(split, method):
    """Shrunk coefficients and missed dependencies make sets look less probable than they are."""
    X, Y, X_test, Y_test = split
    plain = BinaryRelevance(l2=3000.0).fit(X, Y)
    before = error_of(1 - plain.decide(X_test).expected_loss, plain, X_test, Y_test)
    model = CalibratedSets(BinaryRelevance(l2=3000.0), method=method).fit(X, Y)
    after = error_of(model.set_proba(X_test), model, X_test, Y_test)
    assert after < before / 2
    if method == "temperature":
        assert model.temperature_ < 1
        assert_allclose(model.predict_proba(X_test), model.distribution(X_test).marginals(), atol=1e-12)
    label = [set_calibration(m.predict_proba(X_test)[:, 0], Y_test[:, 0]).error for m in (model, plain)]
    assert label[0] < label[1]


def test_a_true_model_keeps_its_temperature():
    """Data drawn from the model itself: nothing to correct."""
    X, Y = draw(6000)
    model = CalibratedSets(ConditionalTree(l2=1e-3)).fit(X, Y)
    assert abs(np.log(model.temperature_)) < 0.1


@pytest.mark.parametrize(
    "estimator", [ConditionalTree(l2=1.0), LabelPowerset(l2=1.0), ClassifierChain(l2=1.0)]
)
def test_tempering_keeps_a_distribution(split, estimator):
    X, Y, *_ = split
    joint = estimator.fit(X[:300], Y[:300]).distribution(X[:20])
    for temperature in (0.5, 3.0):
        other = joint.tempered(temperature)
        total = sum(np.exp(other.log_prob(np.tile(y, (20, 1)))) for y in label_sets(4))
        assert_allclose(total, 1.0)
        assert ((other.mode().log_prob > joint.mode().log_prob) == (temperature < 1)).mean() > 0.9


def test_what_cannot_be_tempered_says_so(split):
    X, Y, *_ = split
    with pytest.raises(NotTractable, match="cannot be tempered"):
        CalibratedSets(ConditionalDependencyNetwork(l2=1.0, n_samples=50, random_state=0)).fit(
            X[:200], Y[:200]
        )
    with pytest.raises(ValueError, match="'isotonic'"):
        CalibratedSets(ConditionalTree(l2=1.0), method="platt").fit(X, Y)


@pytest.mark.parametrize("method", ["temperature", "isotonic"])
def test_too_few_rows_leave_the_estimator_as_it_is(split, method):
    X, Y, *_ = split
    with pytest.warns(UserWarning, match="3 rows have too few distinct ones"):
        model = CalibratedSets(BinaryRelevance(l2=1.0), method=method).fit(X[:3], Y[:3])
    plain = BinaryRelevance(l2=1.0).fit(X[:3], Y[:3])
    assert_allclose(model.predict_proba(X[:9]), plain.predict_proba(X[:9]))
    assert_allclose(model.set_proba(X[:9]), 1 - plain.decide(X[:9]).expected_loss)


def test_a_splitter_may_be_given(split):
    X, Y, *_ = split
    model = CalibratedSets(ConditionalTree(l2=1.0), cv=KFold(3)).fit(X, Y)
    assert 0.5 < model.temperature_ < 2


@pytest.mark.parametrize("method", ["temperature", "isotonic"])
def test_learners_without_weights_are_calibrated(split, method):
    """Red if weights of one are made up and passed on to a learner that takes none."""
    X, Y = split[0], split[1]
    CalibratedSets(BinaryRelevance(KNeighborsClassifier()), method=method, cv=2).fit(X[:100], Y[:100])


@pytest.mark.parametrize("coverage", [0.7, 0.9])
def test_conformal_lists_cover_what_they_promise(coverage):
    """Six standard errors around the promise, over 20 splits; wrong models included."""
    X, Y = draw(4000, seed=3)
    covered = []
    for seed in range(20):
        rows = np.random.default_rng(seed).permutation(4000)
        train, test = rows[:800], rows[800:]
        model = ConformalSets(BinaryRelevance(l2=300.0), coverage=coverage, random_state=seed)
        covered.append(model.fit(X[train], Y[train]).contains(X[test], Y[test]).mean())
    spread = 6 * np.sqrt(coverage * (1 - coverage) / (20 * 240))
    assert coverage - spread < np.mean(covered) < coverage + spread + 0.02


def test_lists_agree_with_the_membership_test(split):
    X, Y, X_test, Y_test = split
    model = ConformalSets(ConditionalTree(l2=1.0), coverage=0.9, max_sets=16, random_state=0).fit(X, Y)
    candidates = model.predict_sets(X_test)
    listed = (candidates.labels == Y_test[:, None]).all(axis=2).any(axis=1)
    assert candidates.complete.all()
    assert_array_equal(listed, model.contains(X_test, Y_test))
    assert (candidates.n_sets >= 1).all()
    short = (
        ConformalSets(ConditionalTree(l2=1.0), coverage=0.9, max_sets=2, random_state=0)
        .fit(X, Y)
        .predict_sets(X_test)
    )
    assert_array_equal(short.complete, candidates.n_sets < 2)
    assert_array_equal(short.labels[:, :2], candidates.labels[:, :2])


def test_the_most_probable_set_is_a_candidate_in_any_case(split):
    """Red if it is left out of the list, or of the membership test, where the threshold is above it."""
    X, Y, X_test, _ = split
    model = ConformalSets(ConditionalTree(l2=1.0), coverage=0.2, max_sets=16, random_state=0).fit(X, Y)
    mode = model.distribution(X_test).mode()
    below = mode.log_prob < model.log_threshold_
    candidates = model.predict_sets(X_test)
    assert below.any()
    assert not below.all()
    assert_array_equal(candidates.labels[:, 0], mode.labels)
    assert (candidates.n_sets[below] == 1).all()
    assert model.contains(X_test, mode.labels).all()
    for y in label_sets(4):
        every = np.tile(y, (len(X_test), 1))
        listed = (candidates.labels == y).all(axis=2).any(axis=1)
        assert_array_equal(model.contains(X_test, every), listed)


def test_too_few_rows_for_the_coverage_list_everything(split):
    X, Y, *_ = split
    model = ConformalSets(BinaryRelevance(l2=1.0), coverage=0.99, max_sets=20, random_state=0).fit(
        X[:30], Y[:30]
    )
    assert model.log_threshold_ == -np.inf
    assert (model.predict_sets(X[:5]).n_sets == 16).all()
    with pytest.raises(ValueError, match="coverage"):
        ConformalSets(BinaryRelevance(l2=1.0), coverage=1.5, random_state=0).fit(X, Y)


@pytest.mark.parametrize(
    "wrap",
    [ConformalSets, lambda inner: AutoSetClassifier([inner], time_budget=None, random_state=0)],
    ids=["conformal", "auto"],
)
def test_what_wraps_a_calibrated_model_keeps_its_probabilities(wrap):
    """Red if a wrapper returns the uncorrected probabilities of the joint."""
    X, Y = draw(300)
    model = wrap(CalibratedSets(BinaryRelevance(l2=1.0), method="isotonic", cv=2)).fit(X, Y)
    assert_array_equal(model.predict_proba(X), model.estimator_.predict_proba(X))
    assert np.abs(model.predict_proba(X) - model.distribution(X).marginals()).max() > 0.01


def test_listed_sets_are_those_that_are_contained():
    """Red if a set that ties with the threshold passes one of the two: log_prob and top_k round differently."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X = rng.integers(2, size=(300, 1)).astype(float)
        Y = (rng.random((300, 2)) < np.where(X, [0.8, 0.3], [0.6, 0.7])).astype(int)
        model = ConformalSets(BinaryRelevance(l2=1.0), random_state=0).fit(X, Y)
        listed = model.predict_sets(X)
        for y in label_sets(2):
            given = np.tile(y, (len(X), 1))
            inside = (listed.labels == given[:, None]).all(axis=2).any(axis=1)
            assert_array_equal(model.contains(X, given), inside)


def test_weights_count_when_coverage_is_calibrated():
    """Red if weights of held-out rows are ignored: heavy rows are hard, and represent nine of ten new rows."""
    rng = np.random.default_rng(0)

    def population(n, share):
        hard, X = rng.random(n) < share, rng.normal(size=(n, 2))
        p = np.where(hard[:, None], 0.5, np.where(X > 0, 0.98, 0.02))
        return X, (rng.random((n, 2)) < p).astype(int), hard

    covered = []
    for _ in range(5):
        X, Y, hard = population(2000, 0.1)
        model = ConformalSets(BinaryRelevance(l2=1.0), random_state=0).fit(
            X, Y, sample_weight=np.where(hard, 81.0, 1.0)
        )
        X, Y, _ = population(2000, 0.9)
        covered.append(model.contains(X, Y).mean())
    assert np.mean(covered) > 0.86


@pytest.mark.parametrize(
    "inner", [NaiBX(), RAkEL(kind="disjoint", group_size=2, random_state=0), ConditionalTree(l2=1.0)]
)
def test_rows_of_candidates_alone_are_contained(inner):
    """Red if a distribution without rows fails."""
    X, Y = draw(200)
    model = ConformalSets(inner, random_state=0).fit(X, Y)
    assert model.contains(X[:2], model.predict_sets(X[:2]).labels[:, 0]).all()


def test_what_is_listed_is_contained_however_sets_are_searched_for():
    """Red if the membership test asks a greedy search for fewer sets, and so for another best one."""
    rng = np.random.default_rng(0)
    X, first = rng.normal(size=(300, 3)), rng.random(300) < 0.45
    others = np.where(first[:, None], rng.random((300, 2)) < 0.95, rng.random((300, 2)) < 0.5)
    Y = np.column_stack([first, others]).astype(int)
    model = ConformalSets(ClassifierChain(search="greedy", l2=1.0), coverage=0.2, random_state=0).fit(X, Y)
    assert model.contains(X, model.predict_sets(X).labels[:, 0]).all()


def test_lists_without_a_threshold_do_not_call_themselves_complete():
    """Red if impossible sets are candidates but silently left out of the list."""
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(150, 4)), (rng.random((150, 8)) < 0.5).astype(int)
    with pytest.warns(UserWarning, match="every set is a candidate: 45 held-out rows"):
        model = ConformalSets(LabelPowerset(l2=1.0, backoff=0.0), max_sets=300, random_state=0).fit(X, Y)
    assert model.contains(X, 1 - Y).all()
    assert not model.predict_sets(X[:5]).complete.any()


def test_candidates_have_as_many_labels_as_answers():
    """Red if the empty set is a candidate though no row is without labels, or the answer is none."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    Y = np.eye(3, dtype=int)[(X + rng.normal(size=X.shape)).argmax(axis=1)]
    model = ConformalSets(BinaryRelevance(l2=1.0), coverage=0.7, random_state=0).fit(X, Y)
    listed = model.predict_sets(X)
    assert (listed.labels[listed.log_prob > -np.inf].sum(axis=1) >= 1).all()
    assert model.contains(X, model.predict(X)).all()
    assert not model.contains(X, np.zeros_like(Y)).any()


@pytest.mark.parametrize("wrap", [CalibratedSets, ConformalSets])
def test_pipelines_go_around(wrap):
    X, Y = draw(50)
    with pytest.raises(
        ValueError, match=r"(?s)estimator is Pipeline\(.*\); expected an estimator of setwise"
    ):
        wrap(make_pipeline(StandardScaler(), BinaryRelevance())).fit(X, Y)
