"""The page in a real browser: what it shows is what Python says, and every view works."""

import csv
import io
import json

import numpy as np
import pytest

from setwise import distribution_of
from setwise.web.explorer.corrections import CorrectionJournal, fingerprint
from tests.web.explorer.browser import window


def shown_marginals(page):
    """Probabilities of the labels on the page, in the order of the model."""
    found = page.eval_on_selector_all(".label", "all => all.map(e => [+e.dataset.label, +e.dataset.after])")
    return [value for _, value in sorted(found)]


def settled(page, expected):
    """Wait until the page shows these marginals, bit for bit: JSON and JavaScript keep doubles."""
    page.wait_for_function(
        "want => { const all = [...document.querySelectorAll('.label')];"
        " return all.length === want.length && all.every(e => +e.dataset.after === want[+e.dataset.label]) }",
        arg=[float(value) for value in expected],
    )


def joint_of(explorer, row, number=0):
    session = explorer.session
    return distribution_of(session.models[number].estimator, session.data.rows.X[[row]])


def test_a_row_moves_as_python_says_and_the_address_remembers(browser, explorer):
    """Click on, off and unknown; back, reload and the address restore every step; sets and sizes equal Python's."""
    joint = joint_of(explorer, 7)
    with window(browser, f"{explorer.url}#/row?row=7") as page:
        settled(page, joint.marginals()[0])
        page.click("button[aria-label='sad: on']")
        settled(page, joint.condition({1: 1}).marginals()[0])
        page.click("button[aria-label='old: off']")
        given = joint.condition({1: 1, 3: 0})
        settled(page, given.marginals()[0])
        best = given.top_k(10)
        there = np.isfinite(best.log_prob[0])
        page.wait_for_function(
            "p => +document.querySelector('.rung').dataset.probability === p",
            arg=float(np.exp(best.log_prob[0, 0])),
        )
        rungs = page.eval_on_selector_all(
            ".rung", "all => all.map(e => [e.dataset.set, +e.dataset.probability])"
        )
        assert [p for _, p in rungs] == np.exp(best.log_prob[0][there]).tolist()
        assert [s for s, _ in rungs] == [
            " ".join(map(str, np.flatnonzero(y == 1))) for y in best.labels[0][there]
        ]
        sizes = page.eval_on_selector_all(".card-sizes li", "all => all.map(e => +e.dataset.probability)")
        assert sizes == given.size_probs()[0][: len(sizes)].tolist()
        page.wait_for_function(
            "() => { const all = [...document.querySelectorAll('.card-sizes .column')];"
            " const p = all.map(e => +e.closest('li').dataset.probability), most = Math.max(...p);"
            " const heights = all.map(e => e.getBoundingClientRect().height), tall = Math.max(...heights);"
            " return all.every((_, i) => Math.abs(heights[i] - Math.max(1, tall * p[i] / most)) < 1) }"
        )
        assert "on=1" in page.url
        assert "off=3" in page.url
        page.reload()
        settled(page, given.marginals()[0])
        page.go_back()
        settled(page, joint.condition({1: 1}).marginals()[0])
        page.go_back()
        settled(page, joint.marginals()[0])
        page.focus("button[aria-label='calm: unknown']")
        page.keyboard.press("Space")
        settled(page, joint.condition({0: 1}).marginals()[0])
        page.fill("input[aria-label='x0']", "2.5")
        page.keyboard.press("Enter")
        changed = explorer.session.data.rows.X[[7]].copy()
        changed[0, 0] = 2.5
        model = explorer.session.models[0].estimator
        settled(page, distribution_of(model, changed).condition({0: 1}).marginals()[0])
        page.click("text=Clear all")
        settled(page, joint.marginals()[0])
        page.select_option("select >> nth=1", "1")
        settled(page, joint_of(explorer, 7, 1).marginals()[0])
        page.click("h1")
        page.keyboard.press("j")
        settled(page, joint_of(explorer, 8, 1).marginals()[0])
        assert page.faults == []


def test_corrections_are_made_by_keys_and_kept(browser, explorer):
    """Accept, keep, edit with a note, skip, undo; a second window sees them; the patch holds them."""
    data, session = explorer.session.data, explorer.session
    journal = CorrectionJournal(
        explorer.journal, fingerprint(data.rows, data.label_names, data.given), data.label_names
    )
    with (
        window(browser, f"{explorer.url}#/errors") as page,
        window(browser, f"{explorer.url}#/errors") as other,
    ):

        def row():
            page.wait_for_selector(".card-suspect h2")
            return int(page.inner_text(".card-suspect h2").split()[1])

        def press(key, before):
            page.keyboard.press(key)
            page.wait_for_function(
                "b => !document.querySelector('.card-suspect h2')?.innerText.startsWith(`Row ${b}\\n`) &&"
                " !document.querySelector('.card-suspect h2')?.innerText.startsWith(`Row ${b} `)",
                arg=before,
            )

        other.wait_for_selector(".card-suspect h2")
        first = row()
        page.fill(".notebox input", "=evil(")
        page.type(".notebox input", ")")
        page.keyboard.press("Enter")
        press("a", first)
        second = row()
        press("k", second)
        third = row()
        page.keyboard.press("e")
        page.wait_for_selector(".editor")
        page.click(".editor label:first-child input")
        page.keyboard.press("Enter")
        page.wait_for_function(
            "b => !document.querySelector('.card-suspect h2')?.innerText.includes(b)", arg=f"Row {third}"
        )
        fourth = row()
        press("s", fourth)
        journal.refresh()
        assert [journal.of(r).action for r in (first, second, third, fourth)] == [
            "accept",
            "keep",
            "edit",
            "skip",
        ]
        suggested = session.judged().judgement.suggested[first]
        assert [data.label_names[j] for j in np.flatnonzero(suggested)] == list(journal.of(first).labels)
        # the other window still shows the first row without a decision: its key is refused, then it knows better
        assert other.inner_text(".card-suspect h2").split()[1] == str(first)
        other.keyboard.press("k")
        other.wait_for_selector("text=changed in another window")
        journal.refresh()
        assert journal.of(first).action == "accept"
        assert [fault for fault in other.faults if "409" not in fault] == []
        page.goto(f"{explorer.url}#/errors?at={second}")
        page.wait_for_selector(".verdict.keep")
        page.keyboard.press("u")
        page.wait_for_selector(".verdict", state="detached")
        journal.refresh()
        assert journal.of(second) is None
        with page.expect_download() as download:
            page.click("text=Patch")
        lines = list(csv.DictReader(io.StringIO(download.value.path().read_text())))
        assert {int(line["row"]) for line in lines} == {first, third}
        assert lines[0]["note"] in ("'=evil()", "")
        page.click("text=Fit the model again")
        page.wait_for_selector(".report")
        with page.expect_download() as download:
            page.click("text=Save the new model")
        from setwise import load

        assert load(download.value.path()).n_labels_ == 4
        assert page.faults == []


def test_decisions_move_expected_and_measured_loss_together(browser, explorer):
    from setwise.web.explorer.answers.decisions import measure_decision

    def losses(page, decision, plain="subset"):
        answer = measure_decision(explorer.session, decision, plain=plain)
        page.wait_for_function(
            "want => +document.querySelector('#expected-loss')?.dataset.value === want[0]"
            " && +document.querySelector('#measured-loss')?.dataset.value === want[1]",
            arg=[answer["expected"]["mean"], answer["measured"]["mean"]],
        )

    with window(browser, f"{explorer.url}#/decisions") as page:
        losses(page, "subset")
        page.click("text=Each label")
        losses(page, "hamming")
        page.click("text=F-beta")
        page.fill("input[aria-label='beta']", "2")
        losses(page, {"rule": "FBeta", "beta": 2})
        page.reload()
        losses(page, {"rule": "FBeta", "beta": 2})
        page.click("text=Macro F")
        losses(page, {"rule": "MacroF", "beta": 2})
        page.click("text=Whole set")
        page.select_option("select[aria-label='a label']", "calm")
        page.select_option("select[aria-label='another label']", "sad")
        page.click("text=the first implies the second")
        losses(page, {"rule": "Constrained", "decision": "subset", "implies": [["calm", "sad"]]})
        page.click("text=only sets that occur in the data")
        losses(
            page, {"rule": "Constrained", "decision": "subset", "implies": [["calm", "sad"]], "among": "seen"}
        )
        assert page.faults == []


def test_slices_scores_and_disagreements(browser, explorer):
    Y = explorer.session.data.given
    with window(browser, f"{explorer.url}#/data") as page:
        page.wait_for_selector(".card-scores table")
        page.select_option("select[aria-label='With a label']", "0")
        page.wait_for_selector(f".slice b:has-text('{int(Y[:, 0].sum())}')")
        page.select_option("select[aria-label='Column']", "x1")
        page.fill("input[aria-label='Value']", "0..9")
        page.keyboard.press("Enter")
        both = int(((Y[:, 0] == 1) & (explorer.session.data.rows.X[:, 1] >= 0)).sum())
        page.wait_for_selector(f".slice b:has-text('{both}')")
        page.reload()
        page.wait_for_selector(f".slice b:has-text('{both}')")
        page.goto(f"{explorer.url}#/data?m=1")
        page.wait_for_selector(".slice b:text-is('150')")
        sets, times = np.unique(Y, axis=0, return_counts=True)
        page.click(".card-frequent li button")
        page.wait_for_selector(f".slice b:text-is('{times.max()}')")
        frequent = sets[times == times.max()].tolist()
        assert [int(str(j) in page.url.split("set=")[1].split("%2C")) for j in range(4)] in frequent
        page.reload()
        page.wait_for_selector(f".slice b:text-is('{times.max()}')")
        page.click(".card-rows a.line")
        page.wait_for_selector(".card-labels .label")
        page.goto(f"{explorer.url}#/models")
        page.wait_for_selector(".verdicts")
        page.click("text=only first is right")
        page.wait_for_selector("[aria-pressed=true]:has-text('only first')")
        assert page.faults == []


def test_what_is_typed_stays_while_answers_arrive(browser, explorer):
    """Red if an answer that is drawn, here of held-out models at work, takes away what is half typed."""
    with window(browser, explorer.url) as page:
        shares = iter(range(1, 100))
        job = {"name": "judge 0", "state": "running", "error": ""}
        page.route("**/api/jobs", lambda route: route.fulfill(json=[job | {"share": next(shares) / 100}]))
        page.wait_for_selector(".card-why li, .card-why .unavailable")
        for name in ("Find rows", "x0"):
            page.type(f"input[aria-label='{name}']", "2")
            typed = page.input_value(f"input[aria-label='{name}']")
            share = page.wait_for_selector(".status progress").get_attribute("value")
            page.wait_for_function(
                "before => document.querySelector('.status progress').value > +before", arg=share
            )
            assert page.input_value(f"input[aria-label='{name}']") == typed


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_serious_for_people_with_disabilities(browser, explorer, theme):
    """axe-core on every view."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    with window(browser, f"{explorer.url}#/row?row=3&on=1", theme=theme) as page:
        for view, ready in {
            "row?row=3&on=1": ".card-tree svg, .card-tree .unavailable",
            "errors": ".card-suspect",
            "decisions": "#expected-loss",
            "data": ".card-scores table",
            "models": ".verdicts",
        }.items():
            page.goto(f"{explorer.url}#/{view}")
            page.wait_for_selector(ready)
            found = axe.run(page).response["violations"]
            serious = [
                (one["id"], [node["target"] for node in one["nodes"]][:3])
                for one in found
                if one["impact"] in ("serious", "critical")
            ]
            assert serious == [], f"{view}: {json.dumps(serious)}"


def test_the_last_of_a_million_rows_can_be_reached(browser, explorer):
    """Red if the list is taller than what a browser draws."""
    n = 1_000_000

    def answer(route):
        asked = route.request.post_data_json
        rows = [{"row": row, "summary": f"row {row}"} for row in range(asked["start"], min(asked["stop"], n))]
        route.fulfill(json={"total": n, "start": asked["start"], "rows": rows})

    with window(browser, "about:blank") as page:
        page.route("**/api/rows", answer)
        page.goto(explorer.url)
        page.wait_for_selector(".side .line")
        page.eval_on_selector(".side .list", "list => { list.scrollTop = list.scrollHeight }")
        page.wait_for_selector(f".side .number:text-is('{n - 1}')")
        page.eval_on_selector(".side .list", "list => { list.scrollTop = 0 }")
        page.wait_for_selector(".side .number:text-is('0')")


def test_the_tour_and_the_help_open_and_close(browser, explorer):
    with window(browser, explorer.url, tour=True) as page:
        for step in range(5):
            page.wait_for_selector(f".tour :text('{step + 1} of 5')")
            page.click(".tour .primary")
        page.wait_for_selector(".tour", state="detached")
        page.keyboard.press("?")
        page.wait_for_selector("dialog[open]")
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog", state="detached")
        page.keyboard.press("1")
        page.wait_for_selector(".card-labels")
        page.hover(".card-sets .info")
        page.wait_for_selector(".tooltip")
        assert page.faults == []
