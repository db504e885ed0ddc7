"""Compare two methods: on the folds of one data set, or over several data sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

from setwise.contract import Floats

Verdict = Literal["better", "worse", "tie"]
"""How a method compares with another: better or worse by a test, or neither."""

MARKERS: dict[Verdict, str] = {"better": "*", "worse": "⊛", "tie": ""}
"""The papers' mark beside a method that ours is significantly better or worse than."""


class PairedTest(NamedTuple):
    """Result of a paired test of our method against another one.

    Parameters
    ----------
    difference : float
        Mean of ours minus theirs.
    statistic : float
        Test statistic; NaN if a score is infinite and nothing was tested.
    p_value : float
        Two-sided p-value.
    verdict : {"better", "worse", "tie"}
        Result of the test for our method.

    Examples
    --------
    >>> PairedTest(0.1, 5.0, 0.01, "better").marker
    '*'
    """

    difference: float
    statistic: float
    p_value: float
    verdict: Verdict

    @property
    def marker(self) -> str:
        """The papers' mark for the other method's cell."""
        return MARKERS[self.verdict]


class WinTieLoss(NamedTuple):
    """Number of data sets on which our method is significantly better, neither, or significantly worse.

    Parameters
    ----------
    win, tie, loss : int
        Numbers of data sets.

    Examples
    --------
    >>> print(WinTieLoss(4, 1, 0))
    4/1/0
    """

    win: int
    tie: int
    loss: int

    def __str__(self) -> str:
        return f"{self.win}/{self.tie}/{self.loss}"


class SignedRank(NamedTuple):
    """Posterior probabilities of the Bayesian signed-rank test.

    Parameters
    ----------
    better, equal, worse : float
        Probability that our method is better, practically equal, or worse.

    Examples
    --------
    >>> SignedRank(0.9, 0.1, 0.0).better
    0.9
    """

    better: float
    equal: float
    worse: float


def paired_t_test(
    ours: npt.ArrayLike, theirs: npt.ArrayLike, *, greater_is_better: bool = True, alpha: float = 0.05
) -> PairedTest:
    """Test whether two methods differ on the folds of one data set.

    Parameters
    ----------
    ours, theirs : array-like of shape (n_folds,)
        Scores of both methods on the same folds.
    greater_is_better : bool, default=True
        Pass False for losses.
    alpha : float, default=0.05
        Significance level.

    Returns
    -------
    PairedTest
        If only one method has infinite scores, the verdict follows from that and nothing is tested.

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
    """Count the verdicts of paired t-tests over data sets: the last row of the papers' tables.

    Parameters
    ----------
    ours, theirs : sequence of array-like
        For each data set the scores (n_folds,) of both methods.
    greater_is_better : bool, default=True
        Pass False for losses.
    alpha : float, default=0.05
        Significance level of each test.

    Returns
    -------
    WinTieLoss
        Numbers of data sets.

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


def bayesian_signed_rank(
    ours: npt.ArrayLike,
    theirs: npt.ArrayLike,
    *,
    rope: float = 0.01,
    n_samples: int = 50_000,
    rng: np.random.Generator | None = None,
) -> SignedRank:
    """Compare two methods over data sets by the Bayesian signed-rank test (Benavoli et al., JMLR 2017).

    Parameters
    ----------
    ours, theirs : array-like of shape (n_data_sets,)
        Scores; greater is better.
    rope : float, default=0.01
        Region of practical equivalence: smaller differences count as equal.
    n_samples : int, default=50000
        Draws from the posterior.
    rng : numpy.random.Generator, optional
        Source of the draws; seeded with 0 by default, so that a table repeats.

    Returns
    -------
    SignedRank
        Posterior probabilities.

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
    # The prior is one pseudo-observation of no difference with half the weight of a data set.
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


def _verdict(advantage: float) -> Verdict:
    return "better" if advantage > 0 else "worse"


def _infinite(ours: float, theirs: float, greater_is_better: bool) -> PairedTest:
    """Verdict if one method has infinite scores: there is nothing to test."""
    if ours == theirs or not (np.isfinite(ours) or np.isfinite(theirs)):
        return PairedTest(float("nan"), float("nan"), float("nan"), "tie")
    advantage = ours - theirs if greater_is_better else theirs - ours
    return PairedTest(ours - theirs, float("nan"), float("nan"), _verdict(advantage))
