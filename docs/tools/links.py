"""Check the links of a built site without a network: ``python -m docs.tools.links build/site/html``.

Every link to a page, a picture or a heading of the site must lead somewhere. Links to other sites are not followed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The links of a page and the places in it that links can name."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.append(value)
            if name in ("id", "name") and value:
                self.places.add(value)


def broken(root: Path) -> Iterator[str]:
    """Yield a line for each link that leads nowhere."""
    paths = (path for path in sorted(root.rglob("*.html")) if "_static" not in path.relative_to(root).parts)
    pages = {path: Page(path) for path in paths}
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or link == "#":
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                yield f"{path.relative_to(root)}: {link} leads nowhere"
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].places:
                yield f"{path.relative_to(root)}: {link}: no such place on that page"


if __name__ == "__main__":
    found = list(broken(Path(sys.argv[1]).resolve()))
    print("\n".join(found) or "all links lead somewhere")
    sys.exit(bool(found))
