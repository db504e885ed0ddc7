"""The command as a whole: start-up, exit codes, one-line errors, stopping."""

import importlib
import subprocess
import sys

import numpy as np
import pytest

import setwise
from setwise.cli import main
from setwise.learning.progress.monitor import Monitor
from tests.cli.data import run
from tests.cli.wrong_files import check_wrong_usage

FIT = ["fit", "good.csv", "--labels", "red", "round", "--model", "br", "-o", "precious.setwise"]
PREDICT = ["predict", "m.setwise", "good.csv"]

WRONG = [
    *([], [""], ["-"], ["fly"], ["--fly"], ["fit"], ["predict"], ["evaluate"], ["inspect"], ["errors"]),
    *(["compare"], ["reproduce"], ["datasets"], ["completion"], ["datasets", "fly"], ["datasets", "info"]),
    *(["datasets", "get"], ["datasets", "convert"], ["datasets", "convert", "good.csv"]),
    *(["completion", "tcsh"], ["reproduce", "nothing"], ["demo", "--seed", "x"], ["inspect", "--json"]),
]


@pytest.mark.parametrize("arguments", WRONG, ids=" ".join)
def test_wrong_usage_prints_one_line(arguments, wrong, capsys):
    check_wrong_usage(arguments, wrong, capsys)


def test_help_imports_no_heavy_library_and_is_quick():
    """Red if an import at the top of the package or of the command makes the start slow."""
    code = (
        "import sys; from setwise.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "assert not {'numpy', 'sklearn', 'scipy', 'rich'} & set(sys.modules)\n"
        "import time; assert time.process_time() < 0.5"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_missing_extra_is_named_with_the_remedy():
    """Red if a missing package gives a traceback."""
    code = (
        "import sys; sys.modules['rich'] = None\n"
        "from setwise.cli import main; sys.exit(main(['fit', 'own.csv', '-o', 'own.setwise']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("setwise: rich")
    assert "pip install 'setwise[cli]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_error_is_one_line_and_debug_shows_the_traceback():
    short = run("compare", "nowhere.csv")
    assert short.returncode == 2
    assert len(short.stderr.strip().splitlines()) == 1
    assert "nowhere.csv is neither a file nor a known data set" in short.stderr
    long = run("compare", "nowhere.csv", "--debug")
    assert long.returncode == 1
    assert "Traceback" in long.stderr


def test_programming_errors_are_exit_code_one(wrong, monkeypatch, capsys):
    monkeypatch.setattr(setwise.BinaryRelevance, "predict", lambda *_, **__: 1 / 0)
    assert main(PREDICT) == 1
    assert capsys.readouterr().err == "setwise: division by zero (--debug shows where)\n"
    with pytest.raises(ZeroDivisionError):
        main([*PREDICT, "--debug"])


def test_too_little_memory_is_exit_code_one_with_advice(wrong, monkeypatch, capsys):
    """Red if a bare MemoryError is shown."""

    def fail(*_, **__):
        raise MemoryError

    monkeypatch.setattr(setwise.BinaryRelevance, "predict", fail)
    assert main(PREDICT) == 1
    assert "setwise: not enough memory; use fewer rows or columns" in capsys.readouterr().err


def test_stopping_says_what_was_written(wrong, monkeypatch, capsys):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(setwise.BinaryRelevance, "fit", stop)
    assert main(FIT) == 130
    assert capsys.readouterr().err == "setwise: stopped; nothing was written\n"
    assert (wrong / "precious.setwise").read_text() == "precious\n"


def test_stopping_at_the_start_prints_one_line(monkeypatch, capsys):
    """Red if Ctrl-C during the imports of the parser shows a traceback."""

    def stop(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(importlib.import_module("setwise.cli.main"), "build_parser", stop)
    assert main(["predict", "m.setwise", "good.csv"]) == 130
    assert capsys.readouterr().err == "setwise: stopped\n"


def test_a_stopped_fit_continues_to_the_same_model(wrong, monkeypatch, tmp_path, capsys):
    """Ctrl-C in the middle of EM, then the same command again: the model is that of a run without a stop."""
    fit = ["fit", "good.csv", "--labels", "red", "round", "--model", "cbm"]
    fit += ["--set", "n_components=2", "max_iter=6", "tuning=false"]
    whole, resumed, state = (str(tmp_path / name) for name in ("whole.setwise", "resumed.setwise", "state"))
    assert main([*fit, "-o", whole]) == 0
    report, calls = Monitor.report, []

    def stop_at_the_third(self, *arguments):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return report(self, *arguments)

    monkeypatch.setattr(Monitor, "report", stop_at_the_third)
    assert main([*fit, "-o", resumed, "--checkpoint", state]) == 130
    assert f"the same command continues from {state}" in capsys.readouterr().err
    assert not (tmp_path / "resumed.setwise").exists()
    assert main([*fit, "-o", resumed, "--checkpoint", state]) == 0
    X = np.random.default_rng(1).normal(size=(20, 2))
    expected, found = (setwise.load(path).predict_proba(X) for path in (whole, resumed))
    np.testing.assert_array_equal(expected, found)


def test_warnings_are_one_line_each(own_table, tmp_path, capsys):
    """Red if a warning shows its place in the code, or Python's spelling of a parameter."""
    lines = own_table.read_text().splitlines()
    text = [f"{line},{i or ''}" for i, line in enumerate(lines)]
    own_table.write_text("\n".join(text) + "\n")
    fit = ["fit", str(own_table), "--labels", "tag_*", "--model", "br", "-o", str(tmp_path / "m.setwise")]
    assert main(fit) == 0
    printed = capsys.readouterr().err
    what = "ignoring columns without a name, such as the row numbers of pandas: column"
    assert printed.startswith(f"setwise: {own_table}: {what} ")
    assert len(printed.splitlines()) == 1
