"""What scikit-learn's metrics lack for label sets and their joint distribution."""

from setwise.metrics.calibration import Calibration, set_calibration
from setwise.metrics.instances import (
    InstanceScores,
    cardinality,
    exact_match,
    hamming_score,
    instance_f1,
    instance_jaccard,
    instance_precision,
    instance_recall,
    instance_scores,
)
from setwise.metrics.joint import impossible_share, joint_log_loss, joint_log_loss_sum, top_k_coverage
from setwise.metrics.labels import macro_f1, macro_f1_of_means, micro_f1
from setwise.metrics.propensity import propensities
from setwise.metrics.ranking import (
    label_ranking_average_precision,
    mean_average_precision,
    ndcg_at_k,
    precision_at_k,
    propensity_scored_ndcg_at_k,
    propensity_scored_precision_at_k,
)
from setwise.metrics.scorers import SCORERS, scorer, scorers

__all__ = [
    "SCORERS",
    "Calibration",
    "InstanceScores",
    "cardinality",
    "exact_match",
    "hamming_score",
    "impossible_share",
    "instance_f1",
    "instance_jaccard",
    "instance_precision",
    "instance_recall",
    "instance_scores",
    "joint_log_loss",
    "joint_log_loss_sum",
    "label_ranking_average_precision",
    "macro_f1",
    "macro_f1_of_means",
    "mean_average_precision",
    "micro_f1",
    "ndcg_at_k",
    "precision_at_k",
    "propensities",
    "propensity_scored_ndcg_at_k",
    "propensity_scored_precision_at_k",
    "scorer",
    "scorers",
    "set_calibration",
    "top_k_coverage",
]
