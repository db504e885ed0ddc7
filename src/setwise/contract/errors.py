"""Errors that a distribution raises."""


class NotTractable(RuntimeError):
    """The family cannot answer this question exactly; the message names what can."""


class ImpossibleEvidence(ValueError):
    """Conditioning on evidence of probability zero."""
