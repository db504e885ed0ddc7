"""Fits in blocks equal fits of all rows at once."""

import weakref
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp

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
    load,
    save,
)
from setwise.blocks import StreamedBlocks
from setwise.blockwise import BlockwiseSetClassifier, fit_in_blocks
from setwise.blockwise.families.mixtures import moved_experts, moved_gate
from setwise.blockwise.memory import bytes_of, rows_within
from setwise.blockwise.rows import BlockRows
from setwise.estimators.base.kinds.mixture import watched_parts
from setwise.learning.linear.in_blocks.made_columns import ColumnMaker
from setwise.learning.mixtures.em import run_em
from setwise.learning.mixtures.experts import LogisticExperts
from setwise.learning.mixtures.gates import ConstantGate, SoftmaxGate
from setwise.learning.mixtures.in_blocks import MixtureRows, fit_block_mixture
from setwise.learning.mixtures.training_rows import TrainingRows
from setwise.learning.progress.monitor import Monitor

from .conftest import cut

TIGHT = {"l2": 2.0, "tol": 1e-18}
LINEAR = [
    (BinaryRelevance(**TIGHT), ("coef_", "intercept_")),
    (BinaryRelevance(class_weight="balanced", **TIGHT), ("coef_", "intercept_", "weight_shift_")),
    (ClassifierChain(order=[2, 0, 3, 1], **TIGHT), ("coef_", "intercept_", "coupling_")),
    (ConditionalDependencyNetwork(random_state=0, **TIGHT), ("coef_", "intercept_", "coupling_")),
    (ConditionalTree(**TIGHT), ("parents_", "coef_given_parent_", "intercept_given_parent_")),
    (ConditionalTree(coupling="additive", **TIGHT), ("parents_", "coef_given_parent_")),
]
ENDS = ([600], [250, 250, 600], [*range(36, 600, 36), 600])
"""One block, three of which one is empty, seventeen."""


def blocks_of(X, Y, w, ends=(250, 250, 600)):
    """Blocks with their numbers."""
    plain = cut((X, Y, w), list(ends))
    loaders = (lambda i=i, load=load: (i, *load()) for i, load in enumerate(plain.loaders))
    return StreamedBlocks(tuple(loaders))


def assert_same(model, other, names, tolerance=1e-8):
    for name in names:
        mine, theirs = (np.asarray(getattr(m, name), float) for m in (model, other))
        scale = max(np.abs(theirs).max(), 1e-3)
        assert np.abs(mine - theirs).max() <= tolerance * scale, name


@pytest.mark.parametrize("ends", ENDS, ids=len)
@pytest.mark.parametrize(("estimator", "names"), LINEAR, ids=lambda e: getattr(type(e), "__name__", "")[:24])
def test_coefficients_equal_those_of_all_rows(table, estimator, names, ends):
    """Red if a sum misses a block, or if the penalty or the scale of a column depends on the blocks."""
    X, Y, w = table
    sample = 599 if isinstance(estimator, ConditionalTree) else 200  # nearly all rows choose the same tree
    model = fit_in_blocks(estimator, blocks_of(X, Y, w, ends), sample_rows=sample)
    assert_same(model, estimator.fit(X, Y, w), names)


@pytest.mark.parametrize(("estimator", "names"), LINEAR[:1] + LINEAR[2:3], ids=["br", "chain"])
def test_sparse_rows_and_single_precision(table, estimator, names):
    """Red if centring is lost for CSR, or if a block changes the precision."""
    X, Y, _ = table
    words = sp.csr_array(np.where(np.random.default_rng(1).random((600, 60)) < 0.05, 1.5, 0.0))
    model = fit_in_blocks(estimator, blocks_of(words, Y, None), sample_rows=200)
    assert_same(model, estimator.fit(words, Y), names)
    single = X.astype(np.float32)
    model = fit_in_blocks(estimator, blocks_of(single, Y, None), sample_rows=200)
    assert_same(model, estimator.fit(single, Y), names, 1e-5)


@pytest.mark.parametrize("estimator", [ClassifierChain(**TIGHT), LINEAR[4][0]], ids=["chain", "tree"])
def test_sparse_columns_are_made_once_if_there_is_room(table, estimator, monkeypatch):
    """Red if columns are made again in each round, or if those that are kept have other rows or labels."""
    _, Y, w = table
    words = sp.csr_array(np.where(np.random.default_rng(1).random((600, 60)) < 0.05, 1.5, 0.0))
    made, make = [], ColumnMaker.__call__
    monkeypatch.setattr(ColumnMaker, "__call__", lambda *asked: made.append(1) or make(*asked))
    models, counts = [], []
    for room in (0, 10**6):
        blocks = replace(blocks_of(words, Y, w), room=room)
        models.append(fit_in_blocks(estimator, blocks, sample_rows=200))
        counts.append(len(made))
        made.clear()
    assert counts[1] == 3 < counts[0]
    assert np.array_equal(*(model.predict_proba(words) for model in models))


def test_large_pieces_of_kept_columns_are_cut(table, monkeypatch):
    """Red if a kept piece ignores the memory that many problems need, or if its parts lose rows."""
    _, Y, w = table
    words = sp.csr_array(np.where(np.random.default_rng(1).random((600, 60)) < 0.05, 1.5, 0.0))
    estimator = BinaryRelevance(**TIGHT)
    monkeypatch.setattr("setwise.learning.linear.in_blocks.made_columns.block_rows", lambda cells: 1)
    monkeypatch.setattr("setwise.learning.linear.in_blocks.made_columns.LEAST_ROWS", 50)
    blocks = replace(blocks_of(words, Y, w), room=10**6)
    model = fit_in_blocks(estimator, blocks, sample_rows=200)
    assert_same(model, estimator.fit(words, Y, w), ("coef_", "intercept_"))


def test_missing_labels(table):
    """Red if a row without a label counts as one where the label is off."""
    X, Y, w = table
    Y = np.where(np.random.default_rng(2).random(Y.shape) < 0.3, -1, Y)
    estimator = BinaryRelevance(**TIGHT)
    model = fit_in_blocks(estimator, blocks_of(X, Y, w), sample_rows=200)
    assert_same(model, estimator.fit(X, Y, w), ("coef_", "intercept_"))
    with pytest.raises(ValueError, match="use BinaryRelevance"):
        fit_in_blocks(ConditionalTree(), blocks_of(X, Y, w), sample_rows=200)


@pytest.mark.parametrize("features", ["gaussian", "bernoulli", "auto"])
def test_counts_add_up(table, features):
    """Red if counts of a block are lost or counted twice."""
    X, Y, w = table
    model = fit_in_blocks(NaiBX(features), blocks_of(X, Y, w), sample_rows=599)
    local = NaiBX(features).fit(X, Y, w)
    assert np.allclose(model.predict_proba(X), local.predict_proba(X), rtol=1e-9)


@pytest.mark.parametrize(
    "estimator",
    [
        ConditionalBernoulliMixture(3, l2=2.0, gate_l2=1.0, tuning=False, random_state=0),
        MixtureOfTrees(2, l2=2.0, n_mixtures=1, random_state=0),
        MixtureOfTreeExperts(2, l2=2.0, gate_l2=1.0, n_mixtures=1, random_state=0),
    ],
    ids=lambda e: type(e).__name__,
)
def test_em_equals_that_of_all_rows(table, estimator):
    """Red if responsibilities leave their rows, or if a sum of the M-step misses a block."""
    X, Y, w = table
    with watched_parts() as parts:
        estimator.fit(X[:200], Y[:200])
    ((gate, experts),) = parts
    design = experts.design
    rows = TrainingRows.of(X, Y, w)
    to_rows = rows.design.from_features
    K, _, L, V = experts.coef.shape
    coef = to_rows(experts.scores()).reshape(-1, K, L, V).transpose(1, 0, 2, 3)
    local = LogisticExperts(rows, experts.parents, np.ascontiguousarray(coef), experts.l2, negligible=0.0)
    soft = hasattr(gate, "coef")
    local_gate = (
        SoftmaxGate(rows, to_rows(gate.scores()), gate.l2) if soft else ConstantGate(rows, gate.log_weights)
    )
    result = run_em(local_gate, local, w, max_iter=6)

    checked = cut((X, w, Y), [250, 250, 600])
    summed = BlockRows.of(checked, (X[:0], w[:0], Y[:0]))
    design = summed.design(standardize=True)
    far = MixtureRows(design, summed.empty, 600, w.sum())
    parts = moved_gate(far, design, gate), moved_experts(far, design, experts)
    there = fit_block_mixture(far, *parts, max_iter=6, tol=1e-5, monitor=Monitor())
    bounds = [[row["bound"] for row in r.trace] for r in (result, there)]
    assert np.allclose(*bounds, rtol=1e-10)
    assert np.allclose(local.scores().coef, parts[1].scores().coef, atol=1e-7)


@pytest.mark.parametrize(
    "estimator",
    [
        ConditionalBernoulliMixture(3, l2=2.0, gate_l2=1.0, tuning=False, random_state=0),
        ConditionalBernoulliMixture(1, l2=2.0),
        MixtureOfTreeExperts(2, l2=2.0, gate_l2=1.0, random_state=0),
    ],
    ids=["mixture", "one component", "trees"],
)
def test_mixtures_learn_from_all_rows(table, estimator, tmp_path):
    """Red if the rows outside the sample teach nothing, or if the model cannot be saved."""
    X, Y, _ = table
    model = fit_in_blocks(estimator, blocks_of(X, Y, None), sample_rows=150)
    small = estimator.fit(X[:150], Y[:150])
    assert model.log_prob(X, Y).mean() > small.log_prob(X, Y).mean()
    save(model, tmp_path / "m.setwise")
    assert np.array_equal(load(tmp_path / "m.setwise").predict(X), model.predict(X))


@pytest.mark.parametrize(
    "estimator",
    [
        ConditionalBernoulliMixture(3, l2=0.01, gate_l2=0.01, tuning=False, random_state=0),
        MixtureOfTreeExperts(2, l2=0.01, gate_l2=0.01, n_mixtures=1, random_state=0),
    ],
    ids=lambda e: type(e).__name__,
)
def test_where_single_precision_rows_are_cut_does_not_matter(table, estimator):
    """Red if a sum of EM is rounded to single precision: coefficients then differ by 1e-4 and more."""
    _, Y, _ = table
    words = np.where(np.random.default_rng(1).random((600, 60)) < 0.05, 1.5, 0.0)
    words = sp.csr_array(words.astype(np.float32))
    one, several = (fit_in_blocks(estimator, blocks_of(words, Y, None, e), sample_rows=300) for e in ENDS[:2])
    for scores, others in ((several.experts_, one.experts_), (several.gate_, one.gate_)):
        assert_same(scores, others, ("coef", "intercept"), 1e-10)


def test_memory_mapped_arrays_and_names(table, tmp_path):
    """Red if a block of a memory map is read from the wrong place, or if names are lost."""
    import pandas as pd

    X, Y, _ = table
    for name, a in {"X": X, "Y": Y}.items():
        np.save(tmp_path / f"{name}.npy", a)
    mapped = (np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in "XY")
    estimator = BinaryRelevance(**TIGHT)
    model = BlockwiseSetClassifier(estimator, memory_limit="260MB", sample_rows=100).fit(*mapped)
    assert model.block_rows_ < 600 * 30
    assert_same(model.to_local(), estimator.fit(X, Y), ("coef_", "intercept_"))
    features = pd.DataFrame(X, columns=list("abcde"))
    labels = pd.DataFrame(Y, columns=["sun", "sea", "sand", "snow"])
    named = BlockwiseSetClassifier(BinaryRelevance(class_weight={"sun": 2.0}), sample_rows=100)
    named = named.fit(features, labels).to_local()
    assert list(named.label_names_) == ["sun", "sea", "sand", "snow"]
    assert list(named.feature_names_in_) == list("abcde")


def test_a_sample_of_all_rows_is_the_fit_of_the_estimator_itself(table):
    """Red if the rows of a table that is smaller than the sample are fitted twice, or in another order."""
    X, Y, w = table
    estimator = ConditionalTree()
    model = fit_in_blocks(estimator, blocks_of(X, Y, w), sample_rows=600)
    assert np.array_equal(model.predict_proba(X), estimator.fit(X, Y, w).predict_proba(X))
    with pytest.warns(UserWarning, match="no known value"):
        fit_in_blocks(BinaryRelevance(), blocks_of(X, np.hstack([Y, np.full((600, 1), -1)]), w))


@pytest.mark.parametrize(
    ("break_it", "message"),
    [
        (lambda X, Y: X.__setitem__((1, 2), np.nan), r"block 2: Input X contains NaN: row 1, column 2"),
        (lambda X, Y: Y.__setitem__((3, 0), 7), r"block 2: .*y is 7 in row 3, label '0'"),
    ],
)
def test_errors_name_the_block(table, break_it, message):
    X, Y, _ = table
    X, Y = X.copy(), Y.copy()
    break_it(X[250:], Y[250:])
    with pytest.raises(ValueError, match=message):
        fit_in_blocks(BinaryRelevance(), blocks_of(X, Y, None))


def test_other_columns_in_one_block(table):
    X, Y, _ = table
    blocks = StreamedBlocks((lambda: (0, X, Y, None), lambda: (1, X[:, :4], Y, None)))
    with pytest.raises(ValueError, match="block 1: X has 4 features"):
        fit_in_blocks(BinaryRelevance(), blocks)


def test_estimators_that_cannot_say_which_can(table):
    X, Y, _ = table
    with pytest.raises(
        TypeError, match="DecisionForest cannot be fitted to rows in blocks; these can: Binary"
    ):
        fit_in_blocks(DecisionForest(), blocks_of(X, Y, None))
    from sklearn.tree import DecisionTreeClassifier

    with pytest.raises(TypeError, match="only with its own learner"):
        fit_in_blocks(BinaryRelevance(DecisionTreeClassifier()), blocks_of(X, Y, None))


def test_progress_is_told(table, capsys):
    """Red if the rounds over all rows are silent, or if those of EM have no name."""
    X, Y, _ = table
    for estimator, steps in {
        BinaryRelevance(l2=1.0, verbose=1): "solver",
        ConditionalBernoulliMixture(
            2, l2=2.0, gate_l2=1.0, tuning=False, max_iter=3, verbose=1, random_state=0
        ): "rows in blocks, mixture 1 of 1",
    }.items():
        fit_in_blocks(estimator, blocks_of(X, Y, None), sample_rows=200)
        last = capsys.readouterr().err.strip().splitlines()[-1]
        assert last.startswith(f"{type(estimator).__name__}: {steps} · iteration")


def test_blocks_leave_memory(table):
    """Red if something of a block keeps all of it: on 20 million rows that was every row of the file."""
    X, Y, _ = table
    alive = []

    def load(i):
        assert not any(block() is not None for block in alive), "an earlier block is still in memory"
        block = X[i * 100 : i * 100 + 100].copy()
        alive.append(weakref.ref(block))
        return i, block, Y[i * 100 : i * 100 + 100].copy(), None

    blocks = StreamedBlocks(tuple(partial(load, i) for i in range(6)))
    fit_in_blocks(BinaryRelevance(l2=1.0), blocks, sample_rows=200)


def test_memory_limits():
    assert bytes_of("2GB") == 2 * 10**9
    with pytest.raises(ValueError, match="'much'"):
        bytes_of("much")
    with pytest.raises(MemoryError, match="give at least"):
        rows_within(10**8, 1000, 100)
