"""The server: models behind HTTP for applications, with reload, workers, metrics and logs."""

from setwise.web.server.run import serve
from setwise.web.server.settings import Settings

__all__ = ["Settings", "serve"]
