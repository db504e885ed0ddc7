"""The best of the candidates so far: one of them, or a stack of several."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from setwise.contract import Floats
from setwise.estimators.meta.search.candidate import Candidate
from setwise.learning.mixtures.pooling.pool import drop_useless, pool_weights, pooled_log_prob


class TrialPool(NamedTuple):
    """Candidates of a stack, the largest weight first, and the log-probabilities (m,) of held-out rows under it."""

    members: list[Candidate]
    weights: Floats
    log_prob: Floats


def judged_enough(candidates: list[Candidate], needed: int) -> list[Candidate]:
    """The candidates that were fitted to the most rows, and judged in enough rounds or in the most there are."""
    judged = [candidate for candidate in candidates if candidate.is_judged]
    most_rows = max((candidate.fold_rows for candidate in judged), default=0)
    judged = [candidate for candidate in judged if candidate.fold_rows == most_rows]
    most = max((len(candidate.log_probs) for candidate in judged), default=0)
    return [candidate for candidate in judged if len(candidate.log_probs) >= min(needed, most)]


def common_log_probs(candidates: list[Candidate]) -> Floats:
    """Log-probabilities (m, K) of the rows that all candidates were judged on."""
    rounds = min(len(candidate.log_probs) for candidate in candidates)
    return np.stack([np.concatenate(candidate.log_probs[:rounds]) for candidate in candidates], axis=1)


def best_pool(
    candidates: list[Candidate], row_weights: list[Floats], needed: int, *, stack: bool = True
) -> TrialPool:
    """Choose members and their weights by the rows that all were judged on.

    Parameters
    ----------
    candidates : list of Candidate
    row_weights : list of ndarray
        Weights of the held-out rows of each round.
    needed : int
        Rounds that a member needs, unless no candidate has as many.
    stack : bool
        Whether there may be several members.

    Returns
    -------
    TrialPool
        Without members if nothing was judged.
    """
    able = judged_enough(candidates, needed)
    if not able:
        return TrialPool([], np.empty(0), np.empty(0))
    log_probs = common_log_probs(able)
    w = np.concatenate(row_weights)[: len(log_probs)]
    kept = drop_useless(log_probs, w) if stack else [_best_column(log_probs, w)]
    if len(kept) > 1 and np.isinf(log_probs[:, kept]).any():
        kept = [_best_column(log_probs, w)]
    shares = pool_weights(log_probs[:, kept], w)
    order = np.argsort(-shares, kind="stable")
    kept, shares = [kept[k] for k in order], shares[order]
    return TrialPool([able[k] for k in kept], shares, pooled_log_prob(log_probs[:, kept], shares))


def _best_column(log_probs: Floats, w: Floats) -> int:
    with np.errstate(invalid="ignore"):
        return int((w @ log_probs).argmax())
