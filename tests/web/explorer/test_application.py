"""The application: hosts, origins, headers, wrong bodies, files that are vendored."""

import hashlib

import pytest
from starlette.testclient import TestClient

from setwise.web.explorer.application import PAGE, explorer_app
from tests.web.explorer.sessions import journal_of, made_up, session_of

HOST = "127.0.0.1:8000"


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    session = session_of(*made_up())
    app = explorer_app(session, journal_of(session, tmp_path_factory.mktemp("journal")))
    return TestClient(app, base_url=f"http://{HOST}")


def test_vendored_files_are_unchanged():
    vendor = PAGE / "vendor"
    listed = dict(reversed(line.split()) for line in (vendor / "SHA256SUMS").read_text().splitlines())
    there = {path.name for path in vendor.iterdir()} - {"SHA256SUMS", "THIRD_PARTY.md"}
    assert set(listed) == there
    for name, digest in listed.items():
        assert hashlib.sha256((vendor / name).read_bytes()).hexdigest() == digest
        if name.endswith(".js"):
            assert name in (vendor / "THIRD_PARTY.md").read_text()


def test_the_page_runs_no_inline_script_and_names_no_other_host():
    for path in [*PAGE.rglob("*.html"), *PAGE.rglob("*.js"), *PAGE.rglob("*.css")]:
        text = path.read_text()
        if path.parent.name != "vendor":
            assert "http://" not in text.replace("http://www.w3.org", "")
            assert "https://" not in text
            assert "innerHTML" not in text
        if path.suffix == ".html":
            assert text.count("<script") == text.count('<script type="module" src=')
            assert " on" not in text.split("<body>")[1].replace("on a", "").split("noscript")[0]


def test_the_policy_allows_only_this_server(client):
    answer = client.get("/")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "headers", [{"Host": "evil.example"}, {"Origin": "https://evil.example"}, {"Origin": "null"}]
)
def test_other_hosts_and_origins_are_refused(client, headers):
    for method, path in (("GET", "/api/session"), ("POST", "/api/refit"), ("GET", "/api/export/patch.csv")):
        assert client.request(
            method, path, headers=headers, json={} if method == "POST" else None
        ).status_code in (403, 421)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("row", {"row": -1}),
        ("row", {"row": 10**6}),
        ("row", {"row": 0, "evidence": {"0": 2}}),
        ("row", {"row": 0, "evidence": {"99": 1}}),
        ("row", {"row": 0, "model": 1}),
        ("row", {"row": 0, "changes": {"nothing": 1}}),
        ("row", {"row": 0, "n_sets": 10**9}),
        ("rows", {"order": "drop table"}),
        ("rows", {"on": [99]}),
        ("decisions", {"decision": "rm"}),
        ("decisions", {"decision": {"rule": "ByFunction"}}),
        ("decisions", {"decision": {"rule": "FBeta", "beta": "a"}}),
        ("corrections", {"row": 0, "action": "edit", "labels": ["<img src=x onerror=alert(1)>"]}),
        ("corrections", {"row": 10**6, "action": "keep"}),
    ],
)
def test_wrong_bodies_are_answered_by_a_message(client, path, body):
    answer = client.post(f"/api/{path}", json=body)
    assert answer.status_code == 422
    assert answer.json()["error"]


def test_a_conflict_is_409(client):
    assert client.post("/api/corrections", json={"row": 1, "action": "keep"}).status_code == 200
    assert client.post("/api/corrections", json={"row": 1, "action": "keep"}).status_code == 409


def test_exports_are_attachments(client):
    for name in ("patch.csv", "corrected.csv", "label-studio.json"):
        answer = client.get(f"/api/export/{name}")
        assert answer.status_code == 200
        assert answer.headers["content-disposition"].startswith('attachment; filename="made_up-')
    assert client.get("/api/export/model.setwise").status_code == 422


def test_no_path_leaves_the_page(client):
    for path in (
        "/page/../session.py",
        "/page/%2e%2e/session.py",
        "/page/..%2fsession.py",
        "/page//etc/passwd",
    ):
        assert client.get(path).status_code == 404
