"""Errors that carry what they are about."""

import pickle
import warnings

import pytest

from setwise.errors import InputError, InputWarning, Parameter

BARE = dict(parameter="labels", hint=("pass ", Parameter("labels")))
FIELDS = dict(
    parameter=Parameter("labels", "x"),
    file="a.csv",
    line=2,
    position=3,
    column="c",
    row=0,
    label="l",
    hint="do this",
)


def test_an_input_error_is_a_value_error_with_attributes():
    error = InputError("wrong", **FIELDS)
    assert isinstance(error, ValueError)
    assert str(error) == "a.csv:2:3: labels='x': wrong; do this"
    assert [getattr(error, name) for name in FIELDS if name != "hint"] == list(FIELDS.values())[:-1]


@pytest.mark.parametrize("fields", [FIELDS, BARE])
@pytest.mark.parametrize("kind", [InputError, InputWarning])
def test_attributes_survive_pickling(kind, fields):
    """Red if an error from a worker process loses what the command renders it from."""
    error = kind("wrong", **fields)
    copy = pickle.loads(pickle.dumps(error))
    assert vars(copy) == vars(error)
    assert str(copy) == str(error)


def test_parameters_are_spelled_by_whoever_shows_the_error():
    """Red if a spelling is built into the message."""
    error = InputError("wrong", parameter="tag_separator", hint=("pass ", Parameter("decimal", ",")))
    assert str(error) == "tag_separator=: wrong; pass decimal=','"
    assert error.render(lambda parameter: f"<{parameter.name}>") == "<tag_separator>: wrong; pass <decimal>"


def test_a_warning_keeps_its_attributes():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.warn(InputWarning("odd", file="a.csv", column="c"), stacklevel=1)
    assert caught[0].category is InputWarning
    assert caught[0].message.column == "c"
