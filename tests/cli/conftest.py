"""Small data files, models of them, and a folder of files that are wrong."""

import os

import numpy as np
import pytest

from setwise.cli import main
from setwise.datasets import Dataset, read, write_arff, write_csv, write_libsvm
from setwise.datasets.mulan_xml import write_label_file
from tests.cli.data import generated
from tests.cli.wrong_files import FILES

X = np.random.default_rng(0).normal(size=(30, 2)).round(3)
GOOD = Dataset(X, (X > 0).astype(int), ["a", "b"], ["red", "round"], name="good")


@pytest.fixture
def files(tmp_path):
    """A training and a test file."""
    write_arff(generated(), tmp_path / "train.arff")
    write_arff(generated(seed=1), tmp_path / "test.arff")
    return tmp_path / "train.arff", tmp_path / "test.arff"


@pytest.fixture(scope="session")
def fitted_tree(tmp_path_factory):
    """The bytes of a model file, fitted once: a fit takes longer than the tests that ask it."""
    folder = tmp_path_factory.mktemp("tree")
    write_arff(generated(), folder / "train.arff")
    assert main(["fit", str(folder / "train.arff"), "--model", "tree", "-o", str(folder / "m.setwise")]) == 0
    return (folder / "m.setwise").read_bytes()


@pytest.fixture
def model(fitted_tree, tmp_path):
    """A model of the training file."""
    path = tmp_path / "tree.setwise"
    path.write_bytes(fitted_tree)
    return path


@pytest.fixture
def with_ids(files, tmp_path):
    """The test rows as CSV, with identifiers that no model knows and a column called like one of the answers'."""
    write_csv(read(files[1]), tmp_path / "plain.csv")
    header, *lines = (tmp_path / "plain.csv").read_text().splitlines()
    ids = [f"{i},007 ü" for i in range(1000, 1000 + len(lines))]
    path = tmp_path / "ids.csv"
    path.write_text("\n".join([f"row,id,{header}", *map(",".join, zip(ids, lines))]) + "\n")
    return path


@pytest.fixture
def own_table(tmp_path):
    """A small CSV file with two labels that follow the features."""
    X = np.random.default_rng(0).normal(size=(60, 3))
    path = tmp_path / "own.csv"
    write_csv(Dataset(X, X[:, :2] > 0, label_names=["tag_a", "tag_b"], name="own"), path)
    return path


@pytest.fixture(scope="session")
def wrong_folder(tmp_path_factory):
    """A folder with good and wrong files, a model, a model without a joint distribution and damaged ones."""
    folder = tmp_path_factory.mktemp("wrong")
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    write_csv(GOOD, folder / "good.csv")
    write_arff(GOOD, folder / "good.arff")
    write_libsvm(GOOD, folder / "good.svm")
    (folder / "a folder").mkdir()
    (folder / "link.csv").symlink_to("good.csv")
    (folder / "hard.csv").hardlink_to(folder / "good.csv")
    write_arff(GOOD, folder / "mulan.arff", style="mulan")
    write_label_file(["red"], folder / "red.xml")
    here = os.getcwd()
    os.chdir(folder)
    assert main(["fit", "good.csv", "--labels", "red", "round", "--model", "br", "-o", "m.setwise"]) == 0
    assert main(["fit", "good.csv", "--labels", "red", "round", "--model", "cdn", "-o", "cdn.setwise"]) == 0
    os.chdir(here)
    whole = (folder / "m.setwise").read_bytes()
    (folder / "cut.setwise").write_bytes(whole[:-100])
    (folder / "flipped.setwise").write_bytes(whole[:1000] + bytes([whole[1000] ^ 1]) + whole[1001:])
    (folder / "precious.csv").write_text("precious\n")
    (folder / "precious.setwise").write_text("precious\n")
    return folder


@pytest.fixture
def wrong(wrong_folder, monkeypatch):
    """Work in the folder of wrong files, without any known data sets."""
    monkeypatch.chdir(wrong_folder)
    monkeypatch.delenv("SETWISE_DATA", raising=False)
    monkeypatch.setenv("SETWISE_CACHE", str(wrong_folder))
    return wrong_folder
