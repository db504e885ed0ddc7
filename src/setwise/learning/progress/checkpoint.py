"""Checkpoints of a long fit in a folder, so that a killed fit can be resumed with the same result.

A fit is a fixed sequence of numbered steps (EM runs, learned trees). A finished step is read from its file instead of
being computed again; an interrupted step continues from its last state.

Files are sealed containers of arrays and JSON, read within the same limits as model files.
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from setwise.arrays import Array
from setwise.atomic import replacing
from setwise.kernels.matrices import stored_arrays
from setwise.storage import Container, StoredFileError, write_container
from setwise.storage.manifest import parse_json

State = dict[str, Array]
"""Parameters as plain arrays."""

FORMAT = 2
OWNER = "fit.json"
MAX_OWNER = 4096
KIND = "setwise checkpoint"


class Saved(NamedTuple):
    """The saved state of a step: its arrays, a JSON record, and whether it was done."""

    state: State
    record: Any
    done: bool


def fingerprint(*parts: Any) -> str:
    """Compute a digest of matrices and plain values: a checkpoint is only used for the fit that wrote it."""
    digest = hashlib.sha256()
    for part in parts:
        arrays = stored_arrays(part)
        for array in arrays:
            digest.update(f"{array.shape}{array.dtype.str}".encode())
            digest.update(np.ascontiguousarray(array).view(np.uint8).data)
        if not arrays:
            digest.update(repr(part).encode())
    return digest.hexdigest()


class Checkpoint:
    """The steps of one fit in a folder.

    Parameters
    ----------
    folder : path
        Created if missing.
    owner : str
        Fingerprint of the fit; a folder with the steps of another fit is refused.
    """

    def __init__(self, folder: str | os.PathLike[str], owner: str) -> None:
        self.folder, self._step = Path(folder), -1
        self.folder.mkdir(parents=True, exist_ok=True)
        for unfinished in self.folder.glob(".step-*.tmp"):  # a killed fit left it
            unfinished.unlink(missing_ok=True)
        card = self.folder / OWNER
        if card.exists():
            if _read_owner(card) != {"format": FORMAT, "fit": owner}:
                raise ValueError(
                    f"the checkpoint in {str(self.folder)!r} belongs to another fit: data, parameters or version "
                    "differ; pass an empty folder, or delete this one to start again"
                )
        else:
            with replacing(card) as file:
                file.write(json.dumps({"format": FORMAT, "fit": owner}).encode())

    def next_step(self) -> Saved | None:
        """Move to the next step, and return its saved state if an earlier fit was interrupted there."""
        self._step += 1
        path = self._path()
        return _guard(path, lambda: _read_step(path)) if path.exists() else None

    def save(self, state: State, record: Any, *, done: bool) -> None:
        """Replace the saved state of the current step, atomically."""
        manifest = {"kind": KIND, "record": json.dumps(record), "done": done, "names": list(state)}
        write_container(self._path(), manifest, list(state.values()))

    def clear(self) -> None:
        """Remove all steps, also unfinished files: the fit is done."""
        for path in [*self.folder.glob("step-*"), *self.folder.glob(".*.tmp")]:
            path.unlink()
        (self.folder / OWNER).unlink(missing_ok=True)

    def _path(self) -> Path:
        return self.folder / f"step-{self._step:05d}.zip"


def _guard(path: Path, read: Callable[[], Any]) -> Any:
    """Read a file; an error names it and says what to do."""
    try:
        return read()
    except (StoredFileError, zipfile.BadZipFile, KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{path} is damaged or not a checkpoint ({error}); delete the folder to start the fit again"
        ) from error


def _read_owner(card: Path) -> Any:
    if card.stat().st_size > MAX_OWNER:
        raise ValueError(f"{card} is not the card of a checkpoint; delete the folder to start the fit again")
    return _guard(card, lambda: parse_json(card.read_bytes(), card.name))


def _read_step(path: Path) -> Saved:
    with Container(path) as file:
        record, done, names = (file.manifest[name] for name in ("record", "done", "names"))
        if (
            file.manifest["kind"] != KIND
            or not isinstance(done, bool)
            or len(names) != len(file.manifest["members"])
        ):
            raise StoredFileError("it does not describe a step of a fit")
        state = {str(name): file.read_array(str(number)) for number, name in enumerate(names)}
    for name, array in state.items():
        # The log of a zero weight, -inf, is a valid state to continue from; NaN is not.
        if array.dtype.kind == "f" and not array.max(initial=-np.inf) < np.inf:
            raise StoredFileError(f"{name} holds NaN or infinity")
    return Saved(state, parse_json(record.encode(), "the record", finite=False), done)
