"""``python -m benchmarks.decisions PART``: what decisions, label errors and calibration are worth, and what F1 costs.

Conditional Bernoulli mixtures with fixed penalties, one thread. Large data sets are cut to ``--rows`` training and
test rows drawn at random (seed 0); calibration is measured on random halves, for it promises nothing else.
"""

from __future__ import annotations

import argparse
import datetime
import platform
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
import sklearn
from sklearn.metrics import average_precision_score
from sklearn.model_selection import KFold

from benchmarks.timing import seconds
from setwise import CalibratedSets, ConditionalBernoulliMixture, ConformalSets
from setwise.datasets import load
from setwise.datasets.splits import IterativeStratification
from setwise.distributions.outliers import outlier_scores
from setwise.kernels import set_threads
from setwise.metrics import exact_match, hamming_score, instance_f1, set_calibration

L2 = {"yeast": 30.0, "emotions": 30.0, "scene": 30.0, "enron": 3.0, "mediamill": 10.0, "tmc2007_500": 3.0}
COMPONENTS = {"mediamill": 30}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=list(PARTS))
    parser.add_argument("data", nargs="*")
    parser.add_argument("--rows", type=int, default=6000)
    parser.add_argument("--l2", type=float, help="penalty of experts and gate, in place of the study's own")
    options = parser.parse_args()
    set_threads(1)
    if options.l2 is not None:
        L2.update(dict.fromkeys(L2, options.l2))
    print(
        f"{datetime.date.today()}, one thread; Python {platform.python_version()}, NumPy {np.__version__}, "
        f"scikit-learn {sklearn.__version__}\n"
    )
    header, names, run = PARTS[options.part]
    print(f"| {header} |\n|{'---|' * (header.count('|') + 1)}")
    for name in options.data or names:
        for line in run(name, options.rows):
            print(f"| {line} |", flush=True)


def mixture(name: str, **settings: Any) -> ConditionalBernoulliMixture:
    """The model of every study."""
    fixed = {"n_components": COMPONENTS.get(name, 20), "l2": L2[name], "gate_l2": L2[name], "tuning": False}
    return ConditionalBernoulliMixture(**(fixed | {"max_iter": 15, "n_init": 2} | settings), random_state=0)


def labels(Y: Any) -> Any:
    return np.asarray(Y.todense() if sp.issparse(Y) else Y)


def official(name: str, limit: int) -> tuple[Any, Any, Any, Any]:
    """Features and labels of the official training and test rows, at most ``limit`` of each."""
    data, rng = load(name), np.random.default_rng(0)
    parts = [np.flatnonzero(data.split), np.flatnonzero(~data.split)]
    train, test = (np.sort(rng.permutation(rows)[:limit]) for rows in parts)
    return data.X[train], labels(data.Y[train]), data.X[test], labels(data.Y[test])


def shuffled(name: str, limit: int) -> tuple[Any, Any, Any, Any]:
    """Features and labels of random training and test rows, at most ``limit`` of each."""
    data, rng = load(name), np.random.default_rng(0)
    train, test = np.array_split(rng.permutation(data.X.shape[0])[: 2 * limit], 2)
    return data.X[train], labels(data.Y[train]), data.X[test], labels(data.Y[test])


Rows = Callable[[str, int], tuple[Any, Any, Any, Any]]


def pay(name: str, limit: int) -> Iterator[str]:
    """Exact match, Hamming loss and instance F1 of three decisions of the same model."""
    if name == "emotions":
        data = load(name)
        X, Y = data.X, labels(data.Y)
        folds, how = list(KFold(10, shuffle=True, random_state=0).split(X)), "10-fold"
        parts = [(X[train], Y[train], X[test], Y[test]) for train, test in folds]
    else:
        parts, how = [official(name, limit)], "official split"
    scores: dict[str, list[tuple[float, float, float]]] = {"subset": [], "hamming": [], "f1": []}
    for X, Y, X_test, Y_test in parts:
        model = mixture(name).fit(X, Y)
        for decision, rows in scores.items():
            answer = model.predict(X_test, decision=decision)
            rows.append(
                (exact_match(Y_test, answer), 1 - hamming_score(Y_test, answer), instance_f1(Y_test, answer))
            )
    n_rows = f"{len(parts[0][1])} + {sum(len(p[3]) for p in parts)}" if len(parts) == 1 else "593"
    for decision, rows in scores.items():
        exact, hamming, f1 = np.mean(rows, axis=0)
        yield f"{name} ({how}, {n_rows} rows) | {decision} | {exact:.4f} | {hamming:.4f} | {f1:.4f}"


def errors(name: str, limit: int) -> Iterator[str]:
    """Average precision of rankings of the rows, 5 % of which have one label flipped."""
    from cleanlab.multilabel_classification import get_label_quality_scores

    data, rng = load(name), np.random.default_rng(0)
    rows = np.sort(rng.permutation(data.X.shape[0])[:limit])
    X, Y = data.X[rows], labels(data.Y[rows]).copy()
    n, L = Y.shape
    bad = rng.random(n) < 0.05
    Y[np.flatnonzero(bad), rng.integers(0, L, bad.sum())] ^= 1
    marginals, scores = np.empty((n, L)), {name: np.empty(n) for name in ("flips", "mode", "size")}
    for train, test in IterativeStratification(5, shuffle=True, random_state=0).split(X, Y):
        joint = mixture(name).fit(X[train], Y[train]).distribution(X[test])
        marginals[test] = joint.marginals()
        for against, score in scores.items():
            score[test] = outlier_scores(joint, Y[test], against)  # type: ignore[arg-type]
    listed = [np.flatnonzero(y).tolist() for y in Y]
    theirs = {
        f"{method}, {how}": average_precision_score(
            bad,
            -get_label_quality_scores(
                listed, marginals, method=method, aggregator_kwargs={"method": how, **extra}
            ),
        )
        for method in ("self_confidence", "normalized_margin", "confidence_weighted_entropy")
        for how, extra in (("exponential_moving_average", {"alpha": 0.8}), ("softmin", {"temperature": 0.1}))
    }
    ours = " | ".join(f"{average_precision_score(bad, score):.3f}" for score in scores.values())
    default, best = (
        theirs["self_confidence, exponential_moving_average"],
        max(theirs, key=lambda key: theirs[key]),
    )
    yield f"{name} | {n} | {bad.sum()} | {ours} | {default:.3f} | {theirs[best]:.3f} ({best})"


def calibration(name: str, limit: int, rows: Rows = shuffled) -> Iterator[str]:
    """Expected calibration error of the predicted set's probability, and of the marginals."""
    X, Y, X_test, Y_test = rows(name, limit)
    plain = mixture(name).fit(X, Y)
    decided = plain.decide(X_test)
    yield _calibration_line(
        name, "as fitted", 1 - decided.expected_loss, decided.labels, plain, X_test, Y_test
    )
    for method in ("temperature", "isotonic"):
        model = CalibratedSets(mixture(name), method=method, cv=5).fit(X, Y)
        said, answer = model.set_proba(X_test), model.predict(X_test)
        note = f"{method}, T = {model.temperature_:.2f}" if method == "temperature" else method
        yield _calibration_line(name, note, said, answer, model, X_test, Y_test)


def _calibration_line(name: str, what: str, said: Any, answer: Any, model: Any, X: Any, Y: Any) -> str:
    sets = set_calibration(said, (answer == Y).all(axis=1))
    rng = np.random.default_rng(0)
    floor = np.array([set_calibration(said, rng.random(len(said)) < said).error for _ in range(1000)])
    single = set_calibration(np.minimum(model.predict_proba(X).ravel(), 1.0), Y.ravel() == 1).error
    return (
        f"{name}, {len(Y)} test rows | {what} | {sets.error:.4f} | {floor.mean():.4f} | "
        f"{np.quantile(floor, 0.95):.4f} | {(floor >= sets.error).mean():.2f} | {sets.brier:.4f} | {single:.4f}"
    )


def conformal(name: str, limit: int) -> Iterator[str]:
    """Coverage over 20 random splits, and how long the lists are."""
    data, covered, listed, cut = load(name), [], [], []
    for seed in range(20):
        rows = np.random.default_rng(seed).permutation(data.X.shape[0])[: 2 * min(limit, 1200)]
        train, test = np.array_split(rows, 2)
        estimator = mixture(name, n_components=5, max_iter=5)
        model = ConformalSets(estimator, coverage=0.9, random_state=seed, max_sets=64)
        model.fit(data.X[train], labels(data.Y[train]))
        covered.append(model.contains(data.X[test], labels(data.Y[test])).mean())
        if seed < 3:
            candidates = model.predict_sets(data.X[test[:300]])
            listed.append(np.median(candidates.n_sets))
            cut.append(1 - candidates.complete.mean())
    spread = np.std(covered, ddof=1)
    yield (
        f"{name} | {len(train)} + {len(test)} | 0.900 | {np.mean(covered):.4f} | {spread:.4f} | "
        f"{np.mean(listed):.0f} | {np.mean(cut):.2f}"
    )


def cost(name: str, limit: int) -> Iterator[str]:
    """Time of the F1 decision against that of the mode, on the same distribution of the test rows."""
    X, Y, X_test, _ = official(name, limit)
    joint = mixture(name, max_iter=10).fit(X, Y).distribution(X_test)
    mode = [seconds(lambda: joint.decide("subset"))[0] for _ in range(3)]
    f1 = [seconds(lambda: joint.decide("f1"))[0] for _ in range(3)]
    hamming = [seconds(lambda: joint.decide("hamming"))[0] for _ in range(3)]
    yield (
        f"{name}, {joint.n_rows} rows, K = {joint.n_components}, L = {joint.n_labels} | {min(mode):.2f} s | "
        f"{min(f1):.2f} s | {min(hamming):.2f} s | {min(f1) / min(mode):.1f} | <= 10"
    )


CALIBRATION = (
    "data | probabilities | error of sets | mean of its floor | 95 % of it | share of it above | Brier score of sets | "
    "error of labels"
)
PARTS = {
    "pay": ("data | decision | exact match | Hamming loss | instance F1", [*L2][:5], pay),
    "errors": (
        "data | rows | with an error | flips | mode | same size | cleanlab's default | cleanlab's best",
        ["yeast", "scene", "enron", "tmc2007_500"],
        errors,
    ),
    "calibration": (CALIBRATION, ["yeast", "mediamill", "tmc2007_500"], calibration),
    "calibration-official": (CALIBRATION, ["mediamill"], partial(calibration, rows=official)),
    "conformal": (
        "data | rows | goal | mean coverage of 20 splits | its spread | median list | share of lists cut at 64",
        ["yeast", "scene", "tmc2007_500"],
        conformal,
    ),
    "cost": ("data | mode | F1 | Hamming | F1 / mode | goal", ["mediamill"], cost),
}


if __name__ == "__main__":
    start = time.perf_counter()
    main()
    print(f"\n{time.perf_counter() - start:.0f} s in all")
