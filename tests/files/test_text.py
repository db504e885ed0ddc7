import bz2
import gzip
import pickle

import pytest

from setwise.datasets import DataFormatError, raised_limits
from setwise.files.text import blocks


def test_blocks_are_whole_lines(tmp_path, monkeypatch):
    """Red if a line is cut, or a line end of Windows that falls between two blocks becomes two lines."""
    text = b"one\r\ntwo two\rthree three three\n\nend"
    (tmp_path / "a.txt").write_bytes(text)
    for size in range(1, 12):
        monkeypatch.setattr("setwise.files.text.BLOCK", size)
        parts = list(blocks(tmp_path / "a.txt"))
        assert b"".join(parts) == b"one\ntwo two\nthree three three\n\nend"
        assert all(part.endswith(b"\n") for part in parts[:-1])


def test_a_last_line_may_end_in_a_carriage_return(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"one\rtwo\r")
    assert b"".join(blocks(tmp_path / "a.txt")) == b"one\ntwo\n"


def test_endless_lines_are_refused(tmp_path, monkeypatch, set_limits):
    monkeypatch.setattr("setwise.files.text.BLOCK", 8)
    set_limits(line_bytes=50)
    (tmp_path / "a.txt").write_bytes(b"short\n" + b"x" * 100)
    with pytest.raises(
        DataFormatError, match=r"a\.txt:2: a line of more than 50 bytes; if you trust the file"
    ):
        list(blocks(tmp_path / "a.txt"))


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
def test_files_that_unpack_to_much_more_are_refused(tmp_path, pack, set_limits):
    """Red if anything of a bomb is yielded, or a file that was refused cannot be read with raised limits."""
    text = b"{}\n" * 3_000_000
    (tmp_path / "bomb").write_bytes(pack(text))
    found = blocks(tmp_path / "bomb")
    with pytest.raises(DataFormatError, match="unpacks to more than 400 times its size"):
        next(found)
    with raised_limits(100):
        assert b"".join(blocks(tmp_path / "bomb")) == text


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
def test_a_bomb_behind_ordinary_text_is_refused(tmp_path, pack, set_limits):
    """Red if only the first part of a file is compared with its packed size."""
    set_limits(text_bytes=10_000, expansion=10)
    ordinary = b"".join(b"%d\n" % (i * 7919 % 10_007) for i in range(10_000))
    (tmp_path / "bomb").write_bytes(pack(ordinary) + pack(b"\n" * 10_000_000))
    with pytest.raises(DataFormatError, match="unpacks to more than 10 times its size"):
        list(blocks(tmp_path / "bomb"))


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
def test_compressed_files_are_read_whole(tmp_path, pack):
    """Red if a second member, or what follows the first window, is lost."""
    text = b"".join(b"%d,%d\n" % (i, i * i) for i in range(400_000))
    (tmp_path / "a").write_bytes(pack(text) + pack(b"end\n"))
    assert b"".join(blocks(tmp_path / "a")) == text + b"end\n"


def test_damaged_files_are_named(tmp_path):
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"text\n" * 100)[:-10])
    with pytest.raises(DataFormatError, match=r"a\.gz: the file is damaged"):
        list(blocks(tmp_path / "a.gz"))


def test_the_error_survives_pickling():
    error = DataFormatError("expected a number", file="a.arff", line=3, position=7, column="x")
    copy = pickle.loads(pickle.dumps(error))
    assert str(copy) == "a.arff:3:7: expected a number"
    assert vars(copy) == vars(error)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_utf16_is_named(tmp_path, encoding):
    """Red if the bytes of UTF-16 are read as the names of strange columns."""
    (tmp_path / "a.csv").write_bytes("\ufeffa,y\n1,0\n".encode(encoding))
    with pytest.raises(DataFormatError, match=r"a\.csv:1: expected text in UTF-8, found UTF-16; save"):
        list(blocks(tmp_path / "a.csv"))
