"""NaiBX: naive Bayes for label sets, learned by counting."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np
from scipy.special import log_softmax
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from setwise.contract import Array, Floats, Labels, Matrix
from setwise.decisions import Decision, Rule
from setwise.distributions import Cascade
from setwise.distributions.cascade import Search, one_size
from setwise.distributions.greedy import Greedy
from setwise.estimators.base.about import About, Trial
from setwise.estimators.base.checks.same_columns import check_same_columns
from setwise.estimators.base.checks.validation import Targets, check_features, check_weights, two_classes
from setwise.estimators.base.set_classifier import SetClassifier
from setwise.learning.counting.cascade import ClassifierSteps, fit_steps
from setwise.learning.counting.counts import count
from setwise.learning.counting.families import choose_families
from setwise.learning.counting.features import FeatureCounts
from setwise.learning.counting.labels import LabelCounts
from setwise.learning.counting.sizes import fit_sizes
from setwise.learning.counting.smoothing import Smoothing
from setwise.learning.counting.steps import CascadeSteps, naive_bayes_steps, size_terms
from setwise.learning.counting.tempering import TEMPERS, choose
from setwise.limits import CASCADE_LABELS


class NaiBX(SetClassifier):
    """Predict how many labels, then which: a cascade of naive Bayes classifiers.

    The size m of the set is predicted first. Then labels are picked one by one, each given the features, m and the
    labels picked before (equation 9). The parameters are sums over rows, so training is one pass, ``partial_fit``
    continues it, and ``a + b`` is the model of the rows of both.

    Parameters
    ----------
    features : {"gaussian", "bernoulli", "multinomial", "auto"} or sequence of n_features names, default="gaussian"
        Distribution of the features given a label: continuous, words present or absent, or counts of words. ``"auto"``
        chooses by the values of each column in the first rows: 0 and 1 are present or absent, other columns that are
        mostly zero and never negative are counts, the rest is continuous. Sparse
        features stay sparse for the last two. NaN is a missing value and is skipped.
    learner : "naive_bayes" or classifier, default="naive_bayes"
        What picks the next label. A classifier with ``predict_proba`` sees the features, the size and the labels
        picked before (the general cascade of section 3.4).
    size_model : {"naive_bayes", "prior", "auto"}, int or classifier, default="naive_bayes"
        What predicts the size: naive Bayes as in the paper, the shares in training, a fixed size, or a classifier
        with ``predict_proba``. ``"auto"`` takes naive Bayes or a logistic regression, whichever gives the sizes of
        held-out rows the higher probability; sizes that a regression never saw keep their smoothed share.
    temper : float or "auto", default=1.0
        Power of the features' likelihoods. Features that say the same thing make naive Bayes too sure of itself; a
        power below one corrects that. ``"auto"`` chooses one for sizes and one for labels on held-out rows.
    smoothing : float, default=1.0
        Added to the counts of labels and sizes, equations (10) and (11). It makes unseen sizes possible, with the
        features of the nearest size; at 0 they are impossible.
    feature_smoothing : float, default=1.0
        Added to the counts of Bernoulli and multinomial features.
    variance_prior : float, default=1.0
        Number of rows with the variance of the whole column that are added to each class, as ``smoothing`` does for
        counts. 0 gives the paper's variances, with a lower bound.
    ddof : {1, 0}, default=1
        Variances divide by the number of rows minus ``ddof``: 1 as in the paper, 0 as in scikit-learn.
    search : {"beam", "exact"}, default="beam"
        How to look for the most probable sets: by a beam over sets and sizes, or among all sets (up to 12 labels).
    beam_width : int, default=10
        Number of sets kept at each level of the beam.
    decision : {"greedy", "subset", "hamming", "f1", "jaccard"}, rule or callable, default="greedy"
        What ``predict`` answers. ``"greedy"`` is the paper's Algorithm 2: the likeliest size, then the likeliest next
        label. Any other decision minimizes an expected loss. ``"subset"`` is the most probable set that ``search``
        finds.
    {min_labels}
    random_state : int, RandomState or None, default=None
        Seed of the order in which a ``learner`` sees the labels of each training row, and of classifiers without a
        seed. Counting is deterministic.
    {verbose}

    Attributes
    ----------
    label_counts_ : LabelCounts
        N_y, N_m, N_yy' and N_ym of the paper's Table 2.
    feature_counts_ : FeatureCounts
        Sums of the features for each label and each size.
    tempers_ : array (2,)
        The powers chosen for sizes and for labels, if something is ``"auto"``.
    {label_attributes}

    References
    ----------
    Mossina and Rachelson, "Naive Bayes classification for subset selection", arXiv:1707.06142, 2017.

    Examples
    --------
    Twin plants A and B: one of them is needed, never both.

    >>> import numpy as np
    >>> from setwise import NaiBX
    >>> X = np.array([[0.0], [0.1], [0.2], [0.3], [5.0], [5.1], [5.2], [5.3]])
    >>> Y = np.array([[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0], [1, 0, 1], [0, 1, 1], [1, 0, 1], [0, 1, 1]])
    >>> NaiBX().fit(X, Y).predict([[0.15], [5.15]]).sum(axis=1)
    array([1, 2])
    """

    about = About(
        short="naibx",
        suits="rows arrive one by one; or features are missing",
        joint="a cascade, exact to 12 labels",
        cost=0.05,
        exact_labels=CASCADE_LABELS,
        trials=(Trial(1), Trial(1, {"features": "bernoulli"})),
    )

    def __init__(
        self,
        features: Literal["gaussian", "bernoulli", "multinomial", "auto"] | Sequence[str] = "gaussian",
        *,
        learner: Literal["naive_bayes"] | BaseEstimator = "naive_bayes",
        size_model: Literal["naive_bayes", "prior", "auto"] | int | BaseEstimator = "naive_bayes",
        temper: float | Literal["auto"] = 1.0,
        smoothing: float = 1.0,
        feature_smoothing: float = 1.0,
        variance_prior: float = 1.0,
        ddof: int = 1,
        search: Search = "beam",
        beam_width: int = 10,
        decision: Decision = "greedy",
        min_labels: int | Literal["auto"] = "auto",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.features = features
        self.learner = learner
        self.size_model = size_model
        self.temper = temper
        self.smoothing = smoothing
        self.feature_smoothing = feature_smoothing
        self.variance_prior = variance_prior
        self.ddof = ddof
        self.search = search
        self.beam_width = beam_width
        self.decision = decision
        self.min_labels = min_labels
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def as_published(cls, features: str | Sequence[str] = "gaussian", **parameters: Any) -> Self:
        """Make the paper's own form: its variances, and the empty set allowed.

        Parameters
        ----------
        features : str or sequence of str, default="gaussian"
        **parameters
            Other parameters, or other values of those above.

        Returns
        -------
        NaiBX

        Examples
        --------
        >>> NaiBX.as_published().variance_prior
        0.0
        """
        return cls(features, **({"variance_prior": 0.0, "min_labels": 0} | parameters))

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        self.label_counts_, self.feature_counts_ = self._count(
            X, Y, weights, choose_families(self.features, X)
        )
        self._check_sizes()
        self._choose(X, Y, weights)
        if not isinstance(self.learner, str):
            self.steps_ = fit_steps(X, Y, weights, self._seeded(self.learner), self._seed())

    def _choose(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        """Set the powers of likelihoods, and the classifier of sizes: None for naive Bayes."""
        model: Any = None
        if not isinstance(self.size_model, (str, int, np.integer)):
            model = self._seeded(self.size_model)
        if "auto" in (self.size_model, self.temper):
            families = self.feature_counts_.families()
            tempers = TEMPERS if self.temper == "auto" else (float(self.temper),)
            classify = self.size_model == "auto"
            chosen = choose(
                X, Y, weights, families, self._smoothing(), self.smoothing, tempers, classify=classify
            )
            self.tempers_ = np.array([chosen.sizes, chosen.labels])
            model = chosen.penalty if classify else model
        if model is not None or self.size_model == "auto":
            self.size_classifier_ = None if model is None else fit_sizes(X, Y, weights, model)

    def _smoothing(self) -> Smoothing:
        return Smoothing(self.feature_smoothing, self.variance_prior, self.ddof)

    def _count(
        self, X: Matrix, Y: Labels, weights: Floats | None, families: Array
    ) -> tuple[LabelCounts, FeatureCounts]:
        counts = count(X, Y, weights, families, self._smoothing())
        return counts.labels, counts.features

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Continue learning from more rows.

        The model is the one that all rows seen so far would give.

        Parameters
        ----------
        X : array, DataFrame or CSR of shape (n, d)
        y : array, DataFrame or CSR of shape (n, L)
        classes : sequence, optional
            On the first call, the names of all labels that can occur. A DataFrame y may then omit columns, which count
            as 0. For a one-dimensional y, its two classes.
        sample_weight : array of shape (n,), optional

        Returns
        -------
        self

        Examples
        --------
        >>> from setwise import NaiBX
        >>> model = NaiBX().partial_fit([[0.0], [0.1]], [[1, 0], [1, 0]])
        >>> model.partial_fit([[5.0], [5.1]], [[1, 1], [1, 1]]).predict([[0.0], [5.0]])
        array([[1, 0],
               [1, 1]])
        """
        if not self._only_counts():
            raise ValueError(
                "partial_fit counts; it cannot continue a scikit-learn classifier given as learner or size_model, "
                "nor a choice on held-out rows. Use learner='naive_bayes', size_model='naive_bayes', 'prior' or a "
                "number, and a number as temper, or fit on all rows"
            )
        if not hasattr(self, "label_counts_"):
            return self._first_fit(X, y, classes, sample_weight)
        X = check_features(self, X, reset=False)
        Y = self._targets.encode(_aligned(y, self.label_names_), X.shape[0])
        weights = check_weights(sample_weight, X)
        labels, features = self._count(X, Y, weights, self.feature_counts_.families())
        self.label_counts_ = self.label_counts_ + labels
        self.feature_counts_ = self.feature_counts_ + features
        self._check_sizes()
        return self

    def _only_counts(self) -> bool:
        """Whether the model consists of counts, and of nothing that was chosen on held-out rows."""
        counted = isinstance(self.learner, str) and isinstance(self.size_model, (str, int, np.integer))
        return counted and "auto" not in (self.size_model, self.temper)

    def _first_fit(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> Self:
        if classes is None:
            return self.fit(X, y, sample_weight)
        if np.ndim(y) == 1:
            pair = two_classes(np.asarray(classes))
            targets = Targets(np.array(["0"], object), pair, np.dtype(np.int64))
            self.fit(X, targets.encode(y, len(y)), sample_weight)
            self._targets = targets
            return self
        names = np.array([str(name) for name in classes], object)
        self.fit(X, _aligned(y, names), sample_weight)
        if len(names) != self.n_labels_:
            raise ValueError(f"classes declares {len(names)} labels but y has {self.n_labels_} columns")
        self.label_names_ = names
        self._targets = Targets(names, None, self._targets.dtype)
        return self

    def __add__(self, other: Self) -> Self:
        """The model that the rows of both would give."""
        for model in (self, other):
            check_is_fitted(model)
        check_same_columns(self, other)
        theirs = other.get_params()
        if not self._only_counts() or not all(
            np.array_equal(mine, theirs[name]) for name, mine in self.get_params().items()
        ):
            raise ValueError(
                "only models of counts with equal parameters can be added; fit on all rows instead"
            )
        if not np.array_equal(self.feature_counts_.families(), other.feature_counts_.families()):
            raise ValueError(
                "the models chose different distributions for some columns; name them by features= instead of 'auto'"
            )
        total = copy.copy(self)
        total.label_counts_ = self.label_counts_ + other.label_counts_
        total.feature_counts_ = self.feature_counts_ + other.feature_counts_
        total._check_sizes()
        return total

    def predict(self, X: Any, *, decision: Decision | None = None, sizes: Any = None) -> Array:
        """Predict the label set of each row.

        Parameters
        ----------
        X : array, DataFrame or CSR of shape (n, d)
        decision : {"greedy", "subset", "hamming", "f1", "jaccard"}, rule or callable, optional
            Loss to minimize in expectation, by default that of the constructor.
        sizes : array of shape (n,), optional
            Known number of labels of each row (the paper's NBX_TrueM).

        Returns
        -------
        array of shape (n, L)
        """
        rule = self.rule(decision)
        if sizes is None:
            return super().predict(X, decision=decision)
        if rule.whole_batch:
            raise ValueError(
                f"the decision {decision!r} is about all rows together; it takes no sizes of rows"
            )
        known = np.asarray(sizes)

        def answer(rows: slice, cascade: Any) -> Labels:
            labels: Labels = cascade.given_sizes(known[rows]).unrestricted().predict(rule)
            return labels

        labels = self._stream(self._checked(X), answer)
        return self._targets.decode(labels)

    def _own_decisions(self) -> dict[str, Rule]:
        return {"greedy": Greedy()}

    def _distribution(self, X: Matrix) -> Cascade:
        return Cascade(self._log_sizes(X), self._steps(X), search=self.search, beam_width=self.beam_width)

    def _steps(self, X: Matrix) -> CascadeSteps:
        if not isinstance(self.learner, str):
            known = self.steps_
            return ClassifierSteps(X, known.classifier, known.classes, known.n_labels)
        return naive_bayes_steps(
            self.label_counts_, self.feature_counts_, X, self.smoothing, self._tempers()[1]
        )

    def _tempers(self) -> Array:
        """Powers (2,) of the features' likelihoods for sizes and for labels."""
        return self.tempers_ if self.temper == "auto" else np.full(2, self.temper)

    def _log_sizes(self, X: Matrix) -> Floats:
        n, L = X.shape[0], self.n_labels_
        if isinstance(self.size_model, (int, np.integer)):
            return one_size(np.full(n, int(self.size_model)), L)
        classifier = None if self.size_model in ("naive_bayes", "prior") else self.size_classifier_
        if classifier is not None:
            return self._classified_sizes(X, classifier)
        if self.size_model == "prior":
            return np.repeat(log_softmax(self.label_counts_.log_sizes(self.smoothing))[None], n, axis=0)
        prior, likelihood = size_terms(self.label_counts_, self.feature_counts_, X, self.smoothing)
        return np.asarray(log_softmax(prior + self._tempers()[0] * likelihood, axis=1))

    def _classified_sizes(self, X: Matrix, classifier: Any) -> Floats:
        if isinstance(classifier, int):
            return one_size(np.full(X.shape[0], classifier), self.n_labels_)
        log_p = np.full((X.shape[0], self.n_labels_ + 1), -np.inf)
        with np.errstate(divide="ignore"):
            log_p[:, classifier.classes_] = np.log(classifier.predict_proba(X))
        if self.size_model != "auto":
            return log_p
        unseen = ~np.isin(np.arange(self.n_labels_ + 1), classifier.classes_)
        log_p[:, unseen] = self.label_counts_.log_sizes(self.smoothing)[unseen]
        return np.asarray(log_softmax(log_p, axis=1))

    def _cells_per_row(self) -> int:
        return 2**self.n_labels_ if self.n_labels_ <= CASCADE_LABELS else int(self.n_labels_)

    def _check_sizes(self) -> None:
        """Set min_labels_ from all rows seen so far; raise a ValueError for sizes that no prediction can have."""
        sizes, seen = self.label_counts_.sizes, int((self.label_counts_.labels > 0).sum())
        if isinstance(self.size_model, (int, np.integer)):
            if not 0 <= self.size_model <= seen:
                raise ValueError(f"size_model is {self.size_model}, but only {seen} labels occur in training")
            self.min_labels_ = 0
        elif self.min_labels == "auto":
            self.min_labels_ = int(sizes[0] == 0)
        elif not sizes[int(self.min_labels) :].any():
            raise ValueError(f"min_labels is {self.min_labels}, but no training row has that many labels")

    def _takes_nan(self) -> bool:
        return True


def _aligned(y: Any, names: Array) -> Any:
    """Put the columns of a DataFrame of labels in the declared order, 0 for missing ones; return other y unchanged."""
    columns = getattr(y, "columns", None)
    if columns is None:
        return y
    given = [str(name) for name in columns]
    unknown = [name for name in given if name not in set(names)]
    if unknown:
        raise ValueError(f"y has the column {unknown[0]!r}, which is not one of the declared labels")
    values, Y = np.asarray(y), np.zeros((len(y), len(names)), np.asarray(y).dtype)
    Y[:, [list(names).index(name) for name in given]] = values
    return Y
