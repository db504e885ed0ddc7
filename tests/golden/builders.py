"""The estimators of the golden answers: the one place that names their parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import setwise


class Case(NamedTuple):
    """An estimator to build, and the data it is fitted to."""

    build: Callable[[], Any]
    data: tuple[str, ...] = ("dense",)


def seeded(name: str, *args: Any, **parameters: Any) -> Callable[[], Any]:
    """A builder of the estimator of that name, with ``random_state=0`` if it has one."""
    cls = getattr(setwise, name)
    if "random_state" in inspect.signature(cls).parameters:
        parameters.setdefault("random_state", 0)
    return lambda: cls(*args, **parameters)


EVERY = ("dense", "sparse", "missing")
CONVERGED = LogisticRegression(solver="newton-cholesky", tol=1e-10)
"""A learner that runs to its optimum: one that stops early stops elsewhere on another processor."""
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)
CASES = {
    "AdaBoostMH": Case(seeded("AdaBoostMH", 20), ("dense", "sparse")),
    "AdaBoostMH, chosen rounds": Case(seeded("AdaBoostMH")),
    "AutoSetClassifier": Case(
        seeded(
            "AutoSetClassifier",
            [setwise.BinaryRelevance(l2=1.0), setwise.ConditionalTree(l2=1.0)],
            time_budget=None,
            n_folds=2,
        ),
        EVERY,
    ),
    "BinaryRelevance": Case(seeded("BinaryRelevance"), EVERY),
    "BinaryRelevance, learner": Case(seeded("BinaryRelevance", TREE)),
    "CalibratedSets": Case(seeded("CalibratedSets", setwise.ConditionalTree(l2=1.0)), ("dense", "sparse")),
    "CalibratedSets, isotonic": Case(
        seeded("CalibratedSets", setwise.BinaryRelevance(l2=1.0), method="isotonic", cv=3)
    ),
    "ChainEnsemble": Case(seeded("ChainEnsemble", 5), ("dense", "sparse")),
    "ChainEnsemble, votes for sets": Case(
        seeded("ChainEnsemble", 5, CONVERGED, vote="subset", search="best_first")
    ),
    "ClassifierChain": Case(seeded("ClassifierChain"), ("dense", "sparse")),
    "ClassifierChain, learned order": Case(seeded("ClassifierChain", order="learned", search="beam")),
    "ClassifierChain, learner": Case(seeded("ClassifierChain", GaussianNB(), search="exhaustive")),
    "ClassifierChain, random order": Case(seeded("ClassifierChain", order="random", search="greedy", l2=1.0)),
    "ConditionalBernoulliMixture": Case(
        seeded("ConditionalBernoulliMixture", max_iter=6, n_init=2), ("dense", "missing")
    ),
    "ConditionalBernoulliMixture, clusters": Case(
        seeded("ConditionalBernoulliMixture", 4, init="clusters", tuning=False), EVERY
    ),
    "ConditionalBernoulliMixture, boosting": Case(
        seeded("ConditionalBernoulliMixture", 3, learner="boosting", tuning=False)
    ),
    "ConditionalBernoulliMixture, learner": Case(
        seeded("ConditionalBernoulliMixture", 2, learner=CONVERGED, tuning=False, max_iter=5)
    ),
    "ConditionalDependencyNetwork": Case(seeded("ConditionalDependencyNetwork"), ("dense", "sparse")),
    "ConditionalDependencyNetwork, svm": Case(
        seeded("ConditionalDependencyNetwork", "svm", n_gibbs_chains=2)
    ),
    "ConditionalTree": Case(seeded("ConditionalTree"), EVERY),
    "ConditionalTree, additive": Case(seeded("ConditionalTree", coupling="additive")),
    "ConformalSets": Case(seeded("ConformalSets", setwise.ConditionalTree(l2=1.0)), ("dense", "sparse")),
    "DecisionForest": Case(seeded("DecisionForest"), EVERY),
    "DecisionForest, fixed": Case(
        seeded("DecisionForest", 30, max_features="sqrt", leaf_size=3.0, backoff=0.1)
    ),
    "HeterogeneousFeatures": Case(seeded("HeterogeneousFeatures", n_folds=3), EVERY),
    "IBLR": Case(seeded("IBLR", 7), ("dense", "sparse")),
    "IBLR, with features": Case(seeded("IBLR", 7, with_features=True)),
    "LabelPowerset": Case(seeded("LabelPowerset"), ("dense", "sparse")),
    "LabelPowerset, learner": Case(seeded("LabelPowerset", TREE)),
    "LabelSpaceTransform": Case(seeded("LabelSpaceTransform"), ("dense", "sparse")),
    "LabelSpaceTransform, principal": Case(seeded("LabelSpaceTransform", 2, kind="principal", l2=1.0)),
    "MMOC": Case(seeded("MMOC"), ("sparse",)),
    # With larger C the code of these rows has one column, and where its optimization ends depends on the processor.
    "MMOC, given C": Case(seeded("MMOC", 1.0)),
    "MMOC, exact": Case(seeded("MMOC", 10.0, search="exact", l2=1.0)),
    "MLkNN": Case(seeded("MLkNN", 7), ("dense", "sparse")),
    "MixtureOfChains": Case(seeded("MixtureOfChains"), ("dense", "sparse")),
    "MixtureOfChains, gate": Case(seeded("MixtureOfChains", 3, gate="softmax", search="greedy", l2=1.0)),
    "MixtureOfTreeExperts": Case(seeded("MixtureOfTreeExperts", 3), EVERY),
    "MixtureOfTreeExperts, fixed": Case(
        seeded("MixtureOfTreeExperts", 3, gate_l2=1.0, l2=1.0, seen_share=0.0)
    ),
    "MixtureOfTrees": Case(seeded("MixtureOfTrees"), EVERY),
    "MixtureOfTrees, fixed": Case(seeded("MixtureOfTrees", 3, l2=1.0, candidate_parents="all")),
    "NaiBX": Case(seeded("NaiBX"), ("dense", "sparse")),
    "NaiBX, beam": Case(seeded("NaiBX", search="beam", size_model="prior")),
    "NaiBX, cascade": Case(seeded("NaiBX", learner=CONVERGED, search="exact")),
    "NaiBX, counts": Case(seeded("NaiBX", "multinomial"), ("sparse",)),
    "NaiBXCommittee": Case(seeded("NaiBXCommittee", 3), ("dense", "sparse")),
    "PairwiseCRF": Case(seeded("PairwiseCRF"), ("dense", "sparse")),
    "PairwiseCRF, exact": Case(seeded("PairwiseCRF", "label_feature", search="exact", l2=1.0)),
    "PairwiseCRF, pseudo": Case(
        seeded("PairwiseCRF", training="pseudo", structure="learned", search="loopy")
    ),
    "PairwiseCRF, sparse": Case(seeded("PairwiseCRF", training="pseudo", structure="sparse", search="exact")),
    "RankSVM": Case(seeded("RankSVM"), ("dense", "sparse")),
    "TreeEnsemble": Case(seeded("TreeEnsemble", 4), ("dense", "sparse")),
    "TreeEnsemble, learned": Case(seeded("TreeEnsemble", 3, structure="learned", l2=1.0)),
    "SetsFromMarginals": Case(seeded("SetsFromMarginals", cv=3), ("dense", "sparse")),
    "SetsFromMarginals, tree": Case(seeded("SetsFromMarginals", TREE, setwise.ConditionalTree(l2=1.0), cv=3)),
    "StackedSets": Case(
        seeded("StackedSets", [setwise.BinaryRelevance(), setwise.DecisionForest(20)], cv=3), EVERY
    ),
    "TunedThresholds": Case(
        seeded("TunedThresholds", setwise.BinaryRelevance(l2=1.0), cv=3), ("dense", "sparse")
    ),
    "RAkEL": Case(seeded("RAkEL"), ("dense", "sparse")),
    "RAkEL, disjoint": Case(seeded("RAkEL", kind="disjoint", group_size=2)),
}


def names() -> list[str]:
    """Every case on each of its data, as ``estimator / data``."""
    return [f"{name} / {data}" for name, case in CASES.items() for data in case.data]
