"""The pages of ``benchmarks/papers``, made from the records of runs that are kept beside them.

``python -m benchmarks.paper_pages`` makes them again; ``python -m benchmarks.paper_pages --add FOLDER`` first adds the
records of the journals ``mc.jsonl``, ``mlme.jsonl``, ... of a folder. A page is what ``setwise reproduce`` prints for a
journal; here it runs nothing.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from setwise.papers.figures import STUDIES
from setwise.papers.recipes import PAPERS
from setwise.papers.reproduction import Reproduction, reproduce
from setwise.reports import report_reproduction

PAGES = Path(__file__).parent / "papers"
LEFT_OUT = ("traceback", "warnings")
"""Parts of a record that are not kept."""


def read(path: Path) -> dict[str, dict[str, Any]]:
    """Read the records of a journal, compressed or not, by key; nothing if there is no such file."""
    if not path.exists():
        return {}
    content = path.read_bytes()
    lines = (gzip.decompress(content) if path.suffix == ".gz" else content).decode().splitlines()
    return {record["key"]: record for record in map(json.loads, lines)}


def write(path: Path, records: Iterable[dict[str, Any]]) -> None:
    """Write records, one line each, compressed; the same records give the same bytes."""
    kept = ({k: v for k, v in record.items() if k not in LEFT_OUT} for record in records)
    text = "".join(json.dumps(record) + "\n" for record in kept)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def reproduced(key: str) -> Reproduction:
    """Put the records of a paper beside its printed numbers; nothing is run."""
    with tempfile.TemporaryDirectory() as folder:
        journal = Path(folder) / "journal.jsonl"
        records = read(PAGES / f"{key}.jsonl.gz").values()
        journal.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
        return reproduce(PAPERS[key], studies=STUDIES.get(key, ()), journal=journal, seconds=0.0)


def page(key: str) -> str:
    """Write the page of a paper as Markdown."""
    introduction = PAGES / f"{key}.intro.md"
    first, rest = report_reproduction(reproduced(key)).to_markdown().split("\n", 1)
    said = introduction.read_text(encoding="utf-8") if introduction.exists() else ""
    command = (
        f"Made by `python -m benchmarks.paper_pages` from the records in `{key}.jsonl.gz`, which "
        f"`setwise reproduce {key} --journal {key}.jsonl` wrote.\n"
    )
    return "\n".join([first, "", command, *([said] if said else []), rest.lstrip("\n")])


def main() -> None:
    """Add records if asked to, then make every page that has records."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.paper_pages", description=__doc__)
    parser.add_argument("--add", type=Path, metavar="FOLDER", help="folder of new journals")
    added = parser.parse_args().add
    for key in PAPERS:
        kept = PAGES / f"{key}.jsonl.gz"
        if added is not None:
            new = {k: record for k, record in read(added / f"{key}.jsonl").items() if "error" not in record}
            write(kept, (read(kept) | new).values())
        if kept.exists():
            (PAGES / f"{key}.md").write_text(page(key), encoding="utf-8")
            print(f"{PAGES / key}.md: {os.path.getsize(kept)} bytes of records")


if __name__ == "__main__":
    main()
