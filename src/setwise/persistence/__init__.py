"""Model files: plain arrays and JSON, a closed list of classes, never pickle."""

from setwise.persistence.description import Description
from setwise.persistence.errors import ModelFileError
from setwise.persistence.model_file import describe, load, load_described, save

__all__ = ["Description", "ModelFileError", "describe", "load", "load_described", "save"]
