"""Many logistic regressions at once against a loop of scikit-learn's, at an equal objective."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from benchmarks.timing import Line, seconds
from setwise.contract import Array, Floats
from setwise.datasets import load
from setwise.learning.linear.design import Design
from setwise.learning.linear.logistic import fit_logistic
from setwise.learning.linear.logistic_problems import LogisticProblems

L2 = 1.0
ACCURACY = 1e-6
"""Both solvers may exceed the best objective known by this much, relatively."""
TOLERANCES = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
"""Tried from the loosest on: each solver is timed at the first that is accurate enough."""


class Suite(NamedTuple):
    """Regressions on one X: problem b has targets y[:, b] on the rows where given[:, b] is 1."""

    X: Floats
    y: Floats
    given: Floats

    def objective(self, b: int, coef: Floats, intercept: float) -> float:
        """The objective both solvers minimise, by a formula of neither."""
        score, sign = self.X @ coef + intercept, 1.0 - 2.0 * self.y[:, b]
        return float(self.given[:, b] @ np.logaddexp(0.0, sign * score) + 0.5 * L2 * coef @ coef)


def mediamill(rows: int | None) -> Suite:
    """One regression for each label of mediamill's training part, but for labels constant there."""
    data = load("mediamill").train()
    X = StandardScaler().fit_transform(np.asarray(data.X[:rows], dtype=np.float64))
    Y = data.Y[:rows].astype(np.float64)
    Y = Y[:, Y.min(axis=0) < Y.max(axis=0)]
    return Suite(X, Y, np.ones((len(X), Y.shape[1])))


def yeast_edges(rows: int | None) -> Suite:
    """Every label of yeast given each value of every other: the 2 * 14 * 13 fits of all edge scores."""
    data = load("yeast")
    X = StandardScaler().fit_transform(np.asarray(data.X[:rows], dtype=np.float64))
    Y = data.Y[:rows].astype(np.float64)
    pairs = [(child, parent) for child in range(14) for parent in range(14) if child != parent]
    y = np.column_stack([Y[:, child] for child, _ in pairs for _ in range(2)])
    given = np.column_stack([np.where(Y[:, parent] == v, 1.0, 0.0) for _, parent in pairs for v in (0, 1)])
    positive, total = (given * y).sum(axis=0), given.sum(axis=0)
    varying = (positive > 0) & (positive < total)
    return Suite(X, y[:, varying], given[:, varying])


def ours(suite: Suite, tol: float) -> tuple[Floats, Floats]:
    """All problems at once: coefficients (d, B) and intercepts (B,)."""
    design = Design(suite.X, standardize=False)
    alone = bool(suite.given.all())
    weights, weight = (None, None) if alone else (suite.given, np.arange(suite.given.shape[1]))
    problems = LogisticProblems.of(suite.y, weights=weights, weight=weight, l2=L2)
    found = design.to_features(fit_logistic(design, problems, tol=tol).coef)
    return found.coef, found.intercept


def theirs(suite: Suite, tol: float, which: Array) -> tuple[Floats, Floats]:
    """One problem after the other, each on its own rows."""
    fits = list(_loop(suite, tol, which))
    return np.column_stack([fit.coef_[0] for fit in fits]), np.array([fit.intercept_[0] for fit in fits])


def _loop(suite: Suite, tol: float, which: Array) -> Iterator[LogisticRegression]:
    for b in which:
        rows = suite.given[:, b] > 0
        model = LogisticRegression(solver="lbfgs", C=1.0 / L2, tol=tol, max_iter=10_000)
        yield model.fit(suite.X[rows] if not rows.all() else suite.X, suite.y[rows, b])


def compare(name: str, suite: Suite, every: int, wanted: str) -> Line:
    """Both solvers at their loosest accurate tolerance; scikit-learn on every ``every``-th problem."""
    which = np.arange(0, suite.y.shape[1], every)
    everything = np.arange(suite.y.shape[1])
    exact = ours(suite, 1e-13)
    best = np.array([suite.objective(b, exact[0][:, b], exact[1][b]) for b in everything])

    def excess(problems: Array, found: tuple[Floats, Floats]) -> float:
        values = np.array([suite.objective(b, found[0][:, i], found[1][i]) for i, b in enumerate(problems)])
        return float(((values - best[problems]) / best[problems]).max())

    our_time, our_tol, our_excess = _timed(
        lambda tol: ours(suite, tol), lambda found: excess(everything, found), 3
    )
    loop_time, loop_tol, loop_excess = _timed(
        lambda tol: theirs(suite, tol, which), lambda found: excess(which, found), 1
    )
    full = loop_time * len(everything) / len(which)
    share = "" if every == 1 else f" (every {every}th problem, extrapolated)"
    note = (
        f"{len(everything)} problems of {suite.X.shape[0]} x {suite.X.shape[1]}; largest relative excess over "
        f"our optimum at tol 1e-13: {our_excess:.1e} (tol {our_tol:g}) and {loop_excess:.1e} (tol {loop_tol:g})"
    )
    return Line(
        name,
        f"{our_time:.2f} s",
        f"{full:.2f} s{share}",
        f"{full / our_time:.1f}x faster",
        wanted,
        note,
        full / our_time,
    )


def _timed(
    solve: Callable[[float], tuple[Floats, Floats]],
    excess: Callable[[tuple[Floats, Floats]], float],
    repeats: int,
) -> tuple[float, float, float]:
    """Time, tolerance and excess at the loosest tolerance that is accurate enough (else the tightest)."""
    for tol in TOLERANCES:
        time, found = seconds(lambda tol=tol: solve(tol), repeats)
        reached = excess(found)
        if reached <= ACCURACY:
            break
    return time, tol, reached


def run(every: int, rows: int | None) -> Iterator[Line]:
    """The two comparisons."""
    yield compare("regressions of mediamill's labels", mediamill(rows), every, "at least 15x")
    yield compare("regressions of all edges of yeast", yeast_edges(rows), 1, "at least 10x")
