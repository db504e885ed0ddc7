"""JSON is measured before it is parsed."""

import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from setwise.storage import StoredFileError
from setwise.storage.manifest import MAX_NODES, json_depth, parse_json

plain = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
)
values = st.recursive(
    plain | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


def depth(value):
    if isinstance(value, (list, dict)):
        items = value.values() if isinstance(value, dict) else value
        return 1 + max(map(depth, items), default=0)
    return 0


@given(values)
def test_what_python_writes_is_read(value):
    """Red if a limit or a hook changes a value."""
    assert parse_json(json.dumps(value).encode(), "text") == value


@given(values)
def test_the_depth_is_known_without_parsing(value):
    """Red if brackets or escapes inside strings are counted."""
    assert json_depth(json.dumps(value, ensure_ascii=False).encode()) == depth(value)


BOMBS = {
    "deep": b"[" * 10**6,
    "many lists": b"[" + b"[]," * MAX_NODES + b"[]]",
    "many objects": b"[" + b'{"a":1},' * MAX_NODES + b"{}]",
    "many strings": b'"' * 2**24,
    "escapes": b'["' + b'\\"' * 2**24 + b'"]',
    "long": b'"' + b"a" * 2**26 + b'"',
    "digits": b"9" * 10**6,
    "infinite": b"[1e999]",
    "constants": b"[NaN]",
    "twice": b'{"a": 1, "a": 2}',
    "half": b'{"a": ',
    "bytes": b"\xff\xfe",
}


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_are_refused_in_little_memory(name):
    """64 MB of JSON used to take 1.6 GB."""
    content = BOMBS[name]
    tracemalloc.start()
    try:
        with pytest.raises(StoredFileError, match="the text"):
            parse_json(content, "the text")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4 * len(content) + 10_000_000
