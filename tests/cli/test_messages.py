"""How errors of the library become lines of the command."""

import inspect

import pytest

from setwise import datasets
from setwise.cli import main
from setwise.cli.main import COMMANDS, build_parser
from setwise.cli.messages import OPTIONS, is_wrong_usage, one_line, spell
from setwise.contract import NotTractable
from setwise.errors import InputError, Parameter
from tests.cli.data import run


@pytest.mark.parametrize(
    ("parameter", "expected"),
    [
        (Parameter("labels"), "--labels"),
        (Parameter("labels", 9), "--labels 9"),
        (Parameter("ignore", ["a", "b c"]), "--ignore a 'b c'"),
        (Parameter("delimiter", ";"), "--delimiter ';'"),
        (Parameter("delimiter", "\t"), "--delimiter '\\t'"),
        (Parameter("raise_limits", 10, python="with raised_limits(10)"), "--raise-limits 10"),
        (Parameter("n_splits", 1), "--folds 1"),
        (Parameter("l2", -1), "--set l2=-1"),
        (Parameter("l2"), "--set l2"),
    ],
)
def test_parameters_are_spelled_as_options(parameter, expected):
    assert spell(parameter) == expected


def test_every_mapped_option_exists():
    """Red if an option is renamed and messages still name the old one."""
    parser = build_parser(list(COMMANDS))
    [commands] = [action for action in parser._actions if hasattr(action, "choices") and action.choices]
    options = set()
    for command in commands.choices.values():
        inner = [a for a in command._actions if isinstance(a.choices, dict)]
        for one in [command, *(p for action in inner for p in action.choices.values())]:
            options |= {word for action in one._actions for word in action.option_strings}
    assert set(OPTIONS.values()) <= options


def test_every_option_of_the_readers_is_mapped():
    """Red if a parameter of a reader that the command passes on would be shown in Python's spelling."""
    for name in ("labels", "ignore", "tag_separator", "delimiter", "decimal"):
        assert name in inspect.signature(datasets.read_csv).parameters
        assert name in OPTIONS


def test_a_message_may_be_reworded_without_breaking_the_command(own_table, monkeypatch, capsys):
    """Red if the command finds a parameter by searching the message for it."""
    monkeypatch.setattr("setwise.tables.labels.label_columns.InputError", _reworded)
    assert main(["datasets", "info", str(own_table), "--labels", "nothing_*"]) == 2
    expected = f"setwise: {own_table}: --labels 'nothing_*': quite another text (--debug shows where)\n"
    assert capsys.readouterr().err == expected


def _reworded(message, **fields):
    return InputError("quite another text", **fields)


@pytest.mark.parametrize(
    ("error", "wrong"),
    [
        (InputError("x"), True),
        (ValueError("x"), True),
        (ImportError("x"), True),
        (NotTractable("x"), True),
        (FileNotFoundError(2, "No such file", "a"), True),
        (PermissionError("x"), True),
        (OSError(28, "No space left"), False),
        (MemoryError(), False),
        (ZeroDivisionError(), False),
    ],
)
def test_whose_fault_an_error_is(error, wrong):
    assert is_wrong_usage(error) is wrong


def test_control_characters_never_reach_the_terminal(tmp_path):
    """Red if a column name can clear the screen or reorder the line by way of an error."""
    path = tmp_path / "a.csv"
    path.write_text("a\x1b[2J,b\u202e\n1,2\n")
    done = run("fit", path, "--labels", "x", "-o", tmp_path / "m.setwise")
    assert done.returncode == 2
    assert "\x1b" not in done.stderr
    assert "\u202e" not in done.stderr
    assert r"\x1b[2J" in done.stderr


def test_errors_of_the_system_name_the_file():
    assert one_line(OSError(28, "No space left on device", "x.csv")) == "x.csv: No space left on device"
