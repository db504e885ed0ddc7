"""Writing a file so that its name holds either the old content or the new one, never a part."""

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
"""Hexadecimal digits that tell the temporary files of one target apart."""


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A binary file, readable too, that takes the place of ``path`` when the block ends without an error.

    The bytes go to a temporary file in the same folder, are forced to the disk, and only then renamed. After
    an error, such as a full disk, the temporary file is gone and what was at ``path`` is untouched. If the process is
    killed, the next one that writes to ``path`` removes the temporary file. A device or pipe, such as ``/dev/null``,
    keeps its place and is given the bytes at the end.

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
    temporary = target.with_name(f"{_temporary_stem(target)}.{secrets.token_hex(TOKEN // 2)}.tmp")
    try:
        _remove_abandoned(target)
        with open(temporary, "x+b") as file:
            _lock(file)
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            os.chmod(temporary, target.stat().st_mode)
        os.replace(temporary, target)
        _sync_folder(target.parent)
    except OSError as error:
        message = f"{error.strerror or error}; nothing was written there"
        raise OSError(error.errno, message, str(path)) from error
    finally:
        with suppress(OSError):
            temporary.unlink()


def check_target(path: str | os.PathLike[str]) -> None:
    """An error where a file could not be written: before the work, not after it."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(f"{path} is a folder; name a file in it")
    if _is_device(target):
        return
    if not target.parent.is_dir():
        raise FileNotFoundError(f"the folder {target.parent} does not exist; {path} cannot be written")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise PermissionError(f"the folder {target.parent} may not be written to; name a file elsewhere")


def _temporary_stem(target: Path) -> str:
    """The beginning of the names of a target's temporary files."""
    return f".{target.name[:100]}"


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
    """Whether there is something that is neither a file nor a folder."""
    return target.exists() and not target.is_file() and not target.is_dir()


def _sync_folder(folder: Path) -> None:
    """Force the new name to the disk, where the system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
