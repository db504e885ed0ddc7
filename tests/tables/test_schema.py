import json

import pytest

from setwise.datasets import InputError, Schema, TagColumn

FULL = Schema(
    ("size", "colour"), {"colour": ("blue", "red")}, True, TagColumn("tags", ";"), delimiter="\t", decimal=","
)


@pytest.mark.parametrize("schema", [Schema(), FULL])
def test_a_schema_survives_json(schema):
    """Red if a field is lost on the way into a model file and back."""
    assert Schema.from_dict(json.loads(json.dumps(schema.to_dict()))) == schema


@pytest.mark.parametrize(
    "damage",
    [
        {"columns": "size"},
        {"columns": [1]},
        {"columns": None},
        {"categories": []},
        {"categories": {"other": ["a"]}},
        {"categories": {"colour": [["a"]]}},
        {"zero_based": 1},
        {"tags": "tags"},
        {"tags": {"column": "tags"}},
        {"delimiter": 5},
        {"decimal": ";"},
        {"memory": "folder"},
    ],
)
def test_a_damaged_schema_is_refused(damage):
    """Red if a forged model file can pass a value of another type, or another field, to the readers."""
    with pytest.raises(InputError, match="schema of the training table is damaged"):
        Schema.from_dict(FULL.to_dict() | damage)
    with pytest.raises(InputError, match="damaged"):
        Schema.from_dict([damage])
