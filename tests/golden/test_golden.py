import subprocess
import sys

import numpy as np
import pytest

from tests.estimators.registry import ESTIMATORS
from tests.golden.answers import FILE, answers, read
from tests.golden.builders import CASES, names
from tests.golden.compare import differences

KEPT = read()


@pytest.mark.parametrize("name", names())
def test_answers_are_as_they_were(name):
    """Red if a change of the code changes an answer; if it is meant to, `python -m tests.golden --write` keeps it."""
    changed = differences(KEPT.get(name, {}), answers(name))
    assert not changed, "\n".join([f"{name} answers otherwise than {FILE.name} says:", *changed])


def test_every_estimator_has_golden_answers():
    """Red if an exported estimator is not asked, or answers are kept that nobody gives."""
    assert {cls.__name__ for cls in ESTIMATORS} == {name.split(",")[0] for name in CASES}
    assert set(KEPT) == set(names())


def test_differences_name_the_answer_and_how_far_it_is():
    """Red if a changed number, set or shape passes, or its line does not say where it is."""
    kept = {"p": [[0.1, 0.2], [0.3, 0.4]], "sets": ["01", "11"], "gone": [1.0]}
    now = {"p": [[0.1, 0.2], [0.3, 0.5]], "sets": ["01", "10"], "new": [1.0]}
    assert differences(kept, now) == [
        "gone: gone",
        "new: new",
        "p: up to 0.1 away; [1, 1] is 0.5, was 0.4",
        "sets: 1 of 2 rows differ; row 1 is 10, was 11",
    ]
    assert differences({"p": [0.5, -np.inf]}, {"p": [0.5 + 1e-9, -np.inf]}) == []
    assert differences({"p": [0.5]}, {"p": [np.nan]}) == ["p: up to inf away; [0] is nan, was 0.5"]
    assert differences({"p": [0.5]}, {"p": [[0.5]]}) == ["p: shape (1, 1), was (1,)"]


def test_the_command_writes_only_when_asked():
    """Red if comparing overwrites the kept answers, or an unknown case passes silently."""
    before = FILE.read_bytes()
    run = [sys.executable, "-m", "tests.golden", "--only"]
    done = subprocess.run([*run, "MLkNN / dense"], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, f"0 of 1 cases differ from {FILE.name}\n")
    assert FILE.read_bytes() == before
    wrong = subprocess.run([*run, "Oracle"], capture_output=True, text=True, timeout=120)
    assert wrong.returncode == 2
    assert "no case begins with Oracle" in wrong.stderr
