import json

import polars
import pytest

from setwise import load
from setwise.cli import main
from setwise.datasets import read


def test_the_strongest_features_of_each_label(model, files, tmp_path, capsys):
    out = tmp_path / "out.csv"
    html = tmp_path / "m.html"
    assert main(["explain", str(model), str(files[1]), "--csv", str(out), "--html", str(html)]) == 0
    table = polars.read_csv(out)
    assert set(load(model).label_names_) <= set(table["target"])
    assert "<html" in html.read_text()


def test_rows_are_explained_as_in_python(model, files, capsys):
    """The same numbers, bit for bit."""
    assert main(["explain", str(model), str(files[1]), "--rows", "3", "0", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["records"]
    data = read(files[1])
    why = load(model).explain(data.X[[3, 0]])
    assert [entry["log_odds"] for entry in found] == why.log_odds.tolist()
    assert {entry["row"] for entry in found} == {0, 3}
    first = [line["contribution"] for line in found[0]["features"]]
    assert first == [line["contribution"] for line in why.to_dict()[0]["features"]]


def test_labels_sets_and_evidence(model, files, capsys):
    names = [str(name) for name in load(model).label_names_]
    base = ["explain", str(model), str(files[1]), "--rows", "1"]
    assert main([*base, "--label", names[0], names[1]]) == 0
    assert f"{names[0]} + {names[1]}" in capsys.readouterr().out
    assert main([*base, "--whole-set", "--by-column"]) == 0
    assert main([*base, "--label", names[0], "--given", f"{names[1]}=1"]) == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--rows", "5000"], "there is no row 5000"),
        (["--label", "nothing"], "no label 'nothing'"),
        (["--whole-set"], "--whole-set is about single rows"),
        (["--features", "0"], "--features is 0"),
    ],
)
def test_wrong_use_is_one_line(options, message, model, files, capsys):
    assert main(["explain", str(model), str(files[1]), *options]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
