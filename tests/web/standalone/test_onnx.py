"""ONNX graphs give Python's numbers: computed by onnxruntime, which is not ours."""

import numpy as np
import pytest

from setwise import (
    BinaryRelevance,
    ClassifierChain,
    ConditionalBernoulliMixture,
    ConditionalTree,
    LabelPowerset,
    MixtureOfTrees,
)
from setwise.errors import InputError
from setwise.web.standalone import to_onnx

onnxruntime = pytest.importorskip("onnxruntime", reason="needs onnxruntime and onnx")
pytest.importorskip("onnx", reason="needs onnx")

MODELS = {
    "product": BinaryRelevance(l2=1.0),
    "product with the empty set": BinaryRelevance(l2=1.0, min_labels=0),
    "product of at least two": BinaryRelevance(l2=1.0, min_labels=2),
    "unit rows": BinaryRelevance(l2=1.0, unit_rows=True),
    "tree": ConditionalTree(l2=1.0),
    "table": LabelPowerset(l2=1.0, backoff=0.0),
    "table with a product behind it": LabelPowerset(l2=1.0, backoff=0.3),
    "mixture of products": ConditionalBernoulliMixture(
        3, l2=1.0, gate_l2=1.0, tuning=False, max_iter=3, random_state=0
    ),
    "mixture of trees": MixtureOfTrees(2, l2=1.0, seen_share=0.0, random_state=0),
}


def _data(seed=0, n=120, missing=False):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    first = X[:, 0] + rng.logistic(size=n) > 0
    second = first ^ (rng.random(n) < 0.2)
    Y = np.column_stack([first, second, ~first | second, rng.random(n) < 0.4]).astype(int)
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    return X, Y


def _run(model, X):
    session = onnxruntime.InferenceSession(to_onnx(model), providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, {"features": X}))), session.get_modelmeta().custom_metadata_map


@pytest.mark.parametrize("missing", [False, True], ids=["complete", "missing features"])
@pytest.mark.parametrize("name", MODELS)
def test_onnxruntime_gives_the_same_numbers(name, missing):
    """Red if a probability differs by more than 1e-6, or a best set at all; scores of unseen rows too."""
    model = MODELS[name].fit(*_data(missing=missing))
    X, _ = _data(seed=1, n=500, missing=missing)
    answers, metadata = _run(model, X)
    assert np.abs(answers["probabilities"] - model.predict_proba(X)).max() < 1e-6
    if "best_set" in answers:
        assert (answers["best_set"] == model.predict(X, decision="subset")).all()
    assert metadata["labels"].split("\n") == [str(label) for label in model.label_names_]


def test_products_and_tables_have_a_best_set():
    """Red if the output is lost; other families have none."""
    with_best = {
        name for name, model in MODELS.items() if "best_set" in _run(model.fit(*_data()), _data()[0])[0]
    }
    assert with_best == set(MODELS) - {"tree", "mixture of products", "mixture of trees"}


def test_other_models_are_refused_with_the_names_of_those_that_work():
    with pytest.raises(InputError, match="BinaryRelevance"):
        to_onnx(ClassifierChain(l2=1.0).fit(*_data()))
