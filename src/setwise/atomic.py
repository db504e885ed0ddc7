"""Writing a file so that its name holds either the old content or the new one, never a part."""

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
    """A binary file, readable too, that takes the place of ``path`` when the block ends without an error.

    The bytes go to a temporary file in the same folder, are forced to the disk, and only then renamed. After
    an error, such as a full disk, the temporary file is gone and what was at ``path`` is untouched. A device or pipe,
    such as ``/dev/null``, keeps its place and is given the bytes at the end.

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
