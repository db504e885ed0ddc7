"""Fits on a cluster equal fits in memory; answers are lazy; what is lost or wrong is told."""

import time

import dask.array as da
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from distributed import Client

from setwise import (
    BinaryRelevance,
    ClassifierChain,
    ConditionalBernoulliMixture,
    ConditionalDependencyNetwork,
    ConditionalTree,
    DecisionForest,
    MixtureOfTreeExperts,
    MixtureOfTrees,
    NaiBX,
)
from setwise.blockwise import BlockwiseSetClassifier
from setwise.dask import DaskSetClassifier
from setwise.dask.blocks import DaskBlocks
from setwise.dask.rounds import ClusterError

TIGHT = {"l2": 2.0, "tol": 1e-18}


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 5)) * [1, 10, 0.1, 3, 1] + [5, 0, 2, -30, 0]
    Z = (X - X.mean(0)) / X.std(0)
    Y = (Z[:, :4] + Z[:, 1:] + rng.normal(size=(600, 4)) > 0).astype(np.int8)
    Y[:, 3] = Y[:, 2] ^ (rng.random(600) < 0.15)
    return X, Y


def in_chunks(X, Y, chunks):
    return da.from_array(X, chunks=(chunks, (3, 2))), da.from_array(Y, chunks=(200, 4))


def assert_close(model, other, names):
    for name in names:
        mine, theirs = (np.asarray(getattr(m, name), float) for m in (model, other))
        assert np.abs(mine - theirs).max() <= 1e-8 * max(np.abs(theirs).max(), 1e-3), name


@pytest.mark.parametrize(
    ("estimator", "names", "chunks"),
    [
        (BinaryRelevance(**TIGHT), ("coef_", "intercept_"), (600,)),
        (BinaryRelevance(**TIGHT), ("coef_", "intercept_"), (35,) * 17 + (5,)),
        (ClassifierChain(**TIGHT), ("coef_", "coupling_"), (250, 0, 350)),
        (ConditionalDependencyNetwork(random_state=0, **TIGHT), ("coef_", "coupling_"), (250, 0, 350)),
        (ConditionalTree(**TIGHT), ("parents_", "coef_given_parent_"), (250, 0, 350)),
    ],
    ids=["br 1", "br 18", "chain", "cdn", "tree"],
)
def test_coefficients_equal_those_of_a_fit_in_memory(client, table, estimator, names, chunks):
    """Red if a partition is lost, or if its place or size matters."""
    X, Y = table
    sample = 599 if isinstance(estimator, ConditionalTree) else 200
    model = DaskSetClassifier(estimator, client, sample_rows=sample).fit(*in_chunks(X, Y, chunks))
    assert_close(model.to_local(), estimator.fit(X, Y), names)
    # What moves depends on the number of parameters and of partitions, not on that of the rows.
    assert model.traffic_.out < model.traffic_.rounds * len(chunks) * 20_000


@pytest.mark.parametrize(
    "estimator",
    [
        NaiBX("gaussian"),
        ConditionalBernoulliMixture(2, l2=2.0, gate_l2=1.0, tuning=False, max_iter=3, random_state=0),
        MixtureOfTrees(2, l2=2.0, n_mixtures=1, max_iter=3, random_state=0),
        MixtureOfTreeExperts(2, l2=2.0, gate_l2=1.0, n_mixtures=1, max_iter=3, random_state=0),
    ],
    ids=lambda e: type(e).__name__,
)
def test_a_cluster_agrees_with_blocks_of_one_process(client, table, estimator):
    """Red if responsibilities or counts depend on where the rows are; the blocks are checked in their own tests."""
    X, Y = table
    model = DaskSetClassifier(estimator, client, sample_rows=150).fit(*in_chunks(X, Y, (250, 350)))
    local = BlockwiseSetClassifier(estimator, sample_rows=150).fit(X, Y).to_local()
    assert np.allclose(model.to_local().predict_proba(X), local.predict_proba(X), atol=1e-7)


def test_weights_and_sparse_chunks(client, table):
    """Red if weights lose their rows, or if a sparse chunk becomes dense."""
    _, Y = table
    w = np.random.default_rng(1).uniform(0.2, 3.0, 600)
    words = np.where(np.random.default_rng(1).random((600, 60)) < 0.05, 1.5, 0.0)
    chunks = da.from_array(words, chunks=(250, 60)).map_blocks(sp.csr_array, dtype=float)
    estimator = BinaryRelevance(**TIGHT)
    model = DaskSetClassifier(estimator, client, sample_rows=200)
    model.fit(chunks, da.from_array(Y, chunks=(250, 4)), da.from_array(w, chunks=250))
    assert_close(model.to_local(), estimator.fit(sp.csr_array(words), Y, w), ("coef_", "intercept_"))


def test_columns_stay_on_workers_with_memory(client, table, monkeypatch):
    """Red if workers make the columns of sparse rows in each round, or keep them although they have no memory."""
    made = []
    kept = DaskBlocks.through
    monkeypatch.setattr(
        DaskBlocks, "through", lambda self, function: made.append(function) or kept(self, function)
    )
    words = np.where(np.random.default_rng(1).random((600, 60)) < 0.05, 1.5, 0.0)
    chunks = da.from_array(words, chunks=(250, 60)).map_blocks(sp.csr_array, dtype=float)
    labels, models = da.from_array(table[1], chunks=(250, 4)), []
    for share in (0.5, 0.0):
        monkeypatch.setattr("setwise.dask.blocks.FILLED", share)
        model = DaskSetClassifier(BinaryRelevance(l2=2.0), client, sample_rows=200).fit(chunks, labels)
        models.append(model.to_local())
    assert [getattr(function, "__name__", "read") for function in made] == ["read", "keep", "read"]
    assert np.array_equal(models[0].coef_, models[1].coef_)


def test_answers_are_lazy_and_equal(client, table):
    """Red if asking computes, or if an empty partition breaks an answer."""
    X, Y = table
    rows, labels = in_chunks(X, Y, (250, 0, 350))
    model = DaskSetClassifier(ConditionalTree(l2=2.0), client).fit(rows, labels)
    local = model.to_local()
    best, known = model.predict_top_k(rows, 20), local.predict_top_k(X, 20)
    asked = [model.predict(rows, decision="f1"), model.predict_proba(rows), best.labels, best.log_prob]
    asked.append(model.log_prob(rows, labels.rechunk((rows.chunks[0], 4))))
    assert all(isinstance(answer, da.Array) for answer in asked)
    sets, marginals, top, log_top, log_prob = client.gather(client.compute(asked))
    assert np.array_equal(sets, local.predict(X, decision="f1"))
    assert np.allclose(marginals, local.predict_proba(X))
    assert np.array_equal(top[:, :16], known.labels[:, :16])
    assert (log_top[:, 16:] == -np.inf).all()
    assert np.allclose(log_prob, local.log_prob(X, Y))
    with pytest.raises(ValueError, match="about all rows together"):
        model.predict(rows, decision="macro_f1")


def test_dataframes_with_partitions_of_unknown_size(client, table):
    """Red if names or the index of a dataframe are lost."""
    dd = pytest.importorskip("dask.dataframe")
    X, Y = table
    features = dd.from_pandas(pd.DataFrame(X, columns=list("abcde")), npartitions=3)
    labels = dd.from_pandas(pd.DataFrame(Y, columns=["sun", "sea", "sand", "snow"]), npartitions=3)
    model = DaskSetClassifier(BinaryRelevance(**TIGHT), client, sample_rows=200).fit(features, labels)
    assert list(model.to_local().feature_names_in_) == list("abcde")
    answers = model.predict(features).compute()
    assert list(answers.columns) == ["sun", "sea", "sand", "snow"]
    assert np.array_equal(answers, model.to_local().predict(pd.DataFrame(X, columns=list("abcde"))))
    assert answers.index.equals(features.index.compute())


def test_errors_name_the_block(client, table):
    X, Y = table
    bad = Y.copy()
    bad[470, 0] = 7
    with pytest.raises(ValueError, match=r"block 4: .*y is 7 in row 70, label '0'"):
        DaskSetClassifier(BinaryRelevance(), client).fit(*in_chunks(X, bad, (100,) * 6))
    rows, labels = in_chunks(X, Y, (100,) * 6)
    with pytest.raises(ValueError, match="X has 600 rows but y has 500"):
        DaskSetClassifier(BinaryRelevance(), client).fit(rows, labels[:500])
    with pytest.raises(TypeError, match="X is a ndarray; expected a Dask array"):
        DaskSetClassifier(BinaryRelevance(), client).fit(X, Y)
    with pytest.raises(TypeError, match="DecisionForest cannot be fitted to rows in blocks; these can"):
        DaskSetClassifier(DecisionForest(), client).fit(rows, labels)


def test_a_closed_client(client, table):
    other = Client(client.scheduler.address)
    other.close()
    with pytest.raises(ClusterError, match="the Dask client is closed"):
        DaskSetClassifier(BinaryRelevance(), other).fit(*in_chunks(*table, (300, 300)))


def test_a_cluster_without_workers(client, table, monkeypatch):
    """Red if a fit waits for ever for workers that never come."""
    from distributed import LocalCluster

    monkeypatch.setattr("setwise.dask.rounds.PATIENCE", 1.0)
    monkeypatch.setattr("setwise.dask.rounds.LOOK", 0.2)
    with LocalCluster(n_workers=0, processes=False, dashboard_address=None) as empty, Client(empty) as alone:
        began = time.monotonic()
        with pytest.raises(ClusterError, match="has had no worker"):
            DaskSetClassifier(BinaryRelevance(), alone).fit(*in_chunks(*table, (300, 300)))
        assert time.monotonic() - began < 600
