"""The one error of model files."""

from __future__ import annotations


class ModelFileError(ValueError):
    """A model that has no form in a file, or a file that is damaged, foreign or not to be trusted."""
