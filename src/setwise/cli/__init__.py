"""The command ``setwise``."""

from setwise.cli.main import main

__all__ = ["main"]
