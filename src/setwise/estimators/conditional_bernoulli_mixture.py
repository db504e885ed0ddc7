"""Conditional Bernoulli mixture (CBM): labels that are independent given the component."""

from __future__ import annotations

import os
from typing import Any, Literal, Self

from sklearn.base import BaseEstimator

from setwise.contract import Floats, Labels, Matrix
from setwise.decisions import Decision
from setwise.estimators.base.about import About, Trial
from setwise.estimators.base.kinds.mixture import MixtureClassifier
from setwise.learning.labels.independent import Learner
from setwise.learning.mixtures.bernoulli import GROWERS, MixtureSettings, finish_mixtures, fit_mixtures
from setwise.learning.mixtures.fitted_mixture import FittedMixture
from setwise.learning.mixtures.training_rows import TrainingRows
from setwise.learning.mixtures.tuning import SMALL, tune_mixture
from setwise.learning.progress.monitor import current_monitor

SEARCHED = ("logistic", "boosting")
"""Learners fast enough for a search for the number of components and the start."""
SMALL_STEPS = 100
"""EM iterations for trees fitted by least squares: where p is near a half, their steps are a quarter of Newton's."""


class ConditionalBernoulliMixture(MixtureClassifier):
    """A softmax gate over components of independent labels (CBM).

    P(y | x) = sum_k w_k(x) prod_j P_k(y_j | x). Labels are independent within a component; the gate couples them. With
    one component it is :class:`BinaryRelevance`. With one component per label set and certain labels it is the label
    powerset. Labels that are missing in training (-1 or NaN) are summed out.

    Parameters
    ----------
    n_components : "auto" or int, default="auto"
        Number of components. With ``tuning`` and the learner ``"logistic"`` or ``"boosting"``, ``"auto"`` chooses it on
        held-out rows, and the model is the mean of three mixtures from different starts. Otherwise, or if there are too
        few rows to hold any out, it is one mixture of at most 20 components.
    learner : {"logistic", "boosting", "lightgbm"} or classifier, default="logistic"
        What gives each label its probability in each component. For ``"boosting"`` (trees on binned columns, in
        compiled code) and ``"lightgbm"`` (that library's trees), gate and experts are sums of small trees, and every
        M-step adds some. A leaf has at least five rows; LightGBM alone counts a row of weight 5 as one. A classifier
        that takes ``sample_weight`` is refitted in every M-step, with a logistic gate; the bound may then drop, and
        ``checkpoint`` is not available.
    l2 : "auto" or float, default="auto"
        Strength of the L2 penalty of logistic experts, on standardized features.
    gate_l2 : "auto" or float, default="auto"
        Strength of the L2 penalty of a logistic gate, on standardized features.
    init : {"auto", "bernoulli_mixture", "clusters"}, default="auto"
        Where EM starts: from a mixture of independent labels fitted to the label sets alone, as in the paper, or from
        clusters of rows with similar features and labels. ``"auto"`` tries both if it chooses the number of components,
        and starts as in the paper otherwise.
    max_iter : int, default=30
        Maximum number of EM iterations. With ``tuning``, their number is chosen on held-out rows.
    n_init : int, default=5
        Number of random starts of the Bernoulli mixture, or of the clusters.
    tree_steps : {"newton", "least_squares"}, default="newton"
        How boosted trees are fitted: by Newton steps, where each split considers the square root of the features, or by
        least squares on the gradients and all features, as in the paper. The second needs more iterations.
    tuning : bool, default=True
        Whether to choose the number of iterations, and all that is ``"auto"``, by held-out joint log-likelihood.
        Without tuning, "auto" means 20 components and penalties of a tenth of the total variance.
    {standardize}
    {unit_rows}
    {checkpoint}
    {decision}
    {min_labels}
    {random_state}
    {verbose}

    Attributes
    ----------
    n_components_, l2_, gate_l2_, init_, n_iter_ :
        Values in use.
    tuning_ : list of dict
        What was tried, with the held-out log-likelihood.
    {unit_rows_}
    {label_attributes}

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
    >>> mixture = ConditionalBernoulliMixture(n_components=2, tuning=False, random_state=0)
    >>> mixture = mixture.fit(X, np.column_stack([first, 1 - first]))
    >>> mixture.distribution(X[:1]).condition([[1, -1]]).marginals().round(1)
    array([[1., 0.]])
    """

    takes_missing_labels = True
    about = About(
        short="cbm",
        suits="many labels, text, whole sets must be right",
        joint="a mixture of products",
        cost=1200,
        trials=(Trial(10, {"tuning": False}), Trial(140), Trial(270, {"learner": "boosting"})),
    )

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
        tree_steps: Literal["newton", "least_squares"] = "newton",
        tuning: bool = True,
        standardize: bool = True,
        unit_rows: bool | Literal["auto"] = "auto",
        checkpoint: str | os.PathLike[str] | None = None,
        decision: Decision = "subset",
        min_labels: int | Literal["auto"] = "auto",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.learner = learner
        self.l2 = l2
        self.gate_l2 = gate_l2
        self.init = init
        self.max_iter = max_iter
        self.n_init = n_init
        self.tree_steps = tree_steps
        self.tuning = tuning
        self.standardize = standardize
        self.unit_rows = unit_rows
        self.checkpoint = checkpoint
        self.decision = decision
        self.min_labels = min_labels
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def as_published(cls, n_components: int = 30, **parameters: Any) -> Self:
        """Make the paper's own form: one mixture of a given size, started from the labels alone.

        The penalties are chosen on held-out rows, as the paper tunes its own. Boosted trees are fitted to the
        gradients by least squares.

        Parameters
        ----------
        n_components : int, default=30
            Number of components; the paper tries several.
        **parameters
            Other parameters, or other values of those above.

        Returns
        -------
        ConditionalBernoulliMixture

        Examples
        --------
        >>> ConditionalBernoulliMixture.as_published(20).init
        'bernoulli_mixture'
        """
        published: dict[str, Any] = {"init": "bernoulli_mixture", "n_init": 10, "unit_rows": False}
        if parameters.get("learner") in GROWERS:
            published |= {"tree_steps": "least_squares", "max_iter": SMALL_STEPS}
        return cls(n_components, **(published | parameters))

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        rows = TrainingRows.of(
            X, Y, weights, standardize=self.standardize, n_folds=4 if len(Y) > SMALL else 3
        )
        settings, free = self._settings(rows)
        monitor = current_monitor()
        self.tuning_: list[dict[str, Any]] = []
        begun: list[FittedMixture] = []
        if self.tuning and rows.fold is not None and settings.n_components > 1:
            tuned = tune_mixture(rows, settings, free, monitor)
            settings, begun, self.tuning_ = tuned.settings, tuned.begun, tuned.table
        self.l2_: float | Floats = settings.l2
        self.gate_l2_, self.init_ = settings.gate_l2, settings.init
        if settings.n_components == 1 and self.learner == "logistic":
            learner = Learner(l2=self.l2, standardize=self.standardize)
            labels = learner.fit_linear(X, Y, weights)
            self.l2_ = labels.l2
            self._keep_independent(labels)
        elif begun:
            self._keep(finish_mixtures(rows, begun, settings, monitor))
        else:
            self._keep(fit_mixtures(rows, settings, monitor))

    def _tunes_penalty(self) -> bool:
        return self.learner == "logistic" and bool(self.tuning) and super()._tunes_penalty()

    def _settings(self, rows: TrainingRows) -> tuple[MixtureSettings, set[str]]:
        """The settings that the constructor fixes, with defaults for the others, and the names of those others."""
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
            tree_steps=self.tree_steps,
            seed=self._seed(),
            learner=self.learner if isinstance(self.learner, str) else self._seeded(self.learner),
            init="bernoulli_mixture" if self.init == "auto" else self.init,
        )
        return settings, free

    def _check_parts(self) -> None:
        if not isinstance(self.learner, str) and self.checkpoint is not None:
            raise ValueError(
                "a checkpoint holds arrays, which the fitted classifiers of `learner` are not; use a built-in learner"
            )
