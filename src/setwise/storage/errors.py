"""The error raised for stored files."""


class StoredFileError(ValueError):
    """Raised for a file that is damaged, not of this format, or has content that is not allowed."""
