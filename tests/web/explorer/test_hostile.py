"""Hostile names, texts and notes run nothing: not in the page, not in the exports, not in a terminal."""

import csv
import io

import numpy as np
import pytest

from setwise.web.explorer.launch import Explorer
from setwise.web.explorer.rows import FrameRows
from tests.web.explorer.browser import window
from tests.web.explorer.sessions import journal_of, session_of

EVIL = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    "=cmd|' /C calc'!A0",
    "${alert(3)}\u202e\x1b[31m",
    "__proto__",
]


@pytest.fixture(scope="module")
def explorer(tmp_path_factory):
    pd = pytest.importorskip("pandas")
    from sklearn.compose import make_column_selector, make_column_transformer

    from setwise import ConditionalTree, make_set_pipeline

    rng = np.random.default_rng(0)
    X = pd.DataFrame({"<b onclick=alert(4)>": rng.normal(size=60), "text": [EVIL[i % 5] for i in range(60)]})
    Y = (X.iloc[:, [0] * 5].to_numpy() + rng.normal(size=(60, 5)) > 0).astype(np.int8)
    numbers = make_column_transformer(("passthrough", make_column_selector(dtype_include=float)))
    model = make_set_pipeline(numbers, ConditionalTree(l2=1.0))
    session = session_of(X, Y, EVIL, rows=FrameRows(X), model=model)
    with Explorer(session, journal_of(session, tmp_path_factory.mktemp("evil"))) as opened:
        yield opened


def test_hostile_names_and_texts_are_only_shown(browser, explorer):
    """Every view, with labels, columns, entries and a note that would run if they were taken for code."""
    with window(browser, f"{explorer.url}#/row?row=1&on=0") as page:
        page.wait_for_selector(".card-labels .label")
        page.wait_for_selector(".card-why li")
        assert EVIL[0] in page.inner_text(".card-labels")
        page.goto(f"{explorer.url}#/errors")
        page.wait_for_selector(".card-suspect")
        page.fill(".notebox input", EVIL[1])
        page.keyboard.press("Enter")
        page.keyboard.press("a")
        page.wait_for_selector(".line.accept")
        for view, ready in (("decisions", "#expected-loss"), ("data?on=1", ".card-scores table")):
            page.goto(f"{explorer.url}#/{view}")
            page.wait_for_selector(ready)
        page.goto(f"{explorer.url}#/row?row=0&changes=%7B%22__proto__%22%3A%22x%22%7D&slice=%22%3C")
        page.wait_for_selector("text=there is no column")
        assert page.evaluate("document.querySelectorAll('img[src=x], script:not([src])').length") == 0
        assert [fault for fault in page.faults if "dialog" in fault or "alert" in fault] == []
        answer = page.request.get(f"{explorer.url}api/export/patch.csv")
        cells = [cell for line in csv.reader(io.StringIO(answer.text())) for cell in line]
        assert not [cell for cell in cells if cell.startswith(("=", "@", "+"))]
        assert "\x1b" not in answer.text()
