"""Paragraphs that the docstrings of several estimators share."""

from __future__ import annotations

from setwise.docstrings import filled

PARAGRAPHS = {
    "l2": """
        l2 : "auto" or float, default="auto"
            Strength of the L2 penalty of the logistic learner, on standardized features. ``"auto"`` chooses one per
            label by cross-validated log-loss.
    """,
    "class_weight": """
        class_weight : "balanced" or mapping, optional
            Weights of the values of each label, for ``learner="logistic"``. ``"balanced"`` gives the rows with and
            without a label equal weight; a mapping such as ``{"fog": 5, "rain": {0: 1, 1: 2}}`` gives them by the name
            or number of the label, a single number for the rows that have it. Probabilities of weighted labels are
            shifted by ``weight_shift_``; :class:`CalibratedSets` takes that off again.
    """,
    "weight_shift_": """
        weight_shift_ : ndarray of shape (n_labels,)
            What ``class_weight`` adds to the log-odds of each label; only with ``class_weight``.
    """,
    "standardize": """
        standardize : bool, default=True
            Whether linear models divide each feature by its scale, so that the penalty treats all features alike.
    """,
    "unit_rows": """
        unit_rows : "auto" or bool, default="auto"
            Whether to L2-normalize rows first. ``"auto"`` tries it on rows of counts (no negative values, mostly
            zeros) if ``l2`` is ``"auto"`` too, and keeps it if the held-out loss falls.
    """,
    "tol": """
        tol : float, default=1e-8
            Relative tolerance of the solver: it stops when it expects to lower its objective by a smaller share.
    """,
    "metric": """
        metric : str or callable, default="minkowski"
            Distance between two rows: a name such as "euclidean", "cosine" or "manhattan", or a function of both.
    """,
    "scale_features": """
        scale_features : bool, default=True
            Whether to divide each feature by its range in training before distances are computed, as the authors'
            software does.
    """,
    "candidate_parents": """
        candidate_parents : int or "all", default=5
            Number of candidate parents that are fitted for each label, the best by a score test. ``"all"`` is the
            papers' exhaustive search.
    """,
    "seen_share": """
        seen_share : "auto" or float, default="auto"
            Share a of the probability that is kept for the label sets of the training rows:
            (1 - a) P(y | x) + a P(y | x, y was seen). ``"auto"`` maximizes the likelihood of held-out rows; it is 0 if
            no rows can be held out or no row has all its labels. 0 is the paper's model.
    """,
    "backoff": """
        backoff : "auto" or float, default="auto"
            Share of the probability for independent labels, which makes every set possible. ``"auto"`` is the share of
            training rows whose set, or set in a group of labels, occurs once: it estimates how often a new row has an
            unseen one (Good and Turing). 0 is the plain method.
    """,
    "backoff_": """
        backoff_ : float
            Share of the probability for independent labels.
    """,
    "checkpoint": """
        checkpoint : path, optional
            Folder in which the fit saves its progress. If it is killed, calling ``fit`` again continues from there and
            ends with the same result. ``random_state`` must be an int. The folder is emptied when the fit is done.
    """,
    "decision": """
        decision : {"subset", "hamming", "f1", "jaccard", "macro_f1", ...}, rule or callable, default="subset"
            Loss that ``predict`` minimizes in expectation. ``"subset"`` returns the most probable set. All names are in
            :data:`setwise.decisions.DECISIONS`.
    """,
    "min_labels": """
        min_labels : "auto" or int, default="auto"
            Smallest number of labels that ``predict`` returns. ``"auto"`` allows the empty set only if it occurs in
            training.
    """,
    "random_state": """
        random_state : int, RandomState or None, default=None
            Seed of all random numbers of the fit. Pass an int to repeat a fit. Estimators inside this one that have no
            seed get one from it.
    """,
    "random_state_of_learner": """
        random_state : int, RandomState or None, default=None
            Seed of the ``learner``, if that is a classifier without a seed. The logistic learner is deterministic.
    """,
    "random_state_unused": """
        random_state : int, RandomState or None, default=None
            Accepted by every estimator. This fit is deterministic and ignores it.
    """,
    "verbose": """
        verbose : int, default=0
            1 shows a progress bar on standard error, 2 prints a line per step.
    """,
    "label_attributes": """
        n_labels_ : int
            Number of labels.
        label_names_ : ndarray of shape (n_labels,)
            Column names of a DataFrame y, otherwise ``"0"``, ``"1"``, ...
        min_labels_ : int
            Smallest number of labels that ``predict`` returns.
        n_features_in_ : int
            Number of features seen in ``fit``.
    """,
    "unit_rows_": """
        unit_rows_ : bool
            Whether rows are L2-normalized.
    """,
}


def fill_docstring(cls: type) -> None:
    """Replace the placeholders in a class's docstring by the paragraphs of their names.

    Examples
    --------
    >>> class Example:
    ...     '''An example.
    ...
    ...     {unit_rows_}
    ...     '''
    >>> fill_docstring(Example)
    >>> import inspect
    >>> print(inspect.getdoc(Example))
    An example.
    <BLANKLINE>
    unit_rows_ : bool
        Whether rows are L2-normalized.
    """
    if cls.__doc__ and "__doc__" in vars(cls):
        cls.__doc__ = filled(cls.__doc__, PARAGRAPHS)
