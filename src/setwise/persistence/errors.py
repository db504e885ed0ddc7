"""The error raised for model files."""

from __future__ import annotations

from setwise.storage.errors import StoredFileError


class ModelFileError(StoredFileError):
    """Raised for a model that cannot be saved, or a file that is damaged, untrusted or not a model file.

    Examples
    --------
    >>> from tempfile import NamedTemporaryFile
    >>> from setwise.persistence import load
    >>> with NamedTemporaryFile() as file:
    ...     load(file.name)
    Traceback (most recent call last):
        ...
    setwise.persistence.errors.ModelFileError: ...
    """
