"""Stacks beside their members, and joints on top of classifiers beside the product of the same marginals.

    python -m benchmarks.joints --work FOLDER [--only NAME ...] [--studies NAME ...] [--minutes 8]

Official splits, or the first of three folds. Members and classifiers have their defaults (100 trees or rounds). A
result is kept in a journal in the folder, so that the same command continues; ``benchmarks/joints.md`` is written from
it.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from lightgbm import LGBMClassifier
from scipy.optimize import minimize_scalar
from scipy.special import logit
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import KFold
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.accuracy.task import protocol
from setwise import SetsFromMarginals, StackedSets
from setwise.datasets import load
from setwise.distributions import ForestMixture
from setwise.estimators.catalog import candidates, expected_cost
from setwise.estimators.meta.stacked_sets import MAX_COST
from setwise.evaluation.journal import Journal
from setwise.kernels.matrices import to_dense

PAGE = Path(__file__).with_suffix(".md")
DATA = ("flags", "emotions", "birds", "medical", "image135", "scene", "yeast", "enron", "slashdot", "langlog")
CLASSIFIERS: dict[str, Any] = {
    "RandomForest": RandomForestClassifier(random_state=0),
    "LightGBM": MultiOutputClassifier(LGBMClassifier(random_state=0, n_jobs=1, verbose=-1)),
    "MLP": make_pipeline(StandardScaler(with_mean=False), MLPClassifier(max_iter=200, random_state=0)),
}
HEAD = """# Stacks and joints on top of classifiers

Made by `python -m benchmarks.joints`: official splits, or the first of three folds. Joint log-loss in nats per row.
"""


def stack(X: Any, Y: Any, new: Any, truth: Any) -> dict[str, Any]:
    """Joint log-loss of the default stack, and of each of its members fitted to all rows."""
    model = StackedSets(random_state=0).fit(X, Y)
    members = [member for member in candidates() if expected_cost(member) <= MAX_COST]
    single = {}
    for member in members:
        try:
            loss = -member.set_params(random_state=0).fit(X, Y).log_prob(new, truth).mean()
        except ValueError:  # a method for other features
            continue
        single[" ".join(repr(member).split())] = float(loss)
    best = min(single, key=lambda name: single[name])
    return {"stack": float(-model.log_prob(new, truth).mean()), "best": best, "best member": single[best]}


def on_top(name: str) -> Callable[..., dict[str, Any]]:
    """A joint learnt from held-out logits of a classifier, and independent labels with the best temperature."""

    def study(X: Any, Y: Any, new: Any, truth: Any) -> dict[str, Any]:
        held_out = np.empty(Y.shape)
        for fitted, rest in KFold(5, shuffle=True, random_state=0).split(held_out):
            held_out[rest] = _logits(name, X[fitted], Y[fitted], X[rest])
        given = _logits(name, X, Y, new)
        joint = SetsFromMarginals("logits").fit(held_out, Y).distribution(given)
        slope = minimize_scalar(lambda s: _loss(s * held_out, Y).mean(), bounds=(0.05, 3), method="bounded").x
        wins = (joint.predict("subset") == truth).all(axis=1).astype(float)
        plain = ((given > 0) == truth).all(axis=1).astype(float)
        return {
            "joint": float(-joint.log_prob(truth).mean()),
            "product": float(_loss(slope * given, truth).mean()),
            "exact match": float(wins.mean()),
            "of the labels one by one": float(plain.mean()),
            "standard error": float((wins - plain).std() / np.sqrt(len(wins))),
        }

    return study


def _loss(logits: Any, Y: Any) -> Any:
    return -ForestMixture.independent(logits).log_prob(Y)


def _logits(name: str, X: Any, Y: Any, new: Any) -> Any:
    """Logits of all labels; probabilities are at least those of half a row."""
    means, least = Y.mean(axis=0), 0.5 / len(Y)
    varying = np.flatnonzero((means > 0) & (means < 1))
    p = clone(CLASSIFIERS[name]).fit(X, Y[:, varying]).predict_proba(new)
    found = np.tile(means, (new.shape[0], 1))
    found[:, varying] = np.stack([own[:, 1] for own in p], axis=1) if isinstance(p, list) else p
    return logit(np.clip(found, least, 1 - least))


STUDIES = {"StackedSets": stack, **{name: on_top(name) for name in CLASSIFIERS}}


def main() -> int:
    """Run what is missing in the journal, and write the page; 1 if tasks are left."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--only", nargs="+", default=list(DATA), choices=DATA)
    parser.add_argument("--studies", nargs="+", default=list(STUDIES), choices=list(STUDIES))
    parser.add_argument("--minutes", type=float, default=float("inf"))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    end = time.monotonic() + 60 * options.minutes
    with Journal(options.work / "joints.jsonl") as journal:
        for name in options.only:
            for study in options.studies:
                if (key := f"{name}/{study}") in journal.records:
                    continue
                if time.monotonic() > end:
                    return 1
                journal.append({"key": key, "data": name, "study": study} | STUDIES[study](*_split(name)))
                print(journal.records[key], flush=True)
                PAGE.write_text("\n".join([HEAD, *page(list(journal.records.values()))]) + "\n")
    return 0


def _split(name: str) -> tuple[Any, Any, Any, Any]:
    data = load(name)
    Y = to_dense(data.Y).astype(np.int8)
    train, test = protocol(data).splits(data)[0]
    return data.X[train], Y[train], data.X[test], Y[test]


def page(records: list[dict[str, Any]]) -> list[str]:
    """The tables as lines of Markdown."""
    stacks = [record for record in records if record["study"] == "StackedSets"]
    lines = ["## StackedSets", "", "| data | stack | best member | which | stack / member |"]
    lines.append("|---|---|---|---|---|")
    for r in stacks:
        ratio = r["stack"] / r["best member"]
        lines.append(
            f"| {r['data']} | {r['stack']:.4f} | {r['best member']:.4f} | {r['best']} | {ratio:.3f} |"
        )
    lines += [
        "",
        "## SetsFromMarginals",
        "",
        "The product has the temperature that is best for the same held-out rows.",
        "",
    ]
    lines += [
        "| data | classifier | joint | product | exact match | labels one by one | ± |",
        "|---|---|---|---|---|---|---|",
    ]
    for r in records:
        if r["study"] != "StackedSets":
            exact = (
                f"{r['exact match']:.3f} | {r['of the labels one by one']:.3f} | {r['standard error']:.3f}"
            )
            lines.append(f"| {r['data']} | {r['study']} | {r['joint']:.4f} | {r['product']:.4f} | {exact} |")
    return lines


if __name__ == "__main__":
    sys.exit(main())
