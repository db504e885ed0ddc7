"""Odd tables from the command line: a model, or one helpful line; never a traceback, never silence."""

import pytest

import setwise
from setwise.cli import main
from tests.tables.odd_tables import BAD, GOOD, NEW, TRAINED

QUICK = ["--model", "br", "--set", "l2=1.0"]


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


def run(capsys, *words):
    """The exit code and what went to standard error."""
    code = main([*map(str, words)])
    return code, capsys.readouterr().err


def test_there_are_fifty_odd_tables():
    assert len(GOOD) + len(BAD) + len(NEW) >= 50


@pytest.mark.parametrize("name", GOOD)
def test_a_model_is_fitted_and_answers(name, tmp_path, capsys):
    content, options = GOOD[name]
    suffix = "csv.gz" if name == "compressed" else "csv"
    data, model = write(tmp_path / f"t.{suffix}", content), tmp_path / "m.setwise"
    code, said = run(capsys, "fit", data, *options, *QUICK, "-o", model)
    assert (code, "Traceback" in said) == (0, False), said
    code, said = run(capsys, "predict", model, data, "-o", tmp_path / "out.csv")
    assert code == 0, said
    assert setwise.load(model).label_names_.size >= 1


@pytest.mark.parametrize("name", BAD)
def test_a_table_that_cannot_be_used_is_one_line(name, tmp_path, capsys):
    content, options, message = BAD[name]
    code, said = run(
        capsys, "fit", write(tmp_path / "t.csv", content), *options, *QUICK, "-o", tmp_path / "m.setwise"
    )
    errors = [line for line in said.splitlines() if "warning" not in line.lower()]
    assert code != 0
    assert len(errors) == 1
    assert message in errors[0]


@pytest.mark.parametrize("name", NEW)
def test_new_tables_are_answered_or_refused_in_one_line(name, tmp_path, capsys):
    content, message = NEW[name]
    model = tmp_path / "m.setwise"
    assert (
        run(capsys, "fit", write(tmp_path / "t.csv", TRAINED), "--labels", "tags", *QUICK, "-o", model)[0]
        == 0
    )
    code, said = run(
        capsys, "predict", model, write(tmp_path / "new.csv", content), "-o", tmp_path / "out.csv"
    )
    assert (code == 0) == (message is None), said
    assert message is None or message in said
