"""Atomic writes: a file has either its old content or all of its new one, never a part."""

from __future__ import annotations

import glob
import importlib
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import BinaryIO

# Windows has no locks of this kind, and does not remove open files anyway.
fcntl: ModuleType | None = importlib.import_module("fcntl") if os.name == "posix" else None

TOKEN = 12
"""Hexadecimal digits that distinguish the temporary files of one target."""
ATTEMPTS = 5
"""Most temporary files that are made for one write. Where files cannot be locked, the last one serves."""


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a binary file for writing and reading that replaces ``path`` when the block ends without an error.

    The bytes are written to a temporary file in the same folder, synced to disk, and only then renamed. After an error,
    such as a full disk, the temporary file is removed and ``path`` is unchanged. If the process is killed, the next one
    that writes to ``path`` removes the temporary file. A device or pipe, such as ``/dev/null``, is not
    replaced; the bytes are written to it at the end.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> with replacing(Path(folder.name) / "a.txt") as file:
    ...     _ = file.write(b"whole")
    >>> (Path(folder.name) / "a.txt").read_text()
    'whole'
    """
    target = Path(os.path.realpath(path))
    check_target(target)
    if _is_device(target):
        with tempfile.TemporaryFile() as content:
            yield content
            content.seek(0)
            with open(target, "wb") as device:
                shutil.copyfileobj(content, device)
        return
    try:
        _remove_abandoned(target)
        file = _locked_file(target)
        try:
            with file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            if target.exists():
                os.chmod(file.name, target.stat().st_mode)
            os.replace(file.name, target)
            _sync_folder(target.parent)
        finally:
            with suppress(OSError):
                os.unlink(file.name)
    except OSError as error:
        message = f"{error.strerror or error}; nothing was written there"
        raise OSError(error.errno, message, str(path)) from error


def check_target(path: str | os.PathLike[str]) -> None:
    """Raise an error if a file could not be written; call it before long work, not after."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(f"{path} is a folder; name a file in it")
    if _is_device(target):
        return
    if not target.parent.is_dir():
        raise FileNotFoundError(f"the folder {target.parent} does not exist; {path} cannot be written")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise PermissionError(f"the folder {target.parent} is not writable; choose another folder")


def _temporary_stem(target: Path) -> str:
    """The beginning of the names of a target's temporary files."""
    return f".{target.name[:100]}"


def _locked_file(target: Path) -> BinaryIO:
    """Create a temporary file. Until it is locked, another writer may take it for abandoned: then make another one."""
    for attempt in range(ATTEMPTS):
        path = target.with_name(f"{_temporary_stem(target)}.{secrets.token_hex(TOKEN // 2)}.tmp")
        file = open(path, "x+b")  # noqa: SIM115 (the caller closes it)
        if (_lock(file) and path.exists()) or attempt == ATTEMPTS - 1:
            break
        file.close()
        path.unlink(missing_ok=True)
    return file


def _lock(file: BinaryIO) -> bool:
    """Lock a file until it is closed, also by the end of the process; False if another process holds it."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _remove_abandoned(target: Path) -> None:
    """Remove the temporary files of writers that were killed: nobody holds their locks."""
    pattern = f"{glob.escape(_temporary_stem(target))}.{'[0-9a-f]' * TOKEN}.tmp"
    for path in target.parent.glob(pattern):
        with suppress(OSError), open(path, "rb") as file:
            if _lock(file):
                path.unlink()


def _is_device(target: Path) -> bool:
    """Whether a path exists and is neither a file nor a folder."""
    return target.exists() and not target.is_file() and not target.is_dir()


def _sync_folder(folder: Path) -> None:
    """Sync the new name to disk, if the system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
