"""Forged checkpoints: a fit that is resumed from one refuses it, or ends as fits do."""

import shutil

import numpy as np
import pytest

from setwise.learning.progress.checkpoint import Checkpoint
from setwise.storage import Container, write_container
from tests.fuzz.forgeries import ARRAYS
from tests.learning.progress.killing import MAKERS, data

N_FORGED = 8


class Killed(Exception):
    """Stands for the end of the process."""


@pytest.fixture(scope="module", params=MAKERS)
def stopped(request, tmp_path_factory):
    """A family and the checkpoint of a fit of it that was stopped at its third save."""
    folder, saves = tmp_path_factory.mktemp(request.param), []
    original = Checkpoint.save

    def save(self, *arguments, **options):
        original(self, *arguments, **options)
        saves.append(1)
        if len(saves) == 3:
            raise Killed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Checkpoint, "save", save)
        with pytest.raises(Killed):
            MAKERS[request.param](folder).fit(*data())
    return request.param, folder


def forge(path, rng):
    """Change one array of a step, with the right digests; say how."""
    with Container(path) as file:
        manifest = {name: file.manifest[name] for name in ("kind", "record", "done", "names")}
        arrays = [file.read_array(str(number)) for number in range(len(manifest["names"]))]
    number, how = int(rng.integers(len(arrays))), str(rng.choice(list(ARRAYS)))
    with np.errstate(all="ignore"):
        arrays[number] = np.asarray(ARRAYS[how](arrays[number], rng))
    write_container(path, manifest, arrays)
    return f"{manifest['names'][number]}: {how}"


@pytest.mark.timeout(300)
@pytest.mark.parametrize("seed", range(N_FORGED))
def test_a_forged_checkpoint_is_refused_or_goes_on(stopped, seed, tmp_path):
    """Red if a fit crashes, or ends with an error that does not say what is wrong with the checkpoint."""
    name, folder = stopped
    shutil.copytree(folder, tmp_path / "forged")
    steps = sorted((tmp_path / "forged").glob("step-*"))
    done = forge(steps[-1], np.random.default_rng(seed))
    model = MAKERS[name](tmp_path / "forged")
    try:
        model.fit(*data())
    except ValueError as error:
        refusal = str(error)
    else:
        refusal = None
        assert np.isfinite(model.predict_proba(data()[0])).all(), done
    assert refusal is None or "checkpoint" in refusal, (done, refusal)
