"""Errors that a distribution raises."""


class NotTractable(RuntimeError):
    """Raised when a family cannot answer a question exactly; the message names a family that can.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.distributions import DependencyNetwork
    >>> from setwise.inference.networks.gibbs import LinearConditionals
    >>> network = DependencyNetwork(LinearConditionals(np.zeros((1, 2)), np.zeros((2, 2))))
    >>> try:
    ...     network.log_prob([[1, 0]])
    ... except NotTractable:
    ...     print("count in samples instead")
    count in samples instead
    """


class ImpossibleEvidence(ValueError):
    """Raised when a distribution is conditioned on evidence of probability zero.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.distributions import Table
    >>> Table([[0, 1], [1, 1]], np.log([[0.5, 0.5]])).condition({1: 0})
    Traceback (most recent call last):
    setwise.contract.errors.ImpossibleEvidence: the evidence has probability zero in 1 of 1 rows, the first: [0]
    """
