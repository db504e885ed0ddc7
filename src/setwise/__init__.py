"""Multi-label classification that predicts whole label sets from their joint distribution."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from setwise.contract import FREE as FREE
    from setwise.contract import ImpossibleEvidence as ImpossibleEvidence
    from setwise.contract import NotTractable as NotTractable
    from setwise.distributions import LabelDistribution as LabelDistribution
    from setwise.estimators.binary_relevance import BinaryRelevance as BinaryRelevance
    from setwise.estimators.chain_ensemble import ChainEnsemble as ChainEnsemble
    from setwise.estimators.classifier_chain import ClassifierChain as ClassifierChain
    from setwise.estimators.conditional_bernoulli_mixture import (
        ConditionalBernoulliMixture as ConditionalBernoulliMixture,
    )
    from setwise.estimators.conditional_dependency_network import (
        ConditionalDependencyNetwork as ConditionalDependencyNetwork,
    )
    from setwise.estimators.conditional_tree import ConditionalTree as ConditionalTree
    from setwise.estimators.heterogeneous_features import HeterogeneousFeatures as HeterogeneousFeatures
    from setwise.estimators.iblr import IBLR as IBLR
    from setwise.estimators.label_powerset import LabelPowerset as LabelPowerset
    from setwise.estimators.meta.auto import AutoSetClassifier as AutoSetClassifier
    from setwise.estimators.meta.calibrated_sets import CalibratedSets as CalibratedSets
    from setwise.estimators.meta.conformal_sets import ConformalSets as ConformalSets
    from setwise.estimators.mixture_of_tree_experts import MixtureOfTreeExperts as MixtureOfTreeExperts
    from setwise.estimators.mixture_of_trees import MixtureOfTrees as MixtureOfTrees
    from setwise.estimators.mlknn import MLkNN as MLkNN
    from setwise.estimators.naibx import NaiBX as NaiBX
    from setwise.estimators.pairwise_crf import PairwiseCRF as PairwiseCRF
    from setwise.estimators.rakel import RAkEL as RAkEL
    from setwise.evaluation.label_errors import LabelErrors as LabelErrors
    from setwise.evaluation.label_errors import find_label_errors as find_label_errors
    from setwise.nesting import distribution_of as distribution_of
    from setwise.persistence import load as load
    from setwise.persistence import save as save

# Names are imported when first used, so that `setwise --help` need not wait for scikit-learn.
_HOMES = {
    "FREE": "setwise.contract",
    "ImpossibleEvidence": "setwise.contract",
    "LabelDistribution": "setwise.distributions",
    "NotTractable": "setwise.contract",
    "AutoSetClassifier": "setwise.estimators.meta.auto",
    "BinaryRelevance": "setwise.estimators.binary_relevance",
    "ConditionalBernoulliMixture": "setwise.estimators.conditional_bernoulli_mixture",
    "ConditionalDependencyNetwork": "setwise.estimators.conditional_dependency_network",
    "ConditionalTree": "setwise.estimators.conditional_tree",
    "MixtureOfTreeExperts": "setwise.estimators.mixture_of_tree_experts",
    "MixtureOfTrees": "setwise.estimators.mixture_of_trees",
    "NaiBX": "setwise.estimators.naibx",
    "distribution_of": "setwise.nesting",
    "CalibratedSets": "setwise.estimators.meta.calibrated_sets",
    "ConformalSets": "setwise.estimators.meta.conformal_sets",
    "ChainEnsemble": "setwise.estimators.chain_ensemble",
    "ClassifierChain": "setwise.estimators.classifier_chain",
    "HeterogeneousFeatures": "setwise.estimators.heterogeneous_features",
    "IBLR": "setwise.estimators.iblr",
    "LabelPowerset": "setwise.estimators.label_powerset",
    "MLkNN": "setwise.estimators.mlknn",
    "PairwiseCRF": "setwise.estimators.pairwise_crf",
    "RAkEL": "setwise.estimators.rakel",
    "LabelErrors": "setwise.evaluation.label_errors",
    "find_label_errors": "setwise.evaluation.label_errors",
    "load": "setwise.persistence",
    "save": "setwise.persistence",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'setwise' has no attribute {name!r}; it has {', '.join(_HOMES)}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
