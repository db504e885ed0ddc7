"""Files from strangers: limits that hold before memory is taken, and text in blocks of whole lines."""

from setwise.files.errors import DataFormatError
from setwise.files.limits import raised_limits

__all__ = ["DataFormatError", "raised_limits"]
