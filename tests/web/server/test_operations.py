"""Reload, workers, stops, metrics: what those who run a server rely on."""

import contextlib
import http.client
import json
import os
import shutil
import signal
import threading
import time
from pathlib import Path

import pytest

import setwise
from tests.web.models import beach_data, save_tree
from tests.web.running import JSON, Running, exchange

ROWS = beach_data(3, seed=11)[0].tolist()


def expected(model):
    return model.predict_proba(ROWS).tolist()


def asked(connection, body=None):
    reply = exchange(
        connection, "POST", "/api/models/tree/marginals", body or json.dumps({"rows": ROWS}), JSON
    )
    assert reply.status == 200, reply.content
    return reply.data["version"], [list(answer["probabilities"].values()) for answer in reply.data["answers"]]


def reload_under_load(tmp_path, times, *arguments):
    """Replace a model ``times`` times while clients ask; the versions seen, each with its one answer."""
    folder = tmp_path / "models"
    folder.mkdir()
    others = []
    for number in range(4):
        model = save_tree(tmp_path, f"other{number}", l2=10.0**number)
        others.append((tmp_path / f"other{number}.setwise", expected(model)))
    shutil.copy(others[0][0], folder / "tree.setwise")
    seen, failures, stop = {}, [], threading.Event()

    def ask():
        connection = server.connect()
        while not stop.is_set():
            try:
                version, answers = asked(connection)
            except Exception as error:  # any failure of a client is what this test is about
                failures.append(repr(error))
                return
            seen.setdefault(version, []).append(answers)

    with Running(str(folder), *arguments, log=tmp_path / "log") as server:
        clients = [threading.Thread(target=ask) for _ in range(4)]
        for client in clients:
            client.start()
        for number in range(1, times + 1):
            new = folder / "new.tmp"
            shutil.copy(others[number % 4][0], new)
            os.replace(new, folder / "tree.setwise")
            wanted = setwise.persistence.describe(folder / "tree.setwise").digest[:12]
            end = time.monotonic() + 60
            while wanted not in seen and time.monotonic() < end:
                time.sleep(0.02)
            time.sleep(0.3)
        stop.set()
        for client in clients:
            client.join()
    return seen, failures, [answers for _, answers in others]


def check_reloads(seen, failures, answers):
    assert not failures
    assert len(seen) == 4
    for version, found in seen.items():
        assert all(one == found[0] for one in found), version
        assert found[0] in answers


def test_a_replaced_file_is_loaded_while_clients_ask(tmp_path):
    """Red if a request fails, or an answer of one version has numbers of another."""
    check_reloads(*reload_under_load(tmp_path, 4))


@pytest.mark.slow
def test_a_file_is_replaced_a_hundred_times_under_load(tmp_path):
    check_reloads(*reload_under_load(tmp_path, 100, "--workers", "2"))


def wait_for(condition, seconds=150):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def test_a_bad_file_keeps_the_old_model_and_says_so(tmp_path):
    model = save_tree(tmp_path)
    (tmp_path / "later.txt").write_text("not a model")
    with Running(str(tmp_path), log=tmp_path / "log") as server:
        (tmp_path / "tree.setwise").write_bytes(b"damaged")
        assert wait_for(lambda: server.get("/api/models/tree").data["reload_error"])
        version, answers = asked(server.connect())
        assert answers == expected(model)
        assert "setwise_reload_failures_total 1" in server.get("/metrics").content.decode()
        (tmp_path / "tree.setwise").unlink()
        time.sleep(1.2)
        assert asked(server.connect()) == (version, answers)
        again = save_tree(tmp_path, l2=50.0)
        assert wait_for(lambda: asked(server.connect())[1] == expected(again))
        assert server.get("/api/models/tree").data["reload_error"] is None
        (tmp_path / "broken.setwise").write_bytes(b"damaged")
        assert wait_for(lambda: "broken" in server.get("/api/models").data["refused"])
        save_tree(tmp_path, "broken")
        assert wait_for(
            lambda: server.get("/api/models").data == {"models": ["tree", "broken"], "refused": {}}
        )


def workers_of(parent):
    """The worker processes of a server, which run its application; the resource tracker of Python is none."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            command = Path(f"/proc/{pid}/cmdline").read_text()
            if int(stat[1]) == parent and stat[0] != "Z" and "spawn_main" in command:
                found.append(int(pid))
    return found


def test_killed_workers_are_replaced_and_metrics_are_those_of_all(tmp_path):
    save_tree(tmp_path)
    with Running(str(tmp_path), "--workers", "2", log=tmp_path / "log") as server:
        assert wait_for(lambda: len(workers_of(server.process.pid)) == 2)
        for _ in range(20):
            asked(server.connect())
        before = workers_of(server.process.pid)
        for worker in before:
            assert all_workers_count(server, 60)
            os.kill(worker, signal.SIGKILL)
            assert wait_for(lambda: len(set(workers_of(server.process.pid)) - set(before)) >= 1)
        assert wait_for(lambda: len(set(workers_of(server.process.pid)) - set(before)) == 2)
        server.wait_until_ready()
        asked(server.connect())
        assert all_workers_count(server, 63)


def all_workers_count(server, rows):
    """Wait until every living worker answers with these rows: then each has left what it counted for the others."""
    name = 'setwise_rows_total{model="tree"}'

    def agree():
        begun = server.log.stat().st_size
        counts = {counted(server, name) for _ in range(12)}
        with server.log.open("rb") as log:
            log.seek(begun)
            answered = {json.loads(line)["process"] for line in log if b'"/metrics"' in line}
        return counts == {rows} and answered >= set(workers_of(server.process.pid))

    return wait_for(agree)


def counted(server, name):
    """The value of a metric; 0 before the first request that it counts."""
    text = server.get("/metrics").content.decode()
    return float(next((line.rpartition(" ")[2] for line in text.splitlines() if line.startswith(name)), 0))


def test_a_stop_finishes_what_was_begun(tmp_path):
    """Red if a stop cuts off a request that is being computed, takes new ones, or leaves temporary files."""
    save_tree(tmp_path)
    found, scratch = [], tmp_path / "scratch"
    scratch.mkdir()
    with Running(str(tmp_path), log=tmp_path / "log", environment={"TMPDIR": str(scratch)}) as server:
        connection = server.connect()
        body = json.dumps({"rows": ROWS * 3000, "k": 16})
        connection.request("POST", "/api/models/tree/top_k", body, JSON)
        client = threading.Thread(target=lambda: found.append(connection.getresponse().read()))
        client.start()
        assert wait_for(lambda: counted_busy(server))
        assert any(scratch.iterdir())
        assert server.stop() == 0
        assert not any(scratch.iterdir())
        client.join()
        with pytest.raises((OSError, http.client.HTTPException)):
            server.get("/v2/health/live")
    assert len(json.loads(found[0])["answers"]) == 3 * 3000


def counted_busy(server):
    """Whether the first request has arrived: the second connection is answered after it was accepted."""
    return server.get("/v2/health/live").status == 200


def test_metrics_count_rows_latency_and_certified_answers(server):
    before = {name: counted_or_zero(server, name) for name in COUNTED}
    assert server.post("/api/models/tree/predict", {"rows": ROWS}).status == 200
    after = {name: counted_or_zero(server, name) for name in COUNTED}
    assert [after[name] - before[name] for name in COUNTED] == [3, 3, 3, 1, 1]
    text = server.get("/metrics").content.decode()
    assert 'setwise_model{model="tree",version="' in text
    assert text.count("# TYPE") == len({line for line in text.splitlines() if line.startswith("# TYPE")})


COUNTED = [
    'setwise_rows_total{model="tree"}',
    'setwise_decided_rows_total{model="tree"}',
    'setwise_certified_rows_total{model="tree"}',
    'setwise_requests_total{method="POST",route="/api/models/{name}/predict",status="200"}',
    'setwise_request_seconds_bucket{route="/api/models/{name}/predict",le="+Inf"}',
]


def counted_or_zero(server, name):
    try:
        return counted(server, name)
    except StopIteration:
        return 0.0
