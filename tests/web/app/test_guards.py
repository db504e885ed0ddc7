"""Guards, asked without a network."""

import asyncio

import pytest

from setwise.web.app import Limits, Threads
from setwise.web.app.guards.hosts import HostGuard, host_name
from setwise.web.app.guards.tokens import TokenGuard
from tests.web.running import run_async


async def passed(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})


def status(guard, headers, path="/"):
    """The status with which a guard answers a request with these headers."""
    sent = []

    async def send(message):
        sent.append(message)

    pairs = [(name.encode(), value.encode("latin-1")) for name, value in headers]
    scope = {"type": "http", "method": "POST", "path": path, "headers": pairs}
    run_async(guard(scope, None, send))
    return sent[0]["status"]


HOST = ("host", "localhost:8000")


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ([HOST], 200),
        ([], 400),
        ([HOST, HOST], 400),
        ([("host", "[::1]:80")], 200),
        ([("host", "LOCALHOST")], 200),
        ([("host", "localhost.")], 421),
        ([("host", "192.168.0.7")], 421),
        ([HOST, ("origin", "http://localhost:8000")], 200),
        ([HOST, ("origin", "http://localhost:9000")], 403),
        ([HOST, ("origin", "https://friend.example")], 200),
        ([HOST, ("origin", "")], 403),
        ([HOST, ("sec-fetch-site", "none")], 200),
        ([HOST, ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "no-cors")], 403),
        (
            [
                HOST,
                ("sec-fetch-site", "cross-site"),
                ("sec-fetch-mode", "navigate"),
                ("sec-fetch-dest", "document"),
            ],
            200,
        ),
        (
            [
                HOST,
                ("sec-fetch-site", "cross-site"),
                ("sec-fetch-mode", "navigate"),
                ("sec-fetch-dest", "iframe"),
            ],
            403,
        ),
    ],
)
def test_hosts_and_origins(headers, expected):
    assert status(HostGuard(passed, origins=["https://friend.example"]), headers) == expected


def test_addresses_are_names_that_nobody_can_point_elsewhere():
    guard = HostGuard(passed, {"models.example"}, addresses=True)
    asked = ["10.1.2.3:80", "[fe80::1]", "models.example", "evil.example"]
    assert [status(guard, [("host", host)]) for host in asked] == [200, 200, 200, 421]


@pytest.mark.parametrize("host", ["", "a b", "a/b", "a@b", "a:b", "a:70000", "[::1", "a\\b", "a,b"])
def test_malformed_hosts_have_no_name(host):
    assert not host_name(host)


def test_tokens_open_paths_need_none():
    guard = TokenGuard(passed, ["a" * 20], open_paths=["/open"])
    assert status(guard, [], "/open") == 200
    assert status(guard, [], "/open/../other") == 401
    assert status(guard, [("authorization", "Bearer " + "a" * 20)]) == 200


def test_work_beyond_the_limits_is_refused():
    """Red if more work is taken than may wait, or a thread that is too slow counts as free."""

    async def ask():
        threads = Threads(Limits(threads=1, waiting=1, seconds=0.2))
        release = asyncio.Event()
        loop = asyncio.get_running_loop()

        def slow():
            asyncio.run_coroutine_threadsafe(release.wait(), loop).result()

        first, second = asyncio.create_task(threads.run(slow)), asyncio.create_task(threads.run(int))
        await asyncio.sleep(0)
        found = await asyncio.gather(threads.run(int), first, second, return_exceptions=True)
        busy = threads.busy
        release.set()
        await asyncio.sleep(0.1)
        return [error.status_code for error in found], busy, threads.busy

    assert run_async(ask()) == ([429, 422, 429], 1, 0)
