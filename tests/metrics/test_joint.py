import numpy as np
import pytest

from setwise import metrics


def test_loss_of_known_probabilities():
    log_prob = np.log([0.5, 0.25, 1.0])
    assert metrics.joint_log_loss_sum(log_prob) == pytest.approx(np.log(8))
    assert metrics.joint_log_loss(log_prob) == pytest.approx(np.log(8) / 3)


def test_weights_equal_repetition():
    log_prob = np.log([0.5, 0.25, 0.7])
    repeated = np.repeat(log_prob, [1, 3, 2])
    assert metrics.joint_log_loss(log_prob, sample_weight=[1, 3, 2]) == pytest.approx(
        metrics.joint_log_loss(repeated)
    )


def test_impossible_sets_make_the_loss_infinite_unless_they_weigh_nothing():
    log_prob = [-1.0, -np.inf]
    assert metrics.joint_log_loss(log_prob) == np.inf
    assert metrics.joint_log_loss_sum(log_prob) == np.inf
    assert metrics.impossible_share(log_prob) == 0.5
    assert metrics.joint_log_loss(log_prob, sample_weight=[2, 0]) == 1.0


@pytest.mark.parametrize("bad", [[np.nan], [0.1], [], [[-1.0]], [np.inf]])
def test_what_is_not_a_log_probability_is_refused(bad):
    with pytest.raises(ValueError, match="log_prob"):
        metrics.joint_log_loss(bad)


@pytest.mark.parametrize("weights", [[1.0], [-1.0, 1.0], [0.0, 0.0], [np.nan, 1.0]])
def test_bad_weights_are_refused(weights):
    with pytest.raises(ValueError, match="sample_weight"):
        metrics.joint_log_loss([-1.0, -2.0], sample_weight=weights)


def test_coverage_worked_by_hand():
    Y = [[1, 0], [0, 1], [1, 1]]
    top = [[[1, 0], [0, 0], [1, 1]], [[0, 0], [1, 1], [0, 1]], [[0, 0], [-1, -1], [-1, -1]]]
    assert metrics.top_k_coverage(Y, top) == pytest.approx([1 / 3, 1 / 3, 2 / 3])


def test_coverage_names_the_expected_shape():
    with pytest.raises(ValueError, match=r"expected \(1, k, 2\)"):
        metrics.top_k_coverage([[1, 0]], [[1, 0]])
    with pytest.raises(ValueError, match="values other than"):
        metrics.top_k_coverage([[1, 0]], [[[1, 7]]])
