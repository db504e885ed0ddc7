"""Tests of whether one method is better than another.

Two methods on the folds of one data set: :func:`paired_t_test`, as in the tables of MC and ML-ME. Two methods over
several data sets: :func:`win_tie_loss` and :func:`bayesian_signed_rank`. Several methods over several data sets:
:func:`friedman` with Nemenyi's critical difference, and :func:`wilcoxon_holm`.
"""

from setwise.evaluation.statistics.paired import (
    MARKERS,
    PairedTest,
    SignedRank,
    Verdict,
    WinTieLoss,
    bayesian_signed_rank,
    paired_t_test,
    win_tie_loss,
)
from setwise.evaluation.statistics.ranks import Friedman, friedman, holm, wilcoxon_holm

__all__ = [
    "MARKERS",
    "Friedman",
    "PairedTest",
    "SignedRank",
    "Verdict",
    "WinTieLoss",
    "bayesian_signed_rank",
    "friedman",
    "holm",
    "paired_t_test",
    "wilcoxon_holm",
    "win_tie_loss",
]
