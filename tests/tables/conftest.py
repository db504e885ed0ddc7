"""A way to write small tables."""

import pytest


@pytest.fixture
def table(tmp_path):
    def write(text, name="toy.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write
