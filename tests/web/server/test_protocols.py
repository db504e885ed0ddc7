"""The Open Inference Protocol V2 and the backend of Label Studio."""

import json

import numpy as np
import pandas as pd
import pytest

import setwise
from tests.web.models import LABELS, beach_data, table_of
from tests.web.running import Running

CONFIG = """<View><Text name="text" value="$note"/>
<Choices name="what" toName="text" choice="multiple">
  <Choice value="sea"/><Choice value="sand"/><Choice value="sun"/><Choice value="Nebel" alias="fog"/>
</Choices></View>"""


def tensor(name, values, datatype="FP64"):
    values = np.asarray(values)
    return {"name": name, "shape": list(values.shape), "datatype": datatype, "data": values.ravel().tolist()}


def infer(server, model, inputs, **fields):
    reply = server.post(f"/v2/models/{model}/infer", {"inputs": inputs} | fields)
    assert reply.status == 200, reply.content
    return {o["name"]: np.array(o["data"]).reshape(o["shape"]) for o in reply.data["outputs"]}, reply.data


def test_tensors_answer_as_in_python(server, served):
    X = beach_data(4, seed=20)[0]
    outputs, reply = infer(server, "tree", [tensor("features", X)], id="seven", parameters={"decision": "f1"})
    decided = served["tree"].decide(X, "f1")
    assert (outputs["labels"] == decided.labels).all()
    assert outputs["expected_loss"].tolist() == decided.expected_loss.tolist()
    assert outputs["probabilities"].tolist() == served["tree"].predict_proba(X).tolist()
    log_prob = served["tree"].distribution(X).log_prob(decided.labels)
    assert outputs["log_probability"].tolist() == log_prob.tolist()
    assert (reply["id"], reply["model_name"], reply["parameters"]["labels"]) == ("seven", "tree", LABELS)


def test_evidence_and_top_k_are_tensors_too(server, served):
    X = beach_data(4, seed=21)[0]
    known = np.full((4, 4), -1)
    known[:, 1] = [0, 1, 0, 1]
    names = [{"name": name} for name in ("top_labels", "top_log_probability", "sizes")]
    inputs = [tensor("features", X), tensor("evidence", known, "INT8")]
    outputs, _ = infer(server, "tree", inputs, outputs=names, parameters={"k": 3})
    joint = served["tree"].distribution(X).condition(known)
    assert list(outputs) == [name["name"] for name in names]
    assert (outputs["top_labels"] == joint.top_k(3).labels).all()
    assert outputs["top_log_probability"].tolist() == joint.top_k(3).log_prob.tolist()
    assert outputs["sizes"].tolist() == joint.size_probs().tolist()


def test_columns_of_a_table_are_tensors(server, served):
    rows = table_of(*beach_data(5, seed=22))
    kinds = {column["name"]: column["datatype"] for column in server.get("/v2/models/table").data["inputs"]}
    inputs = [tensor(name, [row[name] for row in rows], kinds[name]) for name in rows[0]]
    outputs, _ = infer(server, "table", inputs)
    assert outputs["probabilities"].tolist() == served["table"].predict_proba(pd.DataFrame(rows)).tolist()


def test_a_pipeline_that_was_fitted_to_a_frame_takes_a_tensor_or_columns(server, served):
    X = beach_data(4, seed=26)[0]
    expected = served["scaled"].predict_proba(pd.DataFrame(X, columns=list("abcde"))).tolist()
    columns = [tensor(name, X[:, place]) for place, name in enumerate("abcde")]
    for inputs in ([tensor("features", X)], columns):
        assert infer(server, "scaled", inputs)[0]["probabilities"].tolist() == expected


def test_a_table_of_numbers_takes_a_tensor_or_columns(tmp_path):
    X, Y = beach_data(20, seed=29)
    rows = pd.DataFrame(X, columns=list("abcde"))
    model = setwise.make_set_pipeline(setwise.TableEncoder(), setwise.ConditionalTree(l2=1.0)).fit(rows, Y)
    setwise.save(model, tmp_path / "numbers.setwise")
    with Running(str(tmp_path), log=tmp_path / "log") as server:
        for inputs in ([tensor("features", X)], [tensor(name, X[:, j]) for j, name in enumerate("abcde")]):
            outputs, _ = infer(server, "numbers", inputs)
            assert outputs["probabilities"].tolist() == model.predict_proba(rows).tolist()
        reply = server.post("/v2/models/numbers/infer", {"inputs": [tensor("features", X[:, :4])]})
        assert (reply.status, "4 columns; the model takes 5" in reply.data["error"]) == (422, True)
        one, several = (
            server.ask("numbers", "explain", row=X[0].tolist(), target=t) for t in ("sea", ["sea"])
        )
        assert one == several
        assert server.get("/api/models/numbers").data["decision"] == "subset"


def test_texts_are_a_tensor(server, served):
    texts = [row["note"] for row in table_of(*beach_data(5, seed=23))]
    outputs, _ = infer(server, "texts", [tensor("text", texts, "BYTES")])
    assert outputs["probabilities"].tolist() == served["texts"].predict_proba(texts).tolist()


def binary_body(fields, *arrays):
    contents = [np.ascontiguousarray(array).tobytes() for array in arrays]
    for described, content in zip(fields["inputs"], contents):
        described["parameters"] = {"binary_data_size": len(content)}
        described.pop("data", None)
    head = json.dumps(fields).encode()
    headers = {"Inference_Header_Content_Length": str(len(head)), "Content_Type": "application/octet-stream"}
    return b"".join([head, *contents]), headers


def test_tensors_may_be_bytes_behind_the_json(server, served):
    X = beach_data(4, seed=27)[0]
    fields = {"inputs": [tensor("features", X)], "parameters": {"binary_data_output": True}}
    body, headers = binary_body(fields, X)
    reply = server.post("/v2/models/tree/infer", body, **headers)
    assert reply.status == 200, reply.content
    length = int(reply.headers["inference-header-content-length"])
    outputs, place = {o["name"]: o for o in json.loads(reply.content[:length])["outputs"]}, length
    for output in outputs.values():
        size = output["parameters"]["binary_data_size"]
        output["content"], place = reply.content[place : place + size], place + size
    assert place == len(reply.content)
    assert outputs["probabilities"]["content"] == served["tree"].predict_proba(X).tobytes()
    assert outputs["labels"]["content"] == served["tree"].decide(X).labels.tobytes()


@pytest.mark.parametrize(
    ("size", "length"),
    [(159, None), (161, None), (-1, None), (160, "9" * 30), (160, "-1"), (160, "x"), (168, "5")],
)
def test_wrong_lengths_of_bytes_are_explained(server, size, length):
    X = beach_data(4, seed=28)[0]
    body, headers = binary_body({"inputs": [tensor("features", X)]}, X)
    body = body.replace(b'"binary_data_size": 160', b'"binary_data_size": %d' % size)
    headers["Inference_Header_Content_Length"] = length or str(len(body) - 160)
    assert server.post("/v2/models/tree/infer", body, **headers).status in (400, 422)


def test_bytes_that_are_not_finite_are_refused(server):
    body, headers = binary_body(
        {"inputs": [tensor("features", [[0.0] * 5])]}, np.array([[0, np.nan, 0, 0, np.inf]])
    )
    reply = server.post("/v2/models/tree/infer", body, **headers)
    assert (reply.status, "not finite" in reply.data["error"]) == (422, True)


def test_rules_are_json_text_in_parameters(server, served):
    X = beach_data(4, seed=24)[0]
    rule = json.dumps({"rule": "Sizes", "least": 2, "most": 2})
    outputs, _ = infer(server, "tree", [tensor("features", X)], parameters={"decision": rule})
    assert (outputs["labels"].sum(axis=1) == 2).all()


def test_health_and_metadata(server):
    assert server.get("/v2/health/live").data == {"live": True}
    assert server.get("/v2/models/tree/ready").data == {"ready": True}
    about = server.get("/v2/models/tree").data
    version = about["versions"][0]
    assert server.get(f"/v2/models/tree/versions/{version}").data == about
    assert about["inputs"][0] == {"name": "features", "datatype": "FP64", "shape": [-1, 5], "parameters": {}}
    assert server.get("/v2/models/tree/versions/other").status == 404


WRONG = [
    [],
    [tensor("features", [[1.0, 2.0]])],
    [tensor("features", [[1.0] * 5]), tensor("features", [[1.0] * 5])],
    [tensor("features", [[1.0] * 5]), tensor("evidence", [[1, 0]], "INT8")],
    [tensor("features", [[1.0] * 5]), tensor("evidence", [[7, 0, 0, 0]], "INT8")],
    [tensor("features", [1.0] * 5)],
    [tensor("features", [[1.0] * 5]) | {"datatype": "FP128"}],
    [tensor("features", [[1.0] * 5]) | {"shape": [1, 6]}],
    [tensor("features", [[1.0] * 5]) | {"shape": [2**31, 2**31]}],
    [tensor("features", [[1.0] * 5]) | {"shape": []}],
    [tensor("features", [[1.0] * 5]) | {"data": ["x"] * 5}],
    [tensor("features", [[1.0] * 5]) | {"data": [[[[1.0]]]] * 5}],
    [tensor("features", [[1.0] * 5]) | {"data": [1e300] * 5, "datatype": "FP32"}],
    [tensor("features", [[1.0] * 5]) | {"data": [300] * 5, "datatype": "INT8"}],
    [tensor("features", [["x"] * 5], "BYTES")],
]


@pytest.mark.parametrize("inputs", WRONG)
def test_wrong_tensors_are_explained(server, inputs):
    reply = server.post("/v2/models/tree/infer", {"inputs": inputs})
    assert reply.status == 422
    assert isinstance(reply.data["error"], str)


def test_label_studio_gets_predictions(server, served):
    rows = table_of(*beach_data(5, seed=25))
    tasks = [{"id": number, "data": row | {"id": number}} for number, row in enumerate(rows)]
    body = {"tasks": tasks, "label_config": CONFIG, "project": "1.2", "params": {"login": None}}
    reply = server.post("/label_studio/table/predict", body)
    assert reply.status == 200, reply.content
    joint = served["table"].distribution(pd.DataFrame(rows))
    mode, question = joint.mode(), joint.next_question()
    for result, labels, log_prob, gain in zip(
        reply.data["results"], mode.labels, mode.log_prob, question.gain
    ):
        chosen = [name for name, on in zip(LABELS, labels) if on]
        assert [item["value"]["choices"] for item in result["result"]] == ([chosen] if chosen else [])
        assert all(item["score"] == pytest.approx(np.exp(log_prob)) for item in result["result"])
        assert all((item["from_name"], item["to_name"]) == ("what", "text") for item in result["result"])
        assert result["score"] == gain.max()


def test_label_studio_gets_predictions_of_texts(server, served):
    tasks = [{"data": {"note": "waves salt"}}, {"data": {"note": "grey dim"}}]
    reply = server.post("/label_studio/texts/predict", {"tasks": tasks, "label_config": CONFIG})
    choices = [
        [c for item in result["result"] for c in item["value"]["choices"]] for result in reply.data["results"]
    ]
    predicted = served["texts"].predict(["waves salt", "grey dim"])
    assert choices == [[name for name, on in zip(LABELS, row) if on] for row in predicted]


def test_label_studio_connects(server):
    assert server.get("/label_studio/tree/health").data["status"] == "UP"
    version = server.get("/v2/models/tree").data["versions"][0]
    setup = {"project": "1.2", "schema": CONFIG, "hostname": "http://evil.example", "access_token": "secret"}
    assert server.post("/label_studio/tree/setup", setup).data == {"model_version": version}
    assert server.post("/label_studio/tree/webhook", {"action": "ANNOTATION_CREATED"}).status == 200
    assert server.get("/label_studio/tree/versions").data == {"versions": [version]}


BOMB = '<!DOCTYPE a [<!ENTITY b "x"><!ENTITY c "&b;&b;">]><View>&c;</View>'
OUTSIDE = '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><View>&b;</View>'


@pytest.mark.parametrize("config", ["", "<View>", "<View/>", BOMB, OUTSIDE, "<a>" * 100 + "</a>" * 100])
def test_wrong_interfaces_are_explained(server, config):
    reply = server.post("/label_studio/tree/predict", {"tasks": [{"data": {}}], "label_config": config})
    assert reply.status == 422
    assert "label_config" in reply.data["error"]
    assert "root:" not in reply.data["error"]
