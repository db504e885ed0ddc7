import json

import polars

from setwise.cli import main


def test_the_csv_file_has_the_numbers_of_json(tmp_path, capsys):
    paper = ["reproduce", "mc", "--datasets", "yeast", "--methods", "BR", "--folds", "2", "--jobs", "1"]
    assert main([*paper, "--csv", str(tmp_path / "out.csv"), "--json"]) == 0
    records = json.loads(capsys.readouterr().out)["records"]
    table = polars.read_csv(tmp_path / "out.csv")
    assert table["printed"].to_list() == [record["value"] for record in records]
    assert table["mean"].to_list() == [record["ours"]["mean"] for record in records]
