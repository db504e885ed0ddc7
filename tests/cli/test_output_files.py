"""Files that the commands write: never over what they read, never a part."""

import errno
import os
import re

import pytest

import setwise
from setwise import atomic
from setwise.cli import main
from tests.cli.wrong_files import check_wrong_usage

FIT = ["fit", "good.csv", "--labels", "red", "round", "--model", "br"]
GOOD = ["m.setwise", "good.csv"]
OVERWRITING = [
    [*FIT, "-o", "good.csv"],
    [*FIT, "-o", "a folder/../good.csv"],
    ["fit", "link.csv", *FIT[2:], "-o", "good.csv"],
    [*FIT, "-o", "hard.csv"],
    ["fit", "good.arff", "--labels", "red.xml", "--model", "br", "-o", "red.xml"],
    ["fit", "mulan.arff", "--model", "br", "-o", "mulan.xml"],
    ["predict", *GOOD, "-o", "good.csv"],
    ["predict", *GOOD, "-o", "link.csv"],
    ["predict", *GOOD, "-o", "m.setwise", "--format", "csv"],
    *(
        [command, *GOOD, option, output]
        for command in ("evaluate", "errors", "inspect")
        for option, output in (("--csv", "good.csv"), ("--markdown", "link.csv"), ("--html", "m.setwise"))
    ),
    ["inspect", "m.setwise", "--csv", "m.setwise"],
    ["evaluate", *GOOD, "--csv", "new.txt", "--html", "./new.txt"],
    ["compare", *FIT[1:5], "--csv", "good.csv"],
    ["compare", "missing_label.csv", *FIT[1:5], "--journal", "good.csv"],
    ["compare", *FIT[1:5], "--csv", "new.txt", "--journal", "new.txt"],
    ["reproduce", "mc", "--csv", "new.txt", "--html", "a folder/../new.txt"],
    ["datasets", "convert", "good.csv", "link.csv", *FIT[2:5]],
    ["datasets", "split", "good.csv", "new.csv", "new.csv", *FIT[2:5]],
    ["datasets", "split", "good.csv", "new.csv", "./new.csv", *FIT[2:5]],
    ["datasets", "split", "good.csv", "new.csv", "good.csv", *FIT[2:5]],
]


@pytest.mark.parametrize("arguments", OVERWRITING, ids=" ".join)
def test_no_command_writes_over_what_it_reads_or_wrote(arguments, wrong, capsys):
    """Red if an output that is an input, by whatever name, or another output is not refused as such."""
    line = check_wrong_usage(arguments, wrong, capsys)
    assert re.search(r"is also read; name another|would be written twice; name two files", line)


@pytest.mark.parametrize("command", ["evaluate", "errors", "inspect"])
def test_reports_are_not_mixed_with_what_is_printed(command, wrong, capsys):
    assert "--csv - would mix" in check_wrong_usage([command, *GOOD, "--csv", "-"], wrong, capsys)


def test_a_full_disk_is_exit_code_one_and_the_previous_file_survives(wrong, monkeypatch, capsys):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(atomic.os, "fsync", full)
    for arguments in ([*FIT, "-o", "precious.setwise"], ["predict", *GOOD, "-o", "precious.csv"]):
        assert main(arguments) == 1
        assert "No space left on device; nothing was written there" in capsys.readouterr().err
    assert (wrong / "precious.csv").read_text() == (wrong / "precious.setwise").read_text() == "precious\n"


def test_a_folder_that_may_not_be_written_to_is_named_before_the_work(wrong, monkeypatch, capsys):
    """Red if a whole fit is lost because its model file cannot be made.

    Root may write everywhere, so the answer of the system is replaced.
    """
    monkeypatch.setattr(atomic.os, "access", lambda path, mode: os.path.basename(path) != "a folder")
    monkeypatch.setattr(setwise.BinaryRelevance, "fit", lambda *_: pytest.fail("the fit came first"))
    assert main([*FIT, "-o", "a folder/m.setwise"]) == 2
    printed = capsys.readouterr().err
    assert "a folder is not writable; choose another folder" in printed
    assert len(printed.splitlines()) == 1
