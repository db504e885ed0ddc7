"""What strangers send: each gets a helpful 4xx, and nobody else is disturbed."""

import http.client
import json
import socket
import threading
import time

import pytest

from setwise.web.api import QUESTIONS
from tests.web.models import LABELS
from tests.web.running import JSON, Running, exchange

ROW = [0.1, 0.2, 0.3, 0.4, 0.5]
PREDICT = "/api/models/tree/predict"


def deep(depth):
    return b'{"row": ' + b"[" * depth + b"]" * depth + b"}"


BODIES = {
    "nothing": (b"", 400, "JSON"),
    "no JSON": (b"{row: 1}", 400, "JSON"),
    "NaN": (b'{"row": [NaN, 1, 1, 1, 1]}', 422, "finite number"),
    "infinity": (b'{"row": [1e999, 1, 1, 1, 1]}', 422, "finite number"),
    "digits": (b'{"row": [' + b"9" * 5000 + b", 1, 1, 1, 1]}", 400, "number out of range"),
    "text": (b'{"row": ["1", 1, 1, 1, 1]}', 422, "finite number"),
    "too few": ({"row": [1, 2]}, 422, "the model has 5"),
    "too many": ({"row": [1.0] * 100_000}, 422, "the model has 5"),
    "names": ({"row": {"a": 1}}, 422, "no names"),
    "a text": ({"row": "waves"}, 422, "takes numbers"),
    "no rows": ({"rows": []}, 422, "no rows"),
    "both": ({"row": ROW, "rows": [ROW]}, 422, "either"),
    "neither": ({}, 422, "either"),
    "other fields": ({"row": ROW, "evidense": {}}, 422, "evidense"),
    "many rows": ({"rows": [[1]] * 10_001}, 413, "10000"),
    "deep": (deep(100_000), 400, "recursion"),
    "lists": (b'{"rows": [' + b"[]," * 400_000 + b"[]]}", 413, "lists"),
    "commas": (b'{"rows": [' + b"0," * 1_000_000 + b"0]}", 422, "rows"),
    "surrogate": (b'{"row": {"\\ud800": 1}}', 400, "JSON"),
    "not UTF-8": (b'{"row": "\xff\xfe"}', 400, "JSON"),
    "unknown label": ({"row": ROW, "evidence": {"see": 1}}, 422, "no label 'see'"),
    "evidence of 2": ({"row": ROW, "evidence": {"sea": 2}}, 422, "expected 1, 0 or null"),
    "evidence of a list": ({"row": ROW, "evidence": {"sea": [1]}}, 422, "expected 1, 0 or null"),
    "evidence for other rows": ({"row": ROW, "evidence": [{}, {}]}, 422, "2 entries for 1 rows"),
    "unknown loss": ({"row": ROW, "decision": "accuracy"}, 422, "expected one of"),
    "unknown rule": ({"row": ROW, "decision": {"rule": "Loss"}}, 422, "name of a rule"),
    "wrong parameter": ({"row": ROW, "decision": {"rule": "FBeta", "beta": "x"}}, 422, "beta"),
    "impossible rule": (
        {"row": ROW, "decision": {"rule": "Constrained", "min_labels": 3, "max_labels": 1}},
        422,
        "leaves no answer",
    ),
    "rules in rules": (
        {
            "row": ROW,
            "decision": json.loads('{"rule":"Abstain","confidence":1,"decision":' * 50 + '"f1"' + "}" * 50),
        },
        422,
        "nested",
    ),
}


@pytest.mark.parametrize("name", BODIES)
def test_a_wrong_body_is_explained(server, name):
    body, status, words = BODIES[name]
    reply = server.post(PREDICT, body)
    assert (reply.status, words in reply.data["error"]) == (status, True), reply.content[:300]
    assert len(reply.content) < 2000


@pytest.mark.parametrize("question", QUESTIONS)
def test_no_rows_are_no_failure(server, question):
    """Red if a question reads the evidence of a first row that is not there."""
    labels = {"labels": []} if question == "label_errors" else {"evidence": {"sea": 1}}
    reply = server.post(f"/api/models/tree/{question}", {"rows": [], **labels})
    assert (reply.status, "no rows" in reply.data["error"]) == (422, True), reply.content


def test_huge_numbers_get_an_answer_or_an_explanation(server):
    """Red if a model answers NaN, or fails."""
    for value in (1e308, -1e308, 1e-308, 1.7e308):
        for model in ("tree", "scaled"):
            reply = server.post(f"/api/models/{model}/predict", {"row": [value, 1, -value, 1, 1]})
            assert reply.status in (200, 422)
            assert b"NaN" not in reply.content


def test_wrong_columns_of_a_table_are_named(server):
    reply = server.post("/api/models/table/predict", {"rows": [{"note": "waves", "siez": 1, "kind": "a"}]})
    assert reply.status == 422
    assert "'size'" in reply.data["error"] or "'seen'" in reply.data["error"]
    full = {"note": "waves", "size": "large", "kind": "a", "seen": "2024-01-01"}
    reply = server.post("/api/models/table/predict", {"rows": [full]})
    assert (reply.status, reply.data["column"], reply.data["row"]) == (422, "size", 0)
    nested = full | {"size": {"deep": [1]}}
    assert server.post("/api/models/table/predict", {"rows": [nested]}).status == 422


def test_impossible_evidence_is_refused(tmp_path):
    import setwise

    X = [[float(i)] for i in range(20)]
    sets = [["sand"] if i % 2 else ["sand", "sea"] for i in range(20)]
    setwise.save(setwise.LabelPowerset(backoff=0.0, random_state=0).fit(X, sets), tmp_path / "table.setwise")
    with Running(str(tmp_path), log=tmp_path / "log") as server:
        reply = server.post("/api/models/table/predict", {"row": [1.0], "evidence": {"sand": 0}})
    assert reply.status == 422
    assert "probability zero" in reply.data["error"]


def test_a_chunked_body_is_cut_at_the_limit(server):
    """Red if only Content-Length is checked: a chunked body has none."""
    sent = 0

    def chunks():
        nonlocal sent
        for _ in range(64):
            sent += 2**20
            yield b" " * 2**20

    connection = server.connect()
    try:
        reply = exchange(connection, "POST", PREDICT, chunks(), JSON)
        assert reply.status == 413
    except (BrokenPipeError, ConnectionResetError):
        pass  # the server closed the connection while the body was still being sent
    assert sent < 40 * 2**20
    assert server.post(PREDICT, {"row": ROW}).status == 200


def test_a_declared_body_beyond_the_limit_is_not_read(server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as client:
        head = f"POST {PREDICT} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        client.sendall((head + "Content-Length: 99999999999\r\n\r\n").encode())
        assert client.recv(100).startswith(b"HTTP/1.1 413")


def test_a_program_may_leave_out_the_type_of_its_body_but_a_page_may_not(server):
    """Triton's client sends none. A page can do so without a preflight, so it must not."""
    body, name = json.dumps({"row": ROW}), f"localhost:{server.port}"
    here = {"Host": name, "Origin": f"http://{name}"}
    assert exchange(server.connect(), "POST", PREDICT, body, {}).status == 200
    assert exchange(server.connect(), "POST", PREDICT, body, here).status == 415


@pytest.mark.parametrize("headers", [{"Content_Type": "text/plain"}, {"Content_Encoding": "gzip"}])
def test_bodies_of_other_types_are_refused(server, headers):
    reply = server.post(PREDICT, {"row": ROW}, **headers)
    assert reply.status == 415


TRICKS = [
    ({"Host": "evil.example"}, 421),
    ({"Host": "127.0.0.1.evil.example"}, 421),
    ({"Host": "evil.example/127.0.0.1"}, 400),
    ({"Host": "localhost@evil.example"}, 400),
    ({"Host": ""}, 400),
    ({"Host": "localhost:99999999"}, 400),
    ({"Origin": "https://evil.example"}, 403),
    ({"Origin": "null"}, 403),
    ({"Origin": "http://localhost.evil.example"}, 403),
    ({"Sec_Fetch_Site": "cross-site"}, 403),
    ({"Sec_Fetch_Site": "same-site"}, 403),
]


@pytest.mark.parametrize(("headers", "status"), TRICKS)
def test_other_hosts_and_sites_are_refused(server, headers, status):
    """Red if a page of a stranger could ask: by rebinding its name to this machine, or across sites."""
    assert server.post(PREDICT, {"row": ROW}, **headers).status == status


def test_the_same_site_may_ask(server):
    here = f"localhost:{server.port}"
    headers = {"Host": here, "Origin": f"http://{here}", "Sec_Fetch_Site": "same-origin"}
    assert server.post(PREDICT, {"row": ROW}, **headers).status == 200


PATHS = [
    "/api/models/../../etc/passwd",
    "/api/models/..%2f..%2fetc%2fpasswd/predict",
    "/api/models/%2e%2e/%2e%2e/etc/passwd",
    "/api/models/tree.setwise",
    "/api/models/tree%00",
    "/v2/models/tree/versions/..%2f../ready",
    "//etc/passwd",
    "/label_studio/..%5c..%5cwindows/health",
    "/docs/../../pyproject.toml",
]


@pytest.mark.parametrize("path", PATHS)
def test_no_path_leads_outside(server, path):
    reply = server.get(path)
    assert reply.status == 404
    assert b"root:" not in reply.content


def test_headers_cannot_be_injected(server):
    reply = server.get("/api/models/x%0d%0aSet-Cookie:%20a=b")
    assert reply.status == 404
    assert "set-cookie" not in reply.headers
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as client:
        client.sendall(b"GET /v2 HTTP/1.1\r\nHost: localhost\r\nX: a\rSet-Cookie: b\r\n\r\n")
        assert client.recv(100).startswith(b"HTTP/1.1 400")


def test_a_request_of_two_lengths_smuggles_nothing_in(server):
    """Red if the bytes behind the shorter body are answered as a request of their own."""
    both = b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"
    second = b"GET /v2 HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as client:
        client.sendall(b"POST /v2 HTTP/1.1\r\nHost: localhost\r\n" + both + b"\r\n0\r\n\r\n" + second)
        answers = b"".join(iter(lambda: client.recv(2000), b""))
    assert answers.startswith(b"HTTP/1.1 400")
    assert answers.count(b"HTTP/1.1") == 1


def test_answers_forbid_browsers_to_run_anything(server):
    headers = server.get("/v2").headers
    assert "default-src 'none'" in headers["content-security-policy"]
    assert (headers["x-content-type-options"], headers["x-frame-options"]) == ("nosniff", "DENY")
    assert "access-control-allow-origin" not in headers
    assert "server" not in headers
    page = server.get("/docs")
    assert "script-src" not in page.headers["content-security-policy"]
    assert b"<script" not in page.content


def test_slow_clients_disturb_nobody(tmp_path, served):
    """Red if headers or bodies that drip in hold the server, or are never given up."""
    limits = ("--max-body-seconds", "1", "--max-header-seconds", "1")
    with Running(str(served["folder"] / "tree.setwise"), *limits, log=tmp_path / "log") as server:
        clients = [socket.create_connection(("127.0.0.1", server.port), timeout=30) for _ in range(60)]
        for number, client in enumerate(clients):
            head = (
                f"POST {PREDICT} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Le"
            )
            rest = "" if number % 2 else 'ngth: 500\r\n\r\n{"row": ['
            client.sendall((head + rest).encode())
        assert all(server.post(PREDICT, {"row": ROW}).status == 200 for _ in range(5))
        ends = [client.recv(100) for client in clients]
    assert {end[:12] for end in ends[1::2]} == {b""}
    assert {end[:12] for end in ends[::2]} == {b"HTTP/1.1 408"}


def test_tokens_are_asked_for(tmp_path, served):
    """Red if a request without the right token is answered, or health checks need one."""
    token, other = "a-token-of-24-characters", "another-token-of-31-characters!"
    (tmp_path / "tokens").write_text(f"{token}\n")
    with Running(
        str(served["folder"] / "tree.setwise"),
        "--token-file",
        str(tmp_path / "tokens"),
        log=tmp_path / "log",
        environment={"SETWISE_TOKEN": other},
    ) as server:
        for header in (
            "",
            "Bearer",
            "Bearer wrong",
            f"Bearer {token}x",
            f"Basic {token}",
            "Basic %%%",
            "Bearer \xff",
        ):
            reply = server.post(PREDICT, {"row": ROW}, Authorization=header)
            assert (reply.status, "Bearer" in reply.headers["www-authenticate"]) == (401, True)
        assert server.get("/metrics").status == server.get("/openapi.json").status == 401
        for right in (f"Bearer {token}", f"bearer {other}", "Basic dXNlcjphLXRva2VuLW9mLTI0LWNoYXJhY3RlcnM="):
            assert server.post(PREDICT, {"row": ROW}, Authorization=right).status == 200
        assert server.get("/v2/health/live").status == 200
        assert token not in server.logged()


def test_too_much_work_is_refused_and_health_checks_answer(tmp_path, served):
    """Red if work piles up without bound, or a busy server looks dead."""
    path = str(served["folder"] / "tree.setwise")
    with Running(path, "--threads", "1", "--max-waiting", "2", log=tmp_path / "log") as server:
        body = {"rows": [ROW] * 3000, "k": 16}
        found = []

        def ask():
            reply = server.post("/api/models/tree/top_k", body)
            found.append((reply.status, reply.headers.get("retry-after")))

        threads = [threading.Thread(target=ask) for _ in range(16)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            assert server.get("/v2/health/live").status == 200
            time.sleep(0.02)
    statuses = {status for status, _ in found}
    assert statuses == {200, 429}
    assert all(after == "1" for status, after in found if status == 429)


def test_logs_hold_no_payloads(server):
    secret = "very-secret-content"
    server.post(PREDICT, {"row": [secret, 1, 1, 1, 1], "evidence": {secret: 1}})
    server.get(f"/api/models/{secret}?{secret}={secret}", Authorization=secret)
    # A line is written after its answer was sent, so wait for the line of the last request.
    last = server.wait_for_line(
        lambda line: line.get("route") == "/api/models/{name}" and line["status"] == 404
    )
    assert last["event"] == "request"
    assert secret not in server.logged()


def test_labels_of_the_model_are_listed_in_the_error(server):
    reply = server.post("/api/models/tree/next_question", {"row": ROW, "about": ["moon"]})
    assert reply.status == 422
    assert all(name in reply.data["error"] for name in LABELS)


def test_methods_that_do_not_exist_are_refused(server):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    assert exchange(connection, "DELETE", "/api/models/tree", None, {}).status == 405
