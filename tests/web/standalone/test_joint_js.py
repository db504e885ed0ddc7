"""The page computes what Python computes: 1,000 random queries over ten models, to 1e-9."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from setwise.web import standalone
from setwise.web.standalone.plain_model import plain_model
from tests.web.standalone.models import fitted, queries

JOINT = Path(standalone.__file__).with_name("joint.js")
COMPARE = Path(__file__).with_name("compare.js")


@pytest.mark.parametrize("missing", [False, True])
def test_the_script_answers_as_python_does(missing):
    """Red if a formula of joint.js is wrong, a coefficient loses a digit, or a set is missed by the search."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed; the browser tests compare a page instead")
    models, X = fitted(missing)
    asked = {
        name: {"plain": plain_model(model), "queries": queries(model, X, 100 if not missing else 20)}
        for name, model in models.items()
    }
    done = subprocess.run(
        [node, COMPARE, JOINT],
        input=json.dumps({"models": asked}),
        capture_output=True,
        text=True,
        check=True,
    )
    for name, worst in json.loads(done.stdout).items():
        assert worst["uncertified"] == 0, name
        assert max(worst.values()) < 1e-9, (name, worst)
