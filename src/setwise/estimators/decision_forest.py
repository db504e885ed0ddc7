"""Decision forests: randomized trees over the features, read as a joint distribution of the labels."""

from __future__ import annotations

from typing import Any, Literal

from setwise.contract import Floats, Labels, Matrix
from setwise.decisions import Decision
from setwise.distributions import BackedOff, ForestMixture, Table
from setwise.estimators.base.about import About, Trial
from setwise.estimators.base.set_classifier import SetClassifier
from setwise.explanations.leaf_weights import LeafWeights, leaf_source
from setwise.explanations.scored import Scored
from setwise.learning.trees.forest_fit import ForestSettings, fit_decision_forest


class DecisionForest(SetClassifier):
    """Extremely randomized trees [1]_, grown once for all labels, whose leaves hold label sets.

    A new row x falls into a leaf of every tree. The training rows that it meets there get weights w_i(x), as in
    distributional forests [2]_ [3]_. They are read as a joint distribution with three parts,

        P(y | x) = a sum_i w_i(x) [y = y_i] + b Q(y | y was seen) + c Q(y),

    where Q is the product of the weighted rows' marginals. The shares a, b and c, the leaf size and the shrinkage of
    the marginals maximize the joint log-likelihood of out-of-bag rows. Every set has a positive probability, and all
    answers are exact.

    Parameters
    ----------
    n_trees : "auto" or int, default="auto"
        Number of trees. ``"auto"`` doubles it from 50 to at most 400, as long as the out-of-bag loss falls.
    max_features : {"auto", "sqrt"} or int, default="auto"
        Number of features that each split considers, among those that vary in the node. ``"auto"`` compares the square
        root with a third of all features, unless the third is much more, by the out-of-bag loss.
    leaf_size : "auto" or float, default="auto"
        Smallest weight of the training rows in a leaf. ``"auto"`` chooses it out of bag.
    backoff : "auto" or float, default="auto"
        Share c of the product over all sets. ``"auto"`` chooses it out of bag; 0 makes unseen sets impossible.
    {decision}
    {min_labels}
    {random_state}
    {verbose}

    Attributes
    ----------
    n_trees_ : int
        Number of trees.
    max_features_ : int
        Number of features that each split considered.
    leaf_size_ : float
        Smallest weight of a leaf.
    shares_ : tuple of three floats
        Shares of the leaf weights, of the product over seen sets and of the product over all sets.
    out_of_bag_loss_ : float
        Mean joint log-loss of out-of-bag rows, in nats.
    sets_ : ndarray of shape (n_sets, n_labels)
        Label sets of the training rows.
    {label_attributes}

    Notes
    -----
    A missing feature (NaN) is larger than every number. Rows with missing labels take part in the growth of the trees;
    their unknown labels are drawn from the leaves of the trees that have not seen them, several times.

    References
    ----------
    .. [1] P. Geurts, D. Ernst and L. Wehenkel, "Extremely randomized trees", Machine Learning 63, 2006.
    .. [2] N. Meinshausen, "Quantile regression forests", JMLR 7, 2006; Y. Lin and Y. Jeon, "Random forests and adaptive
       nearest neighbors", JASA 101, 2006.
    .. [3] D. Cevid, L. Michel, J. Naef, P. Buehlmann and N. Meinshausen, "Distributional random forests", JMLR 23,
       2022.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import DecisionForest
    >>> X = np.arange(40.0)[:, None]
    >>> Y = np.column_stack([X[:, 0] > 19, X[:, 0] <= 19]).astype(int)
    >>> model = DecisionForest(50, random_state=0).fit(X, Y)
    >>> model.predict([[0.0], [39.0]])
    array([[0, 1],
           [1, 0]])
    """

    takes_missing_labels = True
    about = About(
        short="df",
        suits="measurements whose effects are not linear; many rows",
        joint="weights of training rows, with a share for other sets",
        cost=8,
        trials=(Trial(8),),
    )

    def __init__(
        self,
        n_trees: int | Literal["auto"] = "auto",
        *,
        max_features: int | Literal["auto", "sqrt"] = "auto",
        leaf_size: float | Literal["auto"] = "auto",
        backoff: float | Literal["auto"] = "auto",
        decision: Decision = "subset",
        min_labels: int | Literal["auto"] = "auto",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_trees = n_trees
        self.max_features = max_features
        self.leaf_size = leaf_size
        self.backoff = backoff
        self.decision = decision
        self.min_labels = min_labels
        self.random_state = random_state
        self.verbose = verbose

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        settings = ForestSettings(self.n_trees, self.max_features, self.leaf_size, self.backoff)
        forest, choice, n_draws = fit_decision_forest(X, Y, weights, settings, self._seed())
        self.forest_ = forest
        self.max_features_ = n_draws
        self.leaf_size_ = choice.leaf_weight
        self.out_of_bag_loss_ = choice.loss

    @property
    def n_trees_(self) -> int:
        """Number of trees."""
        return len(self.forest_.trees.root)

    @property
    def sets_(self) -> Labels:
        """Label sets (n_sets, n_labels) of the training rows."""
        return self.forest_.sets

    @property
    def shares_(self) -> tuple[float, float, float]:
        """Shares of the leaf weights, of the product over seen sets and of the product over all sets."""
        leaves, seen, anywhere = self.forest_.shares
        return leaves, seen, anywhere

    def _scored(self) -> Scored | None:
        return LeafWeights(leaf_source(self.forest_, self._prepared, self._baseline()[None]), self.forest_)

    def _distribution(self, X: Matrix) -> BackedOff:
        parts = self.forest_.parts(X)
        table, independent = Table(self.sets_, parts.log_probs), ForestMixture.independent(parts.logits)
        return BackedOff.of(table, independent, self.forest_.shares.anywhere, parts.independent)

    def _cells_per_row(self) -> int:
        return 6 * len(self.sets_) + self.n_trees_

    def _takes_nan(self) -> bool:
        return True
