"""Forged files do nothing but raise ModelFileError or answer."""

import pytest

from setwise.persistence.records import Record
from setwise.persistence.schemas import SCHEMAS
from tests.fuzz import corpus
from tests.fuzz.forgeries import File, choices
from tests.fuzz.pool import Worker, run
from tests.fuzz.worker import TRIALS


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    return corpus.write(tmp_path_factory.mktemp("corpus"))


def report(wrong):
    return "\n".join(f"{name} | {done} | {answer['wrong'] or answer}" for name, done, answer in wrong[:20])


def test_some_hundred_forged_files_do_no_harm(originals, tmp_path):
    """Red if a forged file crashes or hangs, touches a file, starts a process, takes a gigabyte or answers NaN."""
    counts, wrong = run(originals, tmp_path, 200, seed=0)
    assert not wrong, report(wrong)
    assert counts["refused"] > counts["answered"] > 0


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_ten_thousand_forged_files_do_no_harm(originals, tmp_path):
    counts, wrong = run(originals, tmp_path, 10_000, seed=1)
    assert not wrong, report(wrong)
    assert sum(counts.values()) == 10_000


def test_harm_is_noticed(originals):
    """Red if the watch is blind: the runs above would then mean nothing."""
    path, _ = originals["BinaryRelevance"]
    with Worker() as worker:
        assert not worker.ask(path, "dense")["wrong"]
        for trial in TRIALS:
            assert worker.ask(path, "dense", trial=trial)["wrong"], f"{trial} was not noticed"
        assert not worker.ask(path, "dense")["wrong"]


def test_every_stored_class_is_forged(originals):
    """Red if a class that files may hold has no model in the corpus."""
    nodes = [node for path, _ in originals.values() for node in File(path).objects()]
    missing = set(SCHEMAS) - {node["class"] for node in nodes}
    assert missing == {"part.Hamming", "part.Jaccard", "part.Subset"}  # they hold nothing


SHARED = {"feature_names_in_", "fill_", "unit_rows_", "_sklearn_output_config"}
"""Attributes that one schema declares for many classes: each is forged in some of them."""


def test_every_stored_attribute_is_forged(originals):
    """Red if files may hold an attribute, under some choice of parameters, that no model in the corpus has."""
    seen = {}
    for path, _ in originals.values():
        for node in File(path).objects():
            seen.setdefault(node["class"], set()).update(node["state"])
    everywhere = set.union(*seen.values())
    missing = [
        f"{name}.{attribute}"
        for name in SCHEMAS
        for attribute in attributes(name) - (everywhere & SHARED) - seen.get(name, set())
    ]
    assert sorted(missing) == ["sklearn.ColumnTransformer._n_features"]  # of other versions of scikit-learn


def attributes(name):
    """The attributes of a class, under each choice of a parameter."""
    fields = SCHEMAS[name].fields
    if not callable(fields):
        return set(fields)
    other = Record("sklearn.GaussianNB", {}, {})
    settings = [{}, {"learner": other}, {"size_model": other}, {"class_weight": "balanced"}, {"joint": other}]
    settings += [{key: value} for key, values in choices(name).items() for value in values]
    return {attribute for setting in settings for attribute in fields(setting)}
