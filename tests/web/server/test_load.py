"""Many clients at once: no failures, and memory that stays."""

import json
import os
import re
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.web.models import beach_data
from tests.web.running import JSON, exchange

ROWS = beach_data(20, seed=30)[0].tolist()
QUESTIONS = {
    "predict": {"rows": ROWS, "decision": "f1"},
    "top_k": {"rows": ROWS, "k": 4, "evidence": {"sea": 1}},
    "marginals": {"rows": ROWS},
    "next_question": {"row": ROWS[0]},
    "wrong": {"rows": ["x"]},
}
STUDY_SECONDS = float(os.environ.get("SETWISE_LOAD_SECONDS", "1800"))


def memory_megabytes(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text()).group(1)) / 1024


def hammer(server, clients, seconds):
    """Let clients ask for a while; statuses by question, failures to connect, memory over time."""
    statuses, failures, memory = Counter(), [], []
    end = time.monotonic() + seconds

    def ask(first):
        connection, names = server.connect(), list(QUESTIONS)
        while time.monotonic() < end:
            first += 1
            name = names[first % len(names)]
            path = f"/api/models/tree/{'predict' if name == 'wrong' else name}"
            try:
                reply = exchange(connection, "POST", path, json.dumps(QUESTIONS[name]), JSON)
                statuses[name, reply.status] += 1
            except Exception as error:  # any failure of a client is what this test is about
                failures.append(repr(error))
                return

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        memory.append(memory_megabytes(server.process.pid))
        time.sleep(0.2)
    return statuses, failures, memory


def check(statuses, failures):
    assert not failures
    assert all(status == (422 if name == "wrong" else 200) for name, status in statuses), statuses


def test_clients_at_the_same_time_are_all_answered(server):
    """Red if a request fails, or one client's wrong request harms another's."""
    statuses, failures, _ = hammer(server, 16, 2)
    check(statuses, failures)


@pytest.mark.slow
@pytest.mark.timeout(STUDY_SECONDS + 600)
def test_memory_stays_under_long_load(server):
    """Red if a request fails, or memory grows by more than a twentieth after the first tenth of the time."""
    statuses, failures, memory = hammer(server, 64, STUDY_SECONDS)
    check(statuses, failures)
    warm = memory[len(memory) // 10]
    print(f"{sum(statuses.values())} requests, memory {warm:.1f} MB, at most {max(memory):.1f}")
    assert max(memory) <= 1.05 * warm
