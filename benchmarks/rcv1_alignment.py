"""The misplaced labels of the rcv1 subsets, shown on a public file: ``python -m benchmarks.rcv1_alignment FILE``.

FILE is any of the subsets in a format that setwise reads (ARFF with its XML, npz). ``--fit`` also compares exact match
of binary relevance on the ten most common labels, as given and repaired.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

from setwise import BinaryRelevance
from setwise.datasets import Dataset, find_shift, read, realigned
from setwise.evaluation.protocol import Protocol
from setwise.papers.printed import most_common


def centroid_precision(data: Dataset) -> float:
    """Share of rows of one half whose best label by the centroids of the other half is right; the mean of both ways."""
    n = data.X.shape[0]
    halves = np.arange(n // 2), np.arange(n // 2, n)
    return float(np.mean([_precision(data, *pair) for pair in (halves, halves[::-1])]))


def _precision(data: Dataset, train: np.ndarray, test: np.ndarray) -> float:
    Y = np.asarray(data.Y)
    sums = np.asarray(data.X[train].T @ Y[train])
    centroids = sums / np.maximum(np.linalg.norm(sums, axis=0), 1e-12)
    best = np.asarray(data.X[test] @ centroids).argmax(axis=1)
    return float((Y[test][np.arange(len(test)), best] == 1).mean())


def exact_match(data: Dataset, folds: int = 3) -> float:
    """Exact match of binary relevance on the ten most common labels."""
    small = most_common(data)
    scores = []
    for train, test in Protocol("folds", folds).splits(small):
        model = BinaryRelevance(min_labels=0).fit(small.X[train], small.Y[train])
        scores.append((model.predict(small.X[test]) == np.asarray(small.Y[test])).all(axis=1).mean())
    return float(np.mean(scores))


def main() -> int:
    """Print what is found."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rcv1_alignment", description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--fit", action="store_true")
    options = parser.parse_args()
    data = read(options.file)
    shift = find_shift(data)
    print(data.statistics(), "", sep="\n")
    if shift is None:
        print("no labels in the wrong columns")
        return 1
    print(
        f"rows {shift.start} to {shift.stop - 1}: labels stand {shift.columns} columns too early\n"
        f"correlation of the label frequencies of both halves: {shift.as_given:.3f} as given, {shift.moved:.3f} moved"
    )
    mended = realigned(data, shift)
    lengths = [
        np.sqrt(np.asarray(d.X.multiply(d.X).sum(axis=1)))[shift.start : shift.stop].mean()
        for d in (data, mended)
    ]
    print(f"mean length of these rows: {lengths[0]:.3f} as given, {lengths[1]:.3f} moved")
    print("precision of the nearest centroid, learned on one half and tested on the other:")
    print(f"  {centroid_precision(data):.3f} as given, {centroid_precision(mended):.3f} moved")
    print("", mended.statistics(), sep="\n")
    if options.fit:
        print(
            f"exact match of binary relevance: {exact_match(data):.3f} as given, {exact_match(mended):.3f} moved"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
