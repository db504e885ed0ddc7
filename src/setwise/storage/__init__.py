"""Arrays and JSON in one sealed file: the container of model files and checkpoints, read within limits."""

from setwise.storage.container import Container, write_container
from setwise.storage.errors import StoredFileError

__all__ = ["Container", "StoredFileError", "write_container"]
