"""Macro F1 of decisions for a batch, beside thresholds of one half and thresholds tuned label by label.

    python -m benchmarks.population [--only NAME ...] [--rows 6000] [--journal FILE]

Five random partitions, two thirds to train. All decisions use the same model, with its defaults, and the same held-out
probabilities (three folds of the training rows). A result is kept in the journal, so that the same command continues.
The last column shifts all log-odds by a constant learnt on the first fold, if the model is linear.
Tuned thresholds are the best of each label on held-out rows, with nothing drawn together (``shrinkage=0``).
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import minimize_scalar
from scipy.special import logit
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import KFold

from setwise import BinaryRelevance, DecisionForest
from setwise.datasets import load
from setwise.decisions import Costs
from setwise.estimators.meta.search.common_shift import shifted
from setwise.evaluation.journal import Journal
from setwise.kernels.matrices import to_dense
from setwise.learning.labels.thresholds import best_thresholds, shrunken_thresholds
from setwise.metrics import macro_f1

SEEDS = range(5)
MODELS: dict[str, Callable[[], Any]] = {
    "BinaryRelevance": lambda: BinaryRelevance(min_labels=0),
    "DecisionForest": lambda: DecisionForest(min_labels=0, random_state=0),
}
DENSE = ("yeast",)
DATA = ("yeast", "enron", "tmc2007_500", "goemotions")


def read(name: str) -> tuple[Any, Any]:
    if name != "goemotions":
        data = load(name)
        return data.X, to_dense(data.Y)
    path = Path(os.environ["SETWISE_DATA"]) / "text/goemotions-train.tsv.gz"
    frame = pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False)
    Y = np.zeros((len(frame), 28), dtype=int)
    for row, labels in enumerate(frame["labels"]):
        Y[row, [int(label) for label in labels.split(",")]] = 1
    return TfidfVectorizer(min_df=3, sublinear_tf=True).fit_transform(frame["text"]).tocsr(), Y


def scores(make: Callable[[], Any], X: Any, Y: Any, train: Any, test: Any) -> dict[str, float]:
    held_out = np.empty((len(train), Y.shape[1]))
    for fitted, rest in KFold(3).split(train):
        held_out[rest] = make().fit(X[train[fitted]], Y[train[fitted]]).predict_proba(X[train[rest]])
    model = make().fit(X[train], Y[train])
    joint = model.distribution(X[test])
    own, ones = Y[train], np.ones(len(train))
    rules: dict[str, Any] = {
        "one half": Costs(),
        "tuned": Costs.at_thresholds(best_thresholds(held_out, own, ones)),
        "TunedThresholds": Costs.at_thresholds(shrunken_thresholds(held_out, own, ones, 10.0)),
        "macro_f1": "macro_f1",
    }
    found = {name: macro_f1(Y[test], joint.predict(rule)) for name, rule in rules.items()}
    first = next(KFold(3).split(train))[1]
    moved = shifted(model, common_shift(held_out[first], own[first])).distribution(X[test])
    return found | {"macro_f1, shifted": macro_f1(Y[test], moved.predict("macro_f1"))}


def common_shift(held_out: Any, Y: Any) -> float:
    """The constant that makes the log-odds of held-out rows most likely, as the automatic choice shifts them."""
    margins, signs = logit(held_out), 2 * Y - 1
    return float(minimize_scalar(lambda s: np.logaddexp(0.0, -signs * (margins + s)).sum(), bounds=(-3, 3)).x)


def run(names: list[str], n_rows: int, journal: str) -> Iterator[str]:
    with Journal(journal) as done:
        for name in names:
            X, Y = read(name)
            for model in MODELS if name in DENSE else ("BinaryRelevance",):
                for seed in SEEDS:
                    key = f"{name} {model} {seed} {n_rows}"
                    if key not in done.records:
                        rows = np.random.default_rng(seed).permutation(X.shape[0])[:n_rows]
                        cut = 2 * len(rows) // 3
                        found = scores(MODELS[model], X, Y, rows[:cut], rows[cut:])
                        done.append({"key": key, "data": name, "method": model, "scores": found})
                        yield f"{key}: " + ", ".join(f"{a} {b:.4f}" for a, b in found.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", default=list(DATA))
    parser.add_argument("--rows", type=int, default=6000)
    parser.add_argument("--journal", default="population.jsonl")
    options = parser.parse_args()
    for line in run(options.only, options.rows, options.journal):
        print(line, flush=True)


if __name__ == "__main__":
    main()
