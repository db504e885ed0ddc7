"""Screened trees against the full search: held-out log-likelihood and processor time, fold by fold.

``python -m benchmarks.screening emotions yeast scene enron --folds 10``
"""

from __future__ import annotations

import argparse
import time
from typing import Literal, NamedTuple

import numpy as np

from setwise import ConditionalTree
from setwise.contract import Array, Matrix
from setwise.datasets import IterativeStratification, load


class Fit(NamedTuple):
    """Held-out CLL-loss, exact match and processor seconds of training."""

    loss: float
    exact_match: float
    seconds: float


def judge(candidates: int | Literal["all"], X: Matrix, Y: Array, train: Array, test: Array) -> Fit:
    """Fit on some rows with that many candidate parents a label, judge on others."""
    start = time.process_time()
    tree = ConditionalTree(candidate_parents=candidates).fit(X[train], Y[train])
    seconds = time.process_time() - start
    return Fit(-tree.log_prob(X[test], Y[test]).sum(), tree.score(X[test], Y[test]), seconds)


def compare(name: str, candidates: int, folds: int, limit: int) -> None:
    """Print each fold, then the paired difference with its standard error."""
    data = load(name)
    splits = list(IterativeStratification(folds, shuffle=True, random_state=0).split(data.X, data.Y))[:limit]
    pairs = []
    for number, (train, test) in enumerate(splits):
        cut = judge(candidates, data.X, data.Y, train, test)
        pair = [cut, judge("all", data.X, data.Y, train, test)]
        pairs.append(pair)
        print(f"{name} fold {number}: {pair[0]} against {pair[1]}", flush=True)
    screened, full = np.array(pairs).transpose(1, 0, 2)
    gap = screened[:, 0] - full[:, 0]
    error = gap.std(ddof=1) / np.sqrt(len(gap)) if len(gap) > 1 else np.nan
    print(
        f"{name}, {len(gap)} of {folds} folds: CLL-loss {screened[:, 0].mean():.1f} against {full[:, 0].mean():.1f}: "
        f"{gap.mean():+.2f} ± {error:.2f} ({gap.mean() / full[:, 0].mean():+.3%}); exact match "
        f"{screened[:, 1].mean():.3f} against {full[:, 1].mean():.3f}; processor time "
        f"{screened[:, 2].sum() / full[:, 2].sum():.2f} of the full search's",
        flush=True,
    )


def main() -> None:
    """Compare on the data sets named."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.screening", description=__doc__)
    parser.add_argument("datasets", nargs="+")
    parser.add_argument("--candidates", type=int, default=5)
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--limit", type=int, default=10, help="stop after this number of folds")
    options = parser.parse_args()
    for name in options.datasets:
        compare(name, options.candidates, options.folds, options.limit)


if __name__ == "__main__":
    main()
