"""Compare several methods over several data sets by their ranks (Demsar, JMLR 2006)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

from setwise.contract import Array, Floats


class Friedman(NamedTuple):
    """Mean ranks of methods over data sets, and which of them differ.

    Parameters
    ----------
    ranks : ndarray of shape (n_methods,)
        Mean ranks; 1 is best.
    statistic, p_value : float
        Friedman's chi-square test.
    f_statistic, f_p_value : float
        Iman and Davenport's test.
    critical_difference : float
        Two methods differ if their mean ranks differ by more than this.
    pairwise : ndarray of shape (n_methods, n_methods)
        Nemenyi's p-values.

    Examples
    --------
    >>> friedman([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.7, 0.8]]).ranks.argmin()
    np.int64(0)
    """

    ranks: Floats
    statistic: float
    p_value: float
    f_statistic: float
    f_p_value: float
    critical_difference: float
    pairwise: Floats

    def groups(self) -> list[Array]:
        """Find the largest groups of methods that do not differ: the bars of a critical-difference diagram.

        Returns
        -------
        list of ndarray
            Indices of the methods in each group, best rank first.

        Examples
        --------
        >>> [group.tolist() for group in friedman([[0.9, 0.8, 0.7], [0.8, 0.9, 0.6]]).groups()]
        [[0, 1, 2]]
        """
        order = np.argsort(self.ranks, kind="stable")
        ranks = self.ranks[order]
        last = np.searchsorted(ranks, ranks + self.critical_difference, side="right")
        reach = np.concatenate([[0], last[:-1]])
        return [order[i:stop] for i, stop in enumerate(last) if stop > reach[i] and stop - i > 1]


def friedman(scores: npt.ArrayLike, *, greater_is_better: bool = True, alpha: float = 0.05) -> Friedman:
    """Test whether several methods differ over several data sets, with Nemenyi's post-hoc test.

    Parameters
    ----------
    scores : array-like of shape (n_data_sets, n_methods)
        Finite scores.
    greater_is_better : bool, default=True
        Pass False for losses.
    alpha : float, default=0.05
        Significance level of the critical difference.

    Returns
    -------
    Friedman
        Mean ranks and tests.

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
    # Ties reduce the variance of ranks under the null hypothesis.
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
    """Test all pairs of methods by Wilcoxon's signed-rank test, adjusted by Holm's method.

    Parameters
    ----------
    scores : array-like of shape (n_data_sets, n_methods)
        Finite scores.

    Returns
    -------
    ndarray of shape (n_methods, n_methods)
        Adjusted p-values.

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
    """Adjust several p-values for their number by Holm's method.

    Parameters
    ----------
    p_values : array-like of shape (n_tests,)
        Unadjusted p-values.

    Returns
    -------
    ndarray of shape (n_tests,)
        Adjusted p-values, at most 1.

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


def _nemenyi(ranks: Floats) -> Floats:
    """P-values of the differences between mean ranks in units of their standard error."""
    first, second = np.triu_indices(len(ranks), k=1)
    gaps = np.abs(ranks[first] - ranks[second]) * np.sqrt(2)
    result = np.ones((len(ranks), len(ranks)))
    result[first, second] = result[second, first] = stats.studentized_range.sf(gaps, len(ranks), np.inf)
    return result


def _wilcoxon(differences: Floats) -> float:
    return float(stats.wilcoxon(differences).pvalue) if differences.any() else 1.0
