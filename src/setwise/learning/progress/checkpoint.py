"""A folder in which a long fit leaves what it has reached, so that a killed fit goes on to the same result.

A fit is a fixed sequence of steps (EM runs, learnt trees), numbered as they come. A step that is done is
read from its file instead of being computed again; a step that was interrupted goes on from its last state.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from setwise.atomic import replacing
from setwise.contract import Array

State = dict[str, Array]
"""Parameters as plain arrays."""

FORMAT = 1
OWNER = "fit.json"


class Saved(NamedTuple):
    """What a step left: its arrays, a JSON record, and whether it was done."""

    state: State
    record: Any
    done: bool


def fingerprint(*parts: Any) -> str:
    """A digest of arrays and plain values: a checkpoint is only used for the fit that wrote it."""
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            digest.update(f"{part.shape}{part.dtype.str}".encode())
            digest.update(np.ascontiguousarray(part).view(np.uint8).data)
        elif hasattr(part, "indptr"):
            for array in (part.data, part.indices, part.indptr):
                digest.update(fingerprint(array).encode())
        else:
            digest.update(repr(part).encode())
    return digest.hexdigest()


class Checkpoint:
    """The steps of one fit in a folder.

    Parameters
    ----------
    folder : path
        Made if missing.
    owner : str
        Fingerprint of the fit; a folder with the steps of another fit is refused.
    """

    def __init__(self, folder: str | os.PathLike[str], owner: str) -> None:
        self.folder, self._step = Path(folder), -1
        self.folder.mkdir(parents=True, exist_ok=True)
        card = self.folder / OWNER
        if card.exists():
            known = json.loads(card.read_text(encoding="utf-8"))
            if known != {"format": FORMAT, "fit": owner}:
                raise ValueError(
                    f"the checkpoint in {str(self.folder)!r} is of another fit (other data, parameters or version); "
                    "give an empty folder, or delete it to start again"
                )
        else:
            with replacing(card) as file:
                file.write(json.dumps({"format": FORMAT, "fit": owner}).encode())

    def next_step(self) -> Saved | None:
        """Go to the next step; what an earlier, interrupted fit left of it."""
        self._step += 1
        path = self._path()
        if not path.exists():
            return None
        with np.load(path, allow_pickle=False) as file:
            head = json.loads(str(file["record"]))
            state = {name: file[name] for name in file.files if name != "record"}
        return Saved(state, head["record"], head["done"])

    def save(self, state: State, record: Any, *, done: bool) -> None:
        """Replace what is kept of the current step, at once or not at all."""
        head = np.array(json.dumps({"record": record, "done": done}))
        with replacing(self._path()) as file:
            np.savez(file, record=head, **state)  # type: ignore[arg-type]

    def clear(self) -> None:
        """Remove the steps, and what a kill left of one: the fit is done."""
        for path in [*self.folder.glob("step-*"), *self.folder.glob(".*.tmp")]:
            path.unlink()
        (self.folder / OWNER).unlink(missing_ok=True)

    def _path(self) -> Path:
        return self.folder / f"step-{self._step:05d}.npz"
