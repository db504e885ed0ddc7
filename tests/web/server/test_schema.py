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


def ask_everything(server, examples):
    """Send ``examples`` random requests to every operation, right and wrong ones; count the answers by status."""
    url = f"http://127.0.0.1:{server.port}"
    schema = schemathesis.openapi.from_url(f"{url}/openapi.json")
    session, statuses = requests.Session(), Counter()
    for found in schema.get_all_operations():
        operation = found.ok()
        for mode in GenerationMode:
            run(operation, mode, (examples + 1) // 2, url, session, statuses)
        print(operation.label, dict(statuses), flush=True)
    return statuses


def run(operation, mode, examples, url, session, statuses):
    # no deadline: the machine may be busy
    @settings(max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(operation.as_strategy(generation_mode=mode), st.sampled_from(MODELS), st.booleans())
    def send(case, name, rows):
        if "name" in (case.path_parameters or {}):
            case.path_parameters["name"] = name
        if rows and isinstance(case.body, dict):
            case.body = with_rows(case.body, case.path_parameters.get("name"))
        response = case.call(base_url=url, session=session)
        statuses[response.status_code] += 1
        case.validate_response(response, checks=CHECKS)

    try:
        send()
    except Exception as error:
        if "no examples" not in str(error).lower() and "Unsatisfiable" not in type(error).__name__:
            raise


def with_rows(body, model):
    """The body with rows that fit the model, so that the rest of it is looked at."""
    if "inputs" in body or "tasks" in body or model not in ROWS:
        return body
    return {name: value for name, value in body.items() if name not in ("row", "rows")} | {"row": ROWS[model]}


def test_random_requests_get_documented_answers(server):
    statuses = ask_everything(server, 4)
    assert sum(statuses.values()) >= 60
    assert all(status < 500 for status in statuses)


@pytest.mark.slow
def test_ten_thousand_random_requests_get_documented_answers(server):
    statuses = ask_everything(server, 700)
    assert sum(statuses.values()) >= 10_000
    assert all(status < 500 for status in statuses)
