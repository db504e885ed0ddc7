"""The benchmarks run, and compare what they say they compare; their times are nobody's concern here."""

import importlib
import pkgutil

import numpy as np
import pytest

import benchmarks
from benchmarks import fits, forests, missing, modes, regressions, tickets
from setwise.datasets import Dataset


@pytest.mark.parametrize("name", [module.name for module in pkgutil.iter_modules(benchmarks.__path__)])
def test_every_benchmark_can_be_imported(name):
    """Red if a benchmark uses a name that was moved."""
    importlib.import_module(f"benchmarks.{name}")


def test_both_solvers_reach_the_same_objective():
    """Red if ours and scikit-learn's no longer solve the same problems."""
    suite = regressions.yeast_edges(rows=200)
    suite = regressions.Suite(suite.X, suite.y[:, :6], suite.given[:, :6])
    ours, theirs = regressions.ours(suite, 1e-12), regressions.theirs(suite, 1e-8, np.arange(6))
    for b in range(6):
        best = suite.objective(b, ours[0][:, b], ours[1][b])
        np.testing.assert_allclose(suite.objective(b, theirs[0][:, b], theirs[1][b]), best, rtol=1e-6)
    line = regressions.compare("edges", suite, 2, "at least 10x")
    assert "extrapolated" in line.other


def test_the_benchmark_of_modes_runs():
    [line] = modes.run(rows=100)
    assert "certified in 100.00%" in line.note


def test_the_benchmark_of_forests_runs():
    lines = list(forests.compare("yeast", 100))
    assert [line.name for line in lines] == [
        "fit, decision forest on yeast",
        "predict, decision forest on yeast",
    ]


def test_the_cost_of_a_fit_is_taken():
    """Red if a method of the study has no defaults to fit."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    assert fits.fit_seconds("NaiBX", Dataset(X, (X > 0).astype(int))) < fits.QUICK


def test_every_way_to_treat_deleted_labels_keeps_the_known_ones():
    """Red if a method of the study sees a label that was deleted, or loses one that was not."""
    rng = np.random.default_rng(0)
    X, hidden = rng.normal(size=(60, 2)), rng.random((60, 3)) < 0.3
    Y = (X[:, :1] + rng.normal(size=(60, 3)) > 0).astype(np.int8)
    other = np.where(hidden, 1 - Y, Y).astype(np.int8)
    for way in missing.WAYS[1:]:
        treated = missing.treat(way, X, Y, hidden)
        np.testing.assert_array_equal(treated[~hidden], Y[~hidden])
        np.testing.assert_array_equal(treated, missing.treat(way, X, other, hidden))


def test_the_truth_of_a_ticket_is_the_mean_over_what_is_missing():
    """Red when the known entropy of the generated tickets, from which models are judged, is wrong."""
    truth = tickets.Truth(np.random.default_rng(0))
    known = np.mean([truth.given(topic, 3, 5) for topic in range(tickets.TOPICS)], axis=0)
    np.testing.assert_allclose(truth.given(-1, 3, 5), known)
    assert known.sum() == pytest.approx(1.0)
