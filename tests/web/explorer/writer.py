"""A process that makes corrections until it is killed, and says which ones were saved."""

import sys

from setwise.web.explorer.corrections import CorrectionJournal


def main(path: str, who: int) -> None:
    """Print the number of every correction after it was saved."""
    journal = CorrectionJournal(path, "data", ["calm", "sad"])
    row = who * 100_000
    while True:
        row += 1
        saved = journal.add(row, "edit", ["sad"], note="é" * (row % 50), seen=journal.version(row))
        print(saved.number, row, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
