"""Data and ways to run the command that several tests share."""

import subprocess
import sys

import numpy as np

from setwise.datasets import Dataset

PAPERS = {
    "mc": ["n_components=2", "max_iter=3", "candidate_parents=2"],
    "mlme": ["n_components=2", "max_iter=3", "candidate_parents=2", "gate_l2=1.0"],
    "cbm": ["n_components=3", "tuning=false", "max_iter=5", "n_init=1"],
    "cdn": ["n_samples=100"],
    "naibx": [],
}
"""The models of the five papers, with settings that make them quick."""


def generated(n=120, seed=0):
    """Rows of four features and three labels that depend on each other, with awkward names."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)).round(4)
    first = X[:, 0] + 0.5 * rng.normal(size=n) > 0
    Y = np.column_stack([first, first ^ (rng.random(n) < 0.1), X[:, 1] > 0]).astype(int)
    names = ["sad, calm", "<b>", "ünï '"]
    return Dataset(X, Y, ["a", "b b", "c", "d"], names, name="generated")


def run(*arguments, **options):
    """Run the command in a separate process."""
    command = [sys.executable, "-m", "setwise", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def shell(*arguments, stdin=None):
    """Run the command, which must succeed without a word on standard error; return what it prints."""
    done = run(*arguments, input=stdin)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout
