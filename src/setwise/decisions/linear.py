"""The allowed set with the largest sum of scores, by a greedy choice or an integer program.

If only the size and some labels are constrained, taking the labels with the highest scores is exact. If that answer
violates a clause, the row is solved as a mixed-integer linear program (HiGHS, through SciPy), which is exact too.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from setwise.contract import FREE, Array, Floats, Labels
from setwise.decisions.feasible import Feasible


def best_linear(scores: Floats, feasible: Feasible) -> Labels:
    """The allowed set (n, L) of each row with the largest sum of the finite ``scores`` (n, L) of its labels.

    A label with a score of zero or less is included only if the constraints require it.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.array([[3.0, -1.0, 2.0]])
    >>> best_linear(scores, Feasible(3, most=1))
    array([[1, 0, 0]], dtype=int8)
    >>> best_linear(scores, Feasible(3, clauses=(((0, 0), (1, 1)),)))
    array([[1, 1, 1]], dtype=int8)
    """
    labels = _greedy(scores, feasible)
    for row in np.flatnonzero(~feasible.holds(labels)):
        labels[row] = _integer_program(scores[row], feasible)
    return labels


def _greedy(scores: Floats, feasible: Feasible) -> Labels:
    evidence = feasible.evidence
    fixed_on, free = int((evidence == 1).sum()), evidence == FREE
    keys = np.where(free, scores, -np.inf)
    order = np.argsort(-keys, axis=1, kind="stable")
    place = np.argsort(order, axis=1, kind="stable")
    wanted = (keys > 0).sum(axis=1)
    count = np.clip(wanted, max(feasible.least - fixed_on, 0), max(feasible.largest - fixed_on, 0))
    chosen = (place < count[:, None]) & free
    return np.where(chosen | (evidence == 1), 1, 0).astype(np.int8)


def _integer_program(scores: Floats, feasible: Feasible) -> Labels:
    L = feasible.n_labels
    evidence = feasible.evidence
    label, value = feasible.arrays
    rows = np.zeros((len(label) + 1, L))
    rows[0] = 1.0
    for side in range(2):
        np.add.at(rows, (np.arange(1, len(label) + 1), label[:, side]), 2.0 * value[:, side] - 1.0)
    # A literal "label is 0" counts as 1 - y: its ones move to the right-hand side.
    lower = np.concatenate([[feasible.least], 1.0 - (value == 0).sum(axis=1)])
    upper = np.concatenate([[feasible.largest], np.full(len(label), np.inf)])
    bounds = Bounds(np.where(evidence == 1, 1, 0), np.where(evidence == 0, 0, 1))
    answer = milp(-scores, integrality=np.ones(L), bounds=bounds, constraints=_system(rows, lower, upper))
    if answer.x is None:
        raise ValueError("no label set satisfies the constraints: " + describe(feasible))
    return np.asarray(answer.x > 0.5, dtype=np.int8)


def _system(rows: Floats, lower: Floats, upper: Floats) -> LinearConstraint:
    return LinearConstraint(rows, lower, upper)


def check_feasible(feasible: Feasible) -> None:
    """Raise a ValueError if no label set is allowed."""
    if feasible.among is not None:
        if not feasible.holds(feasible.among).any():
            raise ValueError("no label set satisfies the constraints: " + describe(feasible))
        return
    _integer_program(np.zeros(feasible.n_labels), feasible)


def describe(feasible: Feasible) -> str:
    """Describe the constraints in words."""
    parts = [f"{feasible.least} to {feasible.largest} of {feasible.n_labels} labels"]
    parts += [f"label {label} is {value}" for label, value in feasible.fixed]
    parts += [f"label {a} is {v} or label {b} is {w}" for (a, v), (b, w) in feasible.clauses[:10]]
    parts += [] if feasible.among is None else [f"one of {len(feasible.among)} given sets"]
    return "; ".join(parts)


def logit_scores(marginals: Floats) -> Floats:
    """Finite log-odds (n, L) of the marginals; the allowed set with the largest sum of them is a probable one."""
    inside: Array = np.clip(marginals, 1e-12, 1.0 - 1e-12)
    return np.asarray(np.log(inside) - np.log1p(-inside))
