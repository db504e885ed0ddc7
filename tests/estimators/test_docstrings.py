"""Docstrings of estimators: every parameter is documented, shared paragraphs are filled in."""

import ast
import inspect
import re

import pytest

from setwise import SetClassifier
from setwise.docstrings import PLACE
from setwise.estimators.base.docstrings import PARAGRAPHS
from tests.estimators.registry import ESTIMATORS


def section(cls, title):
    """The entries of a section of a class's docstring, in their order."""
    text = inspect.getdoc(cls).split(f"\n{title}\n{'-' * len(title)}\n")[1]
    text = re.split(r"\n\n\w+\n-+\n", text)[0]
    names = [line.partition(" :")[0] for line in text.splitlines() if line and not line.startswith(" ")]
    return [name.strip() for entry in names for name in entry.split(",")]


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_every_parameter_is_documented_in_order(cls):
    """Red if a parameter is missing, misspelt or out of place."""
    documented, parameters = section(cls, "Parameters"), list(inspect.signature(cls).parameters)
    assert sorted(documented) == sorted(parameters)


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_defaults_are_those_of_the_signature(cls):
    """Red if a documented default is not the real one."""
    stated = dict(re.findall(r"^(\w+) : .*default=(\S+)$", inspect.getdoc(cls), re.MULTILINE))
    parameters = inspect.signature(cls).parameters
    assert stated
    for name, default in stated.items():
        assert parameters[name].default == ast.literal_eval(default)


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_no_place_is_left_open(cls):
    """Red if help() shows the name of a paragraph instead of its text."""
    assert not PLACE.search(cls.__doc__)
    assert "label_names_" in section(cls, "Attributes")


def test_paragraphs_are_used():
    """Red if a shared paragraph stands for nothing."""
    source = "".join(inspect.getsource(inspect.getmodule(cls)) for cls in ESTIMATORS)
    assert {name for _, name in PLACE.findall(source)} == set(PARAGRAPHS)


def test_an_unknown_place_fails_when_the_class_is_made():
    with pytest.raises(KeyError, match="decison"):

        class Odd(SetClassifier):
            """An estimator.

            {decison}
            """
