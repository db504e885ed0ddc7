"""The papers' figures, the ablations and the questions that their tables leave open."""

from __future__ import annotations

from typing import Any

from setwise.estimators.naibx import NaiBX
from setwise.evaluation.methods import Recipe
from setwise.evaluation.protocol import Protocol
from setwise.papers.growth import growing
from setwise.papers.one_row import RowFigure
from setwise.papers.recipes import BOOSTED, CBM, CDN, CHOSEN, EVERY_SET, MC, MLME
from setwise.papers.studies import Study

SMALL = ("emotions", "image")
TREES_1_TO_20 = tuple(range(1, 21))
COMPONENTS = (1, 5, 10, 15, 20, 30, 50)


def _mixture(estimator: str, **changes: Any) -> Recipe:
    return Recipe(estimator, changes, as_published=True)


MC_FIGURE_3 = Study(
    "Figure 3",
    ("emotions", "scene", "image"),
    {str(k): _mixture("MixtureOfTrees", n_components=k) for k in TREES_1_TO_20},
    curve=True,
    remark="by the number of trees; the paper's CLL-loss falls for the first few trees, then stays",
)

_TREE_EXTRAS: dict[str, dict[str, Any]] = {
    "mean of three growths": {"n_mixtures": 3},
    "reweighting noise": {"reweighting_noise": True},
    "five candidate parents": {"candidate_parents": 5, "min_parent_rows": 10},
    "share of seen sets": {"seen_share": "auto"},
    "unit rows if they help": {"unit_rows": "auto"},
    "no empty set": {"min_labels": "auto"},
}

MC_ABLATION = Study(
    "Ablation of MC, one extra at a time",
    SMALL,
    {
        "as published": _mixture("MixtureOfTrees"),
        "one penalty of 1 for all": _mixture("MixtureOfTrees", l2=1.0),
        "one penalty of 10 for all": _mixture("MixtureOfTrees", l2=10.0),
        "relaxed penalties": _mixture("MixtureOfTrees", relax_penalties=True),
        "five trees": _mixture("MixtureOfTrees", n_components=5),
        "five trees, one penalty of 10": _mixture("MixtureOfTrees", n_components=5, l2=10.0),
    }
    | {name: _mixture("MixtureOfTrees", **extra) for name, extra in _TREE_EXTRAS.items()}
    | {"default": Recipe("MixtureOfTrees")},
)

MLME_ABLATION = Study(
    "Ablation of ML-ME, one extra at a time",
    SMALL,
    {"as published": MLME.published["ML-ME"]}
    | {
        name: _mixture("MixtureOfTreeExperts", **({"n_components": 5} | extra))
        for name, extra in _TREE_EXTRAS.items()
    }
    | {
        "number of trees chosen": _mixture("MixtureOfTreeExperts", n_components="auto"),
        "one penalty of 10 for all": _mixture("MixtureOfTreeExperts", n_components=5, l2=10.0),
        "gate penalty chosen": _mixture("MixtureOfTreeExperts", n_components=5, gate_l2="auto"),
        "default": Recipe("MixtureOfTreeExperts"),
    },
)

MC_RELATIVES = Study(
    "The ensembles that section 6.3.1 proposes",
    ("emotions", "yeast", "scene", "image"),
    {
        "MC, as published": _mixture("MixtureOfTrees"),
        "MC": MC.columns["MC"],
        "MPCC": Recipe("MixtureOfChains"),
        "ECTBN": Recipe("TreeEnsemble"),
        "PCC": MC.columns["PCC"],
    },
)

CBM_FIGURE_2 = RowFigure("Figure 2: the heaviest components of one row", ("nus-wide", "emotions"))

CBM_FIGURE_3_LR = Study(
    "Figure 3, left: CBM+LR",
    ("tmc2007",),
    {str(k): _mixture("ConditionalBernoulliMixture", n_components=k) for k in COMPONENTS},
    ("exact_match",),
    Protocol("official", 1),
    curve=True,
    rivals={name: CBM.columns[name] for name in ("BinRel+LR", "PowSet+LR", "pairCRF+linear")},
)

CBM_FIGURE_3_GB = Study(
    "Figure 3, right: CBM+GB",
    ("tmc2007",),
    {str(k): _mixture("ConditionalBernoulliMixture", n_components=k, learner="boosting") for k in COMPONENTS},
    ("exact_match",),
    Protocol("official", 1),
    curve=True,
    rivals={
        "BinRel+GB": Recipe("BinaryRelevance", EVERY_SET | {"learner": BOOSTED}),
        "PowSet+GB": CBM.columns["PowSet+GB"],
        "pairCRF+linear": CBM.columns["pairCRF+linear"],
    },
)

CBM_ABLATION = Study(
    "Ablation of CBM, one extra at a time",
    SMALL,
    {
        "as published, K = 30": _mixture("ConditionalBernoulliMixture"),
        "start chosen": _mixture("ConditionalBernoulliMixture", init="auto"),
        "K chosen, mean of three": _mixture("ConditionalBernoulliMixture", n_components="auto"),
        "default": Recipe("ConditionalBernoulliMixture"),
    },
    protocol=Protocol("folds", 10),
)

NEVER_EMPTY = {"min_labels": 1}
CDN_QUESTION = Study(
    "What CDN gains over independent labels and over CML",
    ("emotions", "yeast", "scene", "medical"),
    {
        "LR": CDN.columns["LR"],
        "CDN-LR": CDN.published["CDN-LR"],
        "CML": CDN.columns["CML"],
        "LR, never empty": Recipe("BinaryRelevance", NEVER_EMPTY),
        "CDN-LR, never empty": Recipe("ConditionalDependencyNetwork", NEVER_EMPTY, as_published=True),
        "CML, never empty": Recipe("PairwiseCRF", NEVER_EMPTY | {"backoff": 0.0}),
    },
    ("exact_match", "micro_f1", "macro_f1"),
    Protocol("holdout", 10, test_size=1 / 3),
)

CDN_CONVERGENCE = Study(
    "Convergence of Algorithm 1: states collected after the burn-in",
    ("emotions",),
    {
        str(n): Recipe("ConditionalDependencyNetwork", {"n_samples": n}, as_published=True)
        for n in (10, 30, 100, 200, 500, 1000)
    },
    ("exact_match", "micro_f1", "macro_f1"),
    Protocol("holdout", 10, test_size=202),
    curve=True,
)

NAIBX_ABLATION = Study(
    "Ablation of NaiBX, one extra at a time",
    ("emotions", "scene", "yeast", "slashdot", "llog"),
    {
        "as published": _mixture("NaiBX"),
        "smoothed variances": _mixture("NaiBX", variance_prior=1.0),
        "distributions by column": _mixture("NaiBX", features="auto"),
        "size model chosen": _mixture("NaiBX", size_model="auto"),
        "tempered": _mixture("NaiBX", temper="auto"),
        "by column, tempered": _mixture("NaiBX", features="auto", temper="auto"),
        "all of them": Recipe("NaiBX", CHOSEN),
        "all, the most probable set": Recipe("NaiBX", CHOSEN | {"decision": "subset"}),
        "committee of ten": Recipe("NaiBXCommittee", EVERY_SET),
        "committee of ten, tempered by .3": Recipe(
            "NaiBXCommittee", EVERY_SET | {"member": NaiBX("auto", temper=0.3)}
        ),
    },
    ("exact_match", "instance_jaccard", "joint_log_loss"),
)

NAIBX_GROWTH = Study(
    "Table 3: how the time of NaiBX grows",
    growing(),
    {"as published": _mixture("NaiBX")},
    ("fit_seconds", "predict_seconds"),
    Protocol("holdout", 3, test_size=0.5),
    remark="in the paper O(L (d + L)) a row for learning, O(L L (d + L)) for an answer; L labels, d features",
)

STUDIES: dict[str, tuple[Study | RowFigure, ...]] = {
    "mc": (MC_ABLATION, MC_RELATIVES, MC_FIGURE_3),
    "mlme": (MLME_ABLATION,),
    "cbm": (CBM_FIGURE_2, CBM_ABLATION, CBM_FIGURE_3_LR, CBM_FIGURE_3_GB),
    "naibx": (NAIBX_ABLATION, NAIBX_GROWTH),
    "cdn": (CDN_QUESTION, CDN_CONVERGENCE),
}
"""The studies of each paper."""
