"""``python -m benchmarks.naibx``: NaiBX beside its paper's tables 6 to 8, and what it costs.

Ten folds, or one random split with 66 % of the rows for training, as the paper says for each data set; features
Gaussian, Bernoulli or multinomial by table. ``--parts tables speed`` chooses.
"""

from __future__ import annotations

import argparse
import datetime
import platform
from collections.abc import Iterator
from typing import Any

import numpy as np
import sklearn
from scipy.stats import norm
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.naive_bayes import GaussianNB
from threadpoolctl import threadpool_limits

from benchmarks.timing import cpu_seconds
from setwise import NaiBX
from setwise.datasets import load
from setwise.kernels import set_threads
from setwise.metrics import cardinality, exact_match, hamming_score, instance_scores
from setwise.papers.recipes import PAPERS

FOLDS = {
    "yeast": "gaussian",
    "scene": "gaussian",
    "emotions": "gaussian",
    "music": "gaussian",
    "cal500": "gaussian",
    "enron": "bernoulli",
    "langlog": "bernoulli",
    "slashdot": "bernoulli",
}
SPLITS = {
    "mediamill": "gaussian",
    "bibtex": "bernoulli",
    "yahoo_arts": "multinomial",
    "yahoo_business": "multinomial",
}
MEASURES = (
    "exact_match",
    "hamming_score",
    "instance_jaccard",
    "instance_precision",
    "instance_recall",
    "cardinality",
)
PRINTED_NAMES = {"langlog": "llog", "yahoo_arts": "arts", "yahoo_business": "business"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", nargs="*", default=["tables", "speed"], choices=["tables", "speed"])
    parser.add_argument("--data", nargs="*", default=[*FOLDS, *SPLITS])
    options = parser.parse_args()
    set_threads(2)
    print(
        f"{datetime.date.today()}, two threads; Python {platform.python_version()}, NumPy {np.__version__}, "
        f"scikit-learn {sklearn.__version__}\n"
    )
    with threadpool_limits(2):
        if "tables" in options.parts:
            print("| data | model | " + " | ".join(MEASURES) + " |\n" + "|---" * (len(MEASURES) + 2) + "|")
            for name in options.data:
                for line in tables(name):
                    print(line, flush=True)
        if "speed" in options.parts:
            print("\n| what | ours | other | ratio | goal |\n|---|---|---|---|---|")
            with threadpool_limits(1):
                for line in speed():
                    print(line, flush=True)


def tables(name: str) -> Iterator[str]:
    """Printed and measured rows of one data set."""
    data = load(name)
    features = (FOLDS | SPLITS)[name]
    cut = (
        KFold(10, shuffle=True, random_state=0)
        if name in FOLDS
        else ShuffleSplit(1, train_size=0.66, random_state=0)
    )
    paper: dict[str, Any] = {"features": features, "variance_prior": 0.0, "min_labels": 0}
    models: dict[str, tuple[dict[str, Any], bool]] = {
        "NaiBX": (paper, False),
        "NaiBX_TrueM": (paper, True),
        "NaiBX, our defaults": ({"features": features}, False),
    }
    for model, (settings, sizes_known) in models.items():
        if model in ("NaiBX", "NaiBX_TrueM"):
            yield table_row(name, f"{model} (printed)", printed(name, model))
        scores = [_scores(data, train, test, settings, sizes_known) for train, test in cut.split(data.Y)]
        yield table_row(name, model, {m: float(np.mean([s[m] for s in scores])) for m in MEASURES})


def printed(name: str, model: str) -> dict[str, float]:
    """The paper's numbers."""
    wanted = {name, PRINTED_NAMES.get(name, name)}
    rows = [p for p in PAPERS["naibx"].printed() if p.data in wanted and p.method == model]
    return {p.measure: p.value for p in rows}


def _scores(
    data: Any, train: Any, test: Any, settings: dict[str, Any], sizes_known: bool
) -> dict[str, float]:
    model = NaiBX(**settings).fit(data.X[train], data.Y[train])
    truth = data.Y[test]
    truth = truth.toarray() if hasattr(truth, "toarray") else np.asarray(truth)
    answer = model.predict(data.X[test], sizes=truth.sum(axis=1) if sizes_known else None)
    rows = instance_scores(truth, answer)
    return {
        "exact_match": exact_match(truth, answer),
        "hamming_score": hamming_score(truth, answer),
        "instance_jaccard": float(rows.jaccard.mean()),
        "instance_precision": float(rows.precision.mean()),
        "instance_recall": float(rows.recall.mean()),
        "cardinality": cardinality(answer),
    }


def table_row(name: str, model: str, values: dict[str, float]) -> str:
    """A row of the table of measures."""
    cells = [f"{values[m]:.3f}" if m in values else "" for m in MEASURES]
    return f"| {name} | {model} | " + " | ".join(cells) + " |"


def speed() -> Iterator[str]:
    """Training against two matrix products and GaussianNB, prediction against Algorithm 2 row by row.

    All in processor seconds of one thread.
    """
    set_threads(1)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(270_000, 128))
    Y = (rng.random((270_000, 81)) < 1.87 / 81).astype(np.int8)
    Y_float = Y.astype(np.float64)
    products = cpu_seconds(lambda: (Y_float.T @ X, Y_float.T @ (X * X)))
    whole = NaiBX()
    training = cpu_seconds(lambda: whole.fit(X, Y), 2)
    yield _speed(
        "fit, 270,000 x 128, 81 labels, against Y'X and Y'(X*X)",
        training,
        products,
        training / products,
        "<= 5",
    )
    peer = cpu_seconds(lambda: GaussianNB().fit(X, Y[:, 0]))
    each = training / 81
    yield _speed("the same per label, against GaussianNB of one label", each, peer, peer / each, ">= 1")
    online = NaiBX()
    blocks = cpu_seconds(
        lambda: [online.partial_fit(X[i : i + 10_000], Y[i : i + 10_000]) for i in range(0, 270_000, 10_000)],
        1,
    )
    difference = np.abs(online.predict_proba(X[:200]) - whole.predict_proba(X[:200])).max()
    yield _speed(
        f"partial_fit in blocks of 10,000; largest difference {difference:.1e}",
        blocks,
        training,
        blocks / training,
        "",
    )
    media = load("mediamill")
    train, test = np.arange(30_993), np.arange(30_993, 43_907)
    model = NaiBX(variance_prior=0.0, min_labels=0).fit(media.X[train], media.Y[train])
    X_test = np.ascontiguousarray(media.X[test], dtype=np.float64)
    ours, answers = cpu_seconds(lambda: model.predict(X_test)), model.predict(X_test)
    some = np.arange(0, len(test), 50)
    theirs = algorithm_2(model, X_test[some])
    slow = cpu_seconds(lambda: algorithm_2(model, X_test[some]), 1) * len(test) / len(some)
    agree = (answers[some] == theirs).all(axis=1).mean()
    what = f"predict, mediamill, 12,914 rows, against Algorithm 2 row by row ({len(some)} rows; {agree:.1%} equal)"
    yield _speed(what, ours, slow, slow / ours, ">= 50")


def _speed(what: str, ours: float, other: float, ratio: float, wanted: str) -> str:
    return f"| {what} | {ours:.3g} s | {other:.3g} s | {ratio:.3g} | {wanted} |"


def algorithm_2(model: NaiBX, X: np.ndarray) -> np.ndarray:
    """The paper's Algorithm 2 transcribed, in logs: every row and step by itself, all labels at once by NumPy."""
    counts, gaussian, L = model.label_counts_, model.feature_counts_.parts[0], model.n_labels_
    n = gaussian.rows
    with np.errstate(divide="ignore", invalid="ignore"):
        deviation = gaussian.spread / np.sqrt(n - 1)
    answers = np.zeros((len(X), L), np.int8)
    p_m, p_y = counts.log_sizes(1.0), counts.log_labels(1.0)
    p_my, p_jy = counts.log_size_given_label(1.0), counts.log_label_given_label(1.0)
    usable = np.isfinite(deviation[:, 0]) & (deviation > 0).all(axis=1)
    for x, answer in zip(X, answers):
        score_m = np.full(L + 1, -np.inf)
        sizes = usable[L:] & (p_m > -np.inf)
        at = np.flatnonzero(sizes) + L
        score_m[sizes] = p_m[sizes] + norm.logpdf(x, gaussian.mean[at], deviation[at]).sum(axis=1)
        m = int(score_m.argmax())
        labels = np.flatnonzero(usable[:L] & (p_y > -np.inf))
        for _ in range(m):
            score = p_y[labels] + norm.logpdf(x, gaussian.mean[labels], deviation[labels]).sum(axis=1)
            score += p_my[m, labels] + p_jy[answer == 1][:, labels].sum(axis=0)
            best = int(score.argmax())
            answer[labels[best]] = 1
            labels = np.delete(labels, best)
    return answers


if __name__ == "__main__":
    main()
