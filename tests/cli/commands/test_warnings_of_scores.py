"""What `evaluate`, `inspect` and `datasets split` say about rows that make scores too good, and about chosen rows."""

import numpy as np
import polars
import pytest

from setwise.cli import main


def test_training_rows_are_reported(model, files, capsys):
    """The same file that the model was fitted to, and another one."""
    assert main(["evaluate", str(model), str(files[0])]) == 0
    assert "fitted to 100 % of these rows" in " ".join(capsys.readouterr().out.split())
    assert main(["evaluate", str(model), str(files[1])]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "of these rows, or to equal ones" not in shown
    assert "always the most common set" in shown


def test_the_page_has_features_and_a_verdict(model, files, tmp_path):
    page = tmp_path / "r.html"
    assert main(["evaluate", str(model), str(files[1]), "--html", str(page)]) == 0
    text = page.read_text()
    assert "The whole set is right in" in text
    assert "a larger value makes it" in text
    assert "If only the surest rows are answered" in text


def test_rows_of_inspect_are_chosen(model, files, tmp_path, capsys):
    page = tmp_path / "r.html"
    assert main(["inspect", str(model), str(files[1]), "--rows", "7", "--html", str(page)]) == 0
    assert ">Row 7<" in page.read_text()
    assert main(["inspect", str(model), str(files[1]), "--rows", "999"]) == 2
    assert "there is no row 999" in capsys.readouterr().err
    assert main(["inspect", str(model), "--rows", "7"]) == 2
    assert "--rows needs DATA" in capsys.readouterr().err


@pytest.fixture
def visits(tmp_path):
    rng = np.random.default_rng(0)
    person = np.repeat(np.arange(30), 4)
    X = rng.normal(size=(30, 4))[person] + 0.001 * rng.normal(size=(120, 4))
    day = rng.permutation(120)
    columns = {f"x{j}": X[:, j] for j in range(4)}
    dates = [f"2024-{1 + d // 28:02d}-{1 + d % 28:02d}" for d in day]
    labels = {"sick": (X[:, 0] > 0).astype(int), "tired": (X[:, 1] > 0).astype(int)}
    polars.DataFrame({"person": [f"p{p}" for p in person], "day": dates, **columns, **labels}).write_csv(
        tmp_path / "visits.csv"
    )
    return tmp_path


def test_groups_and_times_split_a_file(visits, monkeypatch, capsys):
    monkeypatch.chdir(visits)
    split = ["datasets", "split", "visits.csv", "train.csv", "test.csv", "--labels", "sick", "tired"]
    assert main([*split, "--ignore", "day"]) == 0
    assert "nearly copies of training rows; --group" in capsys.readouterr().out
    assert main([*split, "--group", "person"]) == 0
    assert "nearly copies" not in capsys.readouterr().out
    train, test = polars.read_csv("train.csv"), polars.read_csv("test.csv")
    assert not set(train["person"]) & set(test["person"])
    assert main([*split, "--time", "day"]) == 0
    train, test = polars.read_csv("train.csv"), polars.read_csv("test.csv")
    assert max(train["day"]) < min(test["day"])
    assert main([*split, "--time", "person"]) == 2
    assert "neither dates nor numbers" in capsys.readouterr().err
    assert main([*split, "--group", "nobody"]) == 2
    assert "--group: column 'nobody' not found" in capsys.readouterr().err


def test_columns_left_out_are_named_beside_the_scores(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    frame = {
        "id": [f"row-{i}" for i in range(60)],
        "x": x,
        "high": (x > 0).astype(int),
        "low": (x < 0.3).astype(int),
    }
    polars.DataFrame(frame).write_csv("t.csv")
    assert main(["fit", "t.csv", "--labels", "high", "low", "--model", "br", "-o", "m.setwise"]) == 0
    assert main(["evaluate", "m.setwise", "t.csv"]) == 0
    assert "columns left out: 'id'" in " ".join(capsys.readouterr().out.split())
