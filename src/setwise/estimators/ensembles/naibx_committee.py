"""A committee of NaiBX models that are boosted."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from setwise.contract import Floats, Labels, Matrix
from setwise.decisions import Decision, Rule
from setwise.distributions.mixture import ListedMixture
from setwise.distributions.votes import Votes
from setwise.estimators.base.about import About
from setwise.estimators.base.set_classifier import SetClassifier
from setwise.estimators.naibx import NaiBX
from setwise.learning.progress.monitor import current_monitor
from setwise.limits import CASCADE_LABELS


class NaiBXCommittee(SetClassifier):
    """Boosted :class:`NaiBX` models that vote: each counts the rows more on whose labels the last one erred.

    This is AdaBoost with the share of wrong labels of a row as its error. The joint is the mixture of the members'
    joints, with their votes as weights. Learning stays as cheap as counting: ten members cost ten passes over the rows.

    Parameters
    ----------
    n_models : int, default=10
        Largest number of members. No more are added after one that is not better than chance, or is always right.
    member : NaiBX or None, default=None
        A model to take copies of; by default ``NaiBX()``. Tempered models (``NaiBX(temper="auto")``) gain most.
    decision : {"vote", "subset", "hamming", "f1", "jaccard"}, rule or callable, default="vote"
        What ``predict`` answers. ``"vote"`` is the set that the members with most weight name; any other decision
        minimizes an expected loss under the mixture.
    {min_labels}
    random_state : int, RandomState or None, default=None
        Seed of members that have none. Counting is deterministic.
    {verbose}

    Attributes
    ----------
    members_ : list of NaiBX
    weights_ : ndarray of shape (n_members,)
        Weights of the votes; they sum to one.
    {label_attributes}

    References
    ----------
    Mossina and Rachelson, "Naive Bayes classification for subset selection", arXiv:1707.06142, 2017, whose conclusion
    proposes a boosted committee; Freund and Schapire, "A decision-theoretic generalization of on-line learning and an
    application to boosting", JCSS 55, 1997.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import NaiBXCommittee
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2))
    >>> Y = np.column_stack([X[:, 0] > 0, X[:, 0] + X[:, 1] > 0]).astype(int)
    >>> model = NaiBXCommittee(5).fit(X, Y)
    >>> len(model.members_), model.predict([[2.0, 1.0]])
    (5, array([[1, 1]]))
    """

    about = About(
        short="naibx-committee",
        suits="as NaiBX, with time for ten of them",
        joint="a mixture of cascades, exact to 12 labels",
        cost=0.8,
        exact_labels=CASCADE_LABELS,
    )

    def __init__(
        self,
        n_models: int = 10,
        member: NaiBX | None = None,
        *,
        decision: Decision = "vote",
        min_labels: int | Literal["auto"] = "auto",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_models = n_models
        self.member = member
        self.decision = decision
        self.min_labels = min_labels
        self.random_state = random_state
        self.verbose = verbose

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.member is not None and not isinstance(self.member, NaiBX):
            raise ValueError(f"member is a {type(self.member).__name__}; expected a NaiBX or None")

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        own = np.ones(len(Y)) if weights is None else weights
        emphasis, votes = np.ones(len(Y)), list[float]()
        self.members_: list[NaiBX] = []
        for _ in current_monitor().steps("members", range(self.n_models)):
            member = self._seeded(NaiBX() if self.member is None else self.member)
            member.fit(X, Y, sample_weight=own * emphasis)
            member.label_names_ = self.label_names_
            wrong = np.mean(member.predict(X) != Y, axis=1)
            error = float(np.average(wrong, weights=own * emphasis))
            if error >= 0.5 and self.members_:
                break
            self.members_.append(member)
            votes.append(_vote(error))
            if not 0.0 < error < 0.5:
                break
            emphasis = emphasis * np.exp(votes[-1] * (wrong - error))
            emphasis *= own.sum() / (own @ emphasis)
        self.weights_ = np.asarray(votes) / np.sum(votes)

    def _distribution(self, X: Matrix) -> ListedMixture:
        members = [member._joint_of(X) for member in self.members_]
        return ListedMixture(np.tile(np.log(self.weights_), (X.shape[0], 1)), members)

    def _own_decisions(self) -> dict[str, Rule]:
        return {"vote": Votes("subset")}

    def _cells_per_row(self) -> int:
        return sum(member._cells_per_row() for member in self.members_)

    def _takes_nan(self) -> bool:
        return True


CLOSEST = 1e-6
"""Errors nearer to 0 or above a half count as this far from them: the weight of a vote stays finite and positive."""


def _vote(error: float) -> float:
    """The log-odds of being right, AdaBoost's weight of a member."""
    error = float(np.clip(error, CLOSEST, 0.5 - CLOSEST))
    return float(np.log1p(-error) - np.log(error))
