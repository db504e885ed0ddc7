"""With defaults: a fit on a cluster equals one on this machine that makes its choices on the same rows."""

import dask.array as da
import numpy as np
import pytest
import scipy.sparse as sp

from setwise import (
    BinaryRelevance,
    ClassifierChain,
    ConditionalBernoulliMixture,
    ConditionalDependencyNetwork,
    ConditionalTree,
    MixtureOfTreeExperts,
    MixtureOfTrees,
    NaiBX,
)
from setwise.blockwise import BlockwiseSetClassifier
from setwise.dask import DaskSetClassifier

N_ROWS = 600
FAMILIES = {
    "br": BinaryRelevance(),
    "chain": ClassifierChain(),
    "cdn": ConditionalDependencyNetwork(random_state=0),
    "tree": ConditionalTree(),
    "naibx": NaiBX(),
    "cbm": ConditionalBernoulliMixture(random_state=0),
    "mc": MixtureOfTrees(random_state=0),
    "ml-me": MixtureOfTreeExperts(random_state=0),
}
CUTS = {"1": (600,), "3, one empty": (250, 0, 350), "17": (36,) * 16 + (24,)}


@pytest.fixture(scope="module")
def tables():
    """Rows with two dependent labels: dense, and words of which few are in a row."""
    rng = np.random.default_rng(0)
    dense = rng.normal(size=(N_ROWS, 6))
    words = np.where(rng.random((N_ROWS, 80)) < 0.06, 1.0 + rng.random((N_ROWS, 80)), 0.0)
    found = {}
    for name, X in {"dense": dense, "sparse": words}.items():
        Y = (X[:, :4] + X[:, 1:5] + rng.normal(size=(N_ROWS, 4)) > X.mean()).astype(np.int8)
        Y[:, 3] = Y[:, 2] ^ (rng.random(N_ROWS) < 0.15)
        found[name] = X, Y
    return found


def on_cluster(client, estimator, X, Y, kind, cut, sample):
    rows = da.from_array(X, chunks=(cut, X.shape[1]))
    if kind == "sparse":
        rows = rows.map_blocks(sp.csr_array, dtype=X.dtype)
    model = DaskSetClassifier(estimator, client, sample_rows=sample)
    return model.fit(rows, da.from_array(Y, chunks=(cut, Y.shape[1]))).to_local()


def numbers(model):
    """All coefficients of a linear model, or the probabilities that counts give."""
    scores = [getattr(model, name) for name in ("gate_", "experts_", "scores_") if hasattr(model, name)]
    given = [part for score in scores for part in (score.coef, score.intercept)]
    names = ("coef_", "intercept_", "coupling_")
    return given + [getattr(model, name) for name in names if hasattr(model, name)]


def assert_equal(mine, theirs, X, tolerance):
    """Compare structures, coefficients and answers."""
    assert np.array_equal(getattr(mine, "parents_", 0), getattr(theirs, "parents_", 0))
    for ours, other in zip(numbers(mine), numbers(theirs), strict=True):
        assert np.abs(np.asarray(ours) - other).max() <= tolerance * max(np.abs(other).max(), 1e-3)
    assert np.abs(mine.predict_proba(X) - theirs.predict_proba(X)).max() <= tolerance


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.float64, np.float32], ids=["double", "single"])
@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("name", FAMILIES)
def test_fits_with_defaults_are_equal(client, tables, name, kind, dtype):
    """Red if a choice, a start or a sum depends on where the rows are.

    With a sample of half of the rows, beside the fit in one block of one process; with one of all rows, beside the
    estimator itself.
    """
    X, Y = tables[kind]
    X, tolerance = X.astype(dtype), 1e-8 if dtype is np.float64 else 1e-5
    stored = sp.csr_array(X) if kind == "sparse" else X
    half = BlockwiseSetClassifier(FAMILIES[name], sample_rows=N_ROWS // 2).fit(stored, Y).to_local()
    for cut in CUTS.values():
        there = on_cluster(client, FAMILIES[name], X, Y, kind, cut, N_ROWS // 2)
        assert_equal(there, half, stored, tolerance)
    whole = on_cluster(client, FAMILIES[name], X, Y, kind, CUTS["3, one empty"], N_ROWS)
    assert_equal(whole, FAMILIES[name].fit(stored, Y), stored, tolerance)
