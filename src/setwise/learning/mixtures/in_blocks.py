"""EM on rows in blocks: responsibilities stay with the rows, the gate and the experts see sums."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.special import log_softmax, logsumexp

from setwise.arrays import Array, Floats, Labels, Matrix
from setwise.blocks import Blocks
from setwise.learning.linear.in_blocks.design import BlockDesign
from setwise.learning.linear.in_blocks.made_columns import ColumnMaker, MadeColumns
from setwise.learning.linear.in_blocks.problems import BlockProblems
from setwise.learning.linear.in_blocks.softmax import fit_block_softmax
from setwise.learning.linear.logistic import fit_logistic
from setwise.learning.linear.logistic_problems import LogisticProblems
from setwise.learning.mixtures.em import MOST_STEPS, EMResult, run_em
from setwise.learning.mixtures.experts import LogisticExperts, forest_problems
from setwise.learning.mixtures.gates import ConstantGate, SoftmaxGate
from setwise.learning.mixtures.training_rows import TrainingRows
from setwise.learning.progress.monitor import Monitor


@dataclass(frozen=True)
class MixtureRows:
    """Rows in blocks with their design, for :class:`BlockGate` and :class:`BlockExperts`.

    Parameters
    ----------
    design : BlockDesign
        Its blocks have features, weights or None, and labels.
    empty : tuple
        The arrays of a block without rows.
    n_rows : int
    total : float
        Sum of the weights.
    """

    design: BlockDesign
    empty: tuple[Any, ...]
    n_rows: int
    total: float

    @property
    def X(self) -> Matrix:
        """Features of no row, whose columns can be counted."""
        return self.empty[0]

    def sum(self) -> float:
        """Sum the weights."""
        return self.total

    def __len__(self) -> int:
        """Number of rows that are here: none."""
        return self.X.shape[0]

    def mean(self) -> float:
        """Compute the mean weight."""
        return self.total / self.n_rows


@dataclass(frozen=True)
class BlockResponsibilities:
    """Responsibilities times weights, in the last array of each block; ``sizes`` (K,) are their sums."""

    blocks: Blocks
    sizes: Floats
    n_rows: int

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and components, (n, K)."""
        return self.n_rows, len(self.sizes)

    def sum(self, axis: int | None = None) -> Any:
        """Sum over the rows (K,), or over everything."""
        return self.sizes if axis == 0 else self.sizes.sum()


class BlockGate(SoftmaxGate):
    """A gate whose rows are in blocks."""

    def log_values(self, rows: TrainingRows | None = None) -> Floats:
        """Return no log weights, (0, K): the rows are elsewhere."""
        return np.empty((0, self.coef.shape[1]))

    def update(self, responsibilities: Any, steps: int = MOST_STEPS) -> int:
        """Do a few steps of softmax regression on the responsibilities as soft targets."""
        design: Any = self.design
        fit = fit_block_softmax(
            design, responsibilities.blocks, l2=self.l2, start=self.coef, tol=1e-9, max_iter=steps
        )
        self.coef = fit.coef
        return fit.n_iter


class BlockExperts(LogisticExperts):
    """Experts whose rows are in blocks: the regressions of all components are one batch."""

    def log_values(self, rows: TrainingRows | None = None) -> Floats:
        """Return no log-probabilities, (0, K): the rows are elsewhere."""
        return np.empty((0, len(self.coef)))

    def update(self, responsibilities: Any, steps: int = MOST_STEPS) -> int:
        """Do a few solver steps for the regressions of every component."""
        K, D, L, V = self.coef.shape
        rows: Any = self.rows
        rows_of = partial(expert_problems, parents=self.parents, l2=self.l2)
        empty = (*rows.empty, np.empty((0, K + 1)))
        problems = BlockProblems.on(responsibilities.blocks, rows_of, empty, l2=self.l2.ravel())
        start = self.coef.transpose(1, 0, 2, 3).reshape(D, K * L * V)
        fit = fit_logistic(self.design, problems, start, tol=1e-9, max_iter=steps)
        self.coef = np.ascontiguousarray(fit.coef.reshape(D, K, L, V).transpose(1, 0, 2, 3))
        return int(fit.n_iter.max(initial=0))


def expert_problems(
    weights: Floats | None, Y: Labels, responsibilities: Floats, parents: Array, l2: Floats
) -> LogisticProblems:
    """Make the regressions of all components for the rows of a block."""
    Y = Y.astype(np.float64)  # once, not for each component
    forests = zip(responsibilities[:, : len(parents)].T, parents, l2, strict=True)
    return LogisticProblems.concatenate([forest_problems(Y, *forest) for forest in forests])


def fit_block_mixture(
    rows: MixtureRows,
    gate: BlockGate | ConstantGate,
    experts: BlockExperts,
    *,
    max_iter: int,
    tol: float,
    monitor: Monitor,
) -> EMResult:
    """Run EM on rows in blocks from the parameters of a gate and experts, which are updated in place.

    Parameters
    ----------
    rows : MixtureRows
    gate : BlockGate or ConstantGate
    experts : BlockExperts
    max_iter : int
    tol : float
    monitor : Monitor

    Returns
    -------
    EMResult
    """
    weights: Any = rows
    return run_em(gate, experts, weights, max_iter=max_iter, tol=tol, monitor=monitor, expect=_expect)


def _expect(gate: Any, experts: Any, weights: Any) -> tuple[Any, float, float]:
    """The E-step: responsibilities that stay with the rows, the bound, and the penalty."""
    rows: MixtureRows = weights
    K, D, L, V = experts.coef.shape
    to_blocks = rows.design.to_blocks
    flat = to_blocks(experts.coef.transpose(1, 0, 2, 3).reshape(D, K * L * V)).reshape(-1, K, L, V)
    softmax = to_blocks(gate.coef) if isinstance(gate, BlockGate) else None
    function = partial(
        responsibilities_of,
        maker=rows.design.maker,
        gate=gate.log_weights if softmax is None else softmax,
        coef=np.ascontiguousarray(flat.transpose(1, 0, 2, 3)),
        parents=experts.parents,
    )
    blocks = rows.design.blocks.also(function)
    sums: Floats = blocks.total(_column_sums)
    penalty = gate.penalty() + experts.penalty()
    return BlockResponsibilities(blocks, sums[:-1], rows.n_rows), float(sums[-1]) - penalty, penalty


def _column_sums(*arrays: Any) -> Floats:
    return np.asarray(arrays[-1].sum(axis=0))


def responsibilities_of(
    X: Matrix | MadeColumns,
    weights: Floats | None,
    Y: Labels,
    maker: ColumnMaker,
    gate: Floats,
    coef: Floats,
    parents: Array,
) -> Floats:
    """Compute the responsibilities times weights of each row of a block, and its weighted log-probability.

    Parameters
    ----------
    X : array or CSR of shape (n, d), or MadeColumns
    weights : ndarray of shape (n,) or None
    Y : ndarray of shape (n, L)
    maker : ColumnMaker
    gate : ndarray of shape (D, K) or (K,)
        Coefficients, or log weights.
    coef : ndarray of shape (K, D, L, V)
    parents : ndarray of shape (K, L)

    Returns
    -------
    ndarray of shape (n, K + 1)
    """
    K, _, L, V = coef.shape
    w, out = np.ones(len(Y)) if weights is None else weights, np.empty((len(Y), K + 1))
    made: Any = maker.pieces(X, Y, maker.cells + 2 * K + 4 * L * V)
    for rows, columns in made:
        part = TrainingRows(columns.features, columns, Y[rows], w[rows], np.empty(0))
        experts = LogisticExperts(part, parents, coef.astype(maker.dtype, copy=False), np.empty(0))
        joint = experts.log_values() + _log_gate(columns, gate.astype(maker.dtype, copy=False))
        total = np.asarray(logsumexp(joint, axis=1, keepdims=True))
        out[rows, :K] = np.exp(joint - total) * w[rows][:, None]
        out[rows, K] = w[rows] * total[:, 0]
    return out


def _log_gate(columns: Any, gate: Floats) -> Floats:
    if gate.ndim == 1:
        return gate.astype(np.float64)
    return np.asarray(log_softmax(columns.scores(gate).astype(np.float64), axis=1))
