"""``python -m benchmarks.cdn``: CDN beside independent classifiers, and the speed of its sampler.

Random splits of the paper's sizes, every method on the same ones; differences are paired. Splits are measured in
turn over all data sets until the time given is used up.
"""

from __future__ import annotations

import argparse
import ctypes
import datetime
import json
import platform
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import ShuffleSplit
from threadpoolctl import threadpool_limits

from benchmarks.timing import cpu_seconds
from setwise import BinaryRelevance, ConditionalDependencyNetwork
from setwise.datasets import load
from setwise.distributions import DependencyNetwork
from setwise.distributions.dependency import Sampling
from setwise.kernels import set_threads
from setwise.learning.labels.conditionals import ClassifierConditionals, fit_learners
from setwise.metrics import exact_match, macro_f1, micro_f1

TEST_ROWS = {"emotions": 202, "yeast": 917, "scene": 1196, "genbase": 199, "medical": 333, "enron": 579}
MEASURES = {"exact match": exact_match, "micro F1": micro_f1, "macro F1": macro_f1}
PAIRS = (
    ("CDN-LR", "LR"),
    ("CDN-LR, marginals", "LR"),
    ("CDN-SVM", "SVM"),
    ("CDN-LR, no empty sets", "LR, no empty sets"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", nargs="*", default=["speed", "accuracy"], choices=["speed", "accuracy"])
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument(
        "--journal", type=Path, default=Path("cdn_splits.jsonl"), help="splits measured so far"
    )
    parser.add_argument("--data", nargs="*", default=list(TEST_ROWS))
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    print(
        f"{datetime.date.today()}, {options.threads} threads; Python {platform.python_version()}, "
        f"NumPy {np.__version__}, scikit-learn {sklearn.__version__}\n"
    )
    warnings.simplefilter("ignore")
    set_threads(options.threads)
    with threadpool_limits(options.threads):
        if "speed" in options.parts:
            print("| what | ours | other | ratio | goal |\n|---|---|---|---|---|")
            for line in speed():
                print(line, flush=True)
        if "accuracy" in options.parts:
            until = time.time() + 60 * options.minutes
            print("\n".join(accuracy(options.data, options.splits, until, options.journal)))


def accuracy(names: list[str], n_splits: int, until: float, journal: Path) -> Iterator[str]:
    """A table of paired differences, from as many splits as there is time for."""
    known = [json.loads(line) for line in journal.read_text().splitlines()] if journal.exists() else []
    done = {(run["data"], run["split"]) for run in known}
    for split in range(n_splits):
        for name in names:
            if time.time() < until and (name, split) not in done:
                known.append({"data": name, "split": split} | one_split(name, split))
                with journal.open("a") as out:
                    out.write(json.dumps(known[-1]) + "\n")
    results = {name: [run for run in known if run["data"] == name] for name in names}
    yield (
        "\n| data | splits | pair | "
        + " | ".join(MEASURES)
        + " | rows not mixed |\n|---|---|---"
        + "|---" * 4
        + "|"
    )
    for name, runs in results.items():
        for ours, other in PAIRS:
            cells = [_paired(name, [r[ours][m] for r in runs], [r[other][m] for r in runs]) for m in MEASURES]
            mixed = f"{np.mean([r['not mixed'] for r in runs]):.0%}" if ours == "CDN-LR" else ""
            yield f"| {name} | {len(runs)} | {ours} - {other} | " + " | ".join(cells) + f" | {mixed} |"


def one_split(name: str, split: int) -> dict[str, Any]:
    """Every measure of every method on one random split."""
    data = load(name)
    cut = ShuffleSplit(1, test_size=TEST_ROWS[name], random_state=split)
    train, test = next(cut.split(data.Y))
    X, Y, X_test = data.X[train], data.Y[train], data.X[test]
    answers: dict[str, Any] = {}
    logistic = ConditionalDependencyNetwork(min_labels=0, random_state=0)
    for title, model in (("LR", BinaryRelevance(min_labels=0)), ("CDN-LR", logistic)):
        model.fit(X, Y)
        answers[title] = model.predict(X_test)
        model.min_labels_ = 1
        answers[f"{title}, no empty sets"] = model.predict(X_test)
    network: Any = logistic.distribution(X_test)
    answers["CDN-LR, marginals"] = (network.marginals() > 0.5).astype(int)
    machines = ConditionalDependencyNetwork("svm", min_labels=0, n_gibbs_chains=1, random_state=0).fit(X, Y)
    answers["CDN-SVM"] = machines.predict(X_test)
    answers["SVM"] = (machines.scores_alone_(X_test) > 0).astype(int)
    scores: dict[str, Any] = {
        title: {m: measure(data.Y[test], answer) for m, measure in MEASURES.items()}
        for title, answer in answers.items()
    }
    return scores | {"not mixed": network.mixing().share_not_mixed}


def _paired(name: str, ours: list[float], other: list[float]) -> str:
    """Means, and their difference with Nadeau and Bengio's error, which knows that random splits overlap."""
    difference = np.subtract(ours, other)
    test_share = TEST_ROWS[name] / (load(name).X.shape[0] - TEST_ROWS[name])
    error = (
        difference.std(ddof=1) * np.sqrt(1 / len(difference) + test_share) if len(difference) > 1 else np.nan
    )
    return f"{np.mean(ours):.3f} - {np.mean(other):.3f} = {difference.mean():+.3f} ± {error:.3f}"


def speed() -> Iterator[str]:
    """Prediction with the paper's settings against classifiers called in the loop, and against a bare loop.

    All in processor seconds of one thread.
    """
    set_threads(1)
    for name in ("scene", "enron"):
        data = load(name)
        n = data.X.shape[0] - TEST_ROWS[name]
        X, Y, X_test = data.X[:n], np.asarray(data.Y[:n]), data.X[n:]
        model = ConditionalDependencyNetwork(l2=10.0, n_gibbs_chains=1, random_state=0).fit(X, Y)
        learners = fit_learners(X, Y, None, LogisticRegression(max_iter=50))
        yield from _against_calls(name, model, X_test, learners)
        yield _against_bare_loop(name, model, X_test)


def _against_calls(name: str, model: Any, X_test: Any, learners: list[Any]) -> Iterator[str]:
    ours = cpu_seconds(lambda: model.predict(X_test), 10)
    few = Sampling(n_burn_in=2, n_samples=1, n_gibbs_chains=1)

    def calls(rows: int) -> float:
        conditionals = ClassifierConditionals(X_test[:rows], learners)
        return cpu_seconds(lambda: DependencyNetwork(conditionals, sampling=few).samples, 10)

    # Two sweeps of burn-in and a third with its product are four calls a label; 100 + 500 with 500 products, 1100.
    rows = TEST_ROWS[name]
    scale = (Sampling().n_burn_in + 2 * Sampling().n_samples) / 4
    for how, other in (("one row at a time", calls(1) * rows), ("all rows at once", calls(rows))):
        other *= scale
        what = f"predict, {name}, {rows} rows, against classifiers called in the loop for {how}"
        yield f"| {what} | {ours:.3g} s | {other:.3g} s | {other / ours:.0f} | >= 100 |"


def _against_bare_loop(name: str, model: Any, X_test: Any) -> str:
    source = Path(__file__).with_name("bare_loop.cpp")
    updates = 600 * TEST_ROWS[name] * model.n_labels_
    network = model.distribution(X_test)
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "bare_loop.so"
        subprocess.run(["g++", "-O3", "-shared", "-fPIC", str(source), "-o", str(library)], check=True)
        loop = ctypes.CDLL(str(library)).bare_loop
        loop.argtypes, loop.restype = [ctypes.c_int64, ctypes.c_double], ctypes.c_int64
        bare = cpu_seconds(lambda: loop(updates, -0.3), 10)
    ours = cpu_seconds(lambda: network.take(slice(None)).samples, 10)
    what = f"sampler, {name}, {updates:,} site updates, against a uniform and an exponential each"
    return f"| {what} | {ours / updates * 1e9:.2f} ns | {bare / updates * 1e9:.2f} ns | {ours / bare:.2f} | <= 2 |"


if __name__ == "__main__":
    main()
