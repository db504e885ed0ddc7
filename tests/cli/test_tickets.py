"""A table of tickets, as people have them, from the shell: the message says what a ticket is about."""

import csv
import datetime
import json

import numpy as np

import setwise
from setwise.cli import main

PHRASES = {
    "billing": ("I was charged twice", "the invoice is wrong", "my card was charged"),
    "bug": ("the app crashes", "an error appears on the screen", "the page stays empty"),
    "login": ("I cannot log in", "my password is refused", "the code never arrives"),
    "refund": ("I want my money back", "please refund me", "please return the amount"),
    "shipping": ("the parcel is late", "nothing was delivered", "the address is wrong"),
}
FILLER = [
    "hello",
    "since",
    "monday",
    "please",
    "help",
    "thanks",
    "my phone",
    "it is urgent",
    "for our team",
    "the manager",
]


def write_tickets(path, n, seed, first):
    """Rows of an identifier, a date, a plan with an empty cell in ten, a message and its tags."""
    rng = np.random.default_rng(seed)
    with open(path, "w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["ticket_id", "opened", "plan", "message", "tags"])
        for number in range(n):
            tags = [tag for tag in PHRASES if rng.random() < 0.3]
            parts = [rng.choice(PHRASES[tag]) for tag in tags] + [*rng.choice(FILLER, 5)]
            opened = first + datetime.timedelta(days=int(rng.integers(365)))
            plan = rng.choice(["free", "pro", "team"]) if rng.random() > 0.1 else ""
            writer.writerow([number, opened, plan, ", ".join(rng.permutation(parts)), ";".join(tags)])
    return path


def guessing(tags):
    """Log-loss of the shares of the labels."""
    Y = setwise.read_tags(tags).Y
    share = Y.mean(axis=0)
    return -np.where(Y == 1, np.log(share), np.log1p(-share)).sum(axis=1).mean()


def test_tickets_are_learned_from_their_messages(tmp_path, capsys):
    """Red when free text is dropped, or dates of a new year, empty cells and identifiers cost what the text gives."""
    train = write_tickets(tmp_path / "train.csv", 400, 0, datetime.date(2023, 1, 1))
    test = write_tickets(tmp_path / "test.csv", 200, 1, datetime.date(2024, 1, 1))
    file = str(tmp_path / "m.setwise")
    assert main(["fit", str(train), "--labels", "tags", "--model", "tree", "-o", file]) == 0
    capsys.readouterr()
    assert main(["evaluate", file, str(test), "--json"]) == 0
    loss = json.loads(capsys.readouterr().out)["records"][0]["scores"]["joint_log_loss"]
    with open(test, newline="", encoding="utf-8") as stream:
        tags = [row["tags"] for row in csv.DictReader(stream)]
    assert loss < 0.5 * guessing(tags)
