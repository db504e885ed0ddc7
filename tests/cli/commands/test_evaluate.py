import json

import polars
import pytest

from setwise.cli import main
from tests.cli.wrong_files import check_wrong_usage

DATA = [
    *("nowhere.csv", "no_labels.csv", "one_label.csv", "other_columns.csv", "missing_label.csv"),
    *(
        "label_of_three.csv",
        "label_in_words.csv",
        "header_only.csv",
        "no_labels.arff",
        "yeast",
        "too_many.svm",
    ),
]
WRONG = [*(["evaluate", "m.setwise", name] for name in DATA), ["evaluate", "yeast", "good.csv"]]


@pytest.mark.parametrize("arguments", WRONG, ids=" ".join)
def test_wrong_usage_prints_one_line(arguments, wrong, capsys):
    check_wrong_usage(arguments, wrong, capsys)


def test_a_data_set_in_the_place_of_a_model_is_named(model, capsys):
    assert main(["evaluate", "yeast", str(model)]) == 2
    assert "yeast is a data set, not a model file; use: setwise compare yeast" in capsys.readouterr().err


def test_the_csv_file_is_one_table_with_the_numbers_of_json(model, files, tmp_path, capsys):
    """Red if the file has rows of several kinds, a cell that is not a number, or other numbers than JSON has."""
    out = tmp_path / "out.csv"
    assert main(["evaluate", str(model), str(files[1]), "--csv", str(out), "--json"]) == 0
    [record] = json.loads(capsys.readouterr().out)["records"]
    table = polars.read_csv(out)
    assert table.columns == ["label", "measure", "value"]
    values = {(label or "", measure): value for label, measure, value in table.rows()}
    assert values["", "exact_match"] == record["scores"]["exact_match"]
    assert values["sad, calm", "f1"] == record["labels"]["sad, calm"]["f1"]
    assert len(values) == len(record["scores"]) + 3 * 4


def test_features_are_on_the_page_and_not_in_the_terminal(model, files, tmp_path, capsys):
    """Red if the long table of features pushes the scores off the screen, or is missing on the page."""
    page = tmp_path / "report.html"
    assert main(["evaluate", str(model), str(files[1]), "--html", str(page)]) == 0
    assert "Features" in page.read_text(encoding="utf-8")
    printed = capsys.readouterr().out
    assert "exact match" in printed.lower()
    assert "a larger value makes it" not in printed
