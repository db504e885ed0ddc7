"""The exported page in a real browser: its numbers are Python's, clicks move them, and hostile names do nothing."""

import numpy as np
import pytest

from setwise import BinaryRelevance
from setwise.web.standalone import export_page
from tests.web.explorer.browser import window
from tests.web.standalone.models import fitted, queries
from tests.web.standalone.test_page import HOSTILE

ANSWER = """asked => asked.map(({x, evidence}) => {
  const parts = partsOf(model, x);
  const now = ask(parts, evidence);
  const found = topK(parts, evidence, 4, model.min_labels);
  return {log_evidence: now.logEvidence, marginals: now.marginals, sizes: Array.from(now.sizes),
          best: Array.from(found.logProb), first: Array.from(found.sets[0]), certified: found.certified};
})"""


def _open(browser, folder, page, **look):
    path = folder / "page.html"
    path.write_text(page, encoding="utf-8")
    return window(browser, path.as_uri(), **look)


def test_a_thousand_answers_of_ten_models_are_pythons(browser, tmp_path):
    """Red if a number on the page differs from Python's by 1e-9, or another set comes first with no tie."""
    models, X = fitted()
    assert len(models) == 10
    for name, model in models.items():
        asked = queries(model, X, 100, seed=7)
        with _open(browser, tmp_path, export_page(model, X[:3], title=name)) as page:
            answers = page.evaluate(ANSWER, [{key: one[key] for key in ("x", "evidence")} for one in asked])
            assert page.faults == []
        for query, answer in zip(asked, answers, strict=True):
            assert answer["certified"], name
            for key in ("log_evidence", "marginals", "sizes", "best"):
                np.testing.assert_allclose(
                    answer[key], query[key], atol=1e-9, rtol=0, err_msg=f"{name}: {key}"
                )
            tie = len(query["best"]) > 1 and query["best"][0] - query["best"][1] < 1e-9
            assert tie or answer["first"] == query["first"], name


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 390)])
def test_a_click_moves_what_is_shown(browser, tmp_path, theme, width):
    """Red if evidence by click is not in the numbers shown, if undo keeps it, or if the page is too wide."""
    models, X = fitted()
    model = models["trees"]
    with _open(browser, tmp_path, export_page(model, X[:3]), width=width, theme=theme) as page:
        shown = "[...document.querySelectorAll('.label')].map(node => node.getAttribute('aria-label')).sort()"
        before = page.evaluate(shown)
        page.click("[data-label='1']")
        given = model.distribution(X[:1]).condition({1: 1}).marginals()[0]
        for name, p in zip(model.label_names_, given):
            line = next(text for text in page.evaluate(shown) if text.startswith(f"{name},"))
            assert line.endswith(f", {100 * p:.1f} %") or p < 1e-3
        page.click("#undo")
        assert page.evaluate(shown) == before
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.faults == []


def test_hostile_names_are_shown_and_do_nothing(browser, tmp_path):
    """Red if a name becomes markup: a dialog, an error, a request or a further element would appear."""
    model = BinaryRelevance(l2=1.0).fit(np.eye(4), [["sea", HOSTILE], ["sand"], ["sea"], [HOSTILE]])
    names = {"row_names": [HOSTILE] * 4, "feature_names": [HOSTILE] * 4, "title": HOSTILE}
    with _open(browser, tmp_path, export_page(model, np.eye(4), **names)) as page:
        page.click("[data-label='0']")
        assert page.inner_text("h1") == HOSTILE
        assert page.locator("img").count() == 0
        assert page.locator("script").count() == 2
        assert page.faults == []
