"""Metrics of sets if some true labels are unknown: the same as those of the known cells."""

import numpy as np
import pytest
from scipy import sparse

from setwise import metrics

BY_ROW = ("exact_match", "instance_f1", "instance_precision", "instance_recall", "instance_jaccard")


@pytest.fixture
def pair():
    rng = np.random.default_rng(0)
    Y, P = (rng.random((2, 40, 5)) < 0.5).astype(int)
    unknown = rng.random((40, 5)) < 0.3
    unknown[3] = True
    return Y, P, unknown, rng.random(40)


@pytest.mark.parametrize("name", BY_ROW)
@pytest.mark.parametrize("weighted", [False, True])
def test_rows_are_judged_by_their_known_labels(name, weighted, pair):
    """Each row alone, cut to its known labels, is complete: the mean over rows must be the same."""
    Y, P, unknown, weight = pair
    metric = getattr(metrics, name)
    rows = [i for i in range(40) if not unknown[i].all()]
    each = [metric(Y[i : i + 1, ~unknown[i]], P[i : i + 1, ~unknown[i]]) for i in rows]
    expected = np.average(each, weights=weight[rows] if weighted else None)
    for marked in (np.where(unknown, -1, Y), np.where(unknown, np.nan, Y)):
        got = metric(marked, P, sample_weight=weight if weighted else None)
        assert got == pytest.approx(expected)
    assert metric(sparse.csr_array(np.where(unknown, -1, Y)), sparse.csr_array(P)) == pytest.approx(
        np.mean(each)
    )


def test_cells_are_counted_if_known(pair):
    Y, P, unknown, weight = pair
    known, cells = ~unknown, np.broadcast_to(weight[:, None], Y.shape)
    partial = np.where(unknown, -1, Y)
    assert metrics.hamming_score(partial, P) == pytest.approx((Y == P)[known].mean())
    assert metrics.hamming_score(partial, P, sample_weight=weight) == pytest.approx(
        np.average((Y == P)[known], weights=cells[known])
    )
    assert metrics.micro_f1(partial, P) == pytest.approx(
        metrics.micro_f1(Y[known][:, None], P[known][:, None])
    )
    each = [metrics.micro_f1(Y[known[:, j]][:, [j]], P[known[:, j]][:, [j]]) for j in range(5)]
    assert metrics.macro_f1(partial, P) == pytest.approx(np.mean(each))
    assert metrics.cardinality(partial) == pytest.approx(sum(Y[known[:, j], j].mean() for j in range(5)))


def test_coverage_asks_for_agreement_with_what_is_known():
    top = [[[1, 0], [1, 1]], [[0, 0], [0, 1]], [[0, 0], [0, 0]]]
    assert metrics.top_k_coverage([[1, -1], [-1, 1], [-1, -1]], top).tolist() == [0.5, 1.0]


def test_nothing_known_and_unknown_predictions_are_errors():
    with pytest.raises(ValueError, match="no known label"):
        metrics.exact_match([[-1, -1]], [[0, 1]])
    with pytest.raises(ValueError, match=r"Y_pred\[0, 0\] is -1: unknown"):
        metrics.exact_match([[1, 0]], [[-1, 0]])
    with pytest.raises(ValueError, match="every row that has a known label"):
        metrics.instance_f1([[1, 0], [-1, -1]], [[1, 0], [0, 0]], sample_weight=[0, 1])
