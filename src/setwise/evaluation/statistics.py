"""Is one method better than another, or is it chance? The tests that tables of methods and data sets need.

Two methods on the folds of one data set: :func:`paired_t_test`, as in the tables of MC and ML-ME. Two methods
on several data sets: :func:`win_tie_loss`, :func:`bayesian_signed_rank`. Several methods on several of them:
:func:`friedman` with Nemenyi's critical difference, :func:`wilcoxon_holm` (Demsar, JMLR 2006).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

from setwise.contract import Array, Floats

Verdict = Literal["better", "worse", "tie"]

MARKERS: dict[Verdict, str] = {"better": "*", "worse": "⊛", "tie": ""}
"""The papers' marks beside a method that ours is significantly better or worse than."""


class PairedTest(NamedTuple):
    """Our method against another on the same folds."""

    difference: float
    statistic: float
    p_value: float
    verdict: Verdict

    @property
    def marker(self) -> str:
        """The papers' mark for the other method's cell."""
        return MARKERS[self.verdict]


class WinTieLoss(NamedTuple):
    """On how many data sets our method is significantly better, neither, significantly worse."""

    win: int
    tie: int
    loss: int

    def __str__(self) -> str:
        return f"{self.win}/{self.tie}/{self.loss}"


class Friedman(NamedTuple):
    """Mean ranks of methods over data sets (1 is best), and what differs.

    ``statistic`` and ``p_value`` are the chi-square test's, ``f_statistic`` and ``f_p_value`` those of Iman
    and Davenport. Two methods differ if their mean ranks differ by more than ``critical_difference``;
    ``pairwise`` (methods, methods) has Nemenyi's p-values.
    """

    ranks: Floats
    statistic: float
    p_value: float
    f_statistic: float
    f_p_value: float
    critical_difference: float
    pairwise: Floats

    def groups(self) -> list[Array]:
        """The largest groups of methods that do not differ: the bars of a critical-difference diagram."""
        order = np.argsort(self.ranks, kind="stable")
        ranks = self.ranks[order]
        last = np.searchsorted(ranks, ranks + self.critical_difference, side="right")
        reach = np.concatenate([[0], last[:-1]])
        return [order[i:stop] for i, stop in enumerate(last) if stop > reach[i] and stop - i > 1]


class SignedRank(NamedTuple):
    """Posterior probabilities that a method is better, practically equal, worse."""

    better: float
    equal: float
    worse: float


def paired_t_test(
    ours: npt.ArrayLike, theirs: npt.ArrayLike, *, greater_is_better: bool = True, alpha: float = 0.05
) -> PairedTest:
    """Paired t-test of two methods on the folds of one data set.

    Parameters
    ----------
    ours, theirs : arrays of shape (folds,)
    greater_is_better : bool
        False for losses.
    alpha : float
        Significance level.

    Returns
    -------
    PairedTest
        ``difference`` is the mean of ours minus theirs. Where only one method's mean is infinite it is the
        worse or better one without a test.

    Examples
    --------
    >>> result = paired_t_test([0.62, 0.64, 0.63], [0.51, 0.50, 0.55])
    >>> result.verdict, result.marker
    ('better', '*')
    """
    a, b = _pair(ours, theirs)
    if len(a) < 2:
        raise ValueError("a paired test needs at least two folds")
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        return _infinite(a.sum(), b.sum(), greater_is_better)
    difference = a - b
    if np.ptp(difference) == 0:
        statistic = np.sign(difference[0]) * np.inf if difference[0] else 0.0
        p_value = 0.0 if difference[0] else 1.0
    else:
        statistic, p_value = stats.ttest_rel(a, b)
    verdict = _verdict(statistic if greater_is_better else -statistic) if p_value < alpha else "tie"
    return PairedTest(float(difference.mean()), float(statistic), float(p_value), verdict)


def win_tie_loss(
    ours: Sequence[npt.ArrayLike],
    theirs: Sequence[npt.ArrayLike],
    *,
    greater_is_better: bool = True,
    alpha: float = 0.05,
) -> WinTieLoss:
    """The last row of the papers' tables: paired t-tests on each data set, counted.

    Parameters
    ----------
    ours, theirs : one array of shape (folds,) for each data set

    Examples
    --------
    >>> print(win_tie_loss([[0.62, 0.64, 0.63], [0.3, 0.5, 0.4]], [[0.51, 0.50, 0.55], [0.5, 0.3, 0.4]]))
    1/1/0
    """
    if len(ours) != len(theirs):
        raise ValueError(f"{len(ours)} data sets of ours but {len(theirs)} of theirs")
    verdicts = [
        paired_t_test(a, b, greater_is_better=greater_is_better, alpha=alpha).verdict
        for a, b in zip(ours, theirs)
    ]
    return WinTieLoss(verdicts.count("better"), verdicts.count("tie"), verdicts.count("worse"))


def friedman(scores: npt.ArrayLike, *, greater_is_better: bool = True, alpha: float = 0.05) -> Friedman:
    """Friedman's test of several methods on several data sets, with Nemenyi's post-hoc test.

    Parameters
    ----------
    scores : array of shape (data sets, methods)

    Examples
    --------
    >>> result = friedman([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.7, 0.8], [0.7, 0.6, 0.5]])
    >>> result.ranks
    array([1.  , 2.25, 2.75])
    >>> round(result.critical_difference, 3)
    1.657
    """
    table = _table(scores)
    n_sets, n_methods = table.shape
    if n_methods < 3:
        raise ValueError(f"Friedman's test compares at least 3 methods; there are {n_methods}")
    ranks = stats.rankdata(-table if greater_is_better else table, axis=1)
    mean = ranks.mean(axis=0)
    # ties shrink the variance that the ranks would have by chance
    chance = (ranks**2).sum() - n_sets * n_methods * (n_methods + 1) ** 2 / 4
    spread = n_sets**2 * ((mean - (n_methods + 1) / 2) ** 2).sum()
    statistic = (n_methods - 1) * spread / chance if chance > 0 else 0.0
    room = n_sets * (n_methods - 1) - statistic
    f_statistic = (n_sets - 1) * statistic / room if room > 1e-9 else np.inf
    error = np.sqrt(n_methods * (n_methods + 1) / (6 * n_sets))
    quantile = stats.studentized_range.ppf(1 - alpha, n_methods, np.inf) / np.sqrt(2)
    return Friedman(
        ranks=mean,
        statistic=float(statistic),
        p_value=float(stats.chi2.sf(statistic, n_methods - 1)),
        f_statistic=float(f_statistic),
        f_p_value=float(stats.f.sf(f_statistic, n_methods - 1, (n_methods - 1) * (n_sets - 1))),
        critical_difference=float(quantile * error),
        pairwise=_nemenyi(mean / error),
    )


def wilcoxon_holm(scores: npt.ArrayLike) -> Floats:
    """P-values (methods, methods) of Wilcoxon's signed-rank test between all methods, adjusted by Holm.

    Parameters
    ----------
    scores : array of shape (data sets, methods)

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.linspace(0.5, 0.9, 10)[:, None] - np.array([0.0, 0.1, 0.1001])
    >>> wilcoxon_holm(scores).round(4)
    array([[1.    , 0.0059, 0.0059],
           [0.0059, 1.    , 0.0059],
           [0.0059, 0.0059, 1.    ]])
    """
    table = _table(scores)
    first, second = np.triu_indices(table.shape[1], k=1)
    p_values = [_wilcoxon(table[:, i] - table[:, j]) for i, j in zip(first, second)]
    result = np.ones((table.shape[1], table.shape[1]))
    result[first, second] = result[second, first] = holm(p_values)
    return result


def holm(p_values: npt.ArrayLike) -> Floats:
    """Holm's adjustment of several p-values for their number.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    return adjusted


def bayesian_signed_rank(
    ours: npt.ArrayLike,
    theirs: npt.ArrayLike,
    *,
    rope: float = 0.01,
    n_samples: int = 50_000,
    rng: np.random.Generator | None = None,
) -> SignedRank:
    """Posterior of the Bayesian signed-rank test on the scores of two methods (Benavoli et al., JMLR 2017).

    Parameters
    ----------
    ours, theirs : arrays of shape (data sets,); greater is better
    rope : float
        Differences up to this size count as none.
    n_samples : int
        Draws from the posterior.
    rng : Generator, optional
        Seeded with 0 by default, so that a table repeats.

    Examples
    --------
    >>> result = bayesian_signed_rank([0.9, 0.8, 0.85, 0.7, 0.9], [0.7, 0.6, 0.7, 0.5, 0.6])
    >>> result.better > 0.95
    True
    """
    a, b = _pair(ours, theirs)
    if not np.isfinite(a - b).all() or rope < 0:
        raise ValueError("the Bayesian test needs finite scores and a region of at least 0")
    rng = np.random.default_rng(0) if rng is None else rng
    # the prior is one pseudo-observation of no difference, of half the weight of a data set
    z = np.concatenate([[0.0], a - b])
    sums = z[:, None] + z
    weights = rng.dirichlet(np.concatenate([[0.5], np.ones(len(a))]), n_samples)
    regions = np.stack([sums > 2 * rope, np.abs(sums) <= 2 * rope, sums < -2 * rope])
    shares = np.einsum("si,rij,sj->sr", weights, regions.astype(np.float64), weights, optimize=True)
    winners = np.bincount(shares.argmax(axis=1), minlength=3) / n_samples
    return SignedRank(*map(float, winners))


def _pair(ours: npt.ArrayLike, theirs: npt.ArrayLike) -> tuple[Floats, Floats]:
    a, b = np.asarray(ours, dtype=np.float64), np.asarray(theirs, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape or a.size == 0:
        raise ValueError(
            f"scores of shapes {a.shape} and {b.shape}; expected the same folds or data sets twice"
        )
    if np.isnan(a).any() or np.isnan(b).any():
        raise ValueError("a score is NaN: a fold that failed cannot be compared")
    return a, b


def _table(scores: npt.ArrayLike) -> Floats:
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] < 2 or table.shape[1] < 2:
        raise ValueError(
            f"scores have shape {table.shape}; expected at least 2 data sets (rows) and 2 methods"
        )
    if not np.isfinite(table).all():
        row, column = np.argwhere(~np.isfinite(table))[0]
        raise ValueError(f"scores[{row}, {column}] is {table[row, column]}; ranks need finite scores")
    return table


def _verdict(advantage: float) -> Verdict:
    return "better" if advantage > 0 else "worse"


def _infinite(ours: float, theirs: float, greater_is_better: bool) -> PairedTest:
    """Methods of which one has infinite scores: no test, but a verdict if the other's are finite."""
    if ours == theirs or not (np.isfinite(ours) or np.isfinite(theirs)):
        return PairedTest(float("nan"), float("nan"), float("nan"), "tie")
    advantage = ours - theirs if greater_is_better else theirs - ours
    return PairedTest(ours - theirs, float("nan"), float("nan"), _verdict(advantage))


def _nemenyi(ranks: Floats) -> Floats:
    """P-values of the differences between mean ranks in units of their standard error."""
    first, second = np.triu_indices(len(ranks), k=1)
    gaps = np.abs(ranks[first] - ranks[second]) * np.sqrt(2)
    result = np.ones((len(ranks), len(ranks)))
    result[first, second] = result[second, first] = stats.studentized_range.sf(gaps, len(ranks), np.inf)
    return result


def _wilcoxon(differences: Floats) -> float:
    return float(stats.wilcoxon(differences).pvalue) if differences.any() else 1.0
