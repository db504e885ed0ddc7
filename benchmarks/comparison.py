"""The comparison methods against scikit-learn's and scikit-multilearn-ng's, and a chain's searches among themselves.

All in processor time, which other processes hardly change.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from benchmarks.timing import Line
from benchmarks.timing import processor_seconds as seconds
from setwise import ClassifierChain, MLkNN, RAkEL
from setwise.contract import FREE
from setwise.datasets import load
from setwise.distributions import Chain
from setwise.inference.chains.beam import Beam
from setwise.kernels.matrices import append_columns, column_moments, divide_columns
from setwise.learning.linear.coordinates import column_scales
from setwise.learning.linear.design import Design

L2 = 1.0
SEARCHES = ("best_first", "beam")


def run(every: int, rows: int | None) -> Iterator[Line]:
    """All lines; scikit-learn's chain is fitted at every k-th of mediamill's positions only, and extrapolated."""
    yield _training("enron", 1, rows)
    yield _training("mediamill", every, rows)
    yield from _searches(rows)
    yield from _peers(rows)


def _split(name: str, rows: int | None) -> tuple[Any, Any, Any, Any]:
    data = load(name)
    train = np.arange(data.X.shape[0]) if data.split is None else np.flatnonzero(data.split)[:rows]
    test = train if data.split is None else np.flatnonzero(~data.split)[:rows]
    X = data.X.astype(np.float64)
    Y = data.Y.toarray() if sp.issparse(data.Y) else np.asarray(data.Y)
    scale = column_scales(column_moments(X[train]))
    X = divide_columns(X, np.where(scale > 0, scale, 1.0))
    X = sp.csr_array(X) if sp.issparse(X) else X
    return X[train], Y[train].astype(int), X[test], Y[test].astype(int)


def _training(name: str, every: int, rows: int | None) -> Line:
    """Training alone: the same columns, penalty and order, ours at least as near to the optimum."""
    X, Y, _, _ = _split(name, rows)
    Y = Y[:, Y.any(axis=0) & ~Y.all(axis=0)]
    columns = append_columns(X, Y * Design(X, standardize=False).label_scale)
    which = range(0, Y.shape[1], every)
    inputs = [columns[:, : X.shape[1] + j] for j in which]
    ours, chain = seconds(lambda: ClassifierChain(l2=L2, standardize=False, tol=5e-8).fit(X, Y))
    theirs, fits = seconds(
        lambda: [_regression(1e-6).fit(A, Y[:, j]) for A, j in zip(inputs, which, strict=True)]
    )
    best = _objectives(ClassifierChain(l2=L2, standardize=False, tol=1e-10).fit(X, Y), X, Y)[which]
    values = [_objective(A, Y[:, j], fit) for A, j, fit in zip(inputs, which, fits, strict=True)]
    excess = [float((v / best).max()) - 1 for v in (_objectives(chain, X, Y)[which], np.array(values))]
    theirs *= Y.shape[1] / len(which)
    note = (
        f"{len(Y)} rows, {Y.shape[1]} labels; {len(which)} of scikit-learn's positions measured, extrapolated; "
        f"largest relative excess over the optimum: {excess[0]:.1e} and {excess[1]:.1e}"
    )
    return Line(
        f"chain training, {name}",
        f"{ours:.2f} s",
        f"{theirs:.2f} s",
        f"{theirs / ours:.1f}x",
        "5x",
        note,
        theirs / ours,
    )


def _regression(tol: float = 1e-4) -> LogisticRegression:
    return LogisticRegression(C=1 / L2, tol=tol, max_iter=5000)


def _objective(A: Any, y: Any, fit: LogisticRegression) -> float:
    losses = np.logaddexp(0.0, (1 - 2 * y) * fit.decision_function(A))
    return float(losses.sum() + 0.5 * L2 * (fit.coef_**2).sum())


def _objectives(chain: ClassifierChain, X: Any, Y: Any) -> Any:
    """The objective of each position, by a formula of neither solver."""
    scores = X @ chain.coef_.T + chain.intercept_ + Y @ chain.coupling_
    coupling = chain.coupling_ / Design(X, standardize=False).label_scale
    losses = np.logaddexp(0.0, (1 - 2 * Y) * scores).sum(axis=0)
    return losses + 0.5 * L2 * ((chain.coef_**2).sum(axis=1) + (coupling**2).sum(axis=0))


def _searches(rows: int | None) -> Iterator[Line]:
    X, Y, new, _ = _split("enron", rows)
    model = ClassifierChain(l2=100.0).fit(X, Y)
    greedy, beam = (_search(model, new, search)[0] for search in ("greedy", Beam(15)))
    note = f"{new.shape[0]} rows, 53 labels, the search alone, the quickest of 3"
    yield Line(
        "beam of width 15, enron",
        f"{1e3 * beam:.1f} ms",
        f"{1e3 * greedy:.1f} ms greedy",
        f"{beam / greedy:.1f}x greedy",
        "at most 20x",
        note,
        greedy / beam,
    )
    a_star, best = _search(model, new, "best_first")
    note = f"certified in {best.certified.mean():.1%} of the rows"
    yield Line("best-first, enron", f"{1e3 * a_star:.1f} ms", "none", "", "", note)
    X, Y, new, _ = _split("yeast", rows)
    model = ClassifierChain(l2=100.0).fit(X, Y)
    a_star, best = _search(model, new, "best_first")
    whole, every = _search(model, new, "exhaustive", 1)
    same = np.abs(best.log_prob - every.log_prob).max()
    note = f"{new.shape[0]} rows, 14 labels; largest difference of log P(mode): {same:.1e}"
    yield Line(
        "best-first against exhaustive, yeast",
        f"{1e3 * a_star:.1f} ms",
        f"{1e3 * whole:.0f} ms",
        f"{whole / a_star:.0f}x",
        "100x",
        note,
        whole / a_star,
    )


def _search(model: ClassifierChain, X: Any, search: Any, repeats: int = 3) -> tuple[float, Any]:
    chain: Any = model.distribution(X)
    chain = Chain(chain.conditionals, chain.order, search=search)
    evidence = np.full((chain.n_rows, chain.n_labels), FREE, dtype=np.int8)
    return seconds(lambda: chain.mode(evidence), repeats)


def _peers(rows: int | None) -> Iterator[Line]:
    try:
        from skmultilearn import adapt, ensemble
    except ImportError:
        return
    for name in ("yeast", "scene"):
        yield _pair(
            f"MLkNN, {name}",
            _split(name, rows),
            lambda: MLkNN(scale_features=False),
            lambda: adapt.MLkNN(k=10),
        )
    yeast = _split("yeast", rows)
    base = {
        "base_classifier": _regression(),
        "labelset_size": 3,
        "base_classifier_require_dense": [True, True],
    }
    yield _pair(
        "RAkEL, disjoint, yeast",
        yeast,
        lambda: RAkEL(kind="disjoint", l2=L2, tol=1e-6, random_state=0),
        lambda: ensemble.RakelD(**base),
    )
    yield _pair(
        "RAkEL, 28 groups, yeast",
        yeast,
        lambda: RAkEL(l2=L2, tol=1e-6, random_state=0),
        lambda: ensemble.RakelO(model_count=28, **base),
    )
    yield _probabilistic_chain(rows)


def _pair(name: str, split: tuple[Any, Any, Any, Any], ours: Any, theirs: Any) -> Line:
    """Fit and predict, the quickest of three."""
    X, Y, new, _ = split
    fast, _ = seconds(lambda: ours().fit(X, Y).predict(new), 3)
    slow, _ = seconds(lambda: theirs().fit(X, Y).predict(new), 3)
    note = f"fit on {X.shape[0]} rows and predict {new.shape[0]}"
    return Line(name, f"{fast:.3f} s", f"{slow:.3f} s", f"{slow / fast:.1f}x", "5x", note, slow / fast)


def _probabilistic_chain(rows: int | None) -> Line:
    from skmultilearn.problem_transform import ProbabilisticClassifierChain

    X, Y, new, _ = _split("emotions", rows)
    theirs = ProbabilisticClassifierChain(_regression()).fit(X, Y)
    few = new[:20]
    slow, _ = seconds(lambda: theirs.predict(few))
    ours = ClassifierChain(l2=L2).fit(X, Y)
    a_star, beam = (1e6 * _prediction(ours.set_params(search=s), new) / len(new) for s in SEARCHES)
    per_row = 1e6 * slow / len(few)
    return Line(
        "PCC, emotions, prediction a row",
        f"{a_star:.1f} us best-first, {beam:.1f} us beam",
        f"{1e-3 * per_row:.1f} ms",
        f"{per_row / a_star:.0f}x, {per_row / beam:.0f}x",
        "1000x",
        "scikit-multilearn-ng's exhaustive PCC on 20 rows; ours from features to labels",
        per_row / a_star,
    )


def _prediction(model: ClassifierChain, X: Any) -> float:
    return seconds(lambda: model.predict(X), 5)[0]
