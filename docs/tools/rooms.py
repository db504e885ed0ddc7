"""Draw the rooms of the package and who imports whom: ``python -m docs.tools.rooms`` writes docs/rooms.svg.

The order of the rooms is that of the import contract in pyproject.toml, and the arcs come from the import graph
itself, so the picture cannot disagree with the code. A test redraws it and compares.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from html import escape
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs/rooms.svg"
ROW, LEFT, BOX, FILES = 46, 16, 190, 560
"""Height of a row, left margin, width of a room's box, where the column of sub-rooms ends."""

STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1f2937 }
.room { font-weight: 600 } .sub { font-size: 12px; fill: #4b5563 }
rect { fill: #eff6ff; stroke: #93c5fd }
path { fill: none; stroke: #2563eb; stroke-opacity: .35 }
@media (prefers-color-scheme: dark) {
  text { fill: #e5e7eb } .sub { fill: #9ca3af } rect { fill: #1e293b; stroke: #3b82f6 } path { stroke: #60a5fa }
}
"""


def layers() -> list[str]:
    """Rooms from top to bottom, as the first import contract lists them, then those that stand beside the stack."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    stack, beside = contracts["contracts"][:2]
    return [name.removeprefix("setwise.") for name in [*stack["layers"], *beside["source_modules"]]]


def imports(rooms: list[str]) -> Counter[tuple[str, str]]:
    """How many imports go from one room to another."""
    graph = grimp.build_graph("setwise", cache_dir=None)
    counts: Counter[tuple[str, str]] = Counter()
    for module in graph.modules:
        for target in graph.find_modules_directly_imported_by(module):
            pair = _room(module), _room(target)
            if pair[0] != pair[1] and set(pair) <= set(rooms):
                counts[pair] += 1
    return counts


def contents(room: str) -> str:
    """What a room holds: its sub-rooms with their files, or its number of files."""
    folder = ROOT / "src/setwise" / room
    if not folder.is_dir():
        return ""
    inner = sorted(path for path in folder.iterdir() if (path / "__init__.py").exists())
    here = _files(folder)
    parts = [f"{path.name} {_files(path)}" for path in inner]
    return " · ".join([f"{here} file{'s' if here != 1 else ''}", *parts] if here else parts)


def draw() -> str:
    """The picture as SVG."""
    rooms = layers()
    at = {room: 20 + row * ROW for row, room in enumerate(rooms)}
    height, width = 20 + len(rooms) * ROW, 980
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">',
        f"<style>{STYLE}</style>",
    ]
    lines += ["<title>The rooms of setwise and the imports between them</title>"]
    for (source, target), count in sorted(imports(rooms).items()):
        lines.append(_arc(at[source] + 16, at[target] + 16, count))
    for room, y in at.items():
        lines.append(f'<rect x="{LEFT}" y="{y}" width="{BOX}" height="32" rx="6"/>')
        lines.append(f'<text class="room" x="{LEFT + 12}" y="{y + 21}">{escape(room)}</text>')
        lines.append(f'<text class="sub" x="{LEFT + BOX + 14}" y="{y + 21}">{escape(contents(room))}</text>')
    return "\n".join([*lines, "</svg>", ""])


def _arc(start: int, end: int, count: int) -> str:
    """A curve on the right from the importing room to the imported one, thicker for more imports."""
    x = FILES + 130
    reach = x + min(abs(end - start), 700) * 0.35
    curve = f"M{x} {start} C{reach:.0f} {start} {reach:.0f} {end} {x} {end}"
    return f'<path d="{curve}" stroke-width="{1 + min(count, 40) / 10:.1f}"/>'


def _files(folder: Path) -> int:
    return sum(path.suffix == ".py" and path.name != "__init__.py" for path in folder.iterdir())


def _room(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
