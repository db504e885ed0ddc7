# The public names. Type checkers read them here, and so does __init__.py, which imports each one when it is first used.
from setwise.contract import FREE as FREE
from setwise.contract import ImpossibleEvidence as ImpossibleEvidence
from setwise.contract import NotTractable as NotTractable
from setwise.distributions import LabelDistribution as LabelDistribution
from setwise.estimators.base.set_classifier import SetClassifier as SetClassifier
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
from setwise.estimators.decision_forest import DecisionForest as DecisionForest
from setwise.estimators.ensembles.mixture_of_chains import MixtureOfChains as MixtureOfChains
from setwise.estimators.ensembles.naibx_committee import NaiBXCommittee as NaiBXCommittee
from setwise.estimators.ensembles.tree_ensemble import TreeEnsemble as TreeEnsemble
from setwise.estimators.heterogeneous_features import HeterogeneousFeatures as HeterogeneousFeatures
from setwise.estimators.iblr import IBLR as IBLR
from setwise.estimators.label_powerset import LabelPowerset as LabelPowerset
from setwise.estimators.meta.auto import AutoSetClassifier as AutoSetClassifier
from setwise.estimators.meta.calibrated_sets import CalibratedSets as CalibratedSets
from setwise.estimators.meta.conformal_sets import ConformalSets as ConformalSets
from setwise.estimators.meta.sets_from_marginals import SetsFromMarginals as SetsFromMarginals
from setwise.estimators.meta.stacked_sets import StackedSets as StackedSets
from setwise.estimators.meta.tuned_thresholds import TunedThresholds as TunedThresholds
from setwise.estimators.mixture_of_tree_experts import MixtureOfTreeExperts as MixtureOfTreeExperts
from setwise.estimators.mixture_of_trees import MixtureOfTrees as MixtureOfTrees
from setwise.estimators.mlknn import MLkNN as MLkNN
from setwise.estimators.naibx import NaiBX as NaiBX
from setwise.estimators.pairwise_crf import PairwiseCRF as PairwiseCRF
from setwise.estimators.rakel import RAkEL as RAkEL
from setwise.estimators.scores.adaboost_mh import AdaBoostMH as AdaBoostMH
from setwise.estimators.scores.label_space import LabelSpaceTransform as LabelSpaceTransform
from setwise.estimators.scores.mmoc import MMOC as MMOC
from setwise.estimators.scores.rank_svm import RankSVM as RankSVM
from setwise.evaluation.label_errors import LabelErrors as LabelErrors
from setwise.evaluation.label_errors import find_label_errors as find_label_errors
from setwise.nesting import distribution_of as distribution_of
from setwise.persistence import load as load
from setwise.persistence import save as save
from setwise.pipeline import SetPipeline as SetPipeline
from setwise.pipeline import make_set_pipeline as make_set_pipeline
from setwise.tables.encoder import TableEncoder as TableEncoder
from setwise.tables.labels.tag_tables import read_tags as read_tags
from setwise.versions import show_versions as show_versions
from setwise.web.explorer.explore import explore as explore

__version__: str
