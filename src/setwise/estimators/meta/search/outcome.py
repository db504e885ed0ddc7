"""What a search found, for people: the rows of the leaderboard, and the reason of the choice."""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.estimators.meta.search.candidate import Candidate
from setwise.estimators.meta.search.candidate_search import CandidateSearch
from setwise.estimators.meta.search.trial_pool import TrialPool, common_log_probs, judged_enough


def ranked_rows(search: CandidateSearch, pool: TrialPool) -> list[dict[str, Any]]:
    """The rows of the leaderboard: the stack if there is one, its members by weight, then the others by loss."""
    stacked = len(pool.members) > 1
    for member, weight in zip(pool.members, pool.weights):
        member.status = f"stacked: weight {weight:.2f}" if stacked else "chosen"
    others = [candidate for candidate in search.candidates if candidate not in pool.members]
    others.sort(key=lambda candidate: candidate.loss(search.row_weights))
    rows = [candidate.row(search.row_weights) for candidate in (*pool.members, *others)]
    return [_stack_row(search, pool), *rows] if stacked else rows


def _stack_row(search: CandidateSearch, pool: TrialPool) -> dict[str, Any]:
    w = np.concatenate(search.row_weights)[: len(pool.log_prob)]
    return {
        "name": f"a stack of {len(pool.members)}",
        "log_loss": -float(np.average(pool.log_prob, weights=w)),
        "standard_error": float(pool.log_prob.std() / np.sqrt(len(w))),
        "rows": min(member.rows for member in pool.members),
        "seconds": round(sum(member.cost for member in pool.members), 3),
        "status": "chosen",
    }


def reason(search: CandidateSearch, pool: TrialPool, shift: float) -> str:
    """Explain why the choice is better than the next, and how its log-odds were shifted."""
    w = np.concatenate(search.row_weights)[: len(pool.log_prob)]
    loss = -float(np.average(pool.log_prob, weights=w))
    if len(pool.members) > 1:
        parts = [f"{m.name} ({v:.2f})" for m, v in zip(pool.members, pool.weights)]
        start = f"a stack of {', '.join(parts[:-1])} and {parts[-1]}"
    else:
        start = pool.members[0].name
    start = f"{start} has the smallest joint log-loss, {loss:.3f} nats per held-out row"
    end = f"; its linear models' log-odds are shifted by {shift:+.2f}, as held-out rows show" if shift else ""
    return f"{start}; {_beside(search, pool)}{end}"


def _beside(search: CandidateSearch, pool: TrialPool) -> str:
    """The choice compared with the best candidate that is not the choice itself."""
    only = pool.members if len(pool.members) == 1 else []
    rivals = [c for c in judged_enough(search.candidates, search.rounds.needed) if c not in only]
    if not rivals:
        return "no other candidate was judged"
    rival = min(rivals, key=lambda candidate: candidate.loss(search.row_weights))
    ours, theirs = _paired(pool, rival)
    with np.errstate(invalid="ignore"):
        difference = ours - theirs
    place = "the best of them alone" if rival in pool.members else "the next"
    if not np.isfinite(difference).all():
        return f"{place}, {rival.name}, gives some of the held-out sets probability zero"
    error = float(difference.std() / np.sqrt(len(difference)))
    fewer = rival.rows < min(member.rows for member in pool.members) and rival.rows < search.n_train
    rows = f" fitted to {rival.rows} rows" if fewer else ""
    return f"{place}, {rival.name}{rows}, has {difference.mean():.3f} ± {error:.3f} more"


def _paired(pool: TrialPool, rival: Candidate) -> tuple[Any, Any]:
    theirs = common_log_probs([rival])[:, 0]
    n = min(len(theirs), len(pool.log_prob))
    return pool.log_prob[:n], theirs[:n]
