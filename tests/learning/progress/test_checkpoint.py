"""Fits that are killed at any moment and resume to the same model."""

import os
import subprocess
import sys

import numpy as np
import pytest

from setwise import ConditionalBernoulliMixture, MixtureOfTreeExperts, MixtureOfTrees
from setwise.learning.progress.checkpoint import Checkpoint, fingerprint

MAKERS = {
    "cbm": lambda folder: ConditionalBernoulliMixture(checkpoint=folder, max_iter=6, random_state=0),
    "boosted": lambda folder: ConditionalBernoulliMixture(
        3, learner="boosting", tuning=False, checkpoint=folder, max_iter=6, random_state=0
    ),
    "trees": lambda folder: MixtureOfTrees(3, checkpoint=folder, random_state=0),
    "experts": lambda folder: MixtureOfTreeExperts(2, checkpoint=folder, random_state=0),
}


def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 5))
    first = (X[:, :1] + rng.normal(size=(150, 1)) > 0).astype(int)
    Y = np.hstack([first, first ^ (rng.random((150, 1)) < 0.2), rng.integers(0, 2, (150, 2))])
    return X, Y


def parameters(model):
    return [np.asarray(a) for a in (*model.gate_, *model.experts_)]


class Killed(Exception):
    """Stands for the end of the process."""


@pytest.mark.parametrize("name", MAKERS)
def test_a_fit_interrupted_after_any_save_goes_on_to_the_same_model(name, tmp_path, monkeypatch):
    """Red if a step keeps something that its file does not, or numbers steps differently when resumed."""
    truth = parameters(MAKERS[name](None).fit(*data()))
    saves = []
    original = Checkpoint.save

    def save(self, *arguments, **options):
        original(self, *arguments, **options)
        saves.append(1)
        if len(saves) in stops:
            raise Killed

    monkeypatch.setattr(Checkpoint, "save", save)
    stops = set()
    MAKERS[name](tmp_path / "whole").fit(*data())
    n_saves = len(saves)
    assert n_saves > 3
    assert not list((tmp_path / "whole").iterdir()), "a finished fit leaves nothing behind"
    saves.clear()
    stops = set(np.random.default_rng(1).integers(1, n_saves, 6).tolist())
    model = MAKERS[name](tmp_path / "stopped")
    for _ in range(len(stops)):
        with pytest.raises(Killed):
            model.fit(*data())
    model.fit(*data())
    for ours, other in zip(parameters(model), truth, strict=True):
        np.testing.assert_array_equal(ours, other)


def kill_fits(n_kills):
    run = subprocess.run(
        [sys.executable, "-m", "tests.learning.progress.killing", "--kills", str(n_kills)],
        env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "SETWISE_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr[-2000:]


def test_fits_that_are_killed_go_on_to_the_same_model():
    """Red if a step is written in place, keeps something that its file does not, or leaves a file behind."""
    kill_fits(24)


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_fits_that_are_killed_five_hundred_times_go_on_to_the_same_model():
    kill_fits(500)


def test_a_checkpoint_of_another_fit_is_refused(tmp_path):
    X, Y = data()
    Checkpoint(tmp_path, fingerprint("another fit"))
    with pytest.raises(ValueError, match="belongs to another fit"):
        MAKERS["cbm"](tmp_path).fit(X, Y)


def test_a_half_written_step_is_never_read(tmp_path):
    """Red if a step is written in place: a kill inside the write would leave a broken file under its name."""
    checkpoint = Checkpoint(tmp_path, "x")
    checkpoint.next_step()
    checkpoint.save({"a": np.arange(3)}, [1], done=True)
    (tmp_path / ".step-00001.zip.0.tmp").write_bytes(b"half")
    again = Checkpoint(tmp_path, "x")
    saved = again.next_step()
    assert saved.done
    assert saved.record == [1]
    np.testing.assert_array_equal(saved.state["a"], np.arange(3))
    assert again.next_step() is None


DAMAGE = {
    "cut off": lambda content: content[:-9],
    "changed": lambda content: content[:200] + bytes([content[200] ^ 1]) + content[201:],
    "empty": lambda content: b"",
    "another file": lambda content: b"PK\x03\x04" + bytes(300),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_step_is_named(name, tmp_path):
    """Red if damage shows as an error that does not say which file it is in, or is not seen."""
    checkpoint = Checkpoint(tmp_path, "x")
    checkpoint.next_step()
    checkpoint.save({"a": np.arange(30.0)}, {"bound": float("-inf")}, done=False)
    step = next(tmp_path.glob("step-*"))
    step.write_bytes(DAMAGE[name](step.read_bytes()))
    with pytest.raises(
        ValueError, match=r"step-00000\.zip is damaged or not a checkpoint .* delete the folder"
    ):
        Checkpoint(tmp_path, "x").next_step()


FORGED = {
    "nan": ({"gate.coef": lambda a: a * np.nan}, "holds NaN or infinity"),
    "other types": (
        {"gate.coef": lambda a: a.astype(np.int8)},
        "coef of the checkpoint is not an array of this fit",
    ),
    "flat": ({"experts.coef": lambda a: a.ravel()}, "coef of the checkpoint is not an array of this fit"),
    "a cycle": ({"experts.parents": lambda a: np.full_like(a, 0)}, "parents of the checkpoint is not"),
    "fewer components": ({"gate.coef": lambda a: a[:, :2].copy()}, "differ in components"),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_step_is_refused(name, tmp_path, monkeypatch):
    """Red if a fit resumes from arrays that it could not have written."""
    changes, message = FORGED[name]
    model = ConditionalBernoulliMixture(3, tuning=False, checkpoint=tmp_path, max_iter=6, random_state=0)
    original = Checkpoint.save

    def save(self, state, record, *, done):
        original(self, {k: changes.get(k, lambda a: a)(a) for k, a in state.items()}, record, done=done)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(Checkpoint, "save", save)
        with pytest.raises(Killed):
            model.fit(*data())
    with pytest.raises(ValueError, match=message):
        model.fit(*data())


def test_a_checkpoint_leaves_nothing_of_a_killed_write(tmp_path):
    (tmp_path / ".step-00003.zip.abc.tmp").write_bytes(b"half")
    Checkpoint(tmp_path, "x")
    assert [path.name for path in tmp_path.iterdir()] == ["fit.json"]
