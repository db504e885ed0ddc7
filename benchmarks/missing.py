"""``python -m benchmarks.missing``: what is left of exact match when 30 % of the training labels are deleted.

Ten stratified folds; the deleted cells of a fold are the same for every method, its test labels are complete. A method
is fitted to all labels, to the known ones (summed out, or ignored label by label), to zeros in place of the unknown
ones, and to labels imputed from features and labels.
"""

from __future__ import annotations

import argparse
import datetime
import platform
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer

from setwise import BinaryRelevance, ConditionalBernoulliMixture, MixtureOfTrees
from setwise.contract import FREE, Array, Labels
from setwise.datasets import load
from setwise.datasets.splits import IterativeStratification
from setwise.evaluation.journal import Journal
from setwise.kernels import set_threads
from setwise.metrics import exact_match

DELETED = 0.3
MODELS = {
    "CBM": ConditionalBernoulliMixture(
        20, l2=30.0, gate_l2=30.0, tuning=False, max_iter=15, n_init=2, random_state=0
    ),
    "MC": MixtureOfTrees(random_state=0),
    "BR": BinaryRelevance(),
}
WAYS = ("all labels", "known labels", "zeros", "imputed")
HEADER = (
    "exact match",
    "lost",
    "CBM has more",
    "MC has more",
    "CBM, never empty",
    "MC, never empty",
    "joint log-loss",
)
MEASURES = ("exact match", "never empty", "joint log-loss")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="*", default=["yeast", "scene"])
    parser.add_argument("--folds", type=int, default=10, help="how many of the ten")
    parser.add_argument(
        "--deletion", type=int, default=0, help="number of the deletion; use a separate journal for each"
    )
    parser.add_argument("--journal", type=Path, default=Path("missing_folds.jsonl"), help="what was measured")
    options = parser.parse_args()
    set_threads(1)
    print(
        f"{datetime.date.today()}, one thread; Python {platform.python_version()}, NumPy {np.__version__}, "
        f"scikit-learn {sklearn.__version__}\n"
    )
    with Journal(options.journal) as journal:
        for name in options.data:
            measure(name, options.folds, options.deletion, journal)
    for name in options.data:
        print("\n".join([f"## {name}\n", *table(name, options.folds, journal)]) + "\n")


def measure(name: str, n_folds: int, deletion: int, journal: Journal) -> None:
    """Fill the journal: a record for every fold, model and way to treat the deleted labels."""
    data = load(name)
    X, Y = np.asarray(data.X), np.asarray(data.Y)
    folds = list(IterativeStratification(10, shuffle=True, random_state=0).split(X, Y))[:n_folds]
    for fold, (train, test) in enumerate(folds):
        hidden = np.random.default_rng(100 * deletion + fold).random((len(train), Y.shape[1])) < DELETED
        for way in WAYS:
            treated = None
            for model in MODELS:
                key = f"{name}/{model}/{way}/{fold}"
                if key not in journal.records:
                    treated = treat(way, X[train], Y[train], hidden) if treated is None else treated
                    fitted = clone(MODELS[model]).fit(X[train], treated)
                    journal.append({"key": key} | dict(zip(MEASURES, scores(fitted, X[test], Y[test]))))


def scores(model: Any, X: Array, Y: Labels) -> tuple[float, float, float]:
    """Exact match as the model answers, exact match when told that no set is empty, joint log-loss."""
    as_it_is, model.min_labels_ = exact_match(Y, model.predict(X)), 1
    return as_it_is, exact_match(Y, model.predict(X)), -float(model.log_prob(X, Y).mean())


def treat(way: str, X: Array, Y: Labels, hidden: Array) -> Labels:
    """The training labels as a method gets them."""
    if way == "all labels":
        return Y
    if way == "known labels":
        return np.where(hidden, FREE, Y).astype(np.int8)
    if way == "zeros":
        return np.where(hidden, 0, Y).astype(np.int8)
    both = np.hstack([np.where(hidden, np.nan, Y), X])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        filled = IterativeImputer(random_state=0, skip_complete=True).fit_transform(both)
    return (filled[:, : Y.shape[1]] > 0.5).astype(np.int8)


def table(name: str, n_folds: int, journal: Journal) -> Iterator[str]:
    """A line for each model and way: means over the folds, and what CBM and MC on known labels have more."""

    def folds(model: str, way: str, measure: str) -> Array:
        return np.array([journal.records[f"{name}/{model}/{way}/{f}"][measure] for f in range(n_folds)])

    yield f"| model, fitted to | {' | '.join(HEADER)} |"
    yield "|---" * (1 + len(HEADER)) + "|"
    for model in MODELS:
        for way in WAYS:
            cells = [f"{folds(model, way, 'exact match').mean():.4f}"]
            lost = folds(model, "all labels", "exact match") - folds(model, way, "exact match")
            cells.append("" if way == "all labels" else paired(lost))
            for measure in ("exact match", "never empty"):
                for ours in ("CBM", "MC"):
                    rival = model in (ours, "BR") and way not in ("all labels", "known labels")
                    rival |= (model, way) == ("BR", "known labels")
                    more = folds(ours, "known labels", measure) - folds(model, way, measure)
                    cells.append(paired(more) if rival else "")
            cells.append(f"{folds(model, way, 'joint log-loss').mean():.3f}")
            yield f"| {model}, {way} | {' | '.join(cells)} |"


def paired(differences: Array) -> str:
    """Mean of paired differences and its standard error."""
    return f"{differences.mean():+.4f} ± {differences.std(ddof=1) / np.sqrt(len(differences)):.4f}"


if __name__ == "__main__":
    main()
