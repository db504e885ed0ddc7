"""No block of code on a page goes unrun: each is run here, by a test that is named here, or is a server to start."""

import re
import shlex
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from distributed import Client

from setwise import BinaryRelevance
from setwise.blockwise import BlockwiseSetClassifier
from setwise.cli import main
from setwise.cli.main import COMMANDS, build_parser
from setwise.datasets import available, make_cbm

ROOT = Path(__file__).parents[1]
PAGES = ["README.md", *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md")))]
ELSEWHERE = {
    ("README.md", "sh"): "tests/test_readme.py",
    ("docs/own_texts.md", "sh"): "tests/test_readme.py",
    ("docs/own_texts.md", "bash"): "tests/web/server/test_docs.py",
    ("docs/interoperability.md", "py"): "tests/test_interoperability.py",
    ("docs/server.md", "py"): "tests/web/server/test_docs.py",
    ("docs/server.md", "bash"): "tests/web/server/test_docs.py",
    ("docs/server.md", "js"): "tests/web/server/test_docs.py",
    ("docs/server.md", "sh"): "tests/web/server",
    ("docs/explorer.md", "sh"): "tests/web/explorer",
    ("docs/getting_started.md", "sh"): "tests/cli/commands/test_demo.py",
}
"""The tests that run the blocks of a page in a language."""

HERE = {
    *(("docs/big_data.md", language) for language in ("py", "bash")),
    *((f"docs/{page}.md", "sh") for page in ("explanations", "try_it")),
    ("docs/rcv1_alignment.md", "py"),
}


def _blocks(page, language):
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def _commands(page, language):
    lines = "".join(_blocks(page, language)).replace("\\\n", " ").splitlines()
    return [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("setwise ")]


def test_every_block_is_run_by_a_test():
    """Red if a page gets a block in a language of code that no test runs; ``python`` runs on all pages."""
    for page in PAGES:
        for language in ("py", "sh", "bash", "js"):
            if _blocks(page, language) and (page, language) not in HERE:
                assert (ROOT / ELSEWHERE[page, language]).exists(), (page, language)


@pytest.mark.parametrize("page", PAGES)
def test_every_command_is_one_that_setwise_takes(page):
    """Red if a page shows an option or a command that does not exist; those that start servers are included."""
    for language in ("sh", "bash"):
        for command in _commands(page, language):
            build_parser(list(COMMANDS)).parse_args(command)


@pytest.fixture
def tickets(tmp_path, monkeypatch):
    """A folder with the tickets of the tour, and a model of them."""
    monkeypatch.chdir(tmp_path)
    exec(compile(_blocks("docs/own_texts.md", "python")[0], "own_texts.md", "exec"), {})
    rows = Path("tickets.csv").read_text(encoding="utf-8").splitlines(keepends=True)[:120]
    for name in ("tickets.csv", "new.csv", "test.csv"):
        Path(name).write_text("".join(rows), encoding="utf-8")
    assert (
        main(
            [
                "fit",
                "tickets.csv",
                "--labels",
                "tags",
                "--model",
                "tree",
                "--set",
                "l2=1",
                "-o",
                "tickets.setwise",
            ]
        )
        == 0
    )


def test_a_model_is_explained_and_exported(tickets):
    """Red if a command of the pages on explanations or on the browser fails."""
    for page in ("docs/explanations.md", "docs/try_it.md"):
        for command in _commands(page, "sh"):
            assert main(command) == 0, command
    assert Path("why.html").exists()
    assert Path("tickets.html").exists()


def test_a_table_is_fitted_in_parts(tmp_path, monkeypatch):
    """Red if the commands or the call for a large Parquet file fail."""
    monkeypatch.chdir(tmp_path)
    words = np.random.default_rng(0).choice(["card", "bill", "login"], size=(300, 2))
    pd.DataFrame(
        {"text": [" ".join(row) for row in words], "tags": [";".join({*row}) for row in words]}
    ).to_parquet("big.parquet")
    shutil.copy("big.parquet", "new.parquet")
    for command in _commands("docs/big_data.md", "bash"):
        assert main(command) == 0, command
    assert len(pd.read_parquet("answers.parquet")) == 300
    (code,) = [block for block in _blocks("docs/big_data.md", "py") if "fit_table" in block]
    names = {"BlockwiseSetClassifier": BlockwiseSetClassifier, "BinaryRelevance": BinaryRelevance}
    exec(compile(code, "big_data.md", "exec"), names)
    assert set(names["model"].predict_tags([{"text": "card bill"}])[0]) <= {"card", "bill", "login"}


def test_the_automatic_choice_runs_on_a_cluster():
    """Red if the block on choosing with a cluster fails; it may spend less here than on the page."""
    (code,) = [block for block in _blocks("docs/big_data.md", "py") if "choosing_on" in block]
    data, _ = make_cbm(120, n_labels=3, n_features=4, random_state=0)
    assert "effort=300" in code
    with Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=":0") as client:
        names = {"client": client, "X": data.X, "Y": data.Y}
        exec(compile(code.replace("effort=300", "effort=0.5"), "big_data.md", "exec"), names)
    assert names["model"].predict(data.X).shape == data.Y.shape


@pytest.mark.skipif("rcv1subset1" not in available(), reason="the rcv1 subsets are not in SETWISE_DATA")
@pytest.mark.filterwarnings("ignore")
def test_a_misaligned_set_is_loaded_in_three_ways():
    """Red if an option of the page on the rcv1 subsets is gone."""
    (code,) = _blocks("docs/rcv1_alignment.md", "py")
    exec(compile(code, "rcv1_alignment.md", "exec"), {})
