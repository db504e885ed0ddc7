"""One task of the study: a method on one split of a data set, in a process of its own with limits."""

from __future__ import annotations

import json
import resource
import sys
import time
import warnings
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, f1_score

from benchmarks.accuracy.methods import METHODS
from benchmarks.tables import batch_sets, instance_f1
from setwise.datasets import Dataset, load
from setwise.estimators.meta.search import budget
from setwise.evaluation.protocol import Protocol
from setwise.kernels import set_threads
from setwise.kernels.matrices import to_dense

MAX_ROWS = {"mediamill": 10_000}
"""Training rows of data sets of which not all are used."""
FOLDS = 3


def protocol(data: Dataset) -> Protocol:
    """The official split, or three folds."""
    return Protocol("folds", FOLDS) if data.split is None else Protocol("official", 1)


def run(name: str, method: str, repeat: int) -> dict[str, Any]:
    """Fit and answer; scores, standard errors of means over rows, processor seconds."""
    data = load(name)
    train, test = protocol(data).splits(data)[repeat]
    train = np.random.default_rng(0).permutation(train)[: MAX_ROWS.get(name)]
    Y = to_dense(data.Y).astype(np.int8)
    start = time.process_time()
    answer = METHODS[method](data.X[np.sort(train)], Y[np.sort(train)])
    fitted = _spent(answer)
    scores = measure(answer(data.X[test]), Y[test])
    why = getattr(getattr(answer, "__self__", None), "reason_", None)
    seconds = {"fit_seconds": fitted - start, "predict_seconds": _spent(answer) - fitted}
    return scores | seconds | ({} if why is None else {"reason": why})


def _spent(answer: Any) -> float:
    """Processor seconds so far, with those of a peer's process."""
    return time.process_time() + getattr(answer, "processor_seconds", 0.0)


def measure(joint: Any, Y: Any) -> dict[str, Any]:
    """Every measure under the decision for it; of exact match and log-loss also the values of all rows."""
    marginals = joint.marginals()
    micro, macro = batch_sets(marginals)
    exact = (joint.predict("subset") == Y).all(axis=1)
    loss = -joint.log_prob(Y)
    seen = Y.any(axis=0) & ~Y.all(axis=0)
    return {
        "exact match": float(exact.mean()),
        "Hamming loss": float((joint.predict("hamming") != Y).mean()),
        "instance F1": float(instance_f1(Y, joint.predict("f1").astype(np.int8)).mean()),
        "micro F1": float(f1_score(Y, micro, average="micro", zero_division=0.0)),
        "macro F1": float(f1_score(Y, macro, average="macro", zero_division=0.0)),
        "mean AP": float(average_precision_score(Y[:, seen], marginals[:, seen], average="macro")),
        "log-loss": float(loss.mean()),
        "rows": {"exact match": exact.astype(int).tolist(), "log-loss": loss.round(4).tolist()},
    }


def main() -> None:
    """``python -m benchmarks.accuracy.task DATA METHOD REPEAT GIGABYTES SECONDS``: prints a JSON object."""
    name, method, repeat, gigabytes, seconds = sys.argv[1:]
    size = int(float(gigabytes) * 2**30)
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
    limit = int(float(seconds))
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
    set_threads(1)
    budget.clock = time.process_time  # a second of one core, however busy the machine is
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        print(json.dumps(run(name, method, int(repeat))))


if __name__ == "__main__":
    main()
