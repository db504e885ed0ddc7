"""Make the pictures of the explorer: ``python -m docs.tools.explorer_pictures``.

They show ``setwise explore --demo``, driven by chromium, and go to ``docs/pictures``.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from setwise.web.explorer.demo import demo
from setwise.web.explorer.explore import open_explorer

FOLDER = Path(__file__).parents[1] / "pictures"
SWITCHES = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]
VIEWS = {
    "row": ("row?row=3&on=1&off=7", ".card-why li"),
    "errors": ("errors", ".card-reasons tbody tr"),
    "decisions": ("decisions?loss=f&beta=2", "#automate, .card-coverage .unavailable"),
    "data": ("data", ".card-scores table"),
    "models": ("models", ".versus"),
}
"""Address of each view, and what must be there before the picture is taken."""


def main() -> int:
    """Fit the demo, judge its rows, take a picture of every view."""
    data, models = demo()
    with tempfile.TemporaryDirectory() as folder:
        journal = Path(folder) / "yeast.corrections.jsonl"
        with open_explorer(data, models, folds=5, journal=journal, port=0, open_browser=False) as explorer:
            for number in range(len(models)):
                explorer.session.jobs.wait(f"judge {number}")
            make_pictures(explorer.url, FOLDER, [("light", 1280, 800)])
    return 0


def make_pictures(url: str, folder: Path, forms: list[tuple[str, int, int]]) -> None:
    """Pictures of every view, for each theme and size."""
    folder.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=SWITCHES)
        for theme, width, height in forms:
            page = _page(browser, theme, width, height)
            for view, (address, ready) in VIEWS.items():
                page.goto(f"{url}#/{address}")
                page.wait_for_selector(ready)
                page.wait_for_timeout(400)  # bars move for a moment
                name = view if len(forms) == 1 else f"{view}-{theme}-{width}"
                page.screenshot(path=folder / f"explorer-{name}.png")
                _shrink(folder / f"explorer-{name}.png")
        browser.close()


def _page(browser: Any, theme: str, width: int, height: int) -> Any:
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme)
    page = context.new_page()
    page.set_default_timeout(120_000)
    page.add_init_script("localStorage.setItem('setwise-tour-seen', 'yes')")
    return page


def _shrink(path: Path) -> None:
    """A picture of few colours is a third as large."""
    with Image.open(path) as picture:
        picture.convert("RGB").quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    sys.exit(main())
