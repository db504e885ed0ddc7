"""Fits that are killed at random moments: ``python -m tests.learning.progress.killing --kills 500 --seed 0``.

Each fit runs in a separate process, forked after the imports, and is ended by signal 9. A third of the kills wait
until a file is being written. The same fit is then started again, until it is done. Exit status 1 if a resumed model
differs from the one of an undisturbed fit, or if a file is left behind.
"""

import argparse
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

import setwise

MAKERS = {
    "cbm": lambda folder: setwise.ConditionalBernoulliMixture(
        2, checkpoint=folder, max_iter=4, random_state=0
    ),
    "boosted": lambda folder: setwise.ConditionalBernoulliMixture(
        3, learner="boosting", tuning=False, checkpoint=folder, max_iter=8, random_state=0
    ),
    "trees": lambda folder: setwise.MixtureOfTrees(3, checkpoint=folder, random_state=0),
    "experts": lambda folder: setwise.MixtureOfTreeExperts(2, checkpoint=folder, random_state=0),
}
"""A quick fit of every family that takes a checkpoint."""


def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    first = (X[:, :1] + rng.normal(size=(60, 1)) > 0).astype(int)
    return X, np.hstack([first, first ^ (rng.random((60, 1)) < 0.2), rng.integers(0, 2, (60, 1))])


class Fit:
    """One model in a folder: its checkpoint, and the file that it is saved to."""

    def __init__(self, name, folder):
        self.name, self.folder = name, Path(folder)
        self.checkpoint, self.file = self.folder / "checkpoint", self.folder / "model.setwise"
        self.folder.mkdir()

    def start(self):
        """The number of a process that fits, saves and ends."""
        number = os.fork()
        if number:
            return number
        status = 1
        try:
            setwise.save(MAKERS[self.name](self.checkpoint).fit(*data()), self.file)
            status = 0
        finally:
            os._exit(status)

    def is_writing(self):
        return any(self.folder.rglob(".*.tmp"))

    def left_behind(self):
        """Files other than the model."""
        return [
            str(p.relative_to(self.folder)) for p in self.folder.rglob("*") if p.is_file() and p != self.file
        ]

    def parameters(self):
        model = setwise.load(self.file)
        return [np.asarray(array) for array in (*model.gate_, *model.experts_, model.parents_)]


def wait(number, seconds, condition=lambda: False):
    """The status of a process, or None if it still runs after some seconds or when a condition holds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and not condition():
        done, status = os.waitpid(number, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.0005)
    return None


def kill(fit, rng, longest):
    """Start the fit and kill it at a random moment; its exit status, or None if it was killed."""
    number = fit.start()
    status = wait(number, rng.uniform(0, longest))
    if status is None and rng.random() < 1 / 3:
        status = wait(number, longest, fit.is_writing)
    if status is None:
        os.kill(number, signal.SIGKILL)
        os.waitpid(number, 0)
    return status


def check(fit, status, truth):
    """What is wrong with a fit that has ended by itself."""
    if status != 0:
        return [f"{fit.name}: the resumed fit ended with {status}"]
    same = all(np.array_equal(a, b) for a, b in zip(fit.parameters(), truth, strict=True))
    left = fit.left_behind()
    return [f"{fit.name}: another model"] * (not same) + [f"{fit.name}: left {left}"] * bool(left)


def kill_often(name, n_kills, folder, rng):
    """Kill fits of one family; how many of them were killed and went on to the end, and what is wrong."""
    folder, counts, wrong = Path(folder), Counter(), []
    whole = Fit(name, folder / "whole")
    start = time.monotonic()
    status = wait(whole.start(), np.inf)
    longest = time.monotonic() - start
    truth = whole.parameters()
    wrong += check(whole, status, truth)
    while counts["kills"] < n_kills:
        fit = Fit(name, folder / str(counts["fits"]))
        counts["fits"] += 1
        status = None
        while status is None and counts["kills"] < n_kills:
            status = kill(fit, rng, longest)
            counts["kills"] += status is None
            counts["in a write"] += status is None and fit.is_writing()
        if status is None:
            status = wait(fit.start(), np.inf)
        wrong += check(fit, status, truth)
    return counts, wrong


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.learning.progress.killing", description=__doc__)
    parser.add_argument("--kills", type=int, default=40, help="how many, over all families (default: 40)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng, wrong = np.random.default_rng(options.seed), []
    for name in MAKERS:
        with tempfile.TemporaryDirectory() as folder:
            counts, found = kill_often(name, -(-options.kills // len(MAKERS)), folder, rng)
        print(name, dict(counts), *found, flush=True)
        wrong += found
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
