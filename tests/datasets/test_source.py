import gzip
import pickle

import pytest
from setwise.datasets.source import blocks

from setwise.datasets import DataFormatError


def test_blocks_are_whole_lines(tmp_path, monkeypatch):
    monkeypatch.setattr("setwise.datasets.source._BLOCK", 7)
    text = b"one\r\ntwo two\rthree three three\n\nend"
    (tmp_path / "a.txt").write_bytes(text)
    parts = list(blocks(tmp_path / "a.txt"))
    assert b"".join(parts) == b"one\ntwo two\nthree three three\n\nend"
    assert all(part.endswith(b"\n") for part in parts[:-1])


def test_endless_lines_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("setwise.datasets.source._BLOCK", 8)
    monkeypatch.setattr("setwise.datasets.source.MAX_LINE", 50)
    (tmp_path / "a.txt").write_bytes(b"short\n" + b"x" * 100)
    with pytest.raises(DataFormatError, match=r"a\.txt:2:1: a line of more than 50 bytes"):
        list(blocks(tmp_path / "a.txt"))


def test_files_that_unpack_without_end_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("setwise.datasets.source.MAX_UNPACKED", 10_000)
    monkeypatch.setattr("setwise.datasets.source._BLOCK", 1000)
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(b"{}\n" * 1_000_000))
    with pytest.raises(DataFormatError, match="unpacks to more than"):
        list(blocks(tmp_path / "bomb.gz"))


def test_the_error_survives_pickling():
    error = pickle.loads(pickle.dumps(DataFormatError("a.arff", 3, 7, "expected a number")))
    assert (str(error), error.line, error.column) == ("a.arff:3:7: expected a number", 3, 7)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_other_text_than_utf8_says_what_it_is(tmp_path, encoding):
    """Red when the bytes of UTF-16 are read as the names of strange columns."""
    (tmp_path / "a.csv").write_bytes("\ufeffa,y\n1,0\n".encode(encoding))
    with pytest.raises(DataFormatError, match=r"a\.csv:1:1: the text is UTF-16; save it as UTF-8"):
        list(blocks(tmp_path / "a.csv"))
