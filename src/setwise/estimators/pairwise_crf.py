"""Pairwise conditional random fields (CML, CMLF, pairCRF, MLCRF)."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.special import log_softmax

from setwise.contract import Array, Floats, Labels, Matrix, NotTractable
from setwise.decisions import Decision
from setwise.distributions import LabelDistribution, Table
from setwise.distributions.loopy_forest import loopy_forest
from setwise.estimators.base.about import About
from setwise.estimators.base.kinds.backoff import Backoff
from setwise.estimators.base.kinds.linear import LinearClassifier, LinearInFeatures
from setwise.explanations.scored import Scored
from setwise.explanations.sets import SetScores
from setwise.learning.by_content.folds import N_FOLDS, row_folds
from setwise.learning.labels.independent import Learner
from setwise.learning.labels.powerset import SetCounts
from setwise.learning.linear.design import Design
from setwise.learning.linear.scores import LinearScores
from setwise.learning.structure.label_pairs import all_pairs, dependent_pairs
from setwise.learning.structure.pseudo_likelihood import fit_pseudo_likelihood
from setwise.learning.structure.random_field import (
    ConstantPairs,
    FieldProblem,
    fit_field,
    possible_sets,
    set_features,
)
from setwise.learning.structure.spanning_forest import spanning_forest
from setwise.learning.structure.sparse_pairs import sparse_pairs
from setwise.limits import FIELD_LABELS

STRUCTURE_L2 = 0.1
"""Penalty of the features while a sparse structure is learned, in units of the total variance of the columns."""


class PairwiseCRF(Backoff, LinearInFeatures, LinearClassifier):
    """Pairwise conditional random field: labels that attract or repel each other (CML, CMLF, pairCRF, MLCRF).

    log P(y | x) = sum_l y_l f_l(x) + sum_lm y_l y_m f_lm(x) - log Z(x). With constant f_lm this is the collective
    multi-label classifier (CML), with f_lm linear in the features CMLF, both of Ghamrawi and McCallum [1]_. The pairCRF
    of Li et al. [2]_ is CML over the label sets of training. A learned structure with pseudo-likelihood follows
    MLCRF [3]_.

    Parameters
    ----------
    features : {"label", "label_feature"}, default="label"
        Whether the potential of a pair is constant or linear in the features.
    search : {"support", "exact", "loopy"}, default="support"
        Which label sets are possible, in training and prediction. ``"support"``: those of the training rows.
        ``"exact"``: all, for at most 14 labels. ``"loopy"``: all, approximated by loopy belief propagation along the
        strongest pairs that form a forest; exact if all pairs do, poor if many labels exclude each other.
    training : {"likelihood", "pseudo"}, default="likelihood"
        ``"pseudo"`` fits each label given the true labels of its neighbours, which is much faster. ``search="loopy"``
        needs it.
    structure : {"full", "learned", "sparse"}, default="full"
        All pairs; those that depend on each other given the features, by a score test; or those whose coupling is not
        zero in an L1-regularized pseudo-likelihood, as in MLCRF [3]_.
    l1 : "auto" or float, default="auto"
        Strength of that L1 penalty with ``structure="sparse"``, per row and on labels as -1/+1. ``"auto"`` chooses by
        the pseudo-likelihood of held-out rows.
    {backoff}
    l2 : "auto" or float, default="auto"
        Strength of the L2 penalty on standardized features. ``"auto"`` chooses by cross-validated log-loss, on some of
        the rows if there are very many distinct sets.
    {standardize}
    {unit_rows}
    {tol}
    {decision}
    {min_labels}
    {random_state_unused}
    {verbose}

    Attributes
    ----------
    pairs_ : ndarray of shape (n_pairs, 2)
        Pairs of labels with a potential.
    coupling_ : ndarray of shape (n_pairs,)
        What each pair adds to the log-probability of sets with both labels, for ``features="label"``.
    coef_ : ndarray of shape (n_labels, n_features)
        Coefficients of f_l, in the units of the features (of normalized rows if ``unit_rows_``).
    intercept_ : ndarray of shape (n_labels,)
        Intercepts of f_l.
    {backoff_}
    l2_ : ndarray of shape (1,), or (n_labels,) for ``training="pseudo"``
        Penalties.
    {unit_rows_}
    {label_attributes}

    References
    ----------
    .. [1] N. Ghamrawi and A. McCallum, "Collective multi-label classification", CIKM 2005.
    .. [2] C. Li, B. Wang, V. Pavlu and J. Aslam, "Conditional Bernoulli mixtures for multi-label classification",
       ICML 2016, section 5: the sets of the training rows.
    .. [3] M. Pakdaman Naeini, I. Batal, Z. Liu, C. Hong and M. Hauskrecht, "An optimization-based framework to
       learn conditional random fields for multi-label classification", SDM 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import PairwiseCRF
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 1))
    >>> first = X[:, 0] + rng.normal(size=200) > 0
    >>> Y = np.column_stack([first, first ^ (rng.random(200) < 0.1)]).astype(int)
    >>> field = PairwiseCRF(search="exact", l2=1.0).fit(X, Y)
    >>> field.predict([[2.0], [-2.0]])
    array([[1, 1],
           [0, 0]])
    >>> bool(field.coupling_[0] > 2)
    True
    """

    about = About(
        short="crf",
        suits="few labels that exclude or attract each other",
        joint="a table of sets",
        cost=31,
    )

    def __init__(
        self,
        features: Literal["label", "label_feature"] = "label",
        *,
        search: Literal["support", "exact", "loopy"] = "support",
        training: Literal["likelihood", "pseudo"] = "likelihood",
        structure: Literal["full", "learned", "sparse"] = "full",
        l1: float | Literal["auto"] = "auto",
        backoff: float | Literal["auto"] = "auto",
        l2: float | Literal["auto"] = "auto",
        standardize: bool = True,
        unit_rows: bool | Literal["auto"] = "auto",
        tol: float = 1e-8,
        decision: Decision = "subset",
        min_labels: int | Literal["auto"] = "auto",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.features = features
        self.search = search
        self.training = training
        self.structure = structure
        self.l1 = l1
        self.backoff = backoff
        self.l2 = l2
        self.standardize = standardize
        self.unit_rows = unit_rows
        self.tol = tol
        self.decision = decision
        self.min_labels = min_labels
        self.random_state = random_state
        self.verbose = verbose

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        self._check_choices(Y.shape[1])
        self.pairs_ = self._choose_pairs(X, Y, weights)
        if self.search != "loopy":
            self.sets_ = possible_sets(Y, every=self.search == "exact")
            self.phi_ = set_features(self.sets_, self.pairs_)
        if self.training == "pseudo":
            self._fit_pseudo(X, Y, weights)
        else:
            self._fit_likelihood(X, Y, weights)
        if self.search == "support":
            learner = Learner(l2=self.l2, standardize=self.standardize, tol=self.tol)
            self._fit_backoff(learner, X, Y, weights, [SetCounts.of(Y, weights)])
        else:
            self.backoff_ = 0.0

    def _check_choices(self, n_labels: int) -> None:
        if self.search == "exact" and n_labels > FIELD_LABELS:
            raise NotTractable(
                f"2^{n_labels} label sets are too many to sum over (at most {FIELD_LABELS} labels); "
                "use search='support' or 'loopy'"
            )
        if self.search == "loopy" and self.training == "likelihood":
            raise ValueError(
                "search='loopy' needs training='pseudo': the likelihood has no closed form there"
            )
        if self.training == "pseudo" and self.features == "label_feature":
            raise ValueError("training='pseudo' needs features='label'; use training='likelihood' instead")

    def _choose_pairs(self, X: Matrix, Y: Labels, weights: Floats | None) -> Array:
        if self.structure == "full" or Y.shape[1] == 1:
            return all_pairs(Y.shape[1])
        if self.structure == "sparse":
            return self._sparse_pairs(X, Y, weights)
        learner = Learner(l2=self.l2, standardize=self.standardize, tol=self.tol)
        probabilities = learner.out_of_fold(X, Y, weights, N_FOLDS)
        return dependent_pairs(Y - probabilities, probabilities, weights)

    def _sparse_pairs(self, X: Matrix, Y: Labels, weights: Floats | None) -> Array:
        design = Design(X, weights=weights, standardize=self.standardize)
        own = np.ones(len(Y)) if weights is None else weights
        l2 = STRUCTURE_L2 * design.total_variance if self.l2 == "auto" else float(self.l2)
        return sparse_pairs(design, Y, own, self.l1, l2, row_folds(X))

    def _fit_likelihood(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        L = Y.shape[1]
        design = Design(X, weights=weights, standardize=self.standardize)
        free = np.ones((design.n_columns, self.phi_.shape[1]), dtype=np.bool_)
        if self.features == "label":
            free[: design.intercept, L:] = False
            # The constant of a pair gets the prior variance of all features of a label together.
            self.phi_[:, L:] *= design.label_scale
        penalised = free.copy()
        penalised[design.intercept, :L] = False
        w = np.ones(len(Y)) if weights is None else weights
        rows = design, _numbers(self.sets_, Y), w, self.phi_, free, penalised
        problem = FieldProblem(*rows)
        if self.features == "label":
            problem = ConstantPairs(*rows, self.pairs_, design.label_scale, self.search == "exact")
        self.potentials_, penalty = fit_field(problem, X, l2=self.l2, tol=self.tol)
        self.l2_ = np.array([penalty])
        scale = design.label_scale if self.features == "label" else 1.0
        self.coupling_ = self.potentials_.intercept[L:] * scale

    def _fit_pseudo(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        design = Design(X, Y, weights=weights, standardize=self.standardize)
        self.potentials_, self.coupling_, self.l2_ = fit_pseudo_likelihood(
            design, X, Y, weights, self.pairs_, l2=self.l2, tol=self.tol
        )
        self.parents_ = spanning_forest(self.pairs_, np.abs(self.coupling_), Y.shape[1])

    def _label_scores(self) -> LinearScores:
        return LinearScores(*(part[..., : self.n_labels_] for part in self.potentials_))

    def _scored(self) -> Scored | None:
        source = None if self.search == "loopy" else self._source(self.potentials_)
        if source is None:
            return None
        parts, offset = self.phi_, None
        if self.training == "pseudo":
            parts, offset = parts[:, : self.n_labels_], parts[:, self.n_labels_ :] @ self.coupling_
        return self._scored_with_backoff(SetScores(source, self.sets_, parts, offset))

    def _distribution(self, X: Matrix) -> LabelDistribution:
        if self.search == "loopy":
            unary = np.asarray(self.potentials_(X), dtype=np.float64)
            return loopy_forest(unary, self.pairs_, self.coupling_, self.parents_)
        potentials = self.potentials_(X)
        if self.training == "pseudo":
            potentials = np.hstack([potentials, np.tile(self.coupling_, (X.shape[0], 1))])
        return self._backed_off(Table(self.sets_, log_softmax(potentials @ self.phi_.T, axis=1)), X)

    def _cells_per_row(self) -> int:
        if self.search == "loopy":
            return 8 * (len(self.pairs_) + self.n_labels_)
        return len(self.sets_) + self.phi_.shape[1]


def _numbers(sets: Labels, Y: Labels) -> Array:
    """Find the index (n,) of each row's set among the sorted ``sets`` (m, L)."""
    together, which = np.unique(np.concatenate([sets, Y]), axis=0, return_inverse=True)
    assert len(together) == len(sets)
    return np.asarray(which.ravel()[len(sets) :])
