"""Speed of the explorer, measured in the browser: ``python -m benchmarks.explorer``; results in explorer.md.

The first paint of the yeast data, a click on a label at 100 labels and 20 components, scrolling through 100,000 rows,
opening a table of 200 MB. Processor times are those of the page's main thread, and of the server. The models of the
click and of the scrolling are made of random numbers: what they say does not matter here.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright
from sklearn.base import BaseEstimator

from setwise.distributions import ForestMixture
from setwise.web.explorer.explore import open_explorer
from setwise.web.explorer.rows import ArrayRows
from setwise.web.explorer.session import ExploredData, ExploredModel

SWITCHES = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
CLICK = """async label => {
  const bar = document.querySelector('.label[data-label="' + (label + 1) + '"]');
  const before = bar.dataset.after;
  const start = performance.now();
  document.querySelectorAll('.label[data-label="' + label + '"] .switch button')[2].click();
  while (bar.dataset.after === before) await new Promise(requestAnimationFrame);
  await new Promise(requestAnimationFrame);
  return performance.now() - start;
}"""
SCROLL = """async () => {
  const list = document.querySelector('.side .list');
  const frames = [];
  let last = performance.now();
  for (let step = 0; step < 120; step++) {
    list.scrollTop += step < 60 ? 300 : 40000;
    await new Promise(requestAnimationFrame);
    frames.push(performance.now() - last);
    last = performance.now();
  }
  return frames;
}"""


class RandomMixture(BaseEstimator):
    """A fitted model that gives every row a random mixture of trees."""

    def __init__(self, n_labels=100, n_components=20):
        self.n_labels, self.n_components = n_labels, n_components
        self.label_names_ = np.array([f"label {j}" for j in range(n_labels)])
        self.fitted_ = True

    def fit(self, X, Y):
        return self

    def distribution(self, X):
        rng = np.random.default_rng(int(abs(X[0, 0]) * 1000))
        shape = (len(X), self.n_components, self.n_labels, 2)
        parents = np.tile(np.arange(self.n_labels) - 1, (self.n_components, 1))
        gate = np.log(rng.dirichlet(np.ones(self.n_components), len(X)))
        joint = ForestMixture(gate, rng.normal(-1, 2, shape), parents)
        joint.label_names = self.label_names_
        return joint


def explorer_of(n_rows, n_labels, n_components, folder):
    model = RandomMixture(n_labels, n_components)
    rng = np.random.default_rng(0)
    given = (rng.random((n_rows, n_labels)) < 0.05).astype(np.int8)
    rows = ArrayRows(rng.normal(size=(n_rows, 10)))
    data = ExploredData("random", rows, list(model.label_names_), given)
    models = [ExploredModel("random", model)]
    journal = Path(folder) / f"{n_rows}.jsonl"
    return open_explorer(data, models, folds=0, journal=journal, port=0, open_browser=False, judge=False)


class Effort:
    """Processor milliseconds of the page's main thread and of this process, since the last call."""

    def __init__(self, page):
        self._session = page.context.new_cdp_session(page)
        self._session.send("Performance.enable", {"timeDomain": "threadTicks"})
        self._last = self._now()

    def _now(self):
        metrics = {
            one["name"]: one["value"] for one in self._session.send("Performance.getMetrics")["metrics"]
        }
        return 1e3 * metrics["TaskDuration"], 1e3 * time.process_time()

    def __call__(self):
        last, self._last = self._last, self._now()
        return tuple(after - before for before, after in zip(last, self._last))


def opened(browser, url, ready):
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.set_default_timeout(120_000)
    page.add_init_script("localStorage.setItem('setwise-tour-seen', 'yes')")
    page.goto(url)
    page.wait_for_selector(ready)
    return page


def first_paint(browser, folder):
    """Milliseconds to the first paint, and to the bars of the first row, of the yeast data; best of three."""
    from setwise import ConditionalTree
    from setwise.datasets import load

    data = load("yeast")
    model = ConditionalTree(l2=1.0).fit(data.X, data.named_labels())
    rows = ArrayRows(np.asarray(data.X, dtype=float), data.feature_names)
    given = np.asarray(data.named_labels().Y, dtype=np.int8)
    explored = ExploredData("yeast", rows, list(data.label_names), given)
    journal = Path(folder) / "yeast.jsonl"
    models = [ExploredModel("tree", model)]
    figures = []
    with open_explorer(
        explored, models, folds=0, journal=journal, port=0, open_browser=False, judge=False
    ) as found:
        for _ in range(3):
            page = opened(browser, found.url, ".label")
            figures.append((page.evaluate(PAINTED), page.evaluate("performance.now()")))
            page.close()
    return min(figures)


def measure_click(browser, folder):
    with explorer_of(50, 100, 20, folder) as found:
        page = opened(browser, found.url, ".card-components li")
        effort, clicks, spent = Effort(page), [], []
        for label in range(1, 60, 4):
            effort()
            clicks.append(page.evaluate(CLICK, label))
            spent.append(effort())
            page.wait_for_timeout(1500)  # until the question, the links and the components are there too
        page.close()
    drawn, served = np.median(spent, axis=0)
    print(
        f"click at 100 labels, 20 components: median {np.median(clicks):.0f} ms, best {min(clicks):.0f}; "
        f"processor until the bars have moved: page {drawn:.0f} ms, server {served:.0f} ms"
    )


def measure_scrolling(browser, folder):
    with explorer_of(100_000, 10, 2, folder) as found:
        start = time.perf_counter()
        page = opened(browser, found.url, ".side .line")
        print(f"100,000 rows: list after {time.perf_counter() - start:.2f} s")
        effort = Effort(page)
        frames = page.evaluate(SCROLL)
        drawn, served = (spent / len(frames) for spent in effort())
        print(
            f"scrolling: median frame {np.median(frames):.1f} ms, 95 % below {np.quantile(frames, 0.95):.1f} ms; "
            f"processor for a frame: page {drawn:.1f} ms, server {served:.1f} ms"
        )


def tickets(path, n_bytes):
    """A table with a number, a category, a text and tags."""
    rng, tags = np.random.default_rng(0), np.array(["billing", "refund", "login", "bug"])
    words = np.array([f"word{number}" for number in range(3000)])
    block = []
    for number in range(2000):
        on = tags[rng.random(4) < 0.3]
        message = " ".join([*rng.choice(words, 18), *on])
        block.append(f"{number},{message},{rng.normal():.4f},{'abc'[number % 3]},{';'.join(on)}\n")
    text = "".join(block)
    with open(path, "w") as file:
        file.write("id,message,size,kind,tags\n")
        for _ in range(max(1, round(n_bytes / len(text)))):
            file.write(text)


def measure_opening(browser, folder):
    """Seconds from the command to rows on the page, and processor seconds of the command by then."""
    small, large, model = (Path(folder) / name for name in ("small.csv", "large.csv", "tickets.setwise"))
    tickets(small, 1)
    tickets(large, 200e6)
    setwise = [sys.executable, "-m", "setwise"]
    fit = [
        *setwise,
        "fit",
        small,
        "--labels",
        "tags",
        "--ignore",
        "id",
        "--model",
        "BinaryRelevance",
        "-o",
        model,
    ]
    subprocess.run(fit, check=True, capture_output=True)
    start = time.perf_counter()
    command = [*setwise, "explore", model, large, "--folds", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as explorer:
        url = explorer.stdout.readline().split(" at ")[1].split()[0]
        opened(browser, url, ".side .line").close()
        fields = Path(f"/proc/{explorer.pid}/stat").read_text().rpartition(")")[2].split()
        spent = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        print(f"200 MB: rows after {time.perf_counter() - start:.1f} s, {spent:.1f} s of processor time")
        explorer.kill()


def main():
    argparse.ArgumentParser(description=__doc__).parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=SWITCHES)
        paint, bars = first_paint(browser, folder)
        print(f"yeast: first paint {paint:.0f} ms, first bars {bars:.0f} ms (best of 3)", flush=True)
        for measure in (measure_click, measure_scrolling, measure_opening):
            measure(browser, folder)
        browser.close()


if __name__ == "__main__":
    main()
