"""Forged files one after another, and what became of them."""

import json
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np

from tests.fuzz import corpus
from tests.fuzz.forgeries import File, forge
from tests.fuzz.values import TRAP


class Worker:
    """A process that asks models; another one takes its place if it dies."""

    def __init__(self, *options):
        self.options, self.process = options, None
        self.start, self.grown = 0, 0

    def __enter__(self):
        self._start()
        return self

    def __exit__(self, *error):
        self.process.kill()
        self.process.wait()

    def _start(self):
        command = [sys.executable, "-m", "tests.fuzz.worker", *self.options]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        word, start = self.process.stdout.readline().split()
        assert word == "ready"
        self.start = int(start)

    def ask(self, path, data, **more):
        self.process.stdin.write(json.dumps({"path": str(path), "data": data, **more}) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if answer:
            found = json.loads(answer)
            self.grown = max(self.grown, found["peak"] - self.start)
            return found
        code = self.process.wait()
        self._start()
        return {"outcome": "died", "detail": "", "wrong": [f"the process ended with {code} (-27 is a hang)"]}


def run(
    originals, folder, n_files, seed, *, seconds=float("inf"), options=(), only="", tell=lambda text: None
):
    """Forge files and ask their models; the counts of what became of them, and a list of what is wrong.

    ``originals`` are the files of :func:`tests.fuzz.corpus.write`; forged ones are written to ``folder``. File ``i``
    depends on the seed and on ``i`` only, so each can be made again.
    """
    folder, end = Path(folder), time.monotonic() + seconds
    originals = {n: entry for n, entry in originals.items() if only in n}
    files = {name: (File(path), data) for name, (path, data) in originals.items()}
    names, counts, wrong = list(files), Counter(), []
    rows = {kind: str(folder / f"rows.{'csv' if kind == 'csv' else 'npz'}") for kind in (*corpus.DATA, "csv")}
    np.savez(rows["dense"], X=corpus.X, Y=corpus.Y)
    corpus.write_csv(rows["csv"])
    with Worker(*options) as worker:
        for name, (path, data) in originals.items():
            answer = worker.ask(path, data, rows=rows[data])
            refused = answer["outcome"].startswith("refused") and "Abstain" not in name  # it cannot be scored
            if refused or answer["wrong"]:
                wrong.append((name, "unchanged", answer))
        for i in range(n_files):
            if time.monotonic() > end:
                break
            rng = np.random.default_rng([seed, i])
            name = names[i % len(names)]
            content, done = forge(files[name][0], rng)
            path = folder / f"forged-{seed}.setwise"
            path.write_bytes(content)
            answer = worker.ask(path, files[name][1], rows=rows[files[name][1]])
            counts[answer["outcome"]] += 1
            if i % 1000 == 999:
                tell(f"{i + 1} files")
            if answer["wrong"] or Path(TRAP).exists():
                (folder / f"wrong-{seed}-{i}.setwise").write_bytes(content)
                wrong.append((f"{seed}-{i} {name}", done, answer))
                tell(f"{seed}-{i} {name} | {done} | {answer['wrong']}")
        tell(f"at most {worker.grown >> 20} MB more in memory than after the imports")
    return counts, wrong
