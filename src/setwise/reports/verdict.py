"""A model beside two simple answers: the most common set, and the same labels one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from setwise import metrics
from setwise.contract import Array, Floats
from setwise.evaluation.peers.joints import joint_log_prob
from setwise.nesting import opened
from setwise.views import Table
from setwise.views.text import one_line, set_text

Z = 1.96
"""Half the width of a 95 % interval, in standard errors."""
NAMED = 8
"""Labels that a warning names."""


@dataclass(frozen=True)
class Answer:
    """The answers of a model or of a simple rule: sets (n, L), and log-probabilities (n,) of the true sets if known."""

    name: str
    sets: Array
    log_prob: Floats | None = None

    def right(self, truth: Array) -> Array:
        """Which rows (n,) are right as a whole."""
        return np.asarray((self.sets == truth).all(axis=1))


def share_interval(share: float, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share of n rows.

    Examples
    --------
    >>> low, high = share_interval(0.5, 100)
    >>> round(low, 3), round(high, 3)
    (0.404, 0.596)
    """
    if n == 0:
        return 0.0, 1.0
    centre = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z / (1 + Z**2 / n) * np.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2))
    return float(centre - half), float(centre + half)


def compared_answers(estimator: Any, X: Any, truth: Array, predicted: Array) -> list[Answer]:
    """The answers of the model, of its labels one by one, and of the most common set of the rows."""
    answers = [Answer("this model", predicted, joint_log_prob(estimator, X, truth))]
    model, rows = opened(estimator, X)
    if hasattr(model, "predict_proba"):
        p = np.asarray(model.predict_proba(rows), dtype=np.float64)
        if p.ndim == 2:  # forests of scikit-learn have a list of arrays
            p = np.clip(p[:, -truth.shape[1] :], 1e-15, 1.0 - 1e-15)
            log_prob = np.where(truth == 1, np.log(p), np.log1p(-p)).sum(axis=1)
            answers.append(Answer("its labels one by one", (p > 0.5).astype(truth.dtype), log_prob))
    sets, counts = np.unique(truth, axis=0, return_counts=True)
    common = np.tile(sets[counts.argmax()], (len(truth), 1))
    return [*answers, Answer("always the most common set", common)]


def comparison_table(answers: Sequence[Answer], truth: Array) -> Table:
    """Exact match with an interval, F1 of a row and log-loss of each."""
    rows = []
    for answer in answers:
        share = float(answer.right(truth).mean())
        low, high = share_interval(share, len(truth))
        f1 = metrics.instance_f1(truth, answer.sets)
        loss = "-" if answer.log_prob is None else f"{metrics.joint_log_loss(answer.log_prob):.3f}"
        rows.append([answer.name, f"{share:.3f}", f"{low:.3f} to {high:.3f}", f"{f1:.3f}", loss])
    columns = ["answer", "exact match", "95 % interval", "F1 of a row", "log-loss"]
    return Table("", columns, rows)


def verdict(answers: Sequence[Answer], truth: Array, names: Sequence[str]) -> str:
    """What the comparison means, in plain words.

    Examples
    --------
    >>> truth = np.array([[1, 0], [1, 0], [0, 1], [0, 1]])
    >>> simple = Answer("always the most common set", np.tile([0, 1], (4, 1)))
    >>> print(verdict([Answer("this model", truth), simple], truth, ["sea", "sand"]))
    The whole set is right in 100 % of 4 rows. Always answering "sand" would be right in 50 %: the difference may be
    chance.
    """
    own, common = answers[0].right(truth), answers[-1].right(truth)
    text = f"The whole set is right in {own.mean():.0%} of {len(truth):,} rows. ".replace("%", " %")
    simple = one_line(set_text(answers[-1].sets[0], list(names)))
    text += f'Always answering "{simple}" would be right in {common.mean():.0%}: '.replace("%", " %")
    text += _difference(own, common, "the model is better", "the model is worse")
    if len(answers) > 2:
        text = text[:-1] + f", {_of_whole_sets(answers[0], answers[1])}."
    return text


def _of_whole_sets(own: Answer, one_by_one: Answer) -> str:
    if own.log_prob is None or one_by_one.log_prob is None or not np.isfinite(own.log_prob).all():
        return "and whole sets have no probability"
    gain = own.log_prob - one_by_one.log_prob
    clear = _clearly(gain)
    if not clear:
        return "and knowing how labels depend on each other makes no clear difference"
    return f"and knowing how labels depend on each other {'helps' if clear > 0 else 'does not help'}"


def _difference(first: Array, second: Array, better: str, worse: str) -> str:
    clear = _clearly(first.astype(np.float64) - second)
    return {1: f"{better}.", -1: f"{worse}.", 0: "the difference may be chance."}[clear]


def _clearly(gain: Floats) -> int:
    """Sign of a mean that is more than two standard errors from zero."""
    if len(gain) < 10:
        return 0
    error = float(gain.std(ddof=1)) / np.sqrt(len(gain))
    mean = float(gain.mean())
    return int(np.sign(mean)) if abs(mean) > 2 * error and mean else 0


def label_warnings(truth: Array, predicted: Array, names: Sequence[str]) -> list[str]:
    """Labels that are never answered although rows have them, and labels that no row has."""
    there, answered = (truth == 1).any(axis=0), (predicted == 1).any(axis=0)
    found = []
    for which, text in (
        (there & ~answered, "never answered, although rows have them"),
        (~there, "no row has them, so nothing is known about their scores"),
    ):
        some = [str(names[j]) for j in np.flatnonzero(which).tolist()]
        if some:
            rest = f" and {len(some) - NAMED} more" if len(some) > NAMED else ""
            kind = "label" if len(some) == 1 else "labels"
            found.append(f"{len(some)} {kind} {text}: {', '.join(some[:NAMED])}{rest}")
    return found
