"""All labels of sparse data at once against a loop of scikit-learn's regressions, at an equal objective.

``python -m benchmarks sparse --threads 1``. Processor time, ours the median of three. Columns are divided by our own
column scales, the penalty is C = 1, the intercept is free, and the objective is within 1e-6 of the optimum. The loop
is that of the faster of ``lbfgs`` and ``newton-cholesky``, at the loosest tolerance that reaches it; newton-cholesky is
left out beyond 2,000 columns, whose Hessian alone takes longer, and given up once a loose tolerance takes longer than
``lbfgs`` does in all. With ``--every k`` the loop has every k-th label, and
its time is extrapolated.
"""

from __future__ import annotations

import csv
import gzip
import os
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from benchmarks.timing import Line
from setwise.contract import Array, Floats, Labels
from setwise.datasets import DataNotFound, load
from setwise.datasets.registry import cache_folder
from setwise.kernels.matrices import column_moments, divide_columns, to_dense
from setwise.learning.linear.coordinates import column_scales
from setwise.learning.linear.design import Design
from setwise.learning.linear.logistic import fit_logistic
from setwise.learning.linear.logistic_problems import LogisticProblems

ACCURACY = 1e-6
OUR_TOLERANCES = (1e-6, 1e-7, 1e-8, 1e-9, 1e-10)
THEIR_TOLERANCES = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
NEWTON_COLUMNS = 2000
WANTED = {
    **dict.fromkeys(("bibtex", "enron", "tmc2007_500", "rcv1subset1", "imdb", "delicious"), "at least 5x"),
    **dict.fromkeys(("yahoo_arts", "goemotions", "reuters"), "at least 3x"),
}


class Regressions(NamedTuple):
    """One regression for each column of ``Y`` (n, L) on scaled features ``X`` (n, d)."""

    X: Any
    Y: Floats

    def excess(self, labels: Array, coef: Floats, intercept: Floats, best: Floats) -> float:
        """The largest relative excess over the best objectives (L,), by a formula of neither solver."""
        scores = self.X @ coef + intercept
        losses = np.logaddexp(0.0, (1.0 - 2.0 * self.Y[:, labels]) * scores).sum(axis=0)
        values = losses + 0.5 * (coef**2).sum(axis=0)
        return float((values / best[labels] - 1.0).max())


def regressions(name: str, rows: int | None) -> Regressions:
    """The data of a name, scaled; labels that are constant have no regression."""
    X, Y = TEXTS[name]() if name in TEXTS else _table(name)
    X, Y = sp.csr_array(X[:rows]).astype(np.float64), Y[:rows].astype(np.float64)
    moments = column_moments(X)
    X = divide_columns(X, np.where(moments.deviation > 0, column_scales(moments), np.inf))
    return Regressions(X, Y[:, Y.min(axis=0) < Y.max(axis=0)])


def _table(name: str) -> tuple[Any, Labels]:
    data = load(name)
    return data.X, to_dense(data.Y)


def _goemotions() -> tuple[Any, Labels]:
    rows = _read("goemotions-train.tsv.gz")
    tags = [row["labels"].split(",") for row in rows]
    return TfidfVectorizer().fit_transform([row["text"] for row in rows]), _indicators(tags)


def _reuters() -> tuple[Any, Labels]:
    rows = [row for row in _read("reuters21578.tsv.gz") if row["topics"]]
    texts = [f"{row['title']} {row['body']}" for row in rows]
    return TfidfVectorizer().fit_transform(texts), _indicators([row["topics"].split("|") for row in rows])


def _read(file: str) -> list[dict[str, str]]:
    path = Path(os.environ.get("SETWISE_DATA", cache_folder())) / "text" / file
    if not path.exists():
        raise DataNotFound(f"no {path}")
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def _indicators(tags: list[list[str]]) -> Labels:
    places = {tag: place for place, tag in enumerate(sorted({tag for row in tags for tag in row}))}
    Y = np.zeros((len(tags), len(places)), np.int8)
    for row, own in enumerate(tags):
        Y[row, [places[tag] for tag in own]] = 1
    return Y


TEXTS: dict[str, Callable[[], tuple[Any, Labels]]] = {"goemotions": _goemotions, "reuters": _reuters}


def ours(suite: Regressions, tol: float) -> tuple[Floats, Floats, Floats]:
    """All problems at once: coefficients (d, L), intercepts (L,) and objectives (L,)."""
    design = Design(suite.X, standardize=False)
    fit = fit_logistic(design, LogisticProblems.of(suite.Y, l2=1.0), tol=tol)
    found = design.to_features(fit.coef)
    return found.coef, found.intercept, fit.objective


def loop(suite: Regressions, labels: Array, solver: str, tol: float) -> tuple[Floats, Floats]:
    """One problem after the other."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = LogisticRegression(C=1.0, solver=solver, tol=tol, max_iter=20_000)
        fits = [(f.coef_[0], f.intercept_[0]) for f in (model.fit(suite.X, suite.Y[:, b]) for b in labels)]
    return np.column_stack([coef for coef, _ in fits]), np.array([intercept for _, intercept in fits])


def compare(name: str, every: int, rows: int | None) -> Line:
    """Both solvers at their loosest accurate tolerance."""
    suite = regressions(name, rows)
    everything = np.arange(suite.Y.shape[1])
    some = everything[::every]
    best = ours(suite, 1e-12)[2]
    our_time, our_tol, our_excess = _loosest(
        OUR_TOLERANCES,
        lambda tol: suite.excess(everything, *ours(suite, tol)[:2], best),
        lambda tol: ours(suite, tol),
    )
    solvers = ["lbfgs", *(["newton-cholesky"] if suite.X.shape[1] <= NEWTON_COLUMNS else [])]
    times: list[tuple[float, float, float, str]] = []
    for solver in solvers:
        times.append(_loop_time(suite, some, solver, best, beaten=min(times)[0] if times else np.inf))
    their_time, their_tol, their_excess, solver = min(times)
    their_time *= len(everything) / len(some)
    note = (
        f"{len(everything)} labels of {suite.X.shape[0]} x {suite.X.shape[1]}, {suite.X.nnz} values; largest "
        f"excess {our_excess:.1e} (tol {our_tol:g}) and {their_excess:.1e} ({solver}, tol {their_tol:g})"
        + (f"; every {every}th label, extrapolated" if every > 1 else "")
    )
    return Line(
        f"fixed penalty, {name}",
        f"{our_time:.2f} s",
        f"{their_time:.2f} s",
        f"{their_time / our_time:.1f}x faster",
        WANTED[name],
        note,
        their_time / our_time,
    )


def _loop_time(
    suite: Regressions, labels: Array, solver: str, best: Floats, beaten: float
) -> tuple[float, float, float, str]:
    for tol in THEIR_TOLERANCES:
        start = time.process_time()
        found = loop(suite, labels, solver, tol)
        spent, excess = time.process_time() - start, suite.excess(labels, *found, best)
        if excess <= ACCURACY or spent > beaten:
            break
    return spent, tol, excess, solver


def _loosest(
    tolerances: tuple[float, ...], excess: Callable[[float], float], fit: Callable[[float], Any]
) -> tuple[float, float, float]:
    """The median of three processor times at the loosest tolerance that is accurate enough (else the tightest)."""
    for tol in tolerances:
        reached = excess(tol)
        if reached <= ACCURACY:
            break
    spent = []
    for _ in range(3):
        start = time.process_time()
        fit(tol)
        spent.append(time.process_time() - start)
    return statistics.median(spent), tol, reached


def run(every: int, rows: int | None) -> Iterator[Line]:
    """Every data set that is there."""
    for name in WANTED:
        try:
            yield compare(name, every, rows)
        except DataNotFound as missing:
            print(f"{name} left out: {missing}")
