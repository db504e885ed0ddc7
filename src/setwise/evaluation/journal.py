"""A journal of results: one JSON object per line, so that a killed run loses nothing it finished."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from setwise.storage.manifest import parse_json

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows has no advisory locks of this kind
    fcntl = None  # type: ignore[assignment]

Record = dict[str, Any]
RECORD = b'{"key": '
"""How the lines of a journal begin."""


class Journal:
    """Records by key, kept in a file, or only in memory without a path.

    :meth:`append` returns after the record is on the disk. A line that a killed run left half written is removed
    when the file is opened again. Two runs cannot use one journal at the same time.

    Parameters
    ----------
    path : path, optional
        The file; it is created if needed.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "run.jsonl"
    >>> with Journal(path) as journal:
    ...     journal.append({"key": "a", "score": 0.5})
    >>> _ = path.open("a").write('{"key": "b", "sc')
    >>> with Journal(path) as journal:
    ...     print(journal.records)
    {'a': {'key': 'a', 'score': 0.5}}
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.path = None if path is None else Path(path)
        self.records: dict[str, Record] = {}
        self._file: IO[bytes] | None = None

    def __enter__(self) -> Self:
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("a+b", buffering=0)
            self._lock()
            self._read()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def append(self, record: Record) -> None:
        """Add a record; it replaces one with the same key."""
        self.records[record["key"]] = record
        if self._file is not None:
            self._file.write(json.dumps(record).encode() + b"\n")
            os.fsync(self._file.fileno())

    def _lock(self) -> None:
        if fcntl is None or self._file is None:
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise RuntimeError(f"{self.path} is in use by another run; choose another journal") from None

    def _read(self) -> None:
        assert self._file is not None
        self._file.seek(0)
        content = self._file.read()
        whole = content.rfind(b"\n") + 1
        if not whole and not content.startswith(RECORD[: len(content)]):
            raise ValueError(f"{self.path} is not a journal; name another file")
        for number, line in enumerate(content[:whole].splitlines(), start=1):
            try:
                record = parse_json(line, "the record", finite=False)
                self.records[record["key"]] = record
            except (ValueError, KeyError, TypeError):
                raise ValueError(f"{self.path}, line {number}: expected a JSON record with a key") from None
        # Only now, when all lines are records: another file must keep its last line.
        if whole < len(content):
            self._file.truncate(whole)
