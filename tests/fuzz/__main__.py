"""``python -m tests.fuzz --files 500 --seed 0``: forge model files and open them. Exit status 1 if one did harm."""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz import corpus
from tests.fuzz.pool import run


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--files", type=int, default=500, help="how many files to forge (default: 500)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after this many seconds")
    parser.add_argument("--only", default="", help="only models whose name holds this text")
    parser.add_argument("--keep", help="a folder for the files, instead of one that is removed")
    parser.add_argument(
        "--any-memory",
        action="store_true",
        help="no limit of memory, which a sanitizer's build does not bear",
    )
    options = parser.parse_args()
    if options.keep:
        Path(options.keep).mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        counts, wrong = run(
            corpus.write(folder),
            options.keep or folder,
            options.files,
            options.seed,
            seconds=options.seconds,
            options=["--any-memory"] if options.any_memory else [],
            only=options.only,
            tell=lambda text: print(text, flush=True),
        )
    print(
        f"{sum(counts.values())} forged files in {time.monotonic() - start:.0f} s:",
        dict(counts.most_common()),
    )
    print(f"{len(wrong)} did something wrong" if wrong else "none did anything wrong")
    for name, done, answer in wrong:
        if done == "unchanged":
            print("the original itself:", name, answer)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
