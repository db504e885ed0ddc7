"""The whole path in a shell: a data file in, a model file, predictions and a report out."""

import csv
import json

import numpy as np
import pytest

import setwise
from setwise.cli import main
from setwise.cli.models import build
from setwise.datasets import read
from tests.cli.data import PAPERS, shell


def go_the_path(shell, model, train, test, folder):
    """Every step on the command line, compared with the same steps in Python."""
    file, out, report = folder / "m.setwise", folder / "answers.csv", folder / "report.html"
    settings = ["--set", *PAPERS[model]] if PAPERS[model] else []
    shell("fit", train, "--model", model, "--seed", 0, *settings, "-o", file)
    shell("predict", file, test, "-o", out)
    assert main(["predict", str(file), str(test), "--proba", "-o", str(folder / "p.jsonl")]) == 0
    lines = (folder / "p.jsonl").read_text("utf-8").splitlines()
    probabilities = [json.loads(line)["proba"] for line in lines]
    scores = json.loads(shell("evaluate", file, test, "--json", "--html", report))["records"][0]["scores"]
    data, loaded = read(test), setwise.load(file)
    with open(out, newline="", encoding="utf-8") as stream:
        header, *rows = csv.reader(stream)
    assert header == list(data.label_names) == list(loaded.label_names_)
    np.testing.assert_array_equal(np.array(rows, dtype=int), loaded.predict(data.X))
    shown = np.array([[p[name] for name in data.label_names] for p in probabilities])
    np.testing.assert_array_equal(shown, loaded.predict_proba(data.X))  # JSON keeps every bit
    assert scores["exact_match"] == pytest.approx((loaded.predict(data.X) == data.Y).all(axis=1).mean())
    assert "<html" in report.read_text()
    return loaded


@pytest.mark.parametrize("model", PAPERS)
def test_the_path_of_every_papers_model(model, files, tmp_path):
    """Red if the shell and Python, or a model before and after its file, differ in a single bit."""
    loaded = go_the_path(shell, model, *files, tmp_path)
    train, X = read(files[0]), read(files[1]).X
    made = build(model, PAPERS[model], time_budget=60, checkpoint=None, seed=0)
    before = made.fit(train.X, train.named_labels())
    np.testing.assert_array_equal(before.predict_proba(X), loaded.predict_proba(X))
    np.testing.assert_array_equal(before.predict(X), loaded.predict(X))


@pytest.mark.parametrize("model", PAPERS)
def test_the_path_on_real_files(model, data_folder, tmp_path, capsys):
    """With files as Mulan published them; in this process, since starting Python takes longer than the work."""
    files = [data_folder / "raw" / f"emotions-{part}.arff" for part in ("train", "test")]
    if not all(file.exists() for file in files):
        pytest.skip("the raw ARFF files of emotions are not among the data")

    def here(*arguments):
        assert main(list(map(str, arguments))) == 0
        return capsys.readouterr().out

    go_the_path(here, model, *files, tmp_path)
