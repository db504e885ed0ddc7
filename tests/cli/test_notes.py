"""What ``setwise fit`` writes into a model file about the training data."""

import numpy as np
import pytest

import setwise
from setwise.cli import main
from setwise.datasets import Dataset, write_csv
from setwise.errors import InputError
from setwise.persistence import describe
from setwise.persistence.training_notes import TrainingNotes
from setwise.tables import Schema

NOTES = TrainingNotes("songs.csv", 90, 120, ("tempo",), Schema(("tempo",)))


@pytest.mark.parametrize(
    "damage",
    [
        {"data": 1},
        {"rows": "90"},
        {"features": "tempo"},
        {"features": [1]},
        {"schema": []},
        {"more": 1},
        "all",
    ],
    ids=str,
)
def test_damaged_notes_are_refused(damage):
    """Red if a forged model file can pass a value of another type to the commands."""
    stored = NOTES.to_notes()["training"]
    with pytest.raises(InputError, match="damaged"):
        TrainingNotes.from_notes({"training": damage if damage == "all" else stored | damage})


def test_damaged_notes_of_a_file_name_the_file(model, files, capsys):
    setwise.save(setwise.load(model), model, notes={"training": 5})
    assert main(["predict", str(model), str(files[1])]) == 2
    assert f"setwise: {model}: the notes about the training data are damaged" in capsys.readouterr().err


def test_notes_of_ones_own_do_not_matter(model, tmp_path, capsys):
    """Red if a key that a user chose for a note changes how the command reads data."""
    setwise.save(setwise.load(model), model, notes={"rows": "many", "schema": 7, "features": None})
    write_csv(Dataset(np.zeros((5, 4)), np.zeros((5, 0))), tmp_path / "features.csv")
    assert main(["predict", str(model), str(tmp_path / "features.csv")]) == 0
    assert main(["inspect", str(model)]) == 0
    assert "unknown data" in capsys.readouterr().out


def test_the_notes_describe_the_training_table(own_table, tmp_path):
    file = tmp_path / "m.setwise"
    fit = ["fit", str(own_table), "--labels", "tag_*", "--ignore", "x1", "--model", "br", "-o", str(file)]
    assert main(fit) == 0
    notes = TrainingNotes.from_notes(describe(file).notes)
    assert (notes.data, notes.rows, notes.data_rows, notes.features) == ("own.csv", 60, 60, ("x0", "x2"))
    assert setwise.load(file)[0].feature_names_in_.tolist() == ["x0", "x2"]
