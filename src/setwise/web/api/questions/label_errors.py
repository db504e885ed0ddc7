"""Whether given labels look wrong."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from setwise.arrays import Labels
from setwise.distributions import LabelDistribution
from setwise.distributions.outliers import outlier_scores
from setwise.web.api.evidence import read_sets
from setwise.web.api.model import Model
from setwise.web.api.plain import Answers, numbers, sets
from setwise.web.api.rows import Row


def label_errors(model: Model, rows: Sequence[Row], *, labels: Sequence[Sequence[str]]) -> Answers:
    """Answer how suspicious given sets are. The rows should not be those that the model was fitted to.

    Parameters
    ----------
    model : Model
    rows : list of rows
    labels : list of lists of labels
        The given set of each row.

    Returns
    -------
    list of dict
        ``score``: log of how much more probable the set becomes, on average, by flipping one label, None if it is
        impossible; ``log_probability`` of the given set; the ``suggested`` set.

    Examples
    --------
    >>> from setwise.web.api.examples import beach
    >>> label_errors(beach(), [[0.0]], labels=[["sea"]])[0]["suggested"]
    ['sand']
    """
    given = read_sets(labels, model.labels, len(rows))
    joints = list(model.joints(model.features(rows)))
    starts = np.cumsum([0, *(joint.n_rows for joint in joints)])
    parts = [given[start : start + joint.n_rows] for start, joint in zip(starts, joints)]
    return list(chain.from_iterable(_answers(*pair, model.labels) for pair in zip(joints, parts)))


def _answers(joint: LabelDistribution, given: Labels, names: Sequence[str]) -> Answers:
    columns = (
        numbers(outlier_scores(joint, given, "flips"), "score"),
        numbers(joint.log_prob(given), "log-probability"),
        sets(joint.mode().labels, names),
    )
    return [
        {"score": score, "log_probability": log_prob, "suggested": suggested}
        for score, log_prob, suggested in zip(*columns)
    ]
