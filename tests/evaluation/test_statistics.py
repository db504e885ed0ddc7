import numpy as np
import pytest
import scikit_posthocs
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from setwise.evaluation.statistics import (
    bayesian_signed_rank,
    friedman,
    holm,
    paired_t_test,
    wilcoxon_holm,
    win_tie_loss,
)

seeds = st.integers(0, 10_000)


def random_table(seed, ties=False):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(rng.integers(4, 15), rng.integers(3, 8)))
    return table.round(0 if ties else 9) + 0.0


@given(seeds)
def test_the_t_test_is_scipys(seed):
    ours, theirs = np.random.default_rng(seed).normal(size=(2, 10))
    expected = stats.ttest_rel(ours, theirs)
    for greater_is_better in (True, False):
        result = paired_t_test(ours, theirs, greater_is_better=greater_is_better)
        assert (result.statistic, result.p_value) == pytest.approx((expected.statistic, expected.pvalue))
        wins = (ours.mean() > theirs.mean()) == greater_is_better
        assert result.verdict == (("better" if wins else "worse") if expected.pvalue < 0.05 else "tie")
    assert result.difference == pytest.approx(ours.mean() - theirs.mean())


@pytest.mark.parametrize(
    ("ours", "theirs", "verdict", "marker"),
    [
        ([0.6, 0.7, 0.65], [0.5, 0.61, 0.54], "better", "*"),
        ([0.5, 0.61, 0.54], [0.6, 0.7, 0.65], "worse", "⊛"),
        ([0.5, 0.6], [0.5, 0.6], "tie", ""),
        ([0.75, 1.0], [0.5, 0.75], "better", "*"),  # the same difference in every fold
        ([0.5, 0.9, 0.1], [0.9, 0.1, 0.5], "tie", ""),
    ],
)
def test_markers(ours, theirs, verdict, marker):
    result = paired_t_test(ours, theirs)
    assert (result.verdict, result.marker) == (verdict, marker)
    assert not np.isnan(result.p_value)


def test_infinite_losses_are_worse_than_finite_ones():
    finite, infinite = [3.0, 4.0], [3.0, np.inf]
    assert paired_t_test(finite, infinite, greater_is_better=False).verdict == "better"
    assert paired_t_test(infinite, finite, greater_is_better=False).verdict == "worse"
    assert paired_t_test(infinite, infinite, greater_is_better=False).verdict == "tie"


def test_win_tie_loss_counts_verdicts():
    base = np.array([0.5, 0.6, 0.55, 0.52])
    others = [base - 0.1 + [0, 0.01, 0, 0], base, base + 0.2 - [0, 0.01, 0, 0], base - 0.3]
    assert win_tie_loss([base] * 4, others) == (2, 1, 1)
    assert str(win_tie_loss([base] * 4, others, greater_is_better=False)) == "1/1/2"


@pytest.mark.parametrize("ties", [False, True])
@settings(max_examples=15, deadline=None)
@given(seed=seeds)
def test_friedman_is_scipys(seed, ties):
    table = random_table(seed, ties)
    if np.ptp(table, axis=1).max() == 0:
        return
    result, expected = friedman(table), stats.friedmanchisquare(*table.T)
    assert (result.statistic, result.p_value) == pytest.approx((expected.statistic, expected.pvalue))
    assert result.ranks == pytest.approx(stats.rankdata(-table, axis=1).mean(axis=0))
    n_sets, n_methods = table.shape
    f = (n_sets - 1) * result.statistic / (n_sets * (n_methods - 1) - result.statistic)
    assert result.f_statistic == pytest.approx(f)


@pytest.mark.parametrize("seed", range(5))
def test_nemenyi_is_scikit_posthocs(seed):
    table = random_table(seed)
    expected = scikit_posthocs.posthoc_nemenyi_friedman(table).to_numpy()
    np.testing.assert_allclose(friedman(table).pairwise, expected, atol=1e-6)


def test_critical_differences_of_demsars_table():
    # q(0.05) of Table 5 in Demsar 2006 for 3, 5 and 10 methods
    for n_methods, q in [(3, 2.343), (5, 2.728), (10, 3.164)]:
        table = np.random.default_rng(0).normal(size=(12, n_methods))
        expected = q * np.sqrt(n_methods * (n_methods + 1) / (6 * 12))
        assert friedman(table).critical_difference == pytest.approx(expected, rel=1e-3)


def test_groups_are_the_bars_of_the_diagram():
    table = np.random.default_rng(0).normal(size=(6, 4))
    result = friedman(table)._replace(ranks=np.array([3.9, 1.0, 2.0, 2.6]), critical_difference=1.4)
    assert [group.tolist() for group in result.groups()] == [[1, 2], [2, 3], [3, 0]]
    assert result._replace(critical_difference=0.1).groups() == []
    assert [g.tolist() for g in result._replace(critical_difference=9.0).groups()] == [[1, 2, 3, 0]]


def test_methods_that_never_differ():
    result = friedman(np.ones((5, 3)))
    assert (result.statistic, result.p_value) == (0, 1)
    assert wilcoxon_holm(np.ones((5, 3))).tolist() == np.ones((3, 3)).tolist()


def test_methods_in_one_order_everywhere():
    result = friedman(np.tile([3.0, 2.0, 1.0], (5, 1)))
    assert result.statistic == 10
    assert result.f_statistic == np.inf
    assert result.f_p_value == 0


@settings(max_examples=10, deadline=None)
@given(seeds)
def test_wilcoxon_holm_is_scikit_posthocs(seed):
    table = random_table(seed)
    long = np.tile(np.arange(table.shape[1]), (table.shape[0], 1))
    expected = scikit_posthocs.posthoc_wilcoxon(
        [table[:, method] for method in long[0]], p_adjust="holm"
    ).to_numpy()
    np.testing.assert_allclose(wilcoxon_holm(table), expected)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_is_statsmodels(p_values):
    np.testing.assert_allclose(holm(p_values), multipletests(p_values, method="holm")[1])


def test_bayesian_signed_rank():
    rng = np.random.default_rng(0)
    ours = rng.normal(0.8, 0.05, 20)
    assert bayesian_signed_rank(ours, ours - 0.1).better > 0.99
    assert bayesian_signed_rank(ours - 0.1, ours).worse > 0.99
    assert bayesian_signed_rank(ours, ours + 0.001).equal > 0.99
    assert sum(bayesian_signed_rank(ours, rng.normal(0.8, 0.05, 20))) == pytest.approx(1)
    noise = rng.normal(0, 0.1, 20)
    one, two = bayesian_signed_rank(ours + noise, ours), bayesian_signed_rank(ours, ours + noise)
    assert one.better == pytest.approx(two.worse, abs=0.02)  # two samples of one posterior, mirrored


def test_one_data_set_in_closed_form():
    # weight w of the prior at 0 against 1 - w at 1: better unless w^2 > 1 - w^2, w ~ Beta(1/2, 1)
    expected = np.sqrt(np.sqrt(0.5))
    result = bayesian_signed_rank([1.0], [0.0], rope=0.0, n_samples=200_000)
    assert result.better == pytest.approx(expected, abs=0.005)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: paired_t_test([1.0], [1.0]), "at least two folds"),
        (lambda: paired_t_test([1.0, 2.0], [1.0]), "same folds"),
        (lambda: paired_t_test([1.0, np.nan], [1.0, 2.0]), "NaN"),
        (lambda: win_tie_loss([[1, 2]], []), "1 data sets of ours but 0"),
        (lambda: friedman([[1.0, 2.0], [1.0, 2.0]]), "at least 3 methods"),
        (lambda: friedman([[1.0, 2.0, np.inf], [1.0, 2.0, 3.0]]), r"scores\[0, 2\] is inf"),
        (lambda: wilcoxon_holm([1.0, 2.0]), "expected at least 2 data sets"),
        (lambda: bayesian_signed_rank([1.0], [np.inf]), "finite scores"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
