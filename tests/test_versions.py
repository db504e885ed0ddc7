"""Versions, and the public names."""

import ast
import importlib
from importlib.metadata import version
from pathlib import Path

import pytest

import setwise
from setwise.versions import installation


def test_the_package_knows_its_version():
    assert setwise.__version__ == version("setwise")
    assert "__version__" in dir(setwise)


def test_show_versions_names_what_matters_in_a_report(capsys):
    """Red if a dependency, the extras or the kernels are missing, or tools of developers are listed."""
    setwise.show_versions()
    shown = dict(line.split(": ", 1) for line in capsys.readouterr().out.splitlines())
    assert shown == installation()
    for name in ("setwise", "numpy", "scipy", "scikit-learn", "threadpoolctl"):
        assert shown[name] == version(name)
    assert {"python", "platform", "rich", "matplotlib", "lightgbm", "kernels"} <= set(shown)
    assert not {"pytest", "ruff"} & set(shown)
    assert "threads" in shown["kernels"]


def test_a_package_that_is_not_installed_is_said_to_be(monkeypatch):
    monkeypatch.setattr("setwise.versions.requires", lambda name: ['nowhere>=1; extra == "cli"', "numpy>=2"])
    assert installation()["nowhere"] == "not installed"


def test_public_names_are_importable_and_defined_where_the_stub_says():
    """Red if the stub imports a name from a module that does not have it."""
    stub = ast.parse(Path(setwise.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    listed = [
        (alias.name, alias.asname, node.module)
        for node in ast.walk(stub)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]
    assert [name for name, _, _ in listed] == setwise.__all__
    for name, renamed, module in listed:
        assert name == renamed
        assert getattr(setwise, name) is getattr(importlib.import_module(module), name)
    assert set(setwise.__all__) <= set(dir(setwise))


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(AttributeError, match=r"no attribute 'Oracle'; it has .*BinaryRelevance"):
        _ = setwise.Oracle
