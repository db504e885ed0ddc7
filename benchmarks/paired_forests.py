"""Decision forests paired with mixtures of tree experts and boosted mixtures, in ten folds.

    python -m benchmarks.paired_forests --journal FILE [--only NAME ...] [--methods NAME ...] [--minutes 20]

Ten stratified folds, seed 0, defaults. A result is kept in the journal, so that the same command continues; the tables
for ``benchmarks/forests.md`` are printed at the end, from the folds that both methods have.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from setwise import ConditionalBernoulliMixture, DecisionForest, MixtureOfTreeExperts
from setwise.datasets import load
from setwise.evaluation.journal import Journal
from setwise.evaluation.protocol import Protocol, measure

DATA = ("emotions", "image135", "scene", "yeast")
OURS = "DecisionForest"
METHODS: dict[str, Callable[[], Any]] = {
    OURS: lambda: DecisionForest(random_state=0),
    "MixtureOfTreeExperts": lambda: MixtureOfTreeExperts(random_state=0),
    "boosted CBM": lambda: ConditionalBernoulliMixture(learner="boosting", random_state=0),
}
MEASURES = ("exact_match", "joint_log_loss", "seconds")
FOLDS = Protocol("folds", 10)


def run(name: str, method: str, fold: int) -> dict[str, float]:
    """Fit to nine folds; measures on the tenth, and the processor seconds of the fit."""
    data = load(name)
    train, test = FOLDS.splits(data)[fold]
    start = time.process_time()
    model = METHODS[method]().fit(data.X[train], data.Y[train])
    seconds = time.process_time() - start
    scores = measure(model, data, test) | {"seconds": seconds}
    return {what: scores[what] for what in MEASURES}


def tables(records: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Means over folds, and paired differences of the forest with their standard errors."""
    yield "| data | other | folds | exact match | difference | joint log-loss | difference | seconds of a fit |"
    yield "|---|---|---|---|---|---|---|---|"
    for name in DATA:
        for other in METHODS:
            keys = [(f"{name}/{OURS}/{fold}", f"{name}/{other}/{fold}") for fold in range(FOLDS.repeats)]
            pairs = [(records[a], records[b]) for a, b in keys if a in records and b in records]
            if pairs:
                yield _row(name, other, pairs)


def _row(name: str, other: str, pairs: list[tuple[dict[str, Any], dict[str, Any]]]) -> str:
    means = {what: np.mean([theirs[what] for _, theirs in pairs]) for what in MEASURES}
    cells = [name, other, str(len(pairs))]
    for what, digits in (("exact_match", 4), ("joint_log_loss", 3)):
        gains = np.array([ours[what] - theirs[what] for ours, theirs in pairs])
        error = gains.std(ddof=1) / np.sqrt(len(gains)) if len(gains) > 1 else np.nan
        own = "" if other == OURS else f"{gains.mean():+.{digits}f} ± {error:.{digits}f}"
        cells += [f"{means[what]:.{digits}f}", own]
    cells.append(f"{means['seconds']:.1f}")
    return f"| {' | '.join(cells)} |"


def main() -> int:
    """Run what is missing in the journal, fold by fold, and print the tables; 1 if tasks are left."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--journal", required=True)
    parser.add_argument("--only", nargs="+", default=list(DATA), choices=DATA)
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    parser.add_argument("--minutes", type=float, default=float("inf"))
    options = parser.parse_args()
    end = time.monotonic() + 60 * options.minutes
    tasks = [(n, m, f) for m in options.methods for f in range(FOLDS.repeats) for n in options.only]
    with Journal(options.journal) as journal:
        left = [task for task in tasks if "/".join(map(str, task)) not in journal.records]
        while left and time.monotonic() < end:
            name, method, fold = left.pop(0)
            journal.append({"key": f"{name}/{method}/{fold}"} | run(name, method, fold))
            print(*journal.records[f"{name}/{method}/{fold}"].values(), file=sys.stderr, flush=True)
        print(*tables(journal.records), sep="\n")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
