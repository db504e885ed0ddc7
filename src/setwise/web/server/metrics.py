"""Counters for Prometheus, summed over the worker processes.

Each worker counts for itself and leaves its counts in a file of its own once a second. Whichever worker is asked adds
those of the others, also of workers that have ended, so sums never fall.
"""

from __future__ import annotations

import json
import os
import threading
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from setwise.atomic import replacing

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""Upper ends of the classes of latency, in seconds."""
HELP = {
    "setwise_requests_total": "Requests by route, method and status.",
    "setwise_request_seconds": "Time from the request to the end of its answer.",
    "setwise_rows_total": "Rows answered by model.",
    "setwise_certified_rows_total": "Rows whose answer is proved to be the best, by model.",
    "setwise_decided_rows_total": "Rows with such a proof or without, by model.",
    "setwise_reloads_total": "Model files that were loaded again.",
    "setwise_reload_failures_total": "Replaced or new model files that could not be loaded.",
}
Labels = tuple[tuple[str, str], ...]


class Metrics:
    """Counters of this process, and those that other workers left.

    Parameters
    ----------
    folder : str, optional
        Where workers leave their counts.

    Examples
    --------
    >>> metrics = Metrics()
    >>> metrics.add("setwise_rows_total", 5, model="beach")
    >>> print(metrics.text({}).splitlines()[2])
    setwise_rows_total{model="beach"} 5
    """

    def __init__(self, folder: str | None = None) -> None:
        self._folder = None if folder is None else Path(folder)
        self._counts: defaultdict[tuple[str, Labels], float] = defaultdict(float)
        self._lock = threading.Lock()
        self._changed = False

    def add(self, name: str, amount: float = 1, **labels: str) -> None:
        """Add to a counter."""
        with self._lock:
            self._counts[name, tuple(sorted(labels.items()))] += amount
            self._changed = True

    def observe(self, name: str, seconds: float, **labels: str) -> None:
        """Add a duration to a histogram."""
        place = bisect_left(BUCKETS, seconds)
        bucket = f"{BUCKETS[place]:g}" if place < len(BUCKETS) else "+Inf"
        self.add(f"{name}_bucket", 1, le=bucket, **labels)
        self.add(f"{name}_sum", seconds, **labels)
        self.add(f"{name}_count", 1, **labels)

    def leave(self) -> None:
        """Leave the counts of this process for the other workers."""
        if self._folder is None or not self._changed:
            return
        with self._lock:
            self._changed = False
            counts = [[name, labels, value] for (name, labels), value in self._counts.items()]
        with replacing(self._folder / f"{os.getpid()}.json") as file:
            file.write(json.dumps(counts).encode())

    def _summed(self) -> dict[tuple[str, Labels], float]:
        with self._lock:
            total = defaultdict(float, self._counts)
        for path in [] if self._folder is None else self._folder.glob("*.json"):
            if path.stem != str(os.getpid()):
                for name, labels, value in json.loads(path.read_bytes()):
                    total[name, tuple((key, text) for key, text in labels)] += value
        return _cumulated(total)

    def text(self, infos: Mapping[str, list[dict[str, str]]]) -> str:
        """All metrics in the text format of Prometheus, with ``infos``: metrics of value 1 that have labels."""
        lines: list[str] = []
        counts = sorted(self._summed().items(), key=lambda item: (item[0][0], _order(item[0][1])))
        for family, text in HELP.items():
            mine = [item for item in counts if item[0][0].removesuffix("_bucket").startswith(family)]
            kind = "counter" if family.endswith("_total") else "histogram"
            if mine:
                lines += [f"# HELP {family} {text}", f"# TYPE {family} {kind}"]
                lines += [f"{name}{_braces(labels)} {value:.17g}" for (name, labels), value in mine]
        for family, some in infos.items():
            lines += [
                f"# TYPE {family} gauge",
                *(f"{family}{_braces(tuple(labels.items()))} 1" for labels in some),
            ]
        return "\n".join(lines) + "\n"


def _cumulated(total: Mapping[tuple[str, Labels], float]) -> dict[tuple[str, Labels], float]:
    """The counts with those of a histogram summed up to each upper end."""
    found = {key: value for key, value in total.items() if not key[0].endswith("_bucket")}
    classes: defaultdict[tuple[str, Labels], dict[str, float]] = defaultdict(dict)
    for (name, labels), value in total.items():
        if name.endswith("_bucket"):
            others = tuple(item for item in labels if item[0] != "le")
            classes[name, others][dict(labels)["le"]] = value
    for (name, others), counts in classes.items():
        running = 0.0
        for end in [*(f"{bucket:g}" for bucket in BUCKETS), "+Inf"]:
            running += counts.get(end, 0.0)
            found[name, (*others, ("le", end))] = running
    return found


def _order(labels: Labels) -> list[tuple[str, float, str]]:
    """Upper ends in the order of numbers, all else in that of text."""
    return [(key, float(text) if key == "le" else 0.0, text) for key, text in labels]


def _braces(labels: Labels) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_escaped(text)}"' for name, text in labels) + "}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "")
