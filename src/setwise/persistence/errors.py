"""The one error of model files."""

from __future__ import annotations

from setwise.storage.errors import StoredFileError


class ModelFileError(StoredFileError):
    """A model that cannot be stored, or a file that is damaged, foreign or not to be trusted."""
