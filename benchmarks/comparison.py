"""The comparison methods against scikit-learn's and scikit-multilearn-ng's, and a chain's searches among themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from benchmarks.timing import Line, seconds
from setwise import ClassifierChain, MLkNN, RAkEL
from setwise.contract import FREE
from setwise.datasets import load
from setwise.distributions import Chain
from setwise.inference.beam import Beam
from setwise.kernels.design import append_columns, column_scales, describe_columns, divide_columns

L2 = 1.0


def run(every: int, rows: int | None) -> Iterator[Line]:
    """All lines; scikit-learn's chain is fitted at every k-th position only, and extrapolated."""
    yield _training("enron", every, rows)
    yield _training("mediamill", every, rows)
    yield from _searches(rows)
    yield from _peers(rows)


def _split(name: str, rows: int | None) -> tuple[Any, Any, Any, Any]:
    data = load(name)
    train = np.arange(data.X.shape[0]) if data.split is None else np.flatnonzero(data.split)[:rows]
    test = train if data.split is None else np.flatnonzero(~data.split)[:rows]
    X = data.X.astype(np.float64)
    Y = data.Y.toarray() if sp.issparse(data.Y) else np.asarray(data.Y)
    scale = column_scales(describe_columns(X[train]))
    X = divide_columns(X, np.where(scale > 0, scale, 1.0))
    X = sp.csr_array(X) if sp.issparse(X) else X
    return X[train], Y[train].astype(int), X[test], Y[test].astype(int)


def _training(name: str, every: int, rows: int | None) -> Line:
    """Training alone: the same features, penalty and order; labels as features have scale one for both."""
    X, Y, _, _ = _split(name, rows)
    varies = np.flatnonzero(Y.any(axis=0) & ~Y.all(axis=0))
    Y = Y[:, varies]
    ours, _ = seconds(lambda: ClassifierChain(l2=L2, tol=1e-6).fit(X, Y))
    positions = range(0, Y.shape[1], every)

    def loop() -> None:
        for j in positions:
            LogisticRegression(C=1 / L2, max_iter=1000).fit(append_columns(X, Y[:, :j]), Y[:, j])

    theirs, _ = seconds(loop)
    theirs *= Y.shape[1] / len(positions)
    note = f"{len(Y)} rows, {Y.shape[1]} labels; {len(positions)} of scikit-learn's positions measured"
    return Line(
        f"chain training, {name}", f"{ours:.2f} s", f"{theirs:.2f} s", f"{theirs / ours:.1f}x", "5x", note
    )


def _searches(rows: int | None) -> Iterator[Line]:
    X, Y, new, _ = _split("enron", rows)
    model = ClassifierChain(l2=100.0).fit(X, Y)
    greedy, beam = (_search(model, new, search)[0] for search in ("greedy", Beam(15)))
    note = f"{new.shape[0]} rows, 53 labels, the search alone, mean of 3"
    yield Line(
        "beam of width 15, enron",
        f"{1e3 * beam:.1f} ms",
        f"{1e3 * greedy:.1f} ms greedy",
        f"{beam / greedy:.1f}x greedy",
        "at most 20x",
        note,
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
    )


def _search(model: ClassifierChain, X: Any, inference: Any, repeats: int = 3) -> tuple[float, Any]:
    chain: Any = model.distribution(X)
    chain = Chain(chain.conditionals, chain.order, inference=inference)
    evidence = np.full((chain.n_rows, chain.n_labels), FREE, dtype=np.int8)
    return seconds(lambda: chain.mode(evidence), repeats)


def _peers(rows: int | None) -> Iterator[Line]:
    try:
        from skmultilearn import adapt, ensemble, problem_transform
    except ImportError:
        return
    for name in ("yeast", "scene"):
        X, Y, new, _ = _split(name, rows)
        yield _pair(
            f"MLkNN, {name}", lambda: MLkNN(scale_features=False), lambda: adapt.MLkNN(k=10), X, Y, new, "5x"
        )
    X, Y, new, _ = _split("yeast", rows)
    base = {"base_classifier": LogisticRegression(max_iter=1000), "labelset_size": 3}
    base["base_classifier_require_dense"] = [True, True]
    yield _pair(
        "RAkEL, disjoint, yeast",
        lambda: RAkEL(kind="disjoint", l2=L2, tol=1e-6, random_state=0),
        lambda: ensemble.RakelD(**base),
        X,
        Y,
        new,
        "5x",
    )
    yield _pair(
        "RAkEL, 28 groups, yeast",
        lambda: RAkEL(l2=L2, tol=1e-6, random_state=0),
        lambda: ensemble.RakelO(model_count=28, **base),
        X,
        Y,
        new,
        "5x",
    )
    X, Y, new, _ = _split("emotions", rows)
    theirs = problem_transform.ProbabilisticClassifierChain(LogisticRegression(max_iter=1000))
    theirs.fit(X, Y)
    few = new[:20]
    slow, _ = seconds(lambda: theirs.predict(few))
    ours = ClassifierChain(l2=L2).fit(X, Y)
    fast, _ = seconds(lambda: ours.predict(new), 5)
    per_row = slow / len(few), fast / len(new)
    yield Line(
        "PCC, emotions, prediction a row",
        f"{1e6 * per_row[1]:.1f} us",
        f"{1e3 * per_row[0]:.1f} ms",
        f"{per_row[0] / per_row[1]:.0f}x",
        "1000x",
        "scikit-multilearn-ng's exhaustive PCC on 20 rows; ours best-first, certified, features to labels",
    )


def _pair(name: str, ours: Any, theirs: Any, X: Any, Y: Any, new: Any, wanted: str) -> Line:
    """Fit and predict, once each."""
    fast, _ = seconds(lambda: ours().fit(X, Y).predict(new))
    slow, _ = seconds(lambda: theirs().fit(X, Y).predict(new))
    note = f"fit on {X.shape[0]} rows and predict {new.shape[0]}"
    return Line(name, f"{fast:.3f} s", f"{slow:.3f} s", f"{slow / fast:.1f}x", wanted, note)
