import csv
import datetime
import io
import json
import math

import numpy as np
import polars
import pytest

import setwise
from setwise.cli import main
from setwise.datasets import read
from tests.cli.data import shell
from tests.cli.wrong_files import check_wrong_usage

GOOD = ["predict", "m.setwise", "good.csv"]
DATA = [
    *("nowhere.csv", "a folder", "empty.csv", "header_only.csv", "binary.csv", "utf16.csv", "ragged.csv"),
    *("quote.csv", "words.csv", "other_columns.csv", "infinite.csv", "one_column.csv"),
    *("only_labels.csv", "broken.gz.csv", "empty.parquet", "binary.parquet", "empty.arff", "binary.arff"),
    *("broken.arff", "empty.svm", "binary.svm", "broken.svm", "too_many.svm", "broken.txt", "empty.npz"),
    *("unknown.xyz", "nothing", "m.setwise", "yeast", ""),
]
QUESTIONS = [
    ["--top-k", "0"],
    ["--top-k", "-1"],
    ["--top-k"],
    ["--top-k", "two"],
    ["--given"],
    ["--given", "blue=1"],
    ["--given", "red"],
    ["--given", "red=2"],
    ["--given", "red=yes"],
    ["--given", "red=1", "red=0"],
    ["--given", "=1"],
    ["--given", "red=1", "--decision", "luck"],
    ["--decision", "luck"],
    ["--decision", ""],
    ["--proba", "--top-k", "2"],
    ["--proba", "--decision", "subset"],
    ["--proba", "--tags"],
    ["--tags", "-o", "x.arff"],
    ["--format", "parquet"],
    ["--format", "parquet", "-o", "-"],
    ["--format", "xlsx"],
    ["-o", "precious.ods"],
    ["-o", "precious"],
    ["-o", "a folder"],
    ["-o", "no/where.csv"],
    ["-o", ""],
    ["--top-k", "2", "-o", "x.arff"],
    ["--top-k", "2", "--format", "arff"],
    ["--decimal", ";"],
    ["--delimiter", ";;"],
    ["--keep", "blue"],
    ["--keep", "red"],
    ["--keep", "a", "-o", "x.arff"],
]
WRONG = [
    *(["predict", "m.setwise", name, "-o", "precious.csv"] for name in DATA),
    *([*GOOD, *more] for more in QUESTIONS),
    ["predict", "m.setwise"],
    ["predict", "m.setwise", "good.arff", "--keep", "a"],
    ["predict", "m.setwise", "same_ids.csv", "--keep", "id"],
]


@pytest.mark.parametrize("arguments", WRONG, ids=" ".join)
def test_wrong_usage_prints_one_line(arguments, wrong, capsys):
    """Red if a traceback, another exit code, an empty message or a changed file comes of it."""
    check_wrong_usage(arguments, wrong, capsys)


def test_every_output_format_holds_the_same_answers(model, files, tmp_path):
    expected = setwise.load(model).predict(read(files[1]).X)
    for form in ("csv", "tsv", "parquet", "arff"):
        out = tmp_path / f"answers.{form}"
        assert main(["predict", str(model), str(files[1]), "-o", str(out)]) == 0
        labels = None if form == "arff" else -3
        np.testing.assert_array_equal(read(out, labels).Y, expected)
    assert main(["predict", str(model), str(files[1]), "-o", str(tmp_path / "a.jsonl")]) == 0
    lines = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    names = read(files[1]).label_names
    np.testing.assert_array_equal([[int(n in line["labels"]) for n in names] for line in lines], expected)


def test_best_sets_evidence_and_decisions_are_those_of_python(model, files, capsys):
    data, loaded = read(files[1]), setwise.load(model)
    assert main(["predict", str(model), str(files[1]), "--top-k", "2", "--json"]) == 0
    first = json.loads(capsys.readouterr().out.splitlines()[0])["sets"]
    best = loaded.predict_top_k(data.X, 2)
    assert [s["probability"] for s in first] == np.exp(best.log_prob[0]).tolist()
    assert main(["predict", str(model), str(files[1]), "--top-k", "9"]) == 0
    header, *lines = csv.reader(capsys.readouterr().out.splitlines())
    assert header[:3] == ["row", "rank", "probability"]
    assert len(lines) <= 8 * len(data.X)  # three labels have eight sets
    assert main(["predict", str(model), str(files[1]), "--given", "sad, calm=1", "--proba"]) == 0
    _, *rows = csv.reader(capsys.readouterr().out.splitlines())
    known = np.tile([1, -1, -1], (len(data.X), 1))
    given = loaded.distribution(data.X).condition(known)
    np.testing.assert_array_equal(np.array(rows, float), given.marginals())
    assert main(["predict", str(model), str(files[1]), "--decision", "hamming"]) == 0
    _, *rows = csv.reader(capsys.readouterr().out.splitlines())
    np.testing.assert_array_equal(np.array(rows, int), loaded.predict(data.X, decision="hamming"))


def test_tags_come_back_as_they_were_read(tmp_path, capsys):
    """Red if the tags of an answer are others than those of Python, or cannot be read again."""
    rows = ["log in,user/access", "refund,money/back in", "refund,", "log in,user/access user/reset"] * 6
    (path := tmp_path / "tickets.csv").write_text("\n".join(["note,topics", *rows]))
    model = tmp_path / "m.setwise"
    assert main(["fit", str(path), "--labels", "topics", "--model", "br", "-o", str(model)]) == 0
    capsys.readouterr()
    assert main(["predict", str(model), str(path), "--tags", "--keep", "note"]) == 0
    header, *found = csv.reader(capsys.readouterr().out.splitlines())
    assert header == ["note", "topics"]
    python = setwise.load(model).predict_tags(polars.read_csv(path).to_pandas())
    assert [tags.split() for _, tags in found] == python
    assert main(["predict", str(model), str(path), "--tags", "--top-k", "2"]) == 0
    best = polars.read_csv(io.StringIO(capsys.readouterr().out), infer_schema=False)
    assert best.columns == ["row", "rank", "probability", "topics"]


def test_blocks_of_rows_are_left_to_the_estimator(model, files, monkeypatch):
    """Red if the command cuts the rows itself before it asks the estimator, which cuts them again."""
    sizes = []
    predict = setwise.ConditionalTree.predict
    monkeypatch.setattr(setwise.ConditionalTree, "block_rows", lambda self: 7)
    monkeypatch.setattr(
        setwise.ConditionalTree,
        "predict",
        lambda self, X, **how: sizes.append(len(X)) or predict(self, X, **how),
    )
    assert main(["predict", str(model), str(files[1])]) == 0
    assert sizes == [120]


def test_answers_given_evidence_do_not_depend_on_blocks(model, files, monkeypatch, capsys):
    answers = []
    for _ in range(2):
        assert main(["predict", str(model), str(files[1]), "--given", "<b>=0", "--top-k", "2"]) == 0
        answers.append(capsys.readouterr().out)
        monkeypatch.setattr(setwise.ConditionalTree, "block_rows", lambda self: 7)
    assert answers[0] == answers[1]


def test_columns_are_kept_beside_the_answers(model, with_ids, tmp_path, capsys):
    """Red if a kept entry changes, goes to another row, is lost in a format, or hides the row's number."""

    def predicted(*options):
        out = tmp_path / f"answers.{options[-1]}"
        assert main(["predict", str(model), str(with_ids), *options[:-1], "-o", str(out)]) == 0
        return out

    keep = ["--keep", "row", "id"]
    plain, kept = (polars.read_csv(predicted(*how, "csv"), infer_schema=False) for how in ([], keep))
    written = (tmp_path / "answers.csv").read_text()
    numbers = [str(n) for n in range(1000, 1120)]
    assert kept.columns == ["row", "id", *plain.columns]
    assert kept["row"].to_list() == numbers
    assert set(kept["id"]) == {"007 ü"}
    assert kept.drop("row", "id").equals(plain)
    best = polars.read_csv(predicted(*keep, "--top-k", "2", "csv"), infer_schema=False)
    assert best.columns[:5] == ["row_", "rank", "probability", "row", "id"]
    assert [int(n) - 1000 for n in best["row"]] == [int(n) for n in best["row_"]]
    lines = [json.loads(line) for line in predicted(*keep, "--proba", "jsonl").read_text().splitlines()]
    assert lines[3]["kept"] == {"row": "1003", "id": "007 ü"}
    table = polars.read_parquet(predicted(*keep, "parquet"))
    assert table["row"].to_list() == numbers
    capsys.readouterr()
    assert shell("predict", model, "-", *keep, stdin=with_ids.read_text()) == written


def test_parquet_columns_are_kept_with_their_types(model, with_ids, tmp_path, capsys):
    """Red if numbers become words, a date stops the writer, or what is missing becomes a word."""
    more = {"day": [datetime.datetime(2026, 1, 1)] * 120, "note": [None, "x"] * 60, "size": [math.nan] * 120}
    polars.read_csv(with_ids).with_columns(**{n: polars.Series(v) for n, v in more.items()}).write_parquet(
        tmp_path / "ids.parquet"
    )
    for form in ("parquet", "jsonl", "csv"):
        out = tmp_path / f"answers.{form}"
        keep = ["--keep", "row", "day", "note", "size"]
        assert main(["predict", str(model), str(tmp_path / "ids.parquet"), *keep, "-o", str(out)]) == 0
    table = polars.read_parquet(tmp_path / "answers.parquet")
    assert table["row"].to_list() == list(range(1000, 1120))
    assert table["note"].null_count() == 60
    assert table["day"].dtype == polars.Datetime
    first = json.loads((tmp_path / "answers.jsonl").read_text().splitlines()[0])["kept"]
    assert first == {"row": 1000, "day": "2026-01-01 00:00:00", "note": None, "size": "nan"}
    capsys.readouterr()
    assert main(["errors", str(model), str(tmp_path / "ids.parquet"), *keep, "--json"]) == 0
    kept = json.loads(capsys.readouterr().out)["records"][0]["kept"]
    assert kept["row"] >= 1000
    assert kept["day"] == first["day"]


def test_kept_entries_of_several_lines_stay_one_entry(model, with_ids, tmp_path):
    """Red if a line break of any kind makes two rows of one."""
    frame = polars.read_csv(with_ids).with_columns(id=polars.Series(["a\rb", "a\nb", "a\r\nb", 'a"b'] * 30))
    frame.write_parquet(tmp_path / "lines.parquet")
    out = tmp_path / "answers.csv"
    assert main(["predict", str(model), str(tmp_path / "lines.parquet"), "--keep", "id", "-o", str(out)]) == 0
    with open(out, newline="", encoding="utf-8") as stream:
        _, *rows = csv.reader(stream)
    assert [row[0] for row in rows] == frame["id"].to_list()


def test_data_sets_by_name_have_no_columns_to_keep(model, capsys):
    """Red if columns that cannot be kept are left out silently."""
    assert main(["predict", str(model), "yeast", "--keep", "Att1"]) == 2
    assert (
        "yeast: --keep Att1: only columns of CSV, TSV, Parquet and Excel files can be kept"
        in capsys.readouterr().err
    )


def test_a_label_may_be_kept_in_json_lines(model, with_ids, capsys):
    """Red if the given labels cannot be seen beside the answers though no names collide."""
    assert main(["predict", str(model), str(with_ids), "--keep", "<b>", "--json"]) == 0
    given = [json.loads(line)["kept"]["<b>"] for line in capsys.readouterr().out.splitlines()]
    assert given == polars.read_csv(with_ids, infer_schema=False)["<b>"].to_list()


def test_json_lines_escape_what_a_terminal_would_obey(model, with_ids, capsys):
    """Red if JSON holds a bidirectional mark or a control character as such, or is no longer the same JSON."""
    text = with_ids.read_text().replace("007 ü", "a\u202eb\x9b\x7f")
    with_ids.write_text(text)
    assert main(["predict", str(model), str(with_ids), "--keep", "id", "--json"]) == 0
    shown = capsys.readouterr().out
    assert not {"\u202e", "\x9b", "\x7f"} & set(shown)
    assert json.loads(io.StringIO(shown).readline())["kept"]["id"] == "a\u202eb\x9b\x7f"
