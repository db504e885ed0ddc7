"""The error of a stored file."""


class StoredFileError(ValueError):
    """The file is damaged, is not of this format, or holds something that a stored file may not hold."""
