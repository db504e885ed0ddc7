"""Compare golden answers with those of the code as it is, or write them: ``python -m tests.golden [--write]``."""

from __future__ import annotations

import argparse
import sys

from tests.golden.answers import FILE, answers, read, write
from tests.golden.builders import names
from tests.golden.compare import differences


def main() -> int:
    """Print what differs; with ``--write`` keep the new answers, else return 1 if any do."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
    parser.add_argument("--write", action="store_true", help="overwrite the kept answers")
    parser.add_argument("--only", metavar="NAME", nargs="+", help="cases whose name begins so (default: all)")
    options = parser.parse_args()
    chosen = [name for name in names() if not options.only or name.startswith(tuple(options.only))]
    if not chosen:
        parser.error(f"no case begins with {' or '.join(options.only)}; known: {', '.join(names())}")
    kept = read()
    now = {name: answers(name) for name in chosen}
    changed = {name: found for name in chosen if (found := differences(kept.get(name, {}), now[name]))}
    for name, lines in changed.items():
        print(name, *lines, sep="\n  ")
    print(f"{len(changed)} of {len(chosen)} cases differ from {FILE.name}")
    if not options.write:
        return int(bool(changed))
    write({name: said for name, said in (kept | {n: now[n] for n in changed}).items() if name in names()})
    return 0


if __name__ == "__main__":
    sys.exit(main())
