"""A release has the version of its tag: ``python packaging/release.py v1.2.3`` fails unless every file agrees on it.

The package takes its version from the tag by itself; the files below are written by hand.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLACES = {
    "CITATION.cff": r"^version: (.+)$",
    "packaging/conda/recipe.yaml": r'^  version: "(.+)"$',
    "CHANGELOG.md": r"^## (\S+)",
    "docs/_static/switcher.json": r'"version": "([^"]+)"',
}
"""Where a version is written; the first match of each file counts."""


def versions() -> dict[str, str]:
    """The version that each file has."""
    found = {}
    for place, pattern in PLACES.items():
        match = re.search(pattern, (ROOT / place).read_text(encoding="utf-8"), flags=re.MULTILINE)
        found[place] = match[1] if match else "none"
    return found


def faults(tag: str) -> list[str]:
    """What keeps a tag from being released."""
    wanted = tag.removeprefix("v")
    wrong = [
        f"{place} has {version}, the tag {wanted}"
        for place, version in versions().items()
        if version != wanted
    ]
    if f"## {wanted} (unreleased)" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"):
        wrong.append(f"CHANGELOG.md says that {wanted} is unreleased: write its date there")
    return wrong


if __name__ == "__main__":
    found = faults(sys.argv[1])
    print("\n".join(found) or f"everything is ready for {sys.argv[1]}")
    sys.exit(bool(found))
