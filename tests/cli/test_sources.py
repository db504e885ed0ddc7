"""Data that a command line names."""

import io
import subprocess
import sys

import pytest

from setwise.cli import main
from setwise.datasets import read, write_csv
from tests.cli.data import shell


def test_csv_comes_from_standard_input(model, files, tmp_path, capsys):
    write_csv(read(files[1]), tmp_path / "test.csv")
    piped = shell("predict", model, "-", stdin=(tmp_path / "test.csv").read_text())
    assert main(["predict", str(model), str(tmp_path / "test.csv")]) == 0
    assert capsys.readouterr().out == piped


@pytest.mark.parametrize(
    ("text", "code", "start"),
    [
        (",a,y\n0,1,0\n1,2,1\n", 0, "setwise: standard input: ignoring columns without a name"),
        (",a,y\n0,1,0\n1,2\n", 2, "setwise: standard input:3:3: expected 3 fields"),
        ("a,y\n0,0\n1,1\n2,2\n", 2, "setwise: standard input:4:2: --labels y: expected 0 and 1 or tags"),
    ],
)
def test_standard_input_has_no_path(text, code, start, tmp_path, monkeypatch, capsys):
    """Red if an error or a warning about CSV from a pipe names a file that the user never had."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    fit = ["fit", "-", "--labels", "y", "--model", "br", "-o", str(tmp_path / "m.setwise")]
    assert main(fit) == code
    shown = capsys.readouterr().err
    assert shown.startswith(start)
    assert len(shown.splitlines()) == 1


def test_the_header_of_a_file_is_not_blamed_on_an_option(wrong, capsys):
    """Red if a wrong number in a file's own header is reported as that of --labels, which nobody passed."""
    fit = ["fit", "wrong_number.arff", "--model", "br", "-o", "precious.setwise"]
    assert main(fit) == 2
    shown = capsys.readouterr().err
    assert "wrong_number.arff: '-C 9' in the relation's name makes 9 of 2 attributes labels; correct" in shown
    assert "--labels 9" not in shown
    assert main([*fit, "--labels", "9"]) == 2
    assert "--labels 9: expected a number of columns from 1 to 2" in capsys.readouterr().err


def test_a_missing_package_is_named_with_the_extra_that_brings_it(wrong):
    """Red if a command gives a traceback, or no remedy, without polars."""
    command = ["datasets", "info", "binary.parquet", "--labels", "red"]
    code = (
        f"import sys; sys.modules['polars'] = None; from setwise.cli import main; sys.exit(main({command}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install 'setwise[parquet]'" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_limits_can_be_raised(tmp_path, capsys, monkeypatch):
    """Red if the hint of a refused file names an option that does not help, in tasks of compare too."""
    path = tmp_path / "wide.svm"
    path.write_text("0 1:1 2000000:1\n1 2:1\n" * 6)
    assert main(["datasets", "info", str(path)]) == 2
    assert "if you trust the file, read it --raise-limits 10" in capsys.readouterr().err
    assert main(["datasets", "info", str(path), "--raise-limits", "10", "--json"]) == 0
    assert main(["datasets", "info", str(path), "--raise-limits", "0"]) == 2
    assert "--raise-limits 0.0: expected a number of at least 1" in capsys.readouterr().err
