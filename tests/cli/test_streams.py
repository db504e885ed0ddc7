"""Standard streams that are closed, cannot show a character, or have another end that goes away."""

import os
import pty
import subprocess
import sys

import pytest

from tests.cli.data import run


def bash(command, **environment):
    """Run a line of bash in which ``setwise`` is this command."""
    line = f'setwise() {{ {sys.executable} -m setwise "$@"; }}; {command}'
    env = os.environ | environment
    return subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False, env=env)


def test_closed_standard_input_is_named(model):
    """Red if an attribute error about NoneType is all that is said."""
    done = bash(f"setwise predict {model} - <&-")
    assert done.returncode == 2
    assert done.stderr.startswith("setwise: standard input is closed; name a file")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("command", ["predict {} {}", "inspect {}", "datasets list"])
def test_closed_standard_output_is_named(command, model, files):
    """Red if answers are lost silently, or a traceback is shown."""
    done = bash(f"setwise {command.format(model, files[1])} >&-")
    assert done.returncode == 2
    assert done.stderr.startswith("setwise: standard output is closed; send it to a file")
    assert len(done.stderr.splitlines()) == 1


def test_closed_standard_error_is_no_problem(model, files):
    done = bash(f"setwise predict {model} {files[1]} 2>&-")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 121


def test_a_reader_that_goes_away_is_not_an_error(model, files):
    """As in ``setwise predict ... | head -1``."""
    done = bash(f"set -o pipefail; setwise predict {model} {files[1]} --top-k 8 | head -1")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_full_device_is_an_error_of_the_machine(model, files):
    """Red if the exit code is 0 although answers could not be written."""
    done = bash(f"setwise predict {model} {files[1]} > /dev/full")
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "ascii"},
    ],
    ids=["C", "strict C", "ascii"],
)
def test_terminals_without_unicode_show_plain_characters(environment, model, files):
    """Red if a table with a plus-minus sign, or a label of other letters, stops the command."""
    compare = f"setwise compare {files[0]} --methods br --folds 2 --jobs 1"
    done = bash(f"{compare} && setwise inspect {model}", **environment)
    assert done.returncode == 0, done.stderr
    assert "+-" in done.stdout or "±" in done.stdout
    done = bash(f"setwise predict {model} {files[1]}", **environment)
    assert done.returncode == 0, done.stderr


def test_answers_are_utf8_whatever_the_terminal(model, files):
    """Red if the bytes of a piped answer depend on the locale."""
    command = [sys.executable, "-m", "setwise", "predict", str(model), str(files[1])]
    plain = subprocess.run(command, capture_output=True, check=True).stdout
    ascii_only = os.environ | {"PYTHONIOENCODING": "ascii"}
    assert subprocess.run(command, capture_output=True, check=True, env=ascii_only).stdout == plain
    assert "ünï '" in plain.decode("utf-8")


def test_a_dash_is_standard_output(model, files):
    assert run("predict", model, files[1], "-o", "-").stdout == run("predict", model, files[1]).stdout


def test_a_device_takes_answers_and_models(model, files, tmp_path):
    """Red if /dev/null is refused, or replaced by a file."""
    assert run("predict", model, files[1], "-o", os.devnull).returncode == 0
    assert run("fit", files[0], "--model", "br", "-o", os.devnull).returncode == 0
    assert not os.path.isfile(os.devnull)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True)
    done = run("predict", model, files[1], "-o", pipe, "--format", "csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert reader.communicate(timeout=60)[0] == run("predict", model, files[1]).stdout


def test_a_model_is_not_written_to_standard_output(files):
    done = run("fit", files[0], "--model", "br", "-o", "-")
    assert done.returncode == 2
    assert "a model is not written to standard output; name a file with -o" in done.stderr


def test_a_terminal_is_shown_control_characters_as_escapes(tmp_path):
    """Red if a label name can send commands to the terminal; a file keeps the name as it is."""
    table = tmp_path / "a.csv"
    table.write_text("x,y\x1b[2J,z\n" + "1,0,1\n2,1,0\n" * 10)
    file = tmp_path / "m.setwise"
    assert run("fit", table, "--labels", "-2", "--model", "br", "-o", file).returncode == 0
    assert run("predict", file, table).stdout.startswith("y\x1b[2J,z\n")
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "setwise", "predict", str(file), str(table)]
    assert subprocess.run(command, stdout=follower, check=True).returncode == 0
    os.close(follower)
    shown = os.read(leader, 10_000).decode()
    assert shown.startswith(r"y\x1b[2J,z")
    markdown = tmp_path / "m.md"
    done = run("inspect", file, "--markdown", markdown)
    assert "\x1b" not in done.stdout + markdown.read_text()
    assert r"\x1b[2J" in done.stdout
