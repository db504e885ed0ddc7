"""Table 1 of the CBM paper: exact match on rows of a known mixture, beside the best that is possible.

``python -m benchmarks.artificial [--seeds 5] [--rows 15000]``
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np

from setwise import BinaryRelevance, ConditionalBernoulliMixture, LabelPowerset
from setwise.datasets import make_cbm

VARIANTS: dict[str, dict[str, Any]] = {
    "argmax": {"mode": "argmax"},
    "argmax + noise": {"mode": "argmax", "noise": 1.2},
    "sample": {"mode": "sample"},
    "sample + noise": {"mode": "sample", "noise": 2.6},
}
PRINTED = {
    "upper bound": (100, 76.4, 65.2, 48.1),
    "CBM, K = 2": (89.9, 69.3, 60.2, 45.8),
    "CBM, K = 3": (98.4, 75.8, 65.0, 48.0),
    "BinRel": (82.0, 49.9, 48.0, 40.0),
    "PowSet": (97.5, 74.1, 64.6, 47.3),
}
METHODS: dict[str, Callable[[], Any]] = {
    "CBM, K = 2": lambda: ConditionalBernoulliMixture(2, min_labels=0, random_state=0),
    "CBM, K = 3": lambda: ConditionalBernoulliMixture(3, min_labels=0, random_state=0),
    "BinRel": lambda: BinaryRelevance(min_labels=0),
    "PowSet": lambda: LabelPowerset(min_labels=0),
}


def one_seed(seed: int, rows: int, variant: dict[str, Any]) -> dict[str, float]:
    """Exact match of every method, and of the truth, on as many test rows as training rows."""
    data, truth = make_cbm(2 * rows, random_state=seed, **variant)
    X, Y = data.X, data.Y
    scores = {"upper bound": float((truth.mode(X[rows:]) == Y[rows:]).all(axis=1).mean())}
    for name, make in METHODS.items():
        model = make().fit(X[:rows], Y[:rows])
        scores[name] = float((model.predict(X[rows:]) == Y[rows:]).all(axis=1).mean())
    return scores


def main() -> None:
    """Print the table: ours, the share of the upper bound, and what is printed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.artificial", description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--rows", type=int, default=15_000)
    options = parser.parse_args()
    print(
        "| data | method | exact match | share of the bound | printed | its share |\n|---|---|---|---|---|---|"
    )
    for column, (variant, settings) in enumerate(VARIANTS.items()):
        runs = [one_seed(seed, options.rows, settings) for seed in range(options.seeds)]
        bound, printed_bound = np.mean([run["upper bound"] for run in runs]), PRINTED["upper bound"][column]
        for name, printed in PRINTED.items():
            values = 100 * np.array([run[name] for run in runs])
            error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
            print(
                f"| {variant} | {name} | {values.mean():.1f} ± {error:.1f} | {values.mean() / bound:.1f} % "
                f"| {printed[column]} | {100 * printed[column] / printed_bound:.1f} % |",
                flush=True,
            )


if __name__ == "__main__":
    main()
