"""What an estimator says about itself, for the command line, the guides and the automatic choice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Trial:
    """Parameters with which the automatic choice tries an estimator, and the expected cost.

    ``cost`` is the processor time of a fit in units of that of BinaryRelevance, roughly (250 rows of emotions, scene
    and yeast). It decides whether a small time budget allows a first fit.
    """

    cost: float
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class About:
    """A description of a method.

    What its estimator takes is not repeated here: ``takes_missing_labels`` is an attribute of the class,
    missing and sparse features are in scikit-learn's tags, and a method that learns online has ``partial_fit``.

    Parameters
    ----------
    short : str
        Name on the command line.
    suits : str
        The case it is for.
    joint : str
        Family of P(y | x).
    cost : float
        Processor time of a fit with default parameters in units of that of BinaryRelevance, on yeast with one thread.
    exact_labels : int, optional
        Number of labels up to which ``log_prob`` is exact, if there is a limit; 0 if the method defines no joint.
    trials : tuple of Trial
        How the automatic choice tries it.
    """

    short: str
    suits: str
    joint: str
    cost: float
    exact_labels: int | None = None
    trials: tuple[Trial, ...] = ()
