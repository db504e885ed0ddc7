"""Atomic writes: a file has either its old content or all of its new one, never a part."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a binary file for writing and reading that replaces ``path`` when the block ends without an error.

    The bytes are written to a temporary file in the same folder, synced to disk, and only then renamed. After an error,
    such as a full disk, the temporary file is removed and ``path`` is unchanged. A device or pipe, such as
    ``/dev/null``, is not replaced; the bytes are written to it at the end.

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
    temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}.tmp")
    try:
        with open(temporary, "x+b") as file:
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
