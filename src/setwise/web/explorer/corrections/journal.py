"""The journal of corrections: appended line by line, synced to disk, shared by windows and processes."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from setwise.errors import InputError
from setwise.printable import printable
from setwise.storage.manifest import parse_json

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows has no advisory locks of this kind
    fcntl = None  # type: ignore[assignment]

FORMAT = "setwise corrections 1"
ACTIONS = ("accept", "keep", "edit", "skip", "undo")
"""What a person can do with a row."""
LONGEST_NOTE = 2000
MOST_ROWS = 2**53


@dataclass(frozen=True)
class Correction:
    """What a person decided about a row.

    Attributes
    ----------
    number : int
        Place in the journal, from 1; the version of the row.
    row : int
    action : {"accept", "keep", "edit", "skip", "undo"}
    labels : tuple of str
        Names of the labels that the row has now.
    note : str
    time : str
    """

    number: int
    row: int
    action: str
    labels: tuple[str, ...]
    note: str = ""
    time: str = ""

    def plain(self) -> dict[str, Any]:
        """What the page and the file hold of it."""
        return asdict(self) | {"labels": list(self.labels)}


class Conflict(InputError):
    """Raised if the row was changed in another window since this one read it."""

    def __init__(self, current: Correction | None) -> None:
        self.current = current
        super().__init__("this row was changed in another window; look at it again")


class CorrectionJournal:
    """Corrections by row, kept in a file that only grows.

    :meth:`add` returns after the line is on the disk. Every writer locks the file and reads what others appended
    before it writes, so windows and processes can share a journal. A line that a killed process left half written is
    removed. Undoing appends too, so the file tells the whole story.

    Parameters
    ----------
    path : path
        Made if it is not there.
    data : str
        Fingerprint of the data.
    label_names : sequence of str
    n_rows : int, optional
        Rows of the data: a decision about a row that they do not have is an error.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> journal = CorrectionJournal(Path(folder.name) / "songs.corrections.jsonl", "d1", ["calm", "sad"])
    >>> journal.add(7, "edit", ["sad"], seen=0).number
    1
    >>> journal.add(7, "undo", [], seen=1).number, journal.of(7)
    (2, None)
    >>> CorrectionJournal(journal.path, "d2", ["calm", "sad"])
    Traceback (most recent call last):
    setwise.errors.InputError: ...: the journal belongs to other data; name another journal, or move this one away
    """

    def __init__(
        self, path: str | os.PathLike[str], data: str, label_names: Sequence[str], n_rows: int = MOST_ROWS
    ) -> None:
        self.path = Path(path)
        self._data, self._labels, self._n_rows = data, set(label_names), n_rows
        self._by_row: dict[int, list[Correction]] = {}
        self._last = self._read_to = 0
        self._thread = threading.RLock()
        with self._locked() as file:
            self._catch_up(file)

    def add(
        self, row: int, action: str, labels: Sequence[str], *, note: str = "", seen: int = 0
    ) -> Correction:
        """Append a decision about a row whose newest decision, as the caller knows it, has the number ``seen``."""
        _check(action, labels, note, self._labels)
        with self._locked() as file:
            self._catch_up(file)
            if self.version(row) != seen:
                raise Conflict(self.of(row))
            if action == "undo" and self.of(row) is None:
                raise InputError(f"there is nothing to undo in row {row}")
            now = datetime.now(UTC).isoformat(timespec="seconds")
            added = Correction(self._last + 1, row, action, tuple(labels), note, now)
            _append(file, _line(added.plain()))
            self._catch_up(file)
        return added

    def refresh(self) -> None:
        """Read what other processes appended."""
        with self._locked() as file:
            self._catch_up(file)

    def of(self, row: int) -> Correction | None:
        """The decision about a row, None if there is none or it was undone."""
        story = self._by_row.get(row, [])
        kept: list[Correction] = []
        for entry in story:
            if entry.action != "undo":
                kept.append(entry)
            elif kept:
                kept.pop()
        return kept[-1] if kept else None

    def version(self, row: int) -> int:
        """The number of the newest entry about a row, 0 if there is none."""
        story = self._by_row.get(row)
        return story[-1].number if story else 0

    def current(self) -> list[Correction]:
        """The decisions that stand, by row."""
        found = (self.of(row) for row in sorted(self._by_row))
        return [entry for entry in found if entry is not None]

    def last(self) -> Correction | None:
        """The newest decision that stands."""
        return max(self.current(), key=lambda entry: entry.number, default=None)

    @contextmanager
    def _locked(self) -> Iterator[IO[bytes]]:
        with self._thread, _open(self.path) as file:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX)
            yield file

    def _catch_up(self, file: IO[bytes]) -> None:
        """Read the lines that were appended since the last time; the file is locked, so a half line is abandoned."""
        file.seek(self._read_to)
        content = file.read()
        whole, header = content.rfind(b"\n") + 1, _line({"format": FORMAT, "data": self._data})
        if not self._read_to and not whole and not header.startswith(content):
            raise self._foreign()
        for line in content[:whole].splitlines(keepends=True):
            self._take(line)
            self._read_to += len(line)
        # Only now, when all lines are those of a journal: another file must keep its last line.
        if file.tell() > self._read_to:
            file.truncate(self._read_to)
        if not self._read_to:
            _append(file, header)
            self._read_to = file.seek(0, os.SEEK_END)

    def _take(self, line: bytes) -> None:
        if self._read_to == 0:
            self._check_header(line)
            return
        try:
            found = parse_json(line, "the entry")
            entry = Correction(**(found | {"labels": tuple(found["labels"])}))
            _check_types(entry, self._last, self._n_rows)
            _check(entry.action, entry.labels, entry.note, self._labels)
        except (ValueError, TypeError, KeyError):
            message = f"entry {self._last + 1} of the journal is damaged"
            raise InputError(message, file=self.path, hint="move the journal away to begin again") from None
        self._last = entry.number
        self._by_row.setdefault(entry.row, []).append(entry)

    def _check_header(self, line: bytes) -> None:
        try:
            header = parse_json(line, "the header")
            known = header["format"] == FORMAT
        except (ValueError, TypeError, KeyError):
            known, header = False, {}
        if not known:
            raise self._foreign()
        if header.get("data") != self._data:
            hint = "name another journal, or move this one away"
            raise InputError("the journal belongs to other data", file=self.path, hint=hint)

    def _foreign(self) -> InputError:
        return InputError("this is not a journal of corrections", file=self.path, hint="name another file")


def _open(path: Path) -> IO[bytes]:
    return path.open("a+b", buffering=0)


def _line(record: dict[str, Any]) -> bytes:
    return json.dumps(record).encode() + b"\n"


def _append(file: IO[bytes], line: bytes) -> None:
    if file.write(line) != len(line):
        raise OSError(f"{file.name} cannot be written; is the disk full?")
    os.fsync(file.fileno())


def _check_types(entry: Correction, last: int, n_rows: int) -> None:
    """Raise a TypeError for an entry that no journal of these data holds: numbers rise, and the row exists."""
    rises = type(entry.number) is int and entry.number > last
    if not (rises and type(entry.row) is int and 0 <= entry.row < n_rows):
        raise TypeError("a number is not one")
    if not all(isinstance(text, str) for text in (entry.action, entry.note, entry.time, *entry.labels)):
        raise TypeError("a text is not one")


def _check(action: str, labels: Sequence[str], note: str, known: set[str]) -> None:
    """Refuse what no window sends and no journal of these data holds."""
    if action not in ACTIONS:
        raise InputError(f"the action is {action[:40]!r}; expected one of {', '.join(ACTIONS)}")
    unknown = [name for name in labels if name not in known]
    if unknown:
        raise InputError(f"there is no label {printable(unknown[0])[:60]!r}")
    if len(note) > LONGEST_NOTE:
        raise InputError(f"the note has {len(note)} characters; at most {LONGEST_NOTE} are kept")
