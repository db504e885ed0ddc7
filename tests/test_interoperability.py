"""Every section of the page on other tools runs, where its packages are installed."""

import importlib
import logging
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "interoperability.md"
HEAD, *SECTIONS = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
BLOCK = re.compile(r"```py\n(.*?)```", flags=re.DOTALL)
NEEDS = {
    "pandas, polars, pyarrow": ["polars", "pyarrow"],
    "joblib": [],
    "skops": ["skops"],
    "MLflow": ["mlflow"],
    "ONNX": ["onnx", "onnxruntime"],
    "Optuna": ["optuna"],
    "shap": ["shap"],
}


@pytest.mark.filterwarnings("ignore")  # of the other tools; the blocks assert what matters
@pytest.mark.parametrize(
    "section", [text for text in SECTIONS if BLOCK.search(text)], ids=lambda text: text.split("\n")[0]
)
def test_a_section_runs(section, tmp_path, monkeypatch):
    """Red if a tool does not take our models, or gives other numbers: the blocks assert that they are equal."""
    for package in ["pandas", *NEEDS[section.split("\n")[0]]]:
        pytest.importorskip(package, reason=f"{package} is not installed: pip install 'setwise[interop]'")
    monkeypatch.chdir(tmp_path)
    if "optuna" in section:
        importlib.import_module("optuna").logging.set_verbosity(logging.WARNING)
    names: dict[str, object] = {}
    for block in BLOCK.findall(HEAD + section):
        exec(compile(block, PAGE.name, "exec"), names)


def test_every_section_with_code_says_what_it_needs():
    assert {text.split("\n")[0] for text in SECTIONS if BLOCK.search(text)} == set(NEEDS)
