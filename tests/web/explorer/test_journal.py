"""The journal of corrections loses nothing that was shown as saved."""

import json
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from setwise.errors import InputError
from setwise.web.explorer.corrections import Conflict, CorrectionJournal

NAMES = ["calm", "sad"]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "songs.corrections.jsonl"


def test_decisions_stand_until_they_are_undone(path):
    journal = CorrectionJournal(path, "data", NAMES)
    first = journal.add(4, "accept", ["sad"])
    second = journal.add(4, "edit", ["calm"], note="sure", seen=first.number)
    assert journal.of(4).labels == ("calm",)
    journal.add(4, "undo", [], seen=second.number)
    assert journal.of(4).labels == ("sad",)
    journal.add(4, "undo", [], seen=3)
    assert journal.of(4) is None
    assert journal.current() == []
    with pytest.raises(InputError, match="nothing to undo"):
        journal.add(4, "undo", [], seen=4)


def test_a_journal_is_read_again_as_it_was(path):
    journal = CorrectionJournal(path, "data", NAMES)
    journal.add(1, "edit", ["calm", "sad"], note='</script>"\n')
    journal.add(2, "keep", [])
    again = CorrectionJournal(path, "data", NAMES)
    assert again.current() == journal.current()
    assert again.version(2) == 2


def test_a_half_written_line_is_removed_and_nothing_else(path):
    journal = CorrectionJournal(path, "data", NAMES)
    journal.add(1, "keep", [])
    with path.open("ab") as file:
        file.write(b'{"number": 2, "row": 5, "act')
    again = CorrectionJournal(path, "data", NAMES)
    assert [entry.row for entry in again.current()] == [1]
    assert again.add(5, "keep", []).number == 2
    assert len(path.read_bytes().splitlines()) == 3


def test_a_journal_of_other_data_or_of_nothing_known_is_refused(path):
    CorrectionJournal(path, "data", NAMES)
    with pytest.raises(InputError, match="belongs to other data"):
        CorrectionJournal(path, "other", NAMES)
    for other in (b"row,label\n", b"row,label\n1,sad", b"one line", b"{}"):
        path.write_bytes(other)
        with pytest.raises(InputError, match="not a journal"):
            CorrectionJournal(path, "data", NAMES)
        assert path.read_bytes() == other


def test_a_half_written_first_line_is_written_again(path):
    CorrectionJournal(path, "data", NAMES)
    whole = path.read_bytes()
    path.write_bytes(whole[:20])
    CorrectionJournal(path, "data", NAMES)
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    "line",
    [
        b"[]",
        b'{"number": 1}',
        b'{"number": 1, "row": 0, "action": "rm", "labels": [], "note": "", "time": ""}',
        b'{"number": 1, "row": 0, "action": "keep", "labels": ["tall"], "note": "", "time": ""}',
        b'{"number": "1", "row": 0, "action": "keep", "labels": [], "note": "", "time": ""}',
        b'{"number": 1, "row": [0], "action": "keep", "labels": [], "note": "", "time": ""}',
        b'{"number": 1, "row": -1, "action": "keep", "labels": [], "note": "", "time": ""}',
        b'{"number": 1, "row": 9, "action": "keep", "labels": [], "note": "", "time": ""}',
        b'{"number": 0, "row": 0, "action": "keep", "labels": [], "note": "", "time": ""}',
        b'{"number": 1, "row": 0, "action": "keep", "labels": [], "note": "", "time": 7}',
        b"\xff\xfe",
    ],
)
def test_a_damaged_entry_is_named(path, line):
    CorrectionJournal(path, "data", NAMES)
    with path.open("ab") as file:
        file.write(line + b"\n")
    with pytest.raises(InputError, match="entry 1 of the journal is damaged"):
        CorrectionJournal(path, "data", NAMES, n_rows=9)


def test_a_second_window_cannot_overwrite_what_it_has_not_seen(path):
    """Both windows saw version 0; the second one is told, and nothing is lost."""
    journal = CorrectionJournal(path, "data", NAMES)
    other = CorrectionJournal(path, "data", NAMES)
    journal.add(3, "edit", ["sad"], seen=0)
    with pytest.raises(Conflict) as caught:
        other.add(3, "edit", ["calm"], seen=0)
    assert caught.value.current.labels == ("sad",)
    assert other.add(3, "edit", ["calm"], seen=1).number == 2
    journal.refresh()
    assert journal.of(3).labels == ("calm",)


def test_many_windows_write_at_once(path):
    """Each of 8 threads with a journal of its own adds 20 rows: all 160 are there, numbered without gaps."""

    def write(who):
        journal = CorrectionJournal(path, "data", NAMES)
        for step in range(20):
            journal.add(100 * who + step, "keep", [])

    threads = [threading.Thread(target=write, args=(who,)) for who in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    journal = CorrectionJournal(path, "data", NAMES)
    assert sorted(entry.number for entry in journal.current()) == list(range(1, 161))


def test_wrong_actions_labels_and_notes_are_refused(path):
    journal = CorrectionJournal(path, "data", NAMES)
    for action, labels, note in [("rm", [], ""), ("edit", ["tall"], ""), ("keep", [], "x" * 3000)]:
        with pytest.raises(InputError):
            journal.add(0, action, labels, note=note)
    assert journal.current() == []


def killed_writers(path, rng, n_writers=2):
    """What writers said was saved before they were killed at a random moment."""
    command = [sys.executable, "-m", "tests.web.explorer.writer", str(path)]
    writers = [
        subprocess.Popen([*command, str(who)], stdout=subprocess.PIPE, text=True) for who in range(n_writers)
    ]
    for writer in writers:
        writer.stdout.readline()
    time.sleep(rng.uniform(0, 0.08))
    for writer in writers:
        writer.kill()
    said = [writer.communicate()[0].rpartition("\n")[0].splitlines() for writer in writers]
    return [tuple(map(int, line.split())) for lines in said for line in lines if line.count(" ") == 1]


def check_kills(path, n_kills):
    rng = np.random.default_rng(0)
    for kill in range(n_kills):
        path.unlink(missing_ok=True)
        saved = killed_writers(path, rng)
        journal = CorrectionJournal(path, "data", NAMES)
        kept = {(entry.number, entry.row) for entry in journal.current()}
        assert set(saved) <= kept, f"kill {kill}: {set(saved) - kept}"
        numbers = [json.loads(line)["number"] for line in path.read_bytes().splitlines()[1:]]
        assert numbers == list(range(1, len(numbers) + 1))


def test_killed_writers_lose_nothing_that_was_saved(path):
    check_kills(path, 2)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_fifty_kills_lose_nothing_that_was_saved(path):
    check_kills(path, 50)
