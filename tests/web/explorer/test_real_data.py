"""Every view in a real browser on yeast, on texts and on 300 labels."""

import csv
import io

import numpy as np
import pytest

from setwise import distribution_of
from setwise.web.explorer.answers.decisions import measure_decision
from setwise.web.explorer.launch import Explorer
from tests.web.explorer.browser import window
from tests.web.explorer.real_data import SESSIONS
from tests.web.explorer.sessions import journal_of
from tests.web.explorer.test_page import settled

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


@pytest.fixture(scope="module", params=SESSIONS)
def explorer(request, tmp_path_factory):
    session = SESSIONS[request.param]()
    session.start_judging()
    for number in range(2):
        job = session.jobs.wait(f"judge {number}")
        assert not job.error, job.error
    with Explorer(session, journal_of(session, tmp_path_factory.mktemp("journal"))) as opened:
        yield opened


def test_the_row_equals_python_and_comes_back(browser, explorer):
    session = explorer.session
    names, rows = session.data.label_names, session.data.rows
    joint = distribution_of(session.models[0].estimator, rows.features(np.array([3])))
    label = int(joint.marginals()[0].argmax())
    with window(browser, f"{explorer.url}#/row?row=3") as page:
        settled(page, joint.marginals()[0])
        page.click(f".label[data-label='{label}'] button[aria-label='{names[label]}: off']")
        settled(page, joint.condition({label: 0}).marginals()[0])
        page.wait_for_selector(".card-question .question, .card-question .unavailable")
        page.wait_for_selector(".card-tree svg, .card-tree .unavailable")
        page.wait_for_selector(".card-why li, .card-why .unavailable")
        page.reload()
        settled(page, joint.condition({label: 0}).marginals()[0])
        page.go_back()
        settled(page, joint.marginals()[0])
        assert page.faults == []


def test_rows_are_corrected_and_taken_home(browser, explorer):
    with window(browser, f"{explorer.url}#/errors") as page:
        page.wait_for_selector(".card-suspect .against")
        first = int(page.inner_text(".card-suspect h2").split()[1])
        page.keyboard.press("a")
        page.wait_for_selector(".line.accept")
        page.wait_for_function(
            f"!document.querySelector('.card-suspect h2').innerText.startsWith('Row {first} ')"
        )
        with page.expect_download() as download:
            page.click("text=Patch")
        changed = list(csv.DictReader(io.StringIO(download.value.path().read_text())))
        assert {int(line["row"]) for line in changed} == {first}
        page.goto(f"{explorer.url}#/errors?at={first}")
        page.wait_for_selector(".verdict.accept")
        page.keyboard.press("u")
        page.wait_for_selector(".verdict", state="detached")
        assert page.faults == []


def test_decisions_data_and_models(browser, explorer):
    session = explorer.session
    Y = session.data.given
    with window(browser, f"{explorer.url}#/decisions?loss=hamming") as page:
        answer = measure_decision(session, "hamming")
        page.wait_for_function(
            "want => +document.querySelector('#measured-loss')?.dataset.value === want",
            arg=answer["measured"]["mean"],
        )
        page.goto(f"{explorer.url}#/data")
        page.wait_for_selector(".card-scores table")
        page.click(".card-frequencies .name")
        page.wait_for_selector(f".slice b:text-is('{Y.sum(axis=0).max():,}')")
        page.goto(f"{explorer.url}#/models")
        page.wait_for_selector(".verdicts")
        assert page.faults == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 1920])
def test_nothing_overflows_and_nothing_is_hard_to_read(browser, explorer, theme, width):
    """The page never scrolls sideways, and axe finds nothing serious."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    views = {
        "row?row=3&on=1": ".card-tree svg, .card-tree .unavailable",
        "errors": ".card-suspect",
        "decisions": "#expected-loss",
        "data": ".card-scores table",
        "models": ".verdicts",
    }
    with window(browser, explorer.url, theme=theme, width=width) as page:
        for view, ready in views.items():
            page.goto(f"{explorer.url}#/{view}")
            page.wait_for_selector(ready)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            found = axe.run(page).response["violations"]
            assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == [], view
