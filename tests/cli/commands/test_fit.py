import json
import os
import pty
import subprocess
import sys

import numpy as np
import pytest

import setwise
from setwise.cli import main
from setwise.datasets import Dataset, write_arff, write_csv
from setwise.persistence import describe
from setwise.persistence.training_notes import TrainingNotes
from tests.cli.data import PAPERS, generated
from tests.cli.wrong_files import check_wrong_usage

FIT = ["--model", "br", "-o", "precious.setwise"]
RED = ["--labels", "red", "round"]
TABLES = [
    *("empty.csv", "header_only.csv", "binary.csv", "utf16.csv", "ragged.csv", "quote.csv", "no_labels.csv"),
    *("one_label.csv", "label_of_three.csv", "label_in_words.csv", "infinite.csv", "one_column.csv"),
    *("only_labels.csv", "twice.csv", "broken.gz.csv", "empty.parquet", "binary.parquet"),
]
OTHERS = [
    *("empty.arff", "binary.arff", "no_data.arff", "no_labels.arff", "broken.arff", "wrong_number.arff"),
    *(
        "twice.arff",
        "empty.svm",
        "binary.svm",
        "broken.svm",
        "bomb.svm",
        "empty.txt",
        "broken.txt",
        "empty.npz",
    ),
    *("binary.npz", "unknown.xyz", "nothing", "nowhere.csv", "a folder", "good.csv", "", "m.setwise", "rcv9"),
    "good.arff/x",
]
LABELS = [
    *(["blue"], ["red", "blue"], ["blue_*"], ["0"], ["9"], ["-9"], ["nowhere.xml"], ["bad.xml"]),
    ["red", "red", "x"],
]
SETTINGS = [
    ["--model", "gpt"],
    ["--model", ""],
    ["--model", "sklearn-OneVsRest"],
    ["--set", "l2"],
    ["--set", "l3=1"],
    ["--set", "l2=-1"],
    ["--set", "l2=much"],
    ["--set", "min_labels=9"],
    ["--set", "decision=luck", "--set", "min_labels=x"],
    ["--set", "learner=svm"],
    ["--ignore", "z"],
    ["--ignore", "a", "b"],
    ["--checkpoint", "here"],
    ["--model", "naibx", "--set", "features=odd"],
    ["--model", "mlknn", "--set", "n_neighbors=0"],
    ["--model", "chain", "--set", "order=[0]"],
    ["--model", "rakel", "--set", "group_size=0"],
    ["--model", "tree", "--set", "candidate_parents=-1"],
    ["--raise-limits", "0.5"],
    ["--fly"],
    ["--time-budget", "soon"],
    ["--labels"],
    ["-o"],
    *(["-o", place] for place in ("a folder", "no/where.setwise", "", "-")),
]
WRONG = [
    *(["fit", name, *RED, *FIT] for name in TABLES),
    *(["fit", name, *FIT] for name in OTHERS),
    *(["fit", "good.csv", "--labels", *labels, *FIT] for labels in LABELS),
    *(["fit", "good.csv", *RED, *FIT, *more] for more in SETTINGS),
    ["fit", "classes.csv", "--labels", "class", *FIT],
    ["fit", "good.svm", "--labels", "0", *FIT],
    ["fit", "yeast", "--labels", "Class1", *FIT],
    ["fit", "good.csv"],
    ["fit", "--labels", "red", "-o", "precious.setwise"],
]


@pytest.mark.parametrize("arguments", WRONG, ids=" ".join)
def test_wrong_usage_prints_one_line(arguments, wrong, capsys):
    """Red if a traceback, another exit code, an empty message or a changed file comes of it."""
    check_wrong_usage(arguments, wrong, capsys)


@pytest.mark.parametrize("name", ["br", "tree", "cdn"])
def test_the_same_command_makes_the_same_file(name, files, tmp_path):
    """Red if the file keeps what differs from run to run, such as how long the fit took."""
    settings = ["--set", *PAPERS[name]] if name in PAPERS else []
    made = [tmp_path / "one.setwise", tmp_path / "two.setwise"]
    for file in made:
        assert main(["fit", str(files[0]), "--model", name, "--seed", "0", *settings, "-o", str(file)]) == 0
    assert made[0].read_bytes() == made[1].read_bytes()


def test_auto_is_the_default_and_says_why(files, tmp_path, capsys):
    file = str(tmp_path / "m.setwise")
    assert main(["fit", str(files[0]), "--time-budget", "1", "-o", file, "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["leaderboard"][0]["status"] == "chosen"
    assert "smallest joint log-loss" in summary["reason"]
    assert summary["data_rows"] == 120
    assert main(["inspect", file]) == 0
    assert "AutoSetClassifier" in capsys.readouterr().out


def test_too_little_time_is_reported_once_with_the_option_to_raise(tmp_path, capsys):
    """Red if the warning is missing, doubled, or names Python's parameter."""
    X = np.random.default_rng(0).normal(size=(1200, 2))
    write_csv(Dataset(X, X > 0, label_names=["tag_a", "tag_b"], name="own"), tmp_path / "own.csv")
    command = ["fit", str(tmp_path / "own.csv"), "--labels", "tag_*", "--time-budget", "0"]
    assert main([*command, "-o", str(tmp_path / "m.setwise")]) == 0
    [line] = capsys.readouterr().err.splitlines()
    assert "of 1200 rows; there was no time for more; raise --time-budget, or fit " in line


def test_a_choice_that_saw_some_rows_says_so(files, tmp_path, monkeypatch, capsys):
    """Red if fit, its JSON, the notes or inspect count rows that the model never saw."""
    fit = setwise.AutoSetClassifier.fit

    def out_of_time(self, *arguments, **options):
        fit(self, *arguments, **options)
        self.refitted_, self.n_rows_ = False, 40
        return self

    monkeypatch.setattr(setwise.AutoSetClassifier, "fit", out_of_time)
    file = str(tmp_path / "m.setwise")
    command = ["fit", str(files[0]), "--time-budget", "1", "-o", file]
    assert main([*command, "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["rows"], summary["data_rows"]) == (40, 120)
    assert main(command) == 0
    assert "fitted to 40 of 120 rows" in " ".join(capsys.readouterr().out.split())
    assert TrainingNotes.from_notes(describe(file).notes).rows == 40
    assert main(["inspect", file]) == 0
    assert "40 of 120 rows of train.arff" in capsys.readouterr().out


def test_one_row_is_enough_for_auto(tmp_path, capsys):
    """Red if candidates that were never compared are said to have run out of time."""
    (tmp_path / "one.csv").write_text("a,y,z\n1,0,1\n")
    fit = [
        "fit",
        str(tmp_path / "one.csv"),
        "--labels",
        "y",
        "z",
        "-o",
        str(tmp_path / "m.setwise"),
        "--json",
    ]
    assert main(fit) == 0
    statuses = {row["status"] for row in json.loads(capsys.readouterr().out)["leaderboard"]}
    assert "not tried: too few distinct rows to compare candidates" in statuses
    assert not any("time" in status for status in statuses)


def test_unknown_labels_are_taken_by_the_models_that_can(files, tmp_path, capsys):
    """A question mark in a label column: taken by some models and the automatic choice, refused by others."""
    data = generated()
    hidden = np.random.default_rng(0).random(data.Y.shape) < 0.2
    unknown = Dataset(data.X, np.where(hidden, -1, data.Y), data.feature_names, data.label_names)
    write_arff(unknown, tmp_path / "h.arff")
    fit = ["fit", str(tmp_path / "h.arff"), "--labels", "3", "-o", str(tmp_path / "m.setwise"), "--model"]
    for model in ("br", "tree", "auto"):
        assert main([*fit, model, "--time-budget", "2", "--json"]) == 0
        summary = json.loads(capsys.readouterr().out)
        assert summary["label_values_missing"] == hidden.sum()
    assert "left out: some labels are missing" in {row["status"] for row in summary["leaderboard"]}
    assert main(["evaluate", str(tmp_path / "m.setwise"), str(files[1])]) == 0
    assert main([*fit, "powerset"]) == 2
    assert "is unknown; leave the row out, or use --model auto or " in capsys.readouterr().err


def test_a_terminal_sees_one_fit(tmp_path):
    """Red if a fit to a share of the rows is made first, only to guess how long the whole takes."""
    X = np.random.default_rng(0).normal(size=(6000, 2)).round(3)
    write_csv(Dataset(X, X > 0, label_names=["tag_a", "tag_b"]), tmp_path / "own.csv")
    code = (
        "import sys, setwise; from setwise.cli import main\n"
        "fit, calls = setwise.BinaryRelevance.fit, []\n"
        "setwise.BinaryRelevance.fit = lambda self, X, *rest: (calls.append(len(X)), fit(self, X, *rest))[1]\n"
        "code = main(sys.argv[1:])\n"
        "print(calls)"
    )
    command = [sys.executable, "-c", code, "fit", str(tmp_path / "own.csv"), "--labels", "tag_*"]
    command += ["--model", "br", "-o", str(tmp_path / "m.setwise")]
    leader, follower = pty.openpty()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=follower, text=True, check=True)
    os.close(follower)
    assert done.stdout.splitlines()[-1] == "[6000]"
    os.close(leader)


@pytest.mark.parametrize(("n_rare", "told"), [(60, True), (20, False)])
def test_many_rare_labels_are_said_to_cost_time(n_rare, told, tmp_path, capsys):
    """Red if a fit of mostly rare labels does not name --min-rows, or a few rare ones are complained about."""
    lines = [f"{i % 7},common;other" for i in range(80)] + [f"{i % 7},rare{i}" for i in range(n_rare)]
    path = tmp_path / "tagged.csv"
    path.write_text("\n".join(["size,tags", *lines]), encoding="utf-8")
    fit = ["fit", str(path), "--labels", "tags", "--model", "br", "--set", "l2=1"]
    assert main([*fit, "-o", str(tmp_path / "m.setwise")]) == 0
    assert ("--min-rows 10 leaves them out" in capsys.readouterr().err.replace("\n", " ")) is told
    assert main([*fit, "--min-rows", "10", "-o", str(tmp_path / "m.setwise")]) == 0
    assert "too few to learn from" not in capsys.readouterr().err
