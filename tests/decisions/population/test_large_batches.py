"""Batches that are too large for exact expectations: expected counts, constraints, thresholds, blocks of rows."""

import numpy as np
import pytest
from scipy.special import logit

import setwise.estimators.base.set_classifier as base
from setwise import BinaryRelevance, NaiBX
from setwise.decisions import Abstain, Constrained, Costs, MacroF, MicroF, Sizes
from setwise.decisions.population import pooled_f
from setwise.distributions import ForestMixture


def independent(p):
    return ForestMixture.independent(logit(p))


@pytest.fixture
def probabilities():
    return np.random.default_rng(0).beta(0.5, 2.0, (300, 4)) * [0.2, 0.5, 0.9, 0.05]


@pytest.mark.parametrize("rule", [MacroF(), MicroF(), MacroF(2.0)])
def test_expected_counts_are_close_to_the_exact_answer(rule, monkeypatch, probabilities):
    """Red if the plug-in maximizes something else: the exact expectation of its answer must be nearly the best."""
    joint = independent(probabilities[:60, 2:3])
    exact = joint.decide(rule)
    monkeypatch.setattr(pooled_f, "EXACT_CELLS", 0)
    for module in ("macro_f", "micro_f"):
        monkeypatch.setattr(f"setwise.decisions.population.{module}.EXACT_CELLS", 0)
    plug_in = joint.decide(rule)
    assert not plug_in.certified.any()
    assert np.isnan(plug_in.standard_error).all()
    assert abs(plug_in.expected_loss[0] - exact.expected_loss[0]) < 0.02
    draws = np.random.default_rng(1).random((4000, 60, 1)) < probabilities[:60, 2:3]
    lost = [rule.loss(draws, labels).mean() for labels in (plug_in.labels, exact.labels)]
    assert lost[0] - lost[1] < 0.005


def test_a_large_batch_has_the_best_thresholds_at_expected_counts(probabilities):
    """Compared with trying every threshold of every label."""
    labels = independent(probabilities).decide("macro_f1").labels
    for label, p in enumerate(probabilities.T):
        scores = [2 * p[p >= t].sum() / ((p >= t).sum() + p.sum()) for t in p]
        assert (labels[:, label] == (p >= p[np.argmax(scores)])).all()
    thresholds = MacroF().thresholds(probabilities)
    one_by_one = independent(probabilities).decide(Costs.at_thresholds(thresholds)).labels
    assert (one_by_one == labels).all()


def test_micro_f_under_constraints_is_the_best_ratio(probabilities):
    """Among thresholds with at least one label per row, none has a larger F at expected counts."""
    p = probabilities
    decided = independent(p).restricted(min_labels=1).decide("micro_f1")
    assert (decided.labels.sum(axis=1) >= 1).all()
    top = np.argmax(p, axis=1)[:, None] == np.arange(4)
    scores = [2 * p[h].sum() / (h.sum() + p.sum()) for h in ((p >= t) | top for t in np.unique(p))]
    np.testing.assert_allclose(1 - decided.expected_loss[0], max(scores), atol=1e-12)


def test_macro_f_under_constraints_cannot_be_improved_in_one_row(probabilities):
    p = probabilities[:100]
    labels = independent(p).decide(Sizes(2, 2, "macro_f1")).labels
    assert (labels.sum(axis=1) == 2).all()

    def score(h):
        return (2 * (p * h).sum(axis=0) / (h.sum(axis=0) + p.sum(axis=0))).mean()

    for row in range(0, 100, 7):
        for a in range(4):
            for b in range(a):
                other = labels.copy()
                other[row] = np.isin(np.arange(4), (a, b))
                assert score(other) <= score(labels) + 1e-9


def test_blocks_of_rows_do_not_change_the_answer(monkeypatch):
    """Red if an estimator decides each block by itself."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    Y = (X @ rng.normal(size=(3, 5)) + rng.normal(size=(400, 5)) > 1.0).astype(int)
    model = BinaryRelevance(l2=1.0).fit(X, Y)
    whole = {name: model.predict(X, decision=name) for name in ("macro_f1", "micro_f1")}
    decided = model.decide(X, "macro_f1")
    constrained = model.predict(X, decision=Constrained("macro_f1", max_labels=2))
    monkeypatch.setattr(base, "row_slices", lambda n, cells: (slice(i, i + 37) for i in range(0, n, 37)))
    monkeypatch.setattr(BinaryRelevance, "block_rows", lambda self: 37)
    for name, labels in whole.items():
        assert (model.predict(X, decision=name) == labels).all()
    assert (model.decide(X, "macro_f1").labels == decided.labels).all()
    assert (model.predict(X, decision=Constrained("macro_f1", max_labels=2)) == constrained).all()
    assert (model.distribution(X).decide("macro_f1").labels == decided.labels).all()


def test_evidence_and_empty_batches():
    joint = independent(np.full((3, 2), 0.3)).restricted(min_labels=1)
    given = joint.condition([[0, 0], [-1, -1], [1, -1]])
    labels = given.decide("macro_f1").labels
    assert not labels[0].any()
    assert labels[2, 0] == 1
    assert joint.take(np.arange(0)).decide("macro_f1").labels.shape == (0, 2)


def test_probabilities_of_zero_and_one():
    joint = independent(np.array([[0.0, 1.0], [0.0, 1.0], [0.0, 0.0]]))
    for name in ("macro_f1", "micro_f1"):
        assert joint.decide(name).labels[:, 1].tolist() == [1, 1, 0]


def test_what_makes_no_sense_for_a_batch_is_refused():
    with pytest.raises(ValueError, match="loss of a whole batch"):
        Abstain(0.5, "macro_f1")
    with pytest.raises(ValueError, match="beta is 0"):
        MacroF(0)
    model = NaiBX().fit([[0.0], [1.0]], [[0, 1], [1, 0]])
    with pytest.raises(ValueError, match="all rows together"):
        model.predict([[0.0]], decision="micro_f1", sizes=[1])
    with pytest.raises(ValueError, match="thresholds"):
        Costs.at_thresholds([0.5, 1.5])
