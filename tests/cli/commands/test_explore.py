"""``setwise explore``: a table and its model on the page, corrected and fitted again."""

import argparse
import json
import shutil
import subprocess
from importlib.resources import files

import numpy as np
import pytest
from starlette.testclient import TestClient

from setwise import distribution_of, load
from setwise.cli import main
from setwise.cli.explored import explored_data, explored_model
from setwise.cli.loaded_model import load_model
from setwise.kernels.matrices import to_dense
from setwise.tables.encoder import TableEncoder
from setwise.web.explorer.answers.overview import overview
from setwise.web.explorer.application import explorer_app
from setwise.web.explorer.corrections import CorrectionJournal, fingerprint
from setwise.web.explorer.desk_routes import REFIT
from setwise.web.explorer.session import Session

WORDS = {"refund": "money back", "login": "password account", "slow": "wait loading"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Tickets with their tags in one column, and a model of them."""
    folder = tmp_path_factory.mktemp("tickets")
    rng = np.random.default_rng(0)
    lines = ["id,message,tags"]
    for number in range(90):
        tags = [tag for tag in WORDS if rng.random() < 0.5] or ["slow"]
        words = rng.permutation([*" ".join(WORDS[tag] for tag in tags).split(), f"w{number}", f"v{number}"])
        lines.append(f"{number},{' '.join(words)},{';'.join(tags)}")
    (folder / "tickets.csv").write_text("\n".join(lines) + "\n")
    arguments = ["--labels", "tags", "--ignore", "id", "--model", "BinaryRelevance", "-o"]
    assert main(["fit", str(folder / "tickets.csv"), *arguments, str(folder / "tickets.setwise")]) == 0
    return folder


def options_of(path):
    return argparse.Namespace(data=str(path), delimiter=None, decimal=None, raise_limits=1.0)


def test_a_table_is_explored_corrected_and_fitted_again(folder):
    """The page's row is the table's, its answers are the model's; the copy changes one cell; the new model is whole."""
    model = load_model(str(folder / "tickets.setwise"))
    data = explored_data(model, options_of(folder / "tickets.csv"))
    session = Session(data, [explored_model(model)], 2)
    session.start_judging()
    session.jobs.wait("judge 0")
    digest = fingerprint(data.rows, data.label_names, data.given)
    journal = CorrectionJournal(folder / "journal.jsonl", digest, data.label_names)
    client = TestClient(explorer_app(session, journal), base_url="http://127.0.0.1:8000")
    cells = {cell["name"]: cell["value"] for cell in client.get("/api/row/4").json()["cells"]}
    message = (folder / "tickets.csv").read_text().splitlines()[5].split(",")[1]
    assert cells["message"] == message
    asked = {"row": 4, "parts": ["labels"], "changes": {"message": "money back money"}}
    changed = client.post("/api/row", json=asked).json()["labels"]["after"]
    whole = load(folder / "tickets.setwise")
    expected = distribution_of(whole, {"message": ["money back money"]}).marginals()[0]
    assert changed == pytest.approx(expected.tolist(), abs=1e-12)
    why = client.post("/api/why", json={"row": 4, "label": 1}).json()
    shown = [one["name"] for one in why["features"]]
    assert not any("…" in name for name in shown)
    assert "message: parts of words" in shown
    total = why["base"] + why["others"] + sum(one["contribution"] for one in why["features"])
    assert total == pytest.approx(why["log_odds"])
    body = {"row": 4, "action": "edit", "labels": ["login"]}
    assert client.post("/api/corrections", json=body).status_code == 200
    before = (folder / "tickets.csv").read_text()
    after = client.get("/api/export/corrected.csv").text
    different = [(a, b) for a, b in zip(before.splitlines(), after.splitlines()) if a != b]
    assert len(different) <= 1
    assert all(b == f"4,{message},login" for _, b in different)
    assert (folder / "tickets.csv").read_text() == before
    client.post("/api/refit", json={})
    session.jobs.wait(REFIT)
    (folder / "new.setwise").write_bytes(client.get("/api/export/model.setwise").content)
    again = load(folder / "new.setwise")
    assert again.predict({"message": ["money back"]}).tolist() == [[0, 1, 0]]


CODES = """
import * as code from "%s";
const session = %s;
const seen = {rule: "Constrained", decision: "subset", among: "seen"};
console.log(JSON.stringify([
  code.rowPython(session, {row: 4, model: 0, evidence: {1: 0}, changes: {message: "money"}}),
  code.deskPython(session), code.decisionPython(session, seen), code.slicePython(session, {on: [0]}),
  code.comparePython(session),
]));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_copied_python_runs(folder):
    """Red if code of the page misses a name; its answers are those of the model and of the given labels."""
    pytest.importorskip("pandas")
    model = load_model(str(folder / "tickets.setwise"))
    data = explored_data(model, options_of(folder / "tickets.csv"))
    session = json.dumps(overview(Session(data, [explored_model(model)] * 2, 0), None))
    page = files("setwise.web.explorer") / "page" / "code.js"
    script = CODES % (page, session)
    run = subprocess.run(
        ["node", "--input-type=module"], input=script, capture_output=True, text=True, check=True
    )
    answers = []
    for copied in json.loads(run.stdout):
        *lines, last = copied.splitlines()
        names = {}
        exec("\n".join(lines), names)
        answers.append(eval(last, names))
    whole = load(folder / "tickets.setwise")
    expected = distribution_of(whole, {"message": ["money"]}).condition({"refund": 0}).marginals()
    assert data.label_names[1] == "refund"
    assert (answers[0][0] == expected).all()
    seen = {tuple(row) for row in data.given.tolist()}
    assert {tuple(row) for row in answers[2][0].tolist()} <= seen
    assert (answers[3][0] == data.given[data.given[:, 0] == 1].mean(axis=0)).all()
    assert answers[4][0] == answers[4][1]


def test_a_copy_keeps_the_line_ends_of_the_file(folder):
    """Red if the copy of a file of Windows differs in every line."""
    text = (folder / "tickets.csv").read_bytes().replace(b"\n", b"\r\n")
    (folder / "windows.csv").write_bytes(text)
    data = explored_data(load_model(str(folder / "tickets.setwise")), options_of(folder / "windows.csv"))
    assert data.copy(data.given, data.given).encode() == text


def test_rows_without_labels_are_explored_too(folder):
    (folder / "new.csv").write_text("id,message\n1,money back\n")
    model = load_model(str(folder / "tickets.setwise"))
    data = explored_data(model, options_of(folder / "new.csv"))
    assert data.given is None
    assert data.rows.n_rows == 1


def test_wrong_usage_says_what_to_do(capsys):
    assert main(["explore", "--no-browser"]) == 2
    assert "setwise explore --demo" in capsys.readouterr().err
    assert main(["explore", "--demo", "--folds", "1"]) == 2
    assert "expected 0, or at least 2" in capsys.readouterr().err


def test_a_large_table_is_read_once_and_explored_like_a_small_one(folder, monkeypatch):
    """Red if features that are made when they are needed differ, or if opening makes those of all rows."""
    model, options = load_model(str(folder / "tickets.setwise")), options_of(folder / "tickets.csv")
    small = explored_data(model, options)
    encoded = []
    transform = TableEncoder.transform
    monkeypatch.setattr(
        TableEncoder, "transform", lambda self, X: encoded.append(X.n_rows) or transform(self, X)
    )
    monkeypatch.setattr("setwise.cli.explored.LARGE", 0)
    large = explored_data(model, options)
    assert sum(encoded) <= 1
    assert (large.given == small.given).all()
    assert large.label_names == small.label_names
    some = np.array([5, 0, 3])
    np.testing.assert_array_equal(to_dense(large.rows.features(some)), to_dense(small.rows.features(some)))
    assert [large.rows.cells(int(row)) for row in some] == [small.rows.cells(int(row)) for row in some]
    changed = [to_dense(data.rows.changed(2, {"message": "money"})) for data in (large, small)]
    np.testing.assert_array_equal(*changed)
    assert large.copy(large.given, 1 - large.given) == small.copy(small.given, 1 - small.given)
