"""Conditional Bernoulli mixture (CBM): labels that are independent given the component."""

from __future__ import annotations

import os
from typing import Any, Literal

from sklearn.base import BaseEstimator

from setwise.contract import Floats, Labels, Matrix
from setwise.decisions import Decision
from setwise.estimators.base.mixture import MixtureClassifier
from setwise.learning.labels.independent import Learner
from setwise.learning.mixtures.bernoulli import MixtureSettings, fit_mixtures
from setwise.learning.mixtures.rows import Rows
from setwise.learning.mixtures.tuning import SMALL, tune_mixture

SEARCHED = ("logistic", "boosting")
"""Learners quick enough to search for the number of components and the start with."""


class ConditionalBernoulliMixture(MixtureClassifier):
    """P(y | x) = sum_k w_k(x) prod_j P_k(y_j | x): a softmax gate over independent labels.

    Given the component the labels are independent; the gate couples them. One component is
    :class:`BinaryRelevance`; a component for each label set, with labels that are certain, the label powerset.
    Labels that are not known in training (-1 or NaN) are summed out.

    Parameters
    ----------
    n_components : "auto" or int
        With ``"auto"``, logistic or boosted learners and tuning, the number is chosen on held-out rows, and the
        model is the mean of three mixtures of that many components, each from a start of its own. Other learners,
        and too few rows to hold any out, make one mixture of at most 20.
    learner : {"logistic", "boosting", "lightgbm"} or scikit-learn classifier
        What gives each label its probability in each component. With ``"boosting"`` (trees on binned columns, in
        compiled code) and ``"lightgbm"`` (those of that library) gate and experts are sums of small trees, some more
        of which every M-step adds; a leaf has five rows at least, of which LightGBM alone counts one of weight 5 as
        one. A classifier that takes ``sample_weight`` is refitted by every M-step, with a
        logistic gate; the bound may then fall, and ``checkpoint`` is not possible.
    l2, gate_l2 : "auto" or float
        Penalties of logistic experts and gate on standardised features.
    init : {"auto", "bernoulli_mixture", "clusters"}
        Where EM starts: from a mixture of independent labels fitted to the label sets alone, as in the paper, or
        from clusters of rows that are alike in features and labels, which also part rows of equal labels.
        ``"auto"`` tries both where the number of components is chosen, and is the paper's start elsewhere.
    max_iter : int
        EM iterations at most; with tuning, their number is chosen on held-out rows.
    n_init : int
        Random starts of the Bernoulli mixture, or of the clusters, that EM begins with.
    tuning : bool
        Whether what is ``"auto"``, and the number of iterations, is chosen on held-out joint
        log-likelihood. Without it "auto" means 20 components and penalties of a tenth of the total variance.
    standardize : bool
        Whether features are divided by their scale.
    unit_rows : "auto" or bool
        Whether rows are first divided by their length; ``"auto"`` tries it on rows of counts, mostly zero, where
        ``l2`` is chosen too, and does it if held-out rows are told better.
    random_state : int
        Seed of the starts.
    checkpoint : path, optional
        A folder in which the fit leaves what it has reached; a killed fit called again goes on from there, to
        the same result. Emptied when the fit is done.
    verbose : int
        1 for a progress bar in a terminal, 2 for a line an iteration.
    decision : {"subset", "hamming", "f1", "jaccard"}, rule or callable
        The loss that ``predict`` answers for.
    min_labels : "auto" or int
        The smallest set that ``predict`` answers; ``"auto"`` forbids the empty set unless it occurs in training.

    Attributes
    ----------
    n_components_, l2_, gate_l2_, init_, n_iter_ :
        What was used.
    tuning_ : list of dict
        What was tried, with its held-out log-likelihood.

    References
    ----------
    Li, Wang, Pavlu and Aslam, "Conditional Bernoulli mixtures for multi-label classification", ICML 2016;
    equations (6) to (10), Algorithm 1.

    Examples
    --------
    Two labels that exclude each other although the feature says nothing:

    >>> import numpy as np
    >>> from setwise import ConditionalBernoulliMixture
    >>> rng = np.random.default_rng(0)
    >>> X, first = rng.normal(size=(200, 1)), rng.integers(0, 2, 200)
    >>> mixture = ConditionalBernoulliMixture(n_components=2, tuning=False).fit(X, np.column_stack([first, 1 - first]))
    >>> mixture.distribution(X[:1]).condition([[1, -1]]).marginals().round(1)
    array([[1., 0.]])
    """

    takes_missing_labels = True

    def __init__(
        self,
        n_components: int | Literal["auto"] = "auto",
        *,
        learner: Literal["logistic", "boosting", "lightgbm"] | BaseEstimator = "logistic",
        l2: float | Literal["auto"] = "auto",
        gate_l2: float | Literal["auto"] = "auto",
        init: Literal["auto", "bernoulli_mixture", "clusters"] = "auto",
        max_iter: int = 30,
        n_init: int = 5,
        tuning: bool = True,
        standardize: bool = True,
        unit_rows: bool | Literal["auto"] = "auto",
        random_state: int = 0,
        checkpoint: str | os.PathLike[str] | None = None,
        verbose: int = 0,
        decision: Decision = "subset",
        min_labels: int | Literal["auto"] = "auto",
    ) -> None:
        self.n_components = n_components
        self.learner = learner
        self.l2 = l2
        self.gate_l2 = gate_l2
        self.init = init
        self.max_iter = max_iter
        self.n_init = n_init
        self.tuning = tuning
        self.standardize = standardize
        self.unit_rows = unit_rows
        self.random_state = random_state
        self.checkpoint = checkpoint
        self.verbose = verbose
        self.decision = decision
        self.min_labels = min_labels

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        rows = Rows.of(X, Y, weights, standardize=self.standardize, n_folds=4 if len(Y) > SMALL else 3)
        settings, free = self._settings(rows)
        monitor = self._monitor(X, Y, weights)
        self.tuning_: list[dict[str, Any]] = []
        if self.tuning and rows.fold is not None and settings.n_components > 1:
            settings, self.tuning_ = tune_mixture(rows, settings, free, monitor)
        self.l2_: float | Floats = settings.l2
        self.gate_l2_, self.init_ = settings.gate_l2, settings.init
        if settings.n_components == 1 and self.learner == "logistic":
            learner = Learner(l2=self.l2, standardize=self.standardize)
            labels = learner.fit_linear(X, Y, weights)
            self.l2_ = labels.l2
            self._keep_independent(labels)
        else:
            self._keep(fit_mixtures(rows, settings, monitor))
        monitor.finish()

    def _tunes_penalty(self) -> bool:
        return self.learner == "logistic" and bool(self.tuning) and super()._tunes_penalty()

    def _settings(self, rows: Rows) -> tuple[MixtureSettings, set[str]]:
        """What the constructor fixes, defaults elsewhere, and the names of what is free."""
        self._check_parts()
        names = ["l2", "gate_l2"]
        if self.learner in SEARCHED:
            names += ["n_components", "init"]
        free = {name for name in names if getattr(self, name) == "auto"}
        default_l2 = 0.1 * max(rows.design.total_variance, 1e-3)
        settings = MixtureSettings(
            n_components=20 if self.n_components == "auto" else int(self.n_components),
            l2=default_l2 if self.l2 == "auto" else float(self.l2),
            gate_l2=default_l2 if self.gate_l2 == "auto" else float(self.gate_l2),
            max_iter=self.max_iter,
            n_init=self.n_init,
            seed=self._seed(),
            learner=self.learner,
            init="bernoulli_mixture" if self.init == "auto" else self.init,
        )
        return settings, free

    def _check_parts(self) -> None:
        if not isinstance(self.learner, str) and self.checkpoint is not None:
            raise ValueError(
                "a checkpoint holds arrays, which the fitted classifiers of `learner` are not; use a built-in learner"
            )
