"""The models of a server: loaded from files, and loaded again when a file is replaced."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from setwise.errors import InputError, quote_some
from setwise.printable import printable
from setwise.web.api import Model, read_model

LOG = logging.getLogger("setwise.web")
ENDING = ".setwise"
Stamp = tuple[int, int, int]
"""What changes when a file is replaced: its number, its time and its size."""


@dataclass(frozen=True)
class Loaded:
    """A model, the state of its file when it was loaded, and why a newer file was not."""

    path: Path
    stamp: Stamp | None
    model: Model
    error: str | None = None


class UnknownModel(KeyError):
    """A name that is not the name of a model."""


class Models:
    """Models by name, which is the name of their file without its ending.

    A request takes its model once and keeps it, so an answer never mixes two versions. A file that cannot be loaded, or
    is gone, leaves its model as it was and is reported.

    Parameters
    ----------
    paths : sequence of str
        Model files, and folders whose ``.setwise`` files are loaded, those that appear later too.
    count : callable, optional
        Called with the name of a counter when a file was loaded again, or could not be.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from setwise import BinaryRelevance, save
    >>> with TemporaryDirectory() as folder:
    ...     save(BinaryRelevance(l2=1.0).fit([[0.0], [1.0]], [["sea"], ["sand"]]), f"{folder}/beach.setwise")
    ...     Models([folder])["beach"].labels
    ['sand', 'sea']
    """

    def __init__(self, paths: Sequence[str], count: Callable[[str], None] | None = None) -> None:
        self._files = [Path(path) for path in paths if not Path(path).is_dir()]
        self._folders = [Path(path) for path in paths if Path(path).is_dir()]
        self._loaded: dict[str, Loaded] = {}
        self._refused: dict[str, tuple[Stamp | None, str]] = {}
        self._count = count or (lambda _: None)
        for path in [*self._files, *self._in_folders()]:
            if path.stem in self._loaded:
                message = f"two files are called {path.stem!r}, {self._loaded[path.stem].path} too"
                raise InputError(message, file=path, hint="rename one")
            self._loaded[path.stem] = Loaded(path, _stamp(path), read_model(path))
        if not self._loaded:
            raise InputError(f"there is no {ENDING} file in {quote_some(list(paths))}")

    def __getitem__(self, name: str) -> Model:
        try:
            return self._loaded[name].model
        except KeyError:
            raise UnknownModel(name) from None

    def __iter__(self) -> Iterator[Loaded]:
        return iter(list(self._loaded.values()))

    @property
    def refused(self) -> dict[str, str]:
        """Why new files of the folders were not loaded, by name."""
        return {name: error for name, (_, error) in list(self._refused.items())}

    def _in_folders(self) -> list[Path]:
        return [
            path for folder in self._folders for path in sorted(folder.glob(f"*{ENDING}")) if path.is_file()
        ]

    def refresh(self) -> None:
        """Load files that were replaced, and new files of the folders."""
        for loaded in self:
            if _stamp(loaded.path) != loaded.stamp:
                self._reload(loaded)
        for path in self._in_folders():
            if path.stem not in self._loaded and self._refused.get(path.stem, (None, ""))[0] != _stamp(path):
                self._add(path)

    def _reload(self, old: Loaded) -> None:
        stamp, name = _stamp(old.path), old.model.name
        try:
            self._loaded[name] = Loaded(old.path, stamp, read_model(old.path))
        except Exception as error:
            why = _why(error)
            self._loaded[name] = replace(old, stamp=stamp, error=why)
            self._count("setwise_reload_failures_total")
            LOG.error("reload failed, the old model stays", extra={"model": name, "why": why})
            return
        self._count("setwise_reloads_total")
        LOG.info("reloaded", extra={"model": name, "version": self[name].version})

    def _add(self, path: Path) -> None:
        stamp = _stamp(path)
        try:
            self._loaded[path.stem] = Loaded(path, stamp, read_model(path))
        except Exception as error:
            self._refused[path.stem] = (stamp, _why(error))
            self._count("setwise_reload_failures_total")
            LOG.error("new file not loaded", extra={"model": path.stem, "why": _why(error)})
            return
        self._refused.pop(path.stem, None)
        self._count("setwise_reloads_total")
        LOG.info("added", extra={"model": path.stem, "version": self[path.stem].version})


def _why(error: Exception) -> str:
    return printable(" ".join(str(error).split()))[:500]


def _stamp(path: Path) -> Stamp | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


class Watcher:
    """A thread that looks at the files every few moments.

    Parameters
    ----------
    models : Models
    seconds : float
    """

    def __init__(self, models: Models, seconds: float) -> None:
        self._models, self._seconds = models, seconds
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="model files", daemon=True)

    def _watch(self) -> None:
        while not self._stop.wait(self._seconds):
            try:
                self._models.refresh()
            except Exception:  # the next look may succeed, and the models that are loaded go on
                LOG.exception("looking at the model files failed")

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(timeout=5)
