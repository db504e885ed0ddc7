"""The web application that the server and the explorer share: guards, limits, threads, errors as answers."""

from setwise.web.app.factory import create_app
from setwise.web.app.limits import Limits
from setwise.web.app.threads import Threads

__all__ = ["Limits", "Threads", "create_app"]
