"""Two hundred wrong command lines and files: the right exit code, one helpful line, nothing overwritten."""

import errno
import importlib
import os
import re
import subprocess
import sys

import numpy as np
import pytest

import setwise
from setwise import atomic
from setwise.cli import main
from setwise.datasets import Dataset, write_arff, write_csv, write_libsvm
from setwise.datasets.mulan_xml import write_label_file
from setwise.learning.progress.monitor import Monitor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 2)).round(3)
Y = (X > 0).astype(int)
DATA = Dataset(X, Y, ["a", "b"], ["red", "round"], name="good")

FILES = {
    "empty.csv": b"",
    "empty.arff": b"",
    "empty.svm": b"",
    "empty.txt": b"",
    "empty.npz": b"",
    "empty.parquet": b"",
    "empty.setwise": b"",
    "header_only.csv": b"a,b,red,round\n",
    "binary.csv": bytes(range(256)) * 20,
    "binary.arff": bytes(range(256)) * 20,
    "binary.svm": bytes(range(256)) * 20,
    "binary.npz": bytes(range(256)) * 20,
    "binary.parquet": bytes(range(256)) * 20,
    "binary.setwise": bytes(range(256)) * 20,
    "utf16.csv": "a,b,red,round\n1,2,0,1\n".encode("utf-16"),
    "text.setwise": b"hello\n",
    "zip.setwise": b"PK\x03\x04" + bytes(300),
    "ragged.csv": b"a,b,red,round\n1,2,0,1\n1,2,0\n",
    "quote.csv": b'a,b,red,round\n1,"2,0,1\n',
    "words.csv": b"a,b,red,round\nbig,2,0,1\n3,2,1,1\n4,2,1,1\n",
    "no_labels.csv": b"a,b\n1,2\n3,4\n",
    "one_label.csv": b"a,b,red\n1,2,0\n3,4,1\n",
    "other_columns.csv": b"c,d,red,round\n1,2,0,1\n3,4,1,0\n",
    "label_of_three.csv": b"a,b,red,round\n1,2,0,2\n3,4,1,0\n",
    "label_in_words.csv": b"a,b,red,round\n1,2,maybe,0\n3,4,1,0\n",
    "missing_label.csv": b"a,b,red,round\n1,2,?,0\n3,4,1,0\n5,6,0,1\n",
    "missing_feature.csv": b"a,b,red,round\n?,2,1,0\n3,4,1,0\n5,6,0,1\n",
    "infinite.csv": b"a,b,red,round\ninf,2,1,0\n3,4,1,0\n5,6,0,1\n",
    "one_column.csv": b"red\n1\n0\n",
    "only_labels.csv": b"red,round\n1,0\n0,1\n",
    "twice.csv": b"a,a,red,red\n1,2,0,1\n",
    "same_ids.csv": b"a,b,id,id\n1,2,x,y\n",
    "no_data.arff": b"@relation 'x: -C 1'\n@attribute red {0,1}\n@attribute a numeric\n",
    "no_labels.arff": b"@relation x\n@attribute a numeric\n@attribute b numeric\n@data\n1,2\n",
    "broken.arff": b"@relation 'x: -C 1'\n@attribute red {0,1}\n@attribute a numeric\n@data\n1,fast\n",
    "wrong_number.arff": b"@relation 'x: -C 9'\n@attribute red {0,1}\n@attribute a numeric\n@data\n1,1\n",
    "broken.svm": b"0 1:x\n",
    "too_many.svm": b"0,1,2,3 1:1 2:2 9:9\n",
    "broken.txt": b"not a header\n",
    "broken.gz.csv": b"\x1f\x8b\x08\x00broken",
    "unknown.xyz": b"1 2 3\n",
    "nothing": b"1 2 3\n",
    "bad.xml": b"<labels><label></labels>",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with good and bad files, a model, a model without a joint and a damaged one."""
    folder = tmp_path_factory.mktemp("bad")
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    write_csv(DATA, folder / "good.csv")
    write_arff(DATA, folder / "good.arff")
    write_libsvm(DATA, folder / "good.svm")
    (folder / "a folder").mkdir()
    (folder / "link.csv").symlink_to("good.csv")
    (folder / "hard.csv").hardlink_to(folder / "good.csv")
    write_arff(DATA, folder / "mulan.arff", style="mulan")
    write_label_file(["red"], folder / "red.xml")
    here = os.getcwd()
    os.chdir(folder)
    assert main(["fit", "good.csv", "--labels", "red", "round", "--model", "br", "-o", "m.setwise"]) == 0
    assert main(["fit", "good.csv", "--labels", "red", "round", "--model", "cdn", "-o", "cdn.setwise"]) == 0
    os.chdir(here)
    whole = (folder / "m.setwise").read_bytes()
    (folder / "cut.setwise").write_bytes(whole[:-100])
    (folder / "flipped.setwise").write_bytes(whole[:1000] + bytes([whole[1000] ^ 1]) + whole[1001:])
    (folder / "precious.csv").write_text("precious\n")
    (folder / "precious.setwise").write_text("precious\n")
    return folder


NO_COMMAND = [
    [],
    ["fly"],
    ["--fly"],
    ["fit"],
    ["predict"],
    ["evaluate"],
    ["inspect"],
    ["errors"],
    ["compare"],
]
NO_COMMAND += [["reproduce"], ["datasets"], ["completion"], ["datasets", "fly"], ["datasets", "info"]]
NO_COMMAND += [["datasets", "get"], ["datasets", "convert"], ["datasets", "convert", "good.csv"], [""], ["-"]]
NO_COMMAND += [["completion", "tcsh"], ["reproduce", "nothing"], ["demo", "--seed", "x"], ["fit", "good.csv"]]
NO_COMMAND += [
    ["fit", "good.csv", "--labels", "red", "-o"],
    ["fit", "--labels", "red", "-o", "precious.setwise"],
]
NO_COMMAND += [
    ["predict", "m.setwise"],
    ["predict", "m.setwise", "good.csv", "--top-k"],
    ["inspect", "--json"],
]
NO_COMMAND += [["predict", "m.setwise", "good.csv", "--top-k", "two"], ["errors", "m.setwise", "--top", "5"]]
NO_COMMAND += [
    ["predict", "m.setwise", "good.csv", "--format", "xlsx"],
    ["compare", "good.csv", "--folds", "x"],
]
NO_COMMAND += [["predict", "m.setwise", "good.csv", "--proba", "--top-k", "2"], ["fit", "good.csv", "--fly"]]
NO_COMMAND += [["predict", "m.setwise", "good.csv", "--proba", "--decision", "subset"], ["inspect", "a", "b"]]
NO_COMMAND += [["compare", "good.csv", "--protocol", "luck"], ["fit", "good.csv", "--time-budget", "soon"]]
NO_COMMAND += [["predict", "m.setwise", "good.csv", "--given"], ["fit", "good.csv", "--set", "-o", "x"]]

FIT = ["--model", "br", "-o", "precious.setwise"]
RED = ["--labels", "red", "round"]
FIT_FILES = [
    "empty.csv",
    "header_only.csv",
    "binary.csv",
    "utf16.csv",
    "ragged.csv",
    "quote.csv",
    "no_labels.csv",
    "one_label.csv",
    "label_of_three.csv",
    "label_in_words.csv",
    "infinite.csv",
    "one_column.csv",
    "only_labels.csv",
    "twice.csv",
    "broken.gz.csv",
    "empty.parquet",
    "binary.parquet",
]
WRONG_FIT = [["fit", name, *RED, *FIT] for name in FIT_FILES]
WRONG_FIT += [
    ["fit", name, *FIT]
    for name in (
        *("empty.arff", "binary.arff", "no_data.arff", "no_labels.arff", "broken.arff", "wrong_number.arff"),
        *("empty.svm", "binary.svm", "broken.svm", "empty.txt", "broken.txt", "empty.npz", "binary.npz"),
        *(
            "unknown.xyz",
            "nothing",
            "nowhere.csv",
            "a folder",
            "good.csv",
            "",
            "m.setwise",
            "rcv9",
            "good.arff/x",
        ),
    )
]
WRONG_FIT += [
    ["fit", "good.csv", "--labels", *labels, *FIT]
    for labels in (
        ["blue"],
        ["red", "blue"],
        ["blue_*"],
        ["0"],
        ["9"],
        ["-9"],
        ["nowhere.xml"],
        ["bad.xml"],
        ["red", "red", "x"],
    )
]
WRONG_FIT += [
    ["fit", "good.csv", *RED, *FIT, *more]
    for more in (
        ["--model", "gpt"],
        ["--model", ""],
        ["--model", "sklearn-OneVsRest"],
        ["--set", "l2"],
        ["--set", "l3=1"],
        ["--set", "l2=-1"],
        ["--set", "l2=much"],
        ["--set", "min_labels=9"],
        ["--set", "decision=luck", "--set", "min_labels=x"],
        ["--set", "learner=svm"],
        ["--ignore", "z"],
        ["--checkpoint", "here"],
        ["--model", "naibx", "--set", "features=odd"],
        ["--model", "mlknn", "--set", "n_neighbors=0"],
        ["--model", "chain", "--set", "order=[0]"],
        ["--model", "rakel", "--set", "group_size=0"],
        ["--ignore", "a", "b"],
        ["--model", "tree", "--set", "candidate_parents=-1"],
    )
]
WRONG_FIT += [["fit", "good.svm", "--labels", "0", *FIT], ["fit", "yeast", "--labels", "Class1", *FIT]]
WRONG_FIT += [
    ["fit", "good.csv", *RED, "--model", "br", "-o", place]
    for place in ("a folder", "no/where.setwise", "/dev/null", "")
]

WRONG_MODELS = ["nowhere.setwise", "a folder", "good.csv", "empty.setwise", "binary.setwise", "text.setwise"]
WRONG_MODELS += ["zip.setwise", "cut.setwise", "flipped.setwise", "good.svm", "", "yeast", "binary.npz"]
WRONG_MODEL = [
    [command, name, *rest]
    for name in WRONG_MODELS
    for command, *rest in (
        ["predict", "good.csv", "-o", "precious.csv"],
        ["evaluate", "good.csv"],
        ["inspect"],
        ["errors", "good.csv"],
    )
]

WRONG_DATA = [
    ["predict", "m.setwise", name, "-o", "precious.csv"]
    for name in (
        *("nowhere.csv", "a folder", "empty.csv", "header_only.csv", "binary.csv", "utf16.csv", "ragged.csv"),
        *(
            "quote.csv",
            "words.csv",
            "other_columns.csv",
            "missing_feature.csv",
            "infinite.csv",
            "one_column.csv",
        ),
        *("only_labels.csv", "broken.gz.csv", "empty.parquet", "binary.parquet", "empty.arff", "binary.arff"),
        *("broken.arff", "empty.svm", "binary.svm", "broken.svm", "too_many.svm", "broken.txt", "empty.npz"),
        *("unknown.xyz", "nothing", "m.setwise", "yeast", ""),
    )
]
WRONG_DATA += [
    [command, "m.setwise", name]
    for command in ("evaluate", "errors")
    for name in (
        *("nowhere.csv", "no_labels.csv", "one_label.csv", "other_columns.csv", "missing_label.csv"),
        *(
            "label_of_three.csv",
            "label_in_words.csv",
            "header_only.csv",
            "no_labels.arff",
            "yeast",
            "too_many.svm",
        ),
    )
]
GOOD = ["predict", "m.setwise", "good.csv"]
WRONG_QUESTIONS = [
    [*GOOD, *more]
    for more in (
        ["--top-k", "0"],
        ["--top-k", "-1"],
        ["--given", "blue=1"],
        ["--given", "red"],
        ["--given", "red=2"],
        ["--given", "red=yes"],
        ["--given", "red=1", "red=0"],
        ["--given", "=1"],
        ["--given", "red=1", "--decision", "luck"],
        ["--decision", "luck"],
        ["--decision", ""],
        ["--format", "parquet"],
        ["-o", "precious.xlsx"],
        ["-o", "precious"],
        ["-o", "a folder"],
        ["-o", "no/where.csv"],
        ["--top-k", "2", "-o", "x.arff"],
        ["--top-k", "2", "--format", "arff"],
        ["-o", ""],
        ["--decimal", ";"],
        ["--keep", "blue"],
        ["--keep", "red"],
        ["--keep", "a", "-o", "x.arff"],
    )
]
WRONG_QUESTIONS += [
    ["predict", "m.setwise", "good.arff", "--keep", "a"],
    ["predict", "m.setwise", "same_ids.csv", "--keep", "id"],
    ["errors", "m.setwise", "good.csv", "--keep", "blue"],
    ["errors", "m.setwise", "good.csv", "--top", "0"],
    ["errors", "m.setwise", "good.csv", "--folds", "1"],
    ["errors", "m.setwise", "good.csv", "--folds", "99"],
    ["errors", "cdn.setwise", "good.csv"],
    ["compare", "nowhere.csv"],
    ["compare", "good.csv"],
    ["compare", "good.csv", *RED, "--models", "gpt"],
    ["compare", "good.csv", *RED, "--folds", "0"],
    ["compare", "good.csv", "good.csv", *RED],
    ["datasets", "info", "nowhere"],
    ["datasets", "info", "good.csv"],
    ["datasets", "get", "nowhere"],
    ["datasets", "get", "cal500"],
    ["datasets", "convert", "good.arff", "x.parquet"],
    ["datasets", "convert", "good.arff", "x"],
    ["datasets", "convert", "good.arff", "good.arff"],
    ["datasets", "convert", "good.arff", "no/where.csv"],
    ["datasets", "convert", "good.csv", "x.arff"],
    ["datasets", "convert", "broken.arff", "precious.csv"],
    ["evaluate", "yeast", "good.csv"],
]

RED_ARFF = ["--labels", "red.xml"]
OVERWRITING = [
    ["fit", "good.csv", *RED, "--model", "br", "-o", "good.csv"],
    ["fit", "good.csv", *RED, "--model", "br", "-o", "a folder/../good.csv"],
    ["fit", "link.csv", *RED, "--model", "br", "-o", "good.csv"],
    ["fit", "good.csv", *RED, "--model", "br", "-o", "hard.csv"],
    ["fit", "good.arff", *RED_ARFF, "--model", "br", "-o", "red.xml"],
    ["fit", "mulan.arff", "--model", "br", "-o", "mulan.xml"],
    [*GOOD, "-o", "good.csv"],
    [*GOOD, "-o", "link.csv"],
    [*GOOD, "-o", "m.setwise", "--format", "csv"],
    *(
        [*command, option, output]
        for command in (["evaluate", *GOOD[1:]], ["errors", *GOOD[1:]], ["inspect", *GOOD[1:]])
        for option, output in (("--csv", "good.csv"), ("--markdown", "link.csv"), ("--html", "m.setwise"))
    ),
    ["inspect", "m.setwise", "--csv", "m.setwise"],
    ["evaluate", *GOOD[1:], "--csv", "new.txt", "--html", "./new.txt"],
    ["compare", "good.csv", *RED, "--csv", "good.csv"],
    ["compare", "missing_label.csv", "good.csv", *RED, "--journal", "good.csv"],
    ["compare", "good.csv", *RED, "--csv", "new.txt", "--journal", "new.txt"],
    ["reproduce", "mc", "--csv", "new.txt", "--html", "a folder/../new.txt"],
    ["datasets", "convert", "good.csv", "link.csv", *RED],
    ["datasets", "split", "good.csv", "new.csv", "new.csv", *RED],
    ["datasets", "split", "good.csv", "new.csv", "./new.csv", *RED],
    ["datasets", "split", "good.csv", "new.csv", "good.csv", *RED],
]

WRONG = [*NO_COMMAND, *WRONG_FIT, *WRONG_MODEL, *WRONG_DATA, *WRONG_QUESTIONS, *OVERWRITING]


def test_there_are_two_hundred():
    assert len({tuple(arguments) for arguments in WRONG}) >= 200


@pytest.mark.parametrize("arguments", WRONG, ids=" ".join)
def test_wrong_use_is_told_in_a_line(arguments, place, monkeypatch, capsys):
    """Red when a traceback, another exit code, an empty message or a changed file comes of it."""
    monkeypatch.chdir(place)
    monkeypatch.delenv("SETWISE_DATA", raising=False)
    monkeypatch.setenv("SETWISE_CACHE", str(place))
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    try:
        code = main(arguments)
    except SystemExit as exit:  # argparse
        code = exit.code
    told = capsys.readouterr().err
    assert code == 2
    assert "Traceback" not in told
    last = [line for line in told.splitlines() if line][-1]
    assert last.startswith("setwise") and len(last) > 30  # noqa: PT018
    assert {path: path.read_bytes() for path in place.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("arguments", OVERWRITING, ids=" ".join)
def test_no_command_writes_over_what_it_reads_or_wrote(arguments, place, monkeypatch, capsys):
    """Red when an output that is an input, under whatever name, or another output is not named as such."""
    monkeypatch.chdir(place)
    assert main(arguments) == 2
    assert re.search(
        r" is a file that is read; name another| would be written twice; name two", capsys.readouterr().err
    )


def test_a_header_is_not_blamed_on_an_option(place, monkeypatch, capsys):
    """Red when the wrong number in a file's own header is told as that of --labels, which nobody passed."""
    monkeypatch.chdir(place)
    assert main(["fit", "wrong_number.arff", *FIT]) == 2
    told = capsys.readouterr().err
    assert "wrong_number.arff: '-C 9' in the relation's name makes 9 of 2 attributes labels; correct" in told
    assert "--labels 9" not in told
    assert main(["fit", "wrong_number.arff", "--labels", "9", *FIT]) == 2
    assert "--labels 9 of 2 columns" in capsys.readouterr().err


def test_the_machines_faults_are_not_the_users(place, monkeypatch, capsys):
    """A full disk is exit code 1, and the previous file survives."""
    monkeypatch.chdir(place)

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(atomic.os, "fsync", full)
    for arguments in (["fit", "good.csv", *RED, *FIT], [*GOOD, "-o", "precious.csv"]):
        assert main(arguments) == 1
        assert "No space left on device; nothing was written there" in capsys.readouterr().err
    assert (place / "precious.csv").read_text() == (place / "precious.setwise").read_text() == "precious\n"


def test_a_folder_that_may_not_be_written_to_is_told_before_the_work(place, monkeypatch, capsys):
    """Red when a whole fit is lost because its model file cannot be made; root may write everywhere, so the system's
    answer is made up."""
    monkeypatch.chdir(place)

    def may(path, mode):
        return os.path.basename(path) != "a folder"

    monkeypatch.setattr(atomic.os, "access", may)
    monkeypatch.setattr(setwise.BinaryRelevance, "fit", lambda *_: pytest.fail("the fit came first"))
    assert main(["fit", "good.csv", *RED, "--model", "br", "-o", "a folder/m.setwise"]) == 2
    told = capsys.readouterr().err
    assert "a folder may not be written to; name a file elsewhere" in told
    assert len(told.splitlines()) == 1


def test_a_missing_package_is_named_with_the_extra_that_brings_it(place):
    """Red when a command ends in a traceback, or names no remedy, where polars is not installed."""
    command = ["datasets", "info", "binary.parquet", "--labels", "red"]
    code = (
        f"import sys; sys.modules['polars'] = None; from setwise.cli import main; sys.exit(main({command}))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=place, capture_output=True, text=True)
    assert done.returncode == 2
    assert "pip install 'setwise[parquet]'" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_programming_errors_are_exit_code_one(place, monkeypatch, capsys):
    monkeypatch.chdir(place)
    monkeypatch.setattr(setwise.BinaryRelevance, "predict", lambda *_, **__: 1 / 0)
    assert main(GOOD) == 1
    assert capsys.readouterr().err == "setwise: division by zero (--debug shows where)\n"
    with pytest.raises(ZeroDivisionError):
        main([*GOOD, "--debug"])


def test_stopping_says_what_was_written(place, monkeypatch, capsys):
    monkeypatch.chdir(place)

    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(setwise.BinaryRelevance, "fit", stop)
    assert main(["fit", "good.csv", *RED, *FIT]) == 130
    assert capsys.readouterr().err == "setwise: stopped; nothing was written\n"
    assert (place / "precious.setwise").read_text() == "precious\n"


def test_stopping_at_the_start_is_a_line_too(monkeypatch, capsys):
    """Red when Ctrl-C while the parser's imports are under way shows a traceback."""

    def stop(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(importlib.import_module("setwise.cli.main"), "build_parser", stop)
    assert main(["predict", "m.setwise", "good.csv"]) == 130
    assert capsys.readouterr().err == "setwise: stopped\n"


def test_a_stopped_fit_goes_on_to_the_same_model(place, monkeypatch, capsys):
    """Ctrl-C in the middle of EM, then the same command again: the file is that of a run without a stop."""
    monkeypatch.chdir(place)
    fit = ["fit", "good.csv", *RED, "--model", "cbm", "--set", "n_components=2", "max_iter=6", "tuning=false"]
    assert main([*fit, "-o", "whole.setwise"]) == 0
    report, calls = Monitor.report, []

    def stop_at_the_third(self, *arguments):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return report(self, *arguments)

    monkeypatch.setattr(Monitor, "report", stop_at_the_third)
    assert main([*fit, "-o", "resumed.setwise", "--checkpoint", "kept"]) == 130
    assert "the same command goes on from kept" in capsys.readouterr().err
    assert not (place / "resumed.setwise").exists()
    assert main([*fit, "-o", "resumed.setwise", "--checkpoint", "kept"]) == 0
    whole, resumed = (setwise.load(place / f"{name}.setwise") for name in ("whole", "resumed"))
    np.testing.assert_array_equal(whole.predict_proba(X), resumed.predict_proba(X))
