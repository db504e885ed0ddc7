"""A real browser for the tests: Debian's chromium, or the one that Playwright installed."""

import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest

SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
]
NO_TOUR = "localStorage.setItem('setwise-tour-seen', 'yes')"


@contextmanager
def chromium():
    """A browser; the test is skipped, with the reason, where there is none."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with api.sync_playwright() as playwright:
        own = Path(playwright.chromium.executable_path)
        if path is None and not own.exists():
            pytest.skip("no browser: install chromium, or run `playwright install chromium`")
        browser = playwright.chromium.launch(executable_path=path or str(own), args=SWITCHES)
        yield browser
        browser.close()


@contextmanager
def window(browser, url, *, width=1280, height=800, theme="light", tour=False):
    """A page of its own that notes errors, and requests to other hosts; both must stay empty."""
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme)
    page = context.new_page()
    page.set_default_timeout(60_000)
    if not tour:
        page.add_init_script(NO_TOUR)
    page.faults = []
    page.on("console", lambda message: message.type == "error" and page.faults.append(message.text))
    page.on("pageerror", lambda error: page.faults.append(str(error)))
    page.on("dialog", lambda dialog: (page.faults.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.on("request", lambda asked: _check(page, asked, url))
    page.goto(url)
    yield page
    context.close()


def _check(page, asked, url):
    if not asked.url.startswith((url.split("#")[0], "blob:", "data:")):
        page.faults.append(f"a request to {asked.url}")
