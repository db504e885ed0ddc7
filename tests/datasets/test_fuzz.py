import pytest
from hypothesis import given
from hypothesis import strategies as st

from setwise.datasets import read, read_label_file
from tests.datasets.fuzz import LABELS, SEEDS, fuzz


@pytest.mark.parametrize("seed", range(4))
def test_mutated_files_are_read_or_refused(seed):
    """Red if any reader raises more than a ValueError that names the file; the long run is in fuzz.py."""
    counts = fuzz(1500, seed)
    assert counts.total() == counts["read"] + counts["refused"] == 1500
    assert counts["read"] > 100


@pytest.mark.parametrize("name", SEEDS)
@given(noise=st.binary(max_size=200) | st.text(max_size=100).map(str.encode))
def test_noise_is_refused(tmp_path_factory, name, noise):
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(noise)
    try:
        read_label_file(path) if name.endswith(".xml") else read(path, LABELS.get(name))
    except ValueError as error:
        message = str(error)
    else:
        message = name
    assert name in message


@pytest.mark.filterwarnings("ignore:.*ignoring columns of free text")
@pytest.mark.parametrize("name", SEEDS)
def test_the_seeds_themselves_are_read(tmp_path, name):
    (tmp_path / name).write_bytes(SEEDS[name])
    read_label_file(tmp_path / name) if name.endswith(".xml") else read(tmp_path / name, LABELS.get(name))
