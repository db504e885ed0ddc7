"""Every exported estimator, found by itself: a new class is tested the day it is exported."""

import functools

import setwise
from setwise.estimators.catalog import estimators

ESTIMATORS = sorted(estimators().values(), key=lambda cls: cls.__name__)

# Parameters for quick fits; the searches of the defaults are tested separately.
QUICK = {
    "AutoSetClassifier": {
        "candidates": [setwise.BinaryRelevance(l2=1.0), setwise.ConditionalTree(l2=1.0)],
        "time_budget": None,
        "n_folds": 2,
    },
    "AdaBoostMH": {"n_rounds": 20},
    "CalibratedSets": {"estimator": setwise.BinaryRelevance(l2=1.0), "cv": 2},
    "ConformalSets": {"estimator": setwise.BinaryRelevance(l2=1.0)},
    "TunedThresholds": {"estimator": setwise.BinaryRelevance(l2=1.0)},
    # Predicts the mode, not the vote, and draws nothing but the orders.
    "ChainEnsemble": {"n_chains": 3, "bagging": False, "decision": "subset"},
    "ConditionalBernoulliMixture": {"n_components": 3, "tuning": False, "max_iter": 5, "n_init": 2},
    "DecisionForest": {"n_trees": 20, "max_features": "sqrt"},
    "SetsFromMarginals": {"cv": 2},
    "StackedSets": {
        "estimators": [setwise.BinaryRelevance(l2=1.0), setwise.DecisionForest(10, max_features="sqrt")],
        "cv": 2,
    },
    "MMOC": {"C": 10.0},
    "MixtureOfChains": {"n_components": 2, "max_iter": 3, "l2": 1.0},
    "NaiBXCommittee": {"n_models": 3, "decision": "subset"},
    "RankSVM": {"C": 1.0},
    "TreeEnsemble": {"n_trees": 3, "bagging": False, "l2": 1.0},
    "MixtureOfTrees": {"n_components": 2, "max_iter": 3, "candidate_parents": 2},
    "MixtureOfTreeExperts": {"n_components": 2, "gate_l2": 1.0, "max_iter": 3, "candidate_parents": 2},
}

SAMPLED = {cls.__name__ for cls in ESTIMATORS if cls.about is not None and cls.about.exact_labels == 0}
"""Estimators without a joint in closed form: log_prob raises, the rest is counted in samples."""

MAKERS = [functools.partial(cls, random_state=0, **QUICK.get(cls.__name__, {})) for cls in ESTIMATORS]
"""One maker per estimator: called with parameters, it gives a quick instance with a seed."""
EXACT_MAKERS = [make for make in MAKERS if make.func.__name__ not in SAMPLED]
SAMPLED_MAKERS = [make for make in MAKERS if make.func.__name__ in SAMPLED]
