"""A full disk, a folder that cannot be written to, a crash: the previous file survives."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import setwise
from setwise import BinaryRelevance, atomic
from setwise.datasets import Dataset, write_arff, write_csv, write_libsvm, write_npz

X = np.linspace(-1, 1, 20)[:, None]
MODEL = BinaryRelevance(l2=1.0).fit(X, X > 0)


@pytest.fixture
def previous(tmp_path):
    path = tmp_path / "model.setwise"
    setwise.save(MODEL, path)
    return path


def full_disk(*arguments, **options):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def read_only(*arguments, **options):
    raise OSError(errno.EROFS, os.strerror(errno.EROFS))


@pytest.mark.parametrize("failure", [full_disk, read_only])
@pytest.mark.parametrize("call", ["open", "os.fsync", "os.replace"])
def test_the_previous_file_survives(previous, monkeypatch, call, failure):
    """Red if the file is touched before the new content is safe, or a temporary file is left behind."""
    before = previous.read_bytes()
    owner, _, name = call.rpartition(".")
    monkeypatch.setattr(atomic.os if owner else atomic, name, failure, raising=False)
    with pytest.raises(OSError, match="nothing was written there") as error:
        setwise.save(MODEL, previous)
    assert error.value.errno in (errno.ENOSPC, errno.EROFS)
    assert error.value.filename == str(previous)
    assert previous.read_bytes() == before
    assert list(previous.parent.iterdir()) == [previous]


def test_a_disk_that_fills_while_writing(previous):
    """A limit on the size of files, as a full disk: the write itself fails half-way."""
    code = (
        "import resource, signal, sys, numpy as np, setwise\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))\n"
        "X = np.zeros((50, 200)); X[::2] = 1\n"
        "model = setwise.BinaryRelevance(l2=1.0).fit(X, X[:, :9])\n"
        "try: setwise.save(model, sys.argv[1])\n"
        "except OSError as error: sys.exit(str(error))\n"
    )
    before = previous.read_bytes()
    run = subprocess.run(
        [sys.executable, "-c", code, str(previous)], capture_output=True, text=True, check=False
    )
    assert run.returncode == 1
    assert "nothing was written there" in run.stderr
    assert previous.read_bytes() == before
    assert list(previous.parent.iterdir()) == [previous]


def test_a_model_that_cannot_be_written_leaves_nothing(previous):
    before = previous.read_bytes()
    with pytest.raises(ValueError):
        setwise.save(BinaryRelevance(l2=1.0, decision=len).fit(X, X > 0), previous)
    assert previous.read_bytes() == before
    assert list(previous.parent.iterdir()) == [previous]


def test_places_that_are_no_files(tmp_path):
    with pytest.raises(IsADirectoryError, match="is a folder"):
        setwise.save(MODEL, tmp_path)
    with pytest.raises(FileNotFoundError, match="does not exist"):
        setwise.save(MODEL, tmp_path / "no" / "where")
    setwise.save(MODEL, "/dev/null")
    assert not Path("/dev/null").is_file()


WRITE = """
import sys, time
from setwise.atomic import replacing
with replacing(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    print("writing", flush=True)
    time.sleep(60)
"""


def test_what_a_killed_writer_leaves_is_removed_by_the_next(previous):
    """Red if temporary files pile up, or if that of a writer at work is taken away."""
    before = previous.read_bytes()
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITE, str(previous)], stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    for writer in writers:
        assert writer.stdout.readline()
    writers[0].kill()
    writers[0].wait()
    assert len(list(previous.parent.glob(".*.tmp"))) == 2
    setwise.save(MODEL, previous)
    assert len(list(previous.parent.glob(".*.tmp"))) == 1
    writers[1].kill()
    writers[1].wait()
    setwise.save(MODEL, previous)
    assert list(previous.parent.iterdir()) == [previous]
    assert previous.read_bytes() == before


def test_links_and_permissions_are_kept(previous):
    os.chmod(previous, 0o640)
    link = previous.with_name("link")
    link.symlink_to(previous)
    setwise.save(MODEL, link)
    assert link.is_symlink()
    assert previous.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("name", ["a.arff", "a.csv.gz", "a.tsv.bz2", "a.svm", "a.npz"])
def test_a_data_set_that_fails_while_written_leaves_the_old_one(tmp_path, monkeypatch, name):
    """Red if a writer opens the file itself."""
    writers = {".arff": write_arff, ".svm": write_libsvm, ".npz": write_npz}
    write = writers.get((tmp_path / name).suffix, write_csv)
    path = tmp_path / name
    write(Dataset(X, X > 0), path)
    before = path.read_bytes()
    monkeypatch.setattr(atomic.os, "fsync", full_disk)
    with pytest.raises(OSError, match="nothing was written there"):
        write(Dataset(-X, X > 0), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_temporary_file_that_is_removed_before_it_is_locked_is_made_again(previous, monkeypatch):
    """Red if a writer goes on with a file that another one took for abandoned between its creation and its lock."""
    lock, removed = atomic._lock, []

    def late(file):
        if not removed:
            removed.append(file.name)
            os.unlink(file.name)
        return lock(file)

    monkeypatch.setattr(atomic, "_lock", late)
    setwise.save(MODEL, previous)
    assert len(removed) == 1
    assert (setwise.load(previous).predict(X) == MODEL.predict(X)).all()
