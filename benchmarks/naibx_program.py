"""``python -m benchmarks.naibx_program``: what the program of NaiBX's authors measures, beside the printed values.

The program (SuReLI/naibx-mlc) differs from the paper in five ways, which are repeated here one by one:

- every one of the ten folds is predicted by a model of the first nine tenths of the shuffled rows;
- with Gaussian features nothing but P(M) is smoothed, and the empty set is not answered in ten folds;
- with binary features the size is scored without absent words: each repeats the term of the last word present, and
  P(word | size) = (count + 1) / (rows + words + 1);
- where the labels come first in the file the last words are lost, as many as there are labels;
- accuracy, precision and recall of an empty set are 0, also where nothing was to be found.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from benchmarks.naibx import FOLDS, MEASURES, SPLITS, printed, table_row
from setwise import NaiBX
from setwise.datasets import load
from setwise.kernels import set_threads

LABELS_FIRST = ("langlog", "slashdot")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", nargs="*", default=[*FOLDS, "mediamill", "bibtex"])
    parser.add_argument("--shuffles", type=int, default=5)
    options = parser.parse_args()
    set_threads(1)
    print("| data | model | " + " | ".join(MEASURES) + " |\n" + "|---" * (len(MEASURES) + 2) + "|")
    with threadpool_limits(1):
        for name in options.data:
            for model, known in (("NaiBX", False), ("NaiBX_TrueM", True)):
                runs = [measured(name, seed, known) for seed in range(options.shuffles)]
                print(table_row(name, f"{model} (printed)", printed(name, model)))
                print(_mean_row(name, f"{model}, as the program measures", runs), flush=True)


def measured(name: str, seed: int, sizes_known: bool) -> dict[str, float]:
    """Measures of one shuffle of the rows, meant over folds as the program does."""
    data = load(name)
    n = data.X.shape[0]
    rows = np.random.default_rng(seed).permutation(n)
    X = data.X[rows]
    Y = data.Y[rows].toarray() if sp.issparse(data.Y) else np.asarray(data.Y)[rows]
    if name in LABELS_FIRST:
        X = X[:, : -Y.shape[1]]
    folds = np.array_split(np.arange(n), 10) if name in FOLDS else [np.arange(int(0.66 * n), n)]
    answer = _answers((FOLDS | SPLITS)[name], X, Y, folds, sizes_known)
    scores = [_scores(Y[fold], answer[fold]) for fold in folds]
    return {m: float(np.mean([s[m] for s in scores])) for m in MEASURES}


def _answers(features: str, X: Any, Y: Any, folds: list[Any], sizes_known: bool) -> Any:
    """Answers to all rows that are tested, by one model of the rows before the last fold."""
    train = slice(0, folds[-1][0])
    tested = np.concatenate(folds)
    if features == "gaussian":
        least = 1 if len(folds) > 1 else 0
        model = NaiBX(smoothing=0.0, variance_prior=0.0, min_labels=least).fit(X[train], Y[train])
        sizes = None
    else:
        model = NaiBX(features, min_labels=0).fit(X[train], Y[train])
        sizes = _binary_sizes(sp.csr_array(X[train]), Y[train], sp.csr_array(X[tested]))
    answer = np.zeros_like(Y)
    answer[tested] = model.predict(X[tested], sizes=Y[tested].sum(axis=1) if sizes_known else sizes)
    return answer


def _binary_sizes(X: Any, Y: Any, X_test: Any) -> Any:
    """The sizes that the program predicts from binary words."""
    n, d = X.shape
    L = Y.shape[1]
    member = np.zeros((n, L + 1))
    member[np.arange(n), Y.sum(axis=1)] = 1.0
    counts = member.sum(axis=0)
    terms = np.log((X != 0).T @ member + 1.0) - np.log(counts + d + 1.0)
    X_test.sort_indices()
    ends = X_test.indptr[1:] - 1
    after = np.append(X_test.indices[1:], 0)
    filled = X_test.indptr[:-1] <= ends
    after[ends[filled]] = d
    repeats = sp.csr_array((1.0 + after - X_test.indices, X_test.indices, X_test.indptr), X_test.shape)
    scores = np.log(counts + 1.0) + repeats @ terms
    # Words absent before the first repeat the last term of the size before.
    first, last = X_test.indices[X_test.indptr[:-1][filled]], X_test.indices[ends[filled]]
    scores[filled, 1:] += first[:, None] * terms[last, :-1]
    return scores.argmax(axis=1)


def _scores(truth: Any, answer: Any) -> dict[str, float]:
    both, either = (truth & answer).sum(axis=1), (truth | answer).sum(axis=1)
    return {
        "exact_match": float((truth == answer).all(axis=1).mean()),
        "hamming_score": float((truth == answer).mean()),
        "instance_jaccard": float((both / np.maximum(either, 1)).mean()),
        "instance_precision": float((both / np.maximum(answer.sum(axis=1), 1)).mean()),
        "instance_recall": float((both / np.maximum(truth.sum(axis=1), 1)).mean()),
        "cardinality": float(answer.sum(axis=1).mean()),
    }


def _mean_row(name: str, model: str, runs: list[dict[str, float]]) -> str:
    values = np.array([[run[m] for m in MEASURES] for run in runs])
    spread = values.std(axis=0, ddof=1) if len(runs) > 1 else np.zeros(len(MEASURES))
    cells = [f"{mean:.3f} ± {sd:.3f}" for mean, sd in zip(values.mean(axis=0), spread)]
    return f"| {name} | {model} | " + " | ".join(cells) + " |"


if __name__ == "__main__":
    main()
