"""A process that opens forged files and asks their models: it may crash or hang, and reports what they tried to do.

Reads lines of JSON from its standard input, ``{"path": ..., "data": ...}``, and answers each with a line.
"""

import contextlib
import io
import json
import os
import resource
import signal
import sys
import tempfile
import traceback
import unicodedata
import warnings

import numpy as np

import setwise
from setwise.cli import main as command
from setwise.contract import FREE, NotTractable
from setwise.evaluation.protocol import score
from setwise.nesting import opened
from setwise.persistence import ModelFileError, describe
from setwise.web.standalone import export_page
from tests.fuzz.corpus import DATA, Y

SECONDS = 5
MEMORY = 2**30
HOMES = tuple(os.path.realpath(path) for path in (sys.prefix, sys.base_prefix, *sys.path) if path)
FORBIDDEN = (
    "os.",
    "shutil.",
    "subprocess.",
    "socket.",
    "pty.",
    "tempfile.",
    "pickle.",
    "glob.",
    "http.",
    "urllib.",
)
HARMLESS = ("os.listdir", "os.scandir", "os.putenv", "os.unsetenv")
EXPECTED = (ValueError, NotTractable, NotImplementedError)


class Watch:
    """Notes what a model does to files and processes."""

    def __init__(self):
        self.paths, self.seen = (), []

    def __call__(self, event, arguments):
        if not self.paths:
            return
        if event == "open":
            self._opened(*arguments)
        elif event.startswith(FORBIDDEN) and event not in HARMLESS:
            self.seen.append(f"{event}{str(arguments)[:100]}")

    def _opened(self, path, mode, flags):
        writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        name = os.path.realpath(os.fspath(path)) if isinstance(path, (str, bytes, os.PathLike)) else ""
        inside = isinstance(name, str) and (name in self.paths or name.startswith(HOMES))
        if writes or not inside:
            self.seen.append(f"open({str(path)[:100]}, {mode})")


def answers(model, X):
    """Every question, by name."""
    return {
        "predict": lambda: model.predict(X),
        "predict_proba": lambda: model.predict_proba(X),
        "hamming": lambda: final(model, X, lambda m, Z: m.predict(Z, decision="hamming")),
        "top_k": lambda: final(model, X, lambda m, Z: m.predict_top_k(Z, 3).log_prob),
        "log_prob": lambda: final(model, X, lambda m, Z: m.log_prob(Z, Y[: Z.shape[0]])),
        "decide": lambda: final(model, X, lambda m, Z: m.decide(Z, "subset").expected_loss),
        "sample": lambda: final(model, X, lambda m, Z: m.sample(Z, 2, random_state=0)),
        "sizes": lambda: final(model, X, lambda m, Z: m.distribution(Z).size_probs()),
        "given": lambda: final(model, X, given),
        "outliers": lambda: final(model, X, lambda m, Z: m.outlier_score(Z, Y[: Z.shape[0]])),
        "explain": lambda: final(
            model, X, lambda m, Z: m.explain(Z[:1], str(m.label_names_[0])).contributions
        ),
        "explain set": lambda: final(model, X, lambda m, Z: m.explain(Z[:1], m.predict(Z[:1])).contributions),
        "page": lambda: final(model, X, lambda m, Z: export_page(m, Z[:2]).startswith("<!doctype")),
    }


def given(model, X):
    """Marginals when the first label is known."""
    known = np.full((X.shape[0], model.n_labels_), FREE)
    known[:, 0] = 1
    return model.distribution(X).condition(known).marginals()


def final(model, X, ask):
    """Ask the estimator at the end of a pipeline."""
    return ask(*opened(model, X))


def ask(path, data, rows):
    """What became of a file: refused, or its model's answers; a list of what is wrong."""
    wrong = []
    try:
        describe(path)
        model = setwise.load(path)
    except ModelFileError as error:
        return "refused", str(error)[-100:], wrong
    if data == "csv":
        # Notes that the command did not write are refused there, in one line and with status 2.
        return by_command(path, rows, QUESTIONS, inspect(path, known=(0, 2)))
    outcome = "answered"
    questions = answers(model, DATA[data])
    if data not in ("dense", "sparse"):  # the command reads other rows
        questions["evaluate"] = lambda: list(score(Y, model.predict(DATA[data])).values())
    for name, question in questions.items():
        try:
            answer = np.asarray(question())
        except Exception as error:
            if not is_expected(error):
                raise
            outcome = f"raised {type(error).__name__}"
            continue
        if answer.dtype.kind == "f" and np.isnan(answer).any():
            wrong.append(f"{name} answers NaN")
        if name == "predict_proba" and not ((answer >= 0) & (answer <= 1)).all():
            wrong.append("a probability outside 0..1")
    wrong += inspect(path)
    if rows is None or data not in ("dense", "sparse"):
        return outcome, "", wrong
    command_outcome, detail, wrong = by_command(path, rows, QUESTIONS[:1], wrong)
    return outcome if command_outcome == "answered" else command_outcome, detail, wrong


def is_expected(error):
    """Whether an honest model may raise it: scikit-learn's own ``predict`` of an encoder of text does for numbers."""
    frames = traceback.extract_tb(error.__traceback__)
    by_encoder = isinstance(error, TypeError) and any("_encoders.py" in frame.filename for frame in frames)
    return by_encoder or isinstance(error, EXPECTED)


QUESTIONS = (["evaluate", "--json"], ["predict"], ["predict", "--top-k", "2"], ["predict", "--proba"])


def by_command(path, rows, questions, wrong):
    """What users do with a model and a file of rows: it succeeds, or is refused as wrong input in one line."""
    outcome, detail = "answered", ""
    for name, *arguments in questions:
        errors = io.StringIO()
        with silence() as output, contextlib.redirect_stderr(errors):
            status = command([name, str(path), rows, *arguments])
        if status == 2:
            outcome, detail = "refused by the command", errors.getvalue()[-100:]
        elif status != 0 or "Traceback" in errors.getvalue():
            wrong.append(f"{name} {arguments}: {errors.getvalue()[-200:]}")
        if "nan" in output.getvalue():
            wrong.append(f"{name} answers NaN")
    return outcome, detail, wrong


@contextlib.contextmanager
def silence():
    """Standard output, which takes text and bytes; errors go nowhere."""
    output = Output(io.BytesIO(), encoding="utf-8", newline="\n")
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(io.StringIO()):
        yield output


class Output(io.TextIOWrapper):
    """A stream that remembers what it was given."""

    def getvalue(self):
        self.flush()
        return self.buffer.getvalue().decode()


def inspect(path, known=(0,)):
    """What is wrong with the first page of a report."""
    errors = io.StringIO()
    with silence() as output, contextlib.redirect_stderr(errors):
        status = command(["inspect", str(path)])
    control = [c for c in output.getvalue() if unicodedata.category(c) in ("Cc", "Cf") and c != "\n"]
    return [f"inspect ended with {status}: {errors.getvalue()[-200:]}"] * (status not in known) + [
        f"{c!r} reaches the terminal" for c in control[:1]
    ]


def hang():
    while True:
        pass


TRIALS = {
    "hang": hang,
    "memory": lambda: bytes(2 * MEMORY),
    "folder": lambda: os.rmdir(tempfile.mkdtemp()),
    "file": lambda: os.close(os.open("/etc/hostname", os.O_RDONLY)),
    "process": lambda: os.posix_spawn("/bin/true", ["true"], {}),
    "crash": lambda: os.kill(os.getpid(), signal.SIGSEGV),
}
"""What a model must not do, to see that it would be noticed."""


def run(request, watch):
    """One file, within the limits."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)  # nobody catches the signal: a hang ends the process
    watch.paths = {os.path.realpath(request[name]) for name in ("path", "rows") if name in request}
    watch.seen = []
    try:
        if "trial" in request:
            TRIALS[request["trial"]]()
        outcome, detail, wrong = ask(request["path"], request["data"], request.get("rows"))
    except BaseException as error:
        outcome, detail = "failed", ""
        wrong = [f"{type(error).__name__}: {str(error)[:200]}"]
    watch.paths = ()
    signal.setitimer(signal.ITIMER_PROF, 0)
    return {"outcome": outcome, "detail": detail, "wrong": [*wrong, *watch.seen], "peak": peak_memory()}


def peak_memory():
    """The most bytes that this process ever had in memory."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def size_in_memory():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def main(limit_memory=True):
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    if limit_memory:
        resource.setrlimit(resource.RLIMIT_AS, (size_in_memory() + MEMORY, resource.RLIM_INFINITY))
    watch = Watch()
    sys.addaudithook(watch)
    print("ready", peak_memory(), flush=True)
    for line in sys.stdin:
        print(json.dumps(run(json.loads(line), watch)), flush=True)


if __name__ == "__main__":
    main("--any-memory" not in sys.argv)
