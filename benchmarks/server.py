"""The server under load: ``python -m benchmarks.server overhead``, ``load`` and ``long``; results in server.md.

Everything runs on this machine over the loopback interface. ``load`` and ``long`` need wrk, which Debian has.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

import setwise
from setwise.datasets import load
from tests.web.running import JSON, Running, exchange

CLIENTS = (1, 8, 64)
ROWS = 100
QUESTION = "/api/models/yeast/predict"


def make_model(folder: Path) -> tuple[Any, list[list[float]]]:
    """A mixture for yeast's 14 labels and 103 features, and rows to ask about."""
    data = load("yeast")
    model = setwise.ConditionalTree(l2=1.0).fit(data.X[:1500], data.Y[:1500])
    setwise.save(model, folder / "yeast.setwise")
    return model, np.asarray(data.X[1500 : 1500 + ROWS]).tolist()


def processor_seconds(pid: int) -> float:
    """Processor time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_megabytes(pid: int) -> float:
    """Resident memory of a process."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024


def overhead(folder: Path, requests: int) -> None:
    """Processor time of the server for a request of 100 rows, beside that of the model alone."""
    model, rows = make_model(folder)
    X = np.array(rows)
    model.decide(X)
    best_own, best_served = np.inf, np.inf
    with Running(str(folder), log=folder / "log") as server:
        connection, body = server.connect(), json.dumps({"rows": rows})
        for _ in range(5):
            started = time.process_time()
            for _ in range(requests):
                joint = model.distribution(X)
                joint.log_prob(joint.decide().labels)
            best_own = min(best_own, (time.process_time() - started) / requests)
            before = processor_seconds(server.process.pid)
            for _ in range(requests):
                assert exchange(connection, "POST", QUESTION, body, JSON).status == 200
            best_served = min(best_served, (processor_seconds(server.process.pid) - before) / requests)
    extra = 1e3 * (best_served - best_own)
    print(
        f"{ROWS} rows: served {1e3 * best_served:.2f} ms, model {1e3 * best_own:.2f} ms, overhead {extra:.2f} ms"
    )


def wrk(server: Running, folder: Path, body: str, clients: int, seconds: int) -> dict[str, str]:
    """Run wrk, and read its report."""
    script = folder / "post.lua"
    (folder / "body.json").write_text(body)
    script.write_text(
        f'wrk.method = "POST"\nwrk.body = io.open("{folder}/body.json"):read("*a")\n'
        'wrk.headers["Content-Type"] = "application/json"\n'
    )
    tool = shutil.which("wrk") or sys.exit("wrk is not installed")
    url = f"http://127.0.0.1:{server.port}{QUESTION}"
    options = [
        "-t1",
        f"-c{clients}",
        f"-d{seconds}s",
        "--timeout",
        "60s",
        "--latency",
        "-s",
        str(script),
        url,
    ]
    text = subprocess.run([tool, *options], capture_output=True, text=True, check=True).stdout
    found = {
        "requests/s": r"Requests/sec:\s+([\d.]+)",
        "median": r"\n\s+50%\s+(\S+)",
        "p99": r"\n\s+99%\s+(\S+)",
        "requests": r"(\d+) requests in",
        "not 2xx": r"Non-2xx or 3xx responses: (\d+)",
        "socket errors": r"Socket errors: (.*)",
    }
    matches = {name: re.search(pattern, text) for name, pattern in found.items()}
    return {name: match.group(1) if match else "0" for name, match in matches.items()}


def measure_load(folder: Path, seconds: int, workers: int) -> None:
    """Throughput, median, p99 and processor time for several numbers of clients and sizes of requests."""
    _, rows = make_model(folder)
    with Running(str(folder), "--workers", str(workers), log=folder / "log") as server:
        wrk(server, folder, json.dumps({"rows": rows}), 8, 2)  # warm up
        for n_rows in (1, ROWS):
            for clients in CLIENTS:
                before = processor_seconds(server.process.pid)
                found = wrk(server, folder, json.dumps({"rows": rows[:n_rows]}), clients, seconds)
                spent = processor_seconds(server.process.pid) - before
                if workers == 1:
                    found["processor ms"] = f"{1e3 * spent / max(int(found['requests']), 1):.2f}"
                print(f"{n_rows:4} rows, {clients:3} clients, {workers} workers:", found, flush=True)


def long_run(folder: Path, seconds: int, clients: int = 64) -> None:
    """Many clients for long: answers that fail, and memory over time."""
    _, rows = make_model(folder)
    memory: list[float] = []
    stop = threading.Event()
    with Running(str(folder), log=folder / "log") as server:

        def watch() -> None:
            while not stop.wait(5):
                memory.append(memory_megabytes(server.process.pid))

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            found = wrk(server, folder, json.dumps({"rows": rows[:10]}), clients, seconds)
        finally:
            stop.set()
            watcher.join()
        metrics = server.get("/metrics").content.decode()
    print(found)
    later = memory[len(memory) // 10 :]
    print(
        f"memory after warm-up {later[0]:.1f} MB, at most {max(later):.1f} later, {later[-1]:.1f} at the end"
    )
    print("\n".join(line for line in metrics.splitlines() if line.startswith("setwise_requests_total")))


def main() -> None:
    """Run one measurement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["overhead", "load", "long"])
    parser.add_argument("--seconds", type=int, default=15)
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.what == "overhead":
            overhead(folder, 40)
        elif options.what == "load":
            measure_load(folder, options.seconds, options.workers)
        else:
            long_run(folder, options.seconds)


if __name__ == "__main__":
    main()
