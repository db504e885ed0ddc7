"""Choosing a conditional Bernoulli mixture by held-out joint log-likelihood: penalties, components, iterations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import logsumexp

from setwise.contract import Array, Floats, Labels
from setwise.kernels.design import Design
from setwise.learning.bernoulli_mixture import fit_bernoulli_mixture
from setwise.learning.em import EMResult, run_em
from setwise.learning.experts import LogisticExperts, expert_log_probs
from setwise.learning.gates import SoftmaxGate

L2_STEPS = (1.0, 0.3, 0.1, 0.03)
"""Penalties tried for gate and experts, in units of the total variance of the columns."""
COMPONENTS = (1, 3, 6, 12, 20, 30, 50)
TRIAL_COMPONENTS = 12
TRIAL_ITERATIONS = 6
MAX_TRIAL_ROWS = 8000


@dataclass(frozen=True)
class MixtureSettings:
    """What a conditional Bernoulli mixture is fitted with."""

    n_components: int
    l2: float
    gate_l2: float
    max_iter: int
    n_init: int = 5
    seed: int = 0
    negligible: float = 1e-5


@dataclass(frozen=True)
class Split:
    """Training rows to fit on and held-out rows to judge by, sharing a design."""

    design: Design
    Y: Labels
    weights: Floats
    held_out: Design
    held_out_Y: Labels
    held_out_weights: Floats


def fit_mixture(
    design: Design, Y: Labels, weights: Floats, settings: MixtureSettings, observe: Any = None
) -> tuple[SoftmaxGate, LogisticExperts, EMResult]:
    """EM for a conditional Bernoulli mixture from a Bernoulli mixture on the labels alone."""
    K, L = settings.n_components, Y.shape[1]
    rng = np.random.default_rng(settings.seed)
    start = fit_bernoulli_mixture(Y, weights, K, rng, n_init=settings.n_init)
    coef = np.zeros((K, design.n_columns, L, 1))
    coef[:, design.intercept, :, 0] = start.logits
    gate_coef = np.zeros((design.n_columns, K))
    gate_coef[design.intercept] = start.log_weights
    gate = SoftmaxGate(design, gate_coef, settings.gate_l2)
    l2 = np.full((K, L, 1), settings.l2)
    parents = np.full((K, L), -1)
    experts = LogisticExperts(design, Y, parents, coef, l2, negligible=settings.negligible)
    if observe is not None:
        observe = observe(gate, experts)
    result = run_em(gate, experts, weights, max_iter=settings.max_iter, observe=observe)
    return gate, experts, result


def make_splits(design: Design, Y: Labels, weights: Floats, fold: Array, n_splits: int) -> list[Split]:
    """Folds 0, 1, ... held out in turn; large data are thinned first."""
    rows = np.arange(len(Y))
    if len(Y) > MAX_TRIAL_ROWS:
        rows = np.sort(np.random.default_rng(0).choice(len(Y), MAX_TRIAL_ROWS, replace=False))
    splits = []
    for f in range(n_splits):
        a, b = rows[fold[rows] != f], rows[fold[rows] == f]
        splits.append(Split(design.take(a), Y[a], weights[a], design.take(b), Y[b], weights[b]))
    return splits


def held_out_curve(split: Split, settings: MixtureSettings) -> Floats:
    """Joint log-likelihood of the held-out rows after each EM iteration."""
    values: list[float] = []

    def watch(gate: SoftmaxGate, experts: LogisticExperts) -> Any:
        def observe(trace: list[dict[str, Any]]) -> bool:
            gate_scores = split.held_out.scores(gate.coef).astype(np.float64)
            log_gate = gate_scores - logsumexp(gate_scores, axis=1, keepdims=True)
            log_p = expert_log_probs(split.held_out, split.held_out_Y, experts.parents, experts.coef)
            joint = np.asarray(logsumexp(log_gate + log_p, axis=1))
            values.append(float(split.held_out_weights @ joint))
            return len(values) > 4 and max(values[-3:]) < max(values)

        return observe

    fit_mixture(split.design, split.Y, split.weights, settings, watch)
    return np.array(values)


def best_iteration(splits: list[Split], settings: MixtureSettings) -> tuple[float, int]:
    """The largest held-out log-likelihood over the iterations, summed over the splits, and where it is."""
    curves = [held_out_curve(split, settings) for split in splits]
    length = max(len(curve) for curve in curves)
    total = np.sum([np.pad(curve, (0, length - len(curve)), mode="edge") for curve in curves], axis=0)
    at = int(np.argmax(total[1:])) + 1 if length > 1 else 0
    return float(total[at]), at


def tune_mixture(
    design: Design, Y: Labels, weights: Floats, fold: Array, settings: MixtureSettings, free: set[str]
) -> tuple[MixtureSettings, list[dict[str, Any]]]:
    """Choose the ``free`` ones of n_components, l2 and gate_l2, one after the other, and the iterations.

    Penalties are walked from strong to weak and components from few to many, each until the held-out
    log-likelihood has fallen twice. Returns the settings and a table of what was tried.
    """
    splits = make_splits(design, Y, weights, fold, n_splits=1 if len(Y) > 3000 else 3)
    trials: list[dict[str, Any]] = []

    def judge(candidate: MixtureSettings) -> float:
        tried = {name: getattr(candidate, name) for name in ("n_components", "l2", "gate_l2")}
        for row in trials:
            if tried.items() <= row.items():
                return float(row["held_out"])
        value, at = best_iteration(splits, candidate)
        trials.append(tried | {"iterations": at, "held_out": value})
        return value

    trial = replace(settings, max_iter=TRIAL_ITERATIONS, n_init=min(settings.n_init, 3))
    if "n_components" in free:
        trial = replace(trial, n_components=min(TRIAL_COMPONENTS, len(np.unique(Y, axis=0))))
    scale = design.total_variance
    for name in ("gate_l2", "l2", "n_components", "gate_l2", "l2"):
        if name in free:
            values: Sequence[float] = COMPONENTS
            if name != "n_components":
                values = [scale * step for step in L2_STEPS]
            trial = _walk(trial, name, values, judge)
    _, at = best_iteration(splits, replace(trial, max_iter=settings.max_iter))
    return replace(trial, max_iter=max(at, 1), n_init=settings.n_init), trials


def _walk(
    trial: MixtureSettings, name: str, values: Sequence[float], judge: Callable[[MixtureSettings], float]
) -> MixtureSettings:
    best, best_value, falls = trial, -np.inf, 0
    for value in values:
        candidate = replace(trial, **{name: value})  # type: ignore[arg-type]
        score = judge(candidate)
        if score > best_value:
            best, best_value, falls = candidate, score, 0
        else:
            falls += 1
            if falls == 2:
                break
    return best
