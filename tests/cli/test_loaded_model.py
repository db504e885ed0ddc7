"""Models from files."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from setwise import BinaryRelevance, save, storage
from setwise.cli import main
from setwise.cli.loaded_model import load_model
from tests.cli.wrong_files import check_wrong_usage

NAMES = ["nowhere.setwise", "a folder", "good.csv", "empty.setwise", "binary.setwise", "text.setwise"]
NAMES += ["zip.setwise", "cut.setwise", "flipped.setwise", "good.svm", "", "yeast", "binary.npz"]
COMMANDS = (
    ["predict", "good.csv", "-o", "precious.csv"],
    ["evaluate", "good.csv"],
    ["inspect"],
    ["errors", "good.csv"],
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_a_file_that_is_not_a_model_is_named(command, name, wrong, capsys):
    check_wrong_usage([command[0], name, *command[1:]], wrong, capsys)


def test_a_model_file_is_opened_once(model, files, monkeypatch, capsys):
    """Red if a command reads and checks the whole file once for the model and once for its description."""
    opened = []
    original = storage.Container.__init__

    def count(self, path, *arguments, **options):
        opened.append(path)
        original(self, path, *arguments, **options)

    monkeypatch.setattr(storage.Container, "__init__", count)
    assert main(["predict", str(model), str(files[1])]) == 0
    assert [str(path) for path in opened] == [str(model)]


def test_what_the_file_says_belongs_to_the_model(model):
    loaded = load_model(str(model))
    assert loaded.about.label_names == list(loaded.final.label_names_) == loaded.takes.label_names
    assert loaded.training.data == "train.arff"


def test_numbers_for_a_model_of_text_are_one_line(own_table, tmp_path, capsys):
    """Red if the encoder of a pipeline made in Python fails at them in words of NumPy."""
    words = np.array([["red", "round", "new"], ["blue", "flat", "old"]] * 10)
    pipeline = make_pipeline(OneHotEncoder(handle_unknown="ignore"), BinaryRelevance(l2=1.0))
    save(pipeline.fit(words, [["tag_a"], ["tag_b"]] * 10), tmp_path / "text.setwise")
    assert main(["evaluate", str(tmp_path / "text.setwise"), str(own_table)]) == 2
    errors = capsys.readouterr().err
    assert "step 'onehotencoder' (OneHotEncoder) was fitted to" in errors
    assert "isnan" not in errors
