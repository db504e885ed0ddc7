import csv
import io
import json

import numpy as np
import polars
import pytest

from setwise.cli import main
from setwise.datasets import Dataset, read, write_arff
from tests.cli.commands.test_evaluate import DATA
from tests.cli.wrong_files import check_wrong_usage

WRONG = [
    *(["errors", "m.setwise", name] for name in DATA),
    ["errors", "m.setwise", "--top", "5"],
    ["errors", "m.setwise", "good.csv", "--keep", "blue"],
    ["errors", "m.setwise", "good.csv", "--top", "0"],
    ["errors", "m.setwise", "good.csv", "--folds", "1"],
    ["errors", "m.setwise", "good.csv", "--folds", "99"],
    ["errors", "cdn.setwise", "good.csv"],
]


@pytest.mark.parametrize("arguments", WRONG, ids=" ".join)
def test_wrong_usage_prints_one_line(arguments, wrong, capsys):
    check_wrong_usage(arguments, wrong, capsys)


def test_rows_that_were_changed_are_found(model, files, tmp_path, capsys):
    data = read(files[1])
    Y = data.Y.copy()
    Y[5, :2] = 1 - Y[5, :2]
    certain = np.abs(data.X[:, 0]).argmax()
    Y[certain] = 1 - Y[certain]
    write_arff(Dataset(data.X, Y, data.feature_names, data.label_names), tmp_path / "changed.arff")
    for how in ([], ["--folds", "3"]):
        assert main(["errors", str(model), str(tmp_path / "changed.arff"), "--top", "3", "--json", *how]) == 0
        records = json.loads(capsys.readouterr().out)["records"]
        assert int(certain) in [record["row"] for record in records]
        assert [r["score"] for r in records] == sorted((r["score"] for r in records), reverse=True)


def test_the_heading_counts_the_rows_beyond_the_listed(model, files, capsys):
    """Red if the heading gives the length of the list for the number of rows with another prediction."""
    titles = []
    for top in ("2", "200"):
        assert main(["errors", str(model), str(files[1]), "--top", top, "--json"]) == 0
        report = json.loads(capsys.readouterr().out)
        titles.append(report["title"])
    n_rows = len(report["records"])
    assert 2 < n_rows < 120
    assert titles[0] == titles[1]
    assert titles[0].startswith("The most doubtful of the 120 rows of generated; ")
    assert titles[0].endswith(f" predicts another set in {n_rows}")


def test_rows_are_named_by_kept_columns(model, with_ids, tmp_path, capsys):
    """Red if a doubtful row cannot be found by its identifier in the table, the CSV file or the JSON."""
    errors = ["errors", str(model), str(with_ids), "--top", "4", "--keep", "row"]
    assert main([*errors, "--json", "--csv", str(tmp_path / "doubtful.csv")]) == 0
    records = json.loads(capsys.readouterr().out)["records"]
    assert [int(r["kept"]["row"]) - 1000 for r in records] == [r["row"] for r in records]
    header, *rows = csv.reader(io.StringIO((tmp_path / "doubtful.csv").read_text()))
    assert header == ["row_", "row", "score", "given", "expected"]
    assert [row[1] for row in rows] == [r["kept"]["row"] for r in records]
    assert main(errors) == 0
    assert f"{records[0]['row']} {records[0]['kept']['row']}" in capsys.readouterr().out


def test_the_csv_file_has_the_numbers_of_json(model, files, tmp_path, capsys):
    out = tmp_path / "out.csv"
    assert main(["errors", str(model), str(files[1]), "--top", "5", "--csv", str(out), "--json"]) == 0
    records = json.loads(capsys.readouterr().out)["records"]
    table = polars.read_csv(out)
    assert table["row"].to_list() == [record["row"] for record in records]
    assert table["score"].to_list() == [record["score"] for record in records]
    assert table["given"][0] or ", ".join(records[0]["given"]) == ""
