"""MMOC: maximum-margin output coding of the labels."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.special import log_softmax

from setwise.contract import Floats, Labels, Matrix, NotTractable
from setwise.decisions import Decision
from setwise.distributions import LabelDistribution, Table
from setwise.distributions.loopy_forest import mean_field_labels
from setwise.estimators.base.about import About
from setwise.estimators.base.kinds.linear import LinearClassifier
from setwise.learning.by_content.folds import N_FOLDS, row_folds
from setwise.learning.codes.decoding import CodeField, code_field
from setwise.learning.codes.max_margin import Codes, fit_codes
from setwise.learning.labels.independent import Learner
from setwise.learning.linear.design import Design
from setwise.learning.linear.ridge import choose_ridge, fit_ridge
from setwise.learning.progress.monitor import current_monitor
from setwise.learning.structure.random_field import possible_sets
from setwise.limits import FIELD_LABELS

GRID = (1.0, 10.0, 100.0)
"""Values of C to try."""


class MMOC(LinearClassifier):
    """Maximum-margin output coding: linear codes of the label vectors that regressions can predict well [1]_.

    A code is learned so that, measured in it, the right label vector is nearer to its prediction than any other, by a
    margin that grows with the number of differing labels. Decoding combines the predicted code with logistic
    regressions of the single labels: log P(y | x) = -1/2 sum_k ((code_k(y) - prediction_k(x)) / deviation_k)^2
    + decoding sum_l log P(y_l | x) - log Z(x), a pairwise field.

    Parameters
    ----------
    C : "auto" or float, default="auto"
        Weight of the violated margins against the size of the code. ``"auto"`` chooses the value whose decoded labels
        have the fewest errors on held-out rows.
    decoding : float, default=1.0
        Weight of the single labels' regressions in decoding. The paper uses 1.
    search : {"mean_field", "exact"}, default="mean_field"
        Independent labels that approximate the field, as in the paper, or the field itself, for at most 14 labels.
    l2 : "auto" or float, default="auto"
        Strength of the L2 penalty of all regressions on standardized features. ``"auto"`` chooses by held-out rows.
    {standardize}
    {unit_rows}
    {tol}
    {decision}
    {min_labels}
    {random_state_unused}
    {verbose}

    Attributes
    ----------
    codes_ : ndarray of shape (n_labels, n_codes)
        The code: a label vector y has the code words ``y @ codes_``.
    deviations_ : ndarray of shape (n_codes,)
        Standard deviation of the prediction of each code word, on rows that the regressions have not seen.
    C_ : float
        Value of ``C`` in use.
    {unit_rows_}
    {label_attributes}

    References
    ----------
    .. [1] Y. Zhang and J. Schneider, "Maximum margin output coding", ICML 2012; as in section 6.1 of C. Hong, I. Batal
       and M. Hauskrecht, "A mixtures-of-trees framework for multi-label classification", CIKM 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import MMOC
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> Y = np.column_stack([X[:, 0] > 0, X[:, 0] <= 0, X[:, 1] > 0]).astype(int)
    >>> MMOC(C=10.0, l2=1.0).fit(X, Y).predict([[2.0, 2.0], [-2.0, -2.0]])
    array([[1, 0, 1],
           [0, 1, 0]])
    """

    about = About(
        short="mmoc",
        suits="few labels that attract or exclude each other",
        joint="independent labels, or a table of sets",
        cost=20,
    )

    def __init__(
        self,
        C: float | Literal["auto"] = "auto",
        *,
        decoding: float = 1.0,
        search: Literal["mean_field", "exact"] = "mean_field",
        l2: float | Literal["auto"] = "auto",
        standardize: bool = True,
        unit_rows: bool | Literal["auto"] = "auto",
        tol: float = 1e-8,
        decision: Decision = "subset",
        min_labels: int | Literal["auto"] = "auto",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.decoding = decoding
        self.search = search
        self.l2 = l2
        self.standardize = standardize
        self.unit_rows = unit_rows
        self.tol = tol
        self.decision = decision
        self.min_labels = min_labels
        self.random_state = random_state
        self.verbose = verbose

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        if self.search == "exact" and Y.shape[1] > FIELD_LABELS:
            raise NotTractable(
                f"2^{Y.shape[1]} label sets are too many to sum over (at most {FIELD_LABELS} labels); "
                "use search='mean_field'"
            )
        own = np.ones(len(Y)) if weights is None else weights
        design = Design(X, weights=weights, standardize=self.standardize)
        unseen = choose_ridge(design, Y.astype(np.float64), own, row_folds(X), self.l2)
        self.regression_ = design.to_features(fit_ridge(design, Y.astype(np.float64), own, unseen.l2).coef)
        learner = Learner(l2=self.l2, standardize=self.standardize, tol=self.tol)
        self.labels_ = learner.fit_linear(X, Y, weights)
        self.C_, codes = self._choose_codes(learner, X, Y, weights, unseen.scores)
        self.codes_ = codes.vectors
        self.deviations_ = _deviations(codes.vectors, Y - unseen.scores, own)

    def _choose_codes(
        self, learner: Learner, X: Matrix, Y: Labels, weights: Floats | None, unseen: Floats
    ) -> tuple[float, Codes]:
        """Learn a code for each value of C; keep that whose decoded held-out rows have the fewest wrong labels."""
        own = np.ones(len(Y)) if weights is None else weights
        if self.C != "auto":
            return float(self.C), fit_codes(Y.astype(np.float64), unseen, own, float(self.C))
        p = np.clip(learner.out_of_fold(X, Y, weights, N_FOLDS), 1e-12, 1.0 - 1e-12)
        logits, tried = np.log(p) - np.log1p(-p), []
        for C in current_monitor().steps("values of C", GRID):
            codes = fit_codes(Y.astype(np.float64), unseen, own, C)
            deviations = _deviations(codes.vectors, Y - unseen, own)
            field = code_field(codes.vectors, deviations, unseen, logits, self.decoding)
            answer = mean_field_labels(field.unary, field.coupling).marginals() > 0.5
            tried.append((float(own @ (answer != Y).sum(axis=1)), C, codes))
        return min(tried, key=lambda t: t[:2])[1:]

    def _field(self, X: Matrix) -> CodeField:
        predicted = np.asarray(self.regression_(X), dtype=np.float64)
        logits = np.asarray(self.labels_.logits(X), dtype=np.float64)
        return code_field(self.codes_, self.deviations_, predicted, logits, self.decoding)

    def _distribution(self, X: Matrix) -> LabelDistribution:
        field = self._field(X)
        if self.search == "mean_field":
            return mean_field_labels(field.unary, field.coupling)
        sets = possible_sets(np.zeros((1, self.n_labels_), np.int8), every=True)
        pairs = 0.5 * np.einsum("sl,lm,sm->s", sets, field.coupling, sets)
        return Table(sets, log_softmax(field.unary @ sets.T + pairs, axis=1))

    def _cells_per_row(self) -> int:
        return 2**self.n_labels_ if self.search == "exact" else 4 * int(self.n_labels_)


def _deviations(code: Floats, residual: Floats, weights: Floats) -> Floats:
    """Standard deviations (k,) of the code words' predictions."""
    return np.sqrt(np.maximum(weights @ (residual @ code) ** 2 / weights.sum(), 1e-6))
