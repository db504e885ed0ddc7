"""Untrusted files: limits that are checked before memory is allocated, and text in blocks of whole lines."""

from setwise.files.errors import DataFormatError
from setwise.files.limits import raised_limits

__all__ = ["DataFormatError", "raised_limits"]
