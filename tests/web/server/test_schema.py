"""Requests made from the description of the API: no answer is a failure of the server, and none is undocumented."""

from collections import Counter

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
ROWS = {
    "tree": [0.1, 0.2, 0.3, 0.4, 0.5],
    "scaled": {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5},
    "texts": "waves salt",
    "table": {"note": "grey", "size": 1.5, "kind": "a", "seen": "2024-05-01"},
}
MODELS = ["tree", "table", "texts", "scaled", "another"]
FIELDS = {
    "evidence": {"sea": 1},
    "decision": "f1",
    "labels": [["sea", "fog"]],
    "target": ["sea"],
    "about": ["sun"],
    "parameters": {"decision": "hamming", "k": 2},
    "outputs": [{"name": "top_labels"}, {"name": "sizes"}],
}
"""Values that fit, which random ones hardly do."""
SOME = st.frozensets(st.sampled_from(sorted(FIELDS)))
ENOUGH = 100
"""Requests of which some are right."""
CONFIG = """<View><Text name="text" value="$note"/><Choices name="what" toName="text">
<Choice value="sea"/><Choice value="sand"/></Choices></View>"""


def ask_everything(server, examples):
    """Send ``examples`` random requests to every operation, right and wrong ones; count the answers by status."""
    url = f"http://127.0.0.1:{server.port}"
    schema = schemathesis.openapi.from_url(f"{url}/openapi.json")
    about = {name: server.get(f"/v2/models/{name}").data for name in ROWS}
    statuses = Counter()
    for found in schema.get_all_operations():
        operation, own = found.ok(), Counter()
        for mode in GenerationMode:
            run(operation, mode, (examples + 1) // 2, url, about, own)
        print(operation.label, dict(own), flush=True)
        assert own[200] or examples < ENOUGH, f"{operation.label} answered nothing: {dict(own)}"
        statuses += own
    return statuses


def run(operation, mode, examples, url, about, statuses):
    session = requests.Session()

    # no deadline: the machine may be busy
    @settings(max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(operation.as_strategy(generation_mode=mode), st.sampled_from(MODELS), st.booleans(), SOME)
    def send(case, name, fits, fields):
        path = case.path_parameters or {}
        if "name" in path:
            path["name"] = name
        if fits and name in ROWS:
            if "version" in path:
                path["version"] = about[name]["versions"][0]
            if isinstance(case.body, dict):
                case.body |= {field: FIELDS[field] for field in fields if field in case.body}
                case.body = fitting(case.body, operation.path, name, about[name]["inputs"])
        response = case.call(base_url=url, session=session)
        statuses[response.status_code] += 1
        case.validate_response(response, checks=CHECKS)

    try:
        send()
    except Exception as error:
        if "no examples" not in str(error).lower() and "Unsatisfiable" not in type(error).__name__:
            raise


def fitting(body, path, model, inputs):
    """The body with rows, tensors or tasks that fit the model, so that the rest of it is looked at."""
    row = ROWS[model]
    if path.endswith("/infer"):
        return body | {"inputs": [tensor(one, row) for one in inputs if one["name"] != "evidence"]}
    if path.startswith("/label_studio"):
        data = row if isinstance(row, dict) else {"note": row}
        return body | {"tasks": [{"data": data}], "label_config": CONFIG}
    return {name: value for name, value in body.items() if name not in ("row", "rows")} | {"row": row}


def tensor(declared, row):
    """One row as a tensor that a model declares."""
    if declared["name"] == "features":
        values = list(row.values()) if isinstance(row, dict) else row
        return declared | {"shape": [1, len(values)], "data": values}
    return declared | {"shape": [1], "data": [row[declared["name"]] if isinstance(row, dict) else row]}


def test_random_requests_get_documented_answers(server):
    """Red if an answer is undocumented or a failure of the server."""
    statuses = ask_everything(server, 4)
    assert sum(statuses.values()) >= 60
    assert all(status < 500 for status in statuses)


@pytest.mark.slow
def test_ten_thousand_random_requests_get_documented_answers(server):
    """Red also if an operation answers none of its requests that fit."""
    statuses = ask_everything(server, 700)
    assert sum(statuses.values()) >= 10_000
    assert all(status < 500 for status in statuses)
