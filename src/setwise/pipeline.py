"""Pipelines that keep every question about the joint distribution."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline, _name_estimators

from setwise.contract import Decided, Floats, Labels, TopK
from setwise.decisions import Decision
from setwise.distributions import LabelDistribution
from setwise.explanations import Explanation, StrongestFeatures
from setwise.nesting import distribution_of, feature_origins, opened
from setwise.views.answer import row_names_of


class SetPipeline(Pipeline):
    """A scikit-learn Pipeline that ends in a setwise estimator, or a search of one, and answers the same questions.

    ``fit``, ``predict``, ``predict_proba`` and ``score`` are those of :class:`sklearn.pipeline.Pipeline`. The other
    questions pass X through the steps before the last one, and ask that one.

    Parameters
    ----------
    steps : list of (str, estimator)
        Transformers, such as a :class:`TableEncoder`, then an estimator. :func:`make_set_pipeline` names them for you.
    transform_input : list of str, optional
        As in scikit-learn.
    memory : str or Memory, optional
        As in scikit-learn.
    verbose : bool, default=False
        As in scikit-learn.

    Examples
    --------
    >>> from setwise import BinaryRelevance, SetPipeline, TableEncoder
    >>> tickets = {"message": ["money back please", "cannot log in", "give my money back", "log in fails"]}
    >>> model = SetPipeline([("encoder", TableEncoder()), ("model", BinaryRelevance(l2=0.1))])
    >>> model.fit(tickets, [["refund"], ["login"], ["refund"], ["login"]]).predict_tags({"message": ["money"]})
    [['refund']]
    """

    def _ask(self, X: Any) -> tuple[Any, Any]:
        """Find the estimator that answers, and transform the rows for it."""
        model, rows = opened(self, X)
        if not hasattr(model, "distribution"):
            raise TypeError(
                f"{type(model).__name__} has no joint distribution; end the pipeline in a setwise estimator"
            )
        return model, rows

    @property
    def label_names_(self) -> Any:
        """Names of the labels."""
        last = self.steps[-1][1]
        return getattr(last, "best_estimator_", last).label_names_

    def distribution(self, X: Any) -> LabelDistribution:
        """P(y | x) of each row, to ask anything of.

        Parameters
        ----------
        X : table or array
            What the first step takes.

        Returns
        -------
        LabelDistribution

        Examples
        --------
        >>> from setwise import BinaryRelevance, TableEncoder, make_set_pipeline
        >>> tickets = {"message": ["money back please", "cannot log in", "give my money back", "log in fails"]}
        >>> model = make_set_pipeline(TableEncoder(), BinaryRelevance(l2=0.1))
        >>> model = model.fit(tickets, [["refund"], ["login"], ["refund"], ["login"]])
        >>> model.distribution({"message": ["money"]}).mode().labels
        array([[0, 1]], dtype=int8)
        """
        return distribution_of(self, X)

    def explain(
        self, X: Any, target: Any = None, *, given: Any = None, component: int | None = None
    ) -> Explanation:
        """Explain what each feature adds to the log-odds of a label, of several together, or of a whole set.

        Parameters
        ----------
        X : table or array
        target : label, tuple of labels, mapping, set of labels, or array of shape (n, L), optional
            As in :meth:`SetClassifier.explain`. By default, each label that is predicted for a row.
        given : mapping or label, optional
            Labels that are known.
        component : int, optional
            A component of a mixture.

        Returns
        -------
        Explanation
            Features have the names that the steps before the model give them; ``by_column()`` adds up those of each
            column of the table.

        Examples
        --------
        >>> from setwise import BinaryRelevance, TableEncoder, make_set_pipeline
        >>> tickets = {"message": ["money back please", "cannot log in", "give my money back", "log in fails"]}
        >>> model = make_set_pipeline(TableEncoder(), BinaryRelevance(l2=0.1))
        >>> model = model.fit(tickets, [["refund"], ["login"], ["refund"], ["login"]])
        >>> model.explain({"message": ["money"]}, "refund").to_dict(1)[0]["features"][0]["feature"]
        'message: money'
        """
        model, rows = self._ask(X)
        why: Explanation = model.explain(rows, target, given=given, component=component)
        why.feature_names, why.columns = feature_origins(self)
        why.row_names = row_names_of(X)
        return why

    def strongest_features(
        self, X: Any, target: Any = None, *, pairs: int = 10, n_features: int = 10
    ) -> StrongestFeatures:
        """Rank the features by the root mean square of their contributions to each label, and to pairs of labels.

        Parameters
        ----------
        X : table or array
            Typical rows, for example those of the training.
        target : list of targets, optional
            Each as in :meth:`explain`. By default, every label, and some pairs.
        pairs : int, default=10
            Number of pairs of labels, those that are most probable together.
        n_features : int, default=10
            Number of features of a label or pair.

        Returns
        -------
        StrongestFeatures

        Examples
        --------
        >>> from setwise import BinaryRelevance, TableEncoder, make_set_pipeline
        >>> tickets = {"message": ["money back please", "cannot log in", "give my money back", "log in fails"]}
        >>> model = make_set_pipeline(TableEncoder(), BinaryRelevance(l2=0.1))
        >>> model = model.fit(tickets, [["refund"], ["login"], ["refund"], ["login"]])
        >>> model.strongest_features(tickets, ["refund"], n_features=1).columns
        ['message']
        """
        model, rows = self._ask(X)
        ranked: StrongestFeatures = model.strongest_features(rows, target, pairs=pairs, n_features=n_features)
        return ranked.with_features(*feature_origins(self))

    def predict_tags(self, X: Any, *, decision: Decision | None = None) -> list[list[str]]:
        """Predict the names of the labels of each row.

        Parameters
        ----------
        X : table or array
        decision : decision, optional
            The loss to answer for; by default that of the estimator.

        Returns
        -------
        list of list of str

        Examples
        --------
        >>> from setwise import BinaryRelevance, TableEncoder, make_set_pipeline
        >>> tickets = {"message": ["money back please", "cannot log in", "give my money back", "log in fails"]}
        >>> model = make_set_pipeline(TableEncoder(), BinaryRelevance(l2=0.1))
        >>> model = model.fit(tickets, [["refund"], ["login"], ["refund"], ["login"]])
        >>> model.predict_tags({"message": ["money", "log in"]})
        [['refund'], ['login']]
        """
        model, rows = self._ask(X)
        tags: list[list[str]] = model.predict_tags(rows, decision=decision)
        return tags

    def decide(self, X: Any, decision: Decision | None = None) -> Decided:
        """Answer as ``predict`` does, with the expected loss under the model.

        Parameters
        ----------
        X : table or array
        decision : decision, optional

        Returns
        -------
        Decided

        Examples
        --------
        >>> from setwise import BinaryRelevance, TableEncoder, make_set_pipeline
        >>> tickets = {"message": ["money back please", "cannot log in", "give my money back", "log in fails"]}
        >>> model = make_set_pipeline(TableEncoder(), BinaryRelevance(l2=0.1))
        >>> model = model.fit(tickets, [["refund"], ["login"], ["refund"], ["login"]])
        >>> model.decide({"message": ["money"]}, "hamming").labels
        array([[0, 1]], dtype=int8)
        """
        model, rows = self._ask(X)
        decided: Decided = model.decide(rows, decision)
        return decided.with_names(model.label_names_, row_names_of(X))

    def log_prob(self, X: Any, y: Any) -> Floats:
        """Log-probability of the label set of each row; -1 in ``y`` marks a label that is not observed.

        Parameters
        ----------
        X : table or array
        y : array or DataFrame of shape (n, L), or list of lists of tags

        Returns
        -------
        ndarray of shape (n,)

        Examples
        --------
        >>> from setwise import BinaryRelevance, TableEncoder, make_set_pipeline
        >>> tickets = {"message": ["money back please", "cannot log in", "give my money back", "log in fails"]}
        >>> model = make_set_pipeline(TableEncoder(), BinaryRelevance(l2=0.1))
        >>> model = model.fit(tickets, [["refund"], ["login"], ["refund"], ["login"]])
        >>> bool(model.log_prob({"message": ["money"]}, [["refund"]])[0] > -0.7)
        True
        """
        model, rows = self._ask(X)
        found: Floats = model.log_prob(rows, y)
        return found

    def predict_top_k(self, X: Any, k: int) -> TopK:
        """The k most probable sets of each row with their log-probabilities, best first.

        Parameters
        ----------
        X : table or array
        k : int

        Returns
        -------
        TopK

        Examples
        --------
        >>> from setwise import BinaryRelevance, TableEncoder, make_set_pipeline
        >>> tickets = {"message": ["money back please", "cannot log in", "give my money back", "log in fails"]}
        >>> model = make_set_pipeline(TableEncoder(), BinaryRelevance(l2=0.1))
        >>> model = model.fit(tickets, [["refund"], ["login"], ["refund"], ["login"]])
        >>> model.predict_top_k({"message": ["money"]}, 2).labels[0]
        array([[0, 1],
               [1, 1]], dtype=int8)
        """
        model, rows = self._ask(X)
        best: TopK = model.predict_top_k(rows, k)
        return best.with_names(model.label_names_, row_names_of(X))

    def sample(self, X: Any, n_draws: int = 1, *, random_state: Any = None) -> Labels:
        """Label sets drawn from P(y | x).

        Parameters
        ----------
        X : table or array
        n_draws : int
        random_state : int, optional

        Returns
        -------
        ndarray of shape (n, n_draws, L)

        Examples
        --------
        >>> from setwise import BinaryRelevance, TableEncoder, make_set_pipeline
        >>> tickets = {"message": ["money back please", "cannot log in", "give my money back", "log in fails"]}
        >>> model = make_set_pipeline(TableEncoder(), BinaryRelevance(l2=0.1))
        >>> model = model.fit(tickets, [["refund"], ["login"], ["refund"], ["login"]])
        >>> model.sample({"message": ["money"]}, 5, random_state=0).shape
        (1, 5, 2)
        """
        model, rows = self._ask(X)
        drawn: Labels = model.sample(rows, n_draws, random_state=random_state)
        return drawn

    def outlier_score(self, X: Any, y: Any, **options: Any) -> Floats:
        """Score how much less probable each given set is than others; large scores point to wrong labels.

        Parameters
        ----------
        X : table or array
        y : array or DataFrame of shape (n, L), or list of lists of tags
        **options
            Passed on to the estimator.

        Returns
        -------
        ndarray of shape (n,)

        Examples
        --------
        >>> from setwise import BinaryRelevance, TableEncoder, make_set_pipeline
        >>> tickets = {"message": ["money back please", "cannot log in", "give my money back", "log in fails"]}
        >>> model = make_set_pipeline(TableEncoder(), BinaryRelevance(l2=0.1))
        >>> model = model.fit(tickets, [["refund"], ["login"], ["refund"], ["login"]])
        >>> right, wrong = model.outlier_score({"message": ["money", "money"]}, [["refund"], ["login"]])
        >>> bool(wrong > right)
        True
        """
        model, rows = self._ask(X)
        scores: Floats = model.outlier_score(rows, y, **options)
        return scores


def make_set_pipeline(*steps: Any, memory: Any = None, verbose: bool = False) -> SetPipeline:
    """Put estimators into a :class:`SetPipeline`, each named after its class as by scikit-learn's ``make_pipeline``.

    Parameters
    ----------
    *steps : estimators
        Transformers, then a setwise estimator.
    memory : str or Memory, optional
        As in scikit-learn.
    verbose : bool, default=False
        As in scikit-learn.

    Returns
    -------
    SetPipeline

    Examples
    --------
    >>> from setwise import BinaryRelevance, TableEncoder, make_set_pipeline
    >>> list(make_set_pipeline(TableEncoder(), BinaryRelevance()).named_steps)
    ['tableencoder', 'binaryrelevance']
    """
    return SetPipeline(_name_estimators(steps), memory=memory, verbose=verbose)
