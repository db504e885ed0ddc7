"""Label space transformations (PLST, CPLST): regressions of a few principal directions of the labels."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from setwise.contract import Array, Floats, Labels, Matrix
from setwise.decisions import Decision
from setwise.distributions import ForestMixture
from setwise.estimators.base.about import About
from setwise.estimators.base.set_classifier import SetClassifier
from setwise.learning.by_content.folds import row_folds
from setwise.learning.codes.label_space import directions, projection_errors
from setwise.learning.labels.slope import fit_slope
from setwise.learning.linear.design import Design
from setwise.learning.linear.ridge import choose_ridge, fit_ridge


class LabelSpaceTransform(SetClassifier):
    """Predict a few principal directions of the label vectors by ridge regression, and round (PLST, CPLST).

    With hundreds of labels that go together, a few regressions do the work of many. The decoded score of a label above
    one half turns it on. The method defines no joint: for probabilities, the distance from one half times one fitted
    number serves as the logit, and labels are independent.

    Parameters
    ----------
    n_components : "auto" or int, default="auto"
        Number of directions. ``"auto"`` takes those with the smallest squared error on held-out rows.
    kind : {"conditional", "principal"}, default="conditional"
        Directions that the features can predict (CPLST), or those in which the labels vary most (PLST).
    l2 : "auto" or float, default="auto"
        Strength of the L2 penalty of the regressions on standardized features. ``"auto"`` chooses by cross-validated
        squared error.
    {standardize}
    {decision}
    {min_labels}
    {random_state_unused}
    {verbose}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_labels)
        Directions in use.
    l2_ : float
        Penalty.
    slope_ : float
        Logit for a distance of one from the threshold.
    {label_attributes}

    References
    ----------
    .. [1] F. Tai and H.-T. Lin, "Multilabel classification with principal label space transformation", Neural
       Computation 24, 2012 (PLST).
    .. [2] Y.-N. Chen and H.-T. Lin, "Feature-aware label space dimension reduction for multi-label classification",
       NIPS 2012 (CPLST).

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import LabelSpaceTransform
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> Y = np.column_stack([X[:, 0] > 0, X[:, 0] <= 0, X[:, 1] > 0]).astype(int)
    >>> model = LabelSpaceTransform(2, l2=1.0).fit(X, Y)
    >>> model.components_.shape
    (2, 3)
    >>> model.predict([[2.0, 2.0], [-2.0, -2.0]])
    array([[1, 0, 1],
           [0, 1, 0]])
    """

    about = About(
        short="cplst",
        suits="very many labels that go together",
        joint="independent labels",
        cost=0.5,
    )

    def __init__(
        self,
        n_components: int | Literal["auto"] = "auto",
        *,
        kind: Literal["conditional", "principal"] = "conditional",
        l2: float | Literal["auto"] = "auto",
        standardize: bool = True,
        decision: Decision = "subset",
        min_labels: int | Literal["auto"] = "auto",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.kind = kind
        self.l2 = l2
        self.standardize = standardize
        self.decision = decision
        self.min_labels = min_labels
        self.random_state = random_state
        self.verbose = verbose

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        design = Design(X, weights=weights, standardize=self.standardize)
        own = np.ones(len(Y)) if weights is None else weights
        mean = own @ Y / own.sum()
        centred = Y - mean
        unseen = choose_ridge(design, centred, own, row_folds(X), self.l2)
        fit = fit_ridge(design, centred, own, unseen.l2)
        vectors = directions(centred, fit.scores(design), own, conditional=self.kind == "conditional")
        kept = vectors[:, : self._n_kept(projection_errors(centred, unseen.scores, vectors, own))]
        self.components_, self.l2_ = np.ascontiguousarray(kept.T), unseen.l2
        self.scores_ = design.to_features(fit.coef @ kept @ kept.T)
        self.scores_ = self.scores_._replace(intercept=self.scores_.intercept + mean)
        self.slope_ = fit_slope(unseen.scores @ kept @ kept.T + mean - 0.5, Y, own)

    def _n_kept(self, errors: Array) -> int:
        if self.n_components != "auto":
            return min(int(self.n_components), len(errors))
        return int(errors.argmin()) + 1

    def _distribution(self, X: Matrix) -> ForestMixture:
        scores = np.asarray(self.scores_(X), dtype=np.float64)
        return ForestMixture.independent(self.slope_ * (scores - 0.5))
