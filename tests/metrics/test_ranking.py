import numpy as np
import pytest
from sklearn import metrics as sk
from sklearn.ensemble import RandomForestClassifier

from setwise import BinaryRelevance, metrics


@pytest.fixture
def ranked():
    rng = np.random.default_rng(0)
    return (rng.random((30, 6)) < 0.4).astype(int), rng.random((30, 6)), rng.random(30)


@pytest.mark.parametrize("k", [1, 3, 6, 9])
def test_ndcg_is_scikit_learns(ranked, k):
    Y, scores, weight = ranked
    ours = metrics.ndcg_at_k(Y, scores, k, sample_weight=weight)
    assert ours == pytest.approx(sk.ndcg_score(Y, scores, k=k, sample_weight=weight))


def test_label_ranking_average_precision_is_scikit_learns_with_ties(ranked):
    Y, scores, weight = ranked
    for values in (scores, scores.round(1), np.zeros_like(scores)):
        ours = metrics.label_ranking_average_precision(Y, values, sample_weight=weight)
        theirs = sk.label_ranking_average_precision_score(Y, values, sample_weight=weight)
        assert ours == pytest.approx(theirs)


def test_mean_average_precision_is_scikit_learns(ranked):
    Y, scores, weight = ranked
    ours = metrics.mean_average_precision(Y, scores, sample_weight=weight)
    assert ours == pytest.approx(sk.average_precision_score(Y, scores, average="macro", sample_weight=weight))
    never = Y * [0, 1, 1, 1, 1, 1]
    rest = metrics.mean_average_precision(Y[:, 1:], scores[:, 1:])
    assert metrics.mean_average_precision(never, scores) == pytest.approx(rest)


def test_precision_at_k_by_hand(ranked):
    Y, scores, weight = ranked
    for k in (1, 2, 5):
        each = [Y[i, np.argsort(-scores[i])[:k]].mean() for i in range(30)]
        assert metrics.precision_at_k(Y, scores, k, sample_weight=weight) == pytest.approx(
            np.average(each, weights=weight)
        )


def test_propensity_scores_by_hand():
    """Jain et al. 2016: c = (log N - 1) (b + 1)^a, p = 1 / (1 + c exp(-a log(N_l + b)))."""
    Y = np.zeros((50, 3), dtype=int)
    Y[:20, 0] = Y[:5, 1] = 1
    c = (np.log(50) - 1) * 2.5**0.55
    expected = [1 / (1 + c * np.exp(-0.55 * np.log(n + 1.5))) for n in (20, 5, 0)]
    np.testing.assert_allclose(metrics.propensities(Y), expected)
    p, truth, scores = np.array([0.8, 0.5, 0.2]), [[1, 1, 0], [0, 0, 1]], [[0.9, 0.1, 0.5], [0.3, 0.2, 0.1]]
    got = (1 / 0.8 + 0) / 2, 0.0
    best = (1 / 0.8 + 1 / 0.5) / 2, (1 / 0.2) / 2
    assert metrics.propensity_scored_precision_at_k(truth, scores, 2, p) == pytest.approx(
        sum(got) / sum(best)
    )
    second = 1 / np.log2(3)
    gain, ideal = 1 / 0.8, 1 / 0.5 + second / 0.8 + 1 / 0.2
    assert metrics.propensity_scored_ndcg_at_k(truth, scores, 2, p) == pytest.approx(gain / ideal)


def test_a_perfect_ranking_attains_all(ranked):
    Y, _, _ = ranked
    perfect = metrics.propensity_scored_precision_at_k(Y, Y.astype(float), 3, np.full(6, 0.3))
    assert perfect == pytest.approx(1.0)


METRICS = {
    "precision": lambda Y, s: metrics.precision_at_k(Y, s, 2),
    "ndcg": lambda Y, s: metrics.ndcg_at_k(Y, s, 2),
    "lrap": metrics.label_ranking_average_precision,
    "map": metrics.mean_average_precision,
    "psp": lambda Y, s: metrics.propensity_scored_precision_at_k(Y, s, 2, np.full(np.shape(Y)[1], 0.5)),
}


@pytest.mark.parametrize("name", METRICS)
def test_unknown_labels_are_left_out_of_the_ranking(name, ranked):
    """The last two columns are unknown in every row, and the last row in all columns."""
    Y, scores, _ = ranked
    partial = Y.astype(float)
    partial[:, 4:], partial[-1] = np.nan, -1
    metric = METRICS[name]
    assert metric(partial, scores) == pytest.approx(metric(Y[:-1, :4], scores[:-1, :4]))


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="k is 0"):
        metrics.precision_at_k([[1]], [[0.5]], 0)
    with pytest.raises(ValueError, match=r"scores\[0, 1\] is NaN"):
        metrics.precision_at_k([[1, 0]], [[0.5, np.nan]], 1)
    with pytest.raises(ValueError, match="propensities is"):
        metrics.propensity_scored_ndcg_at_k([[1, 0]], [[0.5, 0.1]], 1, [0.5, 0.0])
    with pytest.raises(ValueError, match="shape"):
        metrics.ndcg_at_k([[1, 0]], [[0.5]], 1)


def test_scorers_take_our_estimators_and_scikit_learns(ranked):
    Y, X, _ = ranked
    for model in (BinaryRelevance(l2=1.0), RandomForestClassifier(5, random_state=0)):
        model.fit(X, Y)
        probs = model.predict_proba(X)
        probs = np.column_stack([p[:, 1] for p in probs]) if isinstance(probs, list) else probs
        assert metrics.scorer("precision_at_3")(model, X, Y) == metrics.precision_at_k(Y, probs, 3)
        p = metrics.propensities(Y)
        scorer = metrics.scorer("propensity_scored_ndcg_at_3", propensities=p)
        assert scorer(model, X, Y) == metrics.propensity_scored_ndcg_at_k(Y, probs, 3, p)
    with pytest.raises(ValueError, match="propensity-scored scorer 'x'"):
        metrics.scorer("x", propensities=p)
