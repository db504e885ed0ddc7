"""The documents do not lie: their code runs, and the places they point to exist."""

import importlib
import pkgutil
import re
import shlex
import shutil
import tomllib
from collections import Counter
from pathlib import Path

import pytest

import setwise
from docs.tools import rooms
from docs.tools.pages import PAGES as MADE
from setwise import LabelDistribution
from setwise.cli import main
from tests.estimators.registry import ESTIMATORS

ROOT = Path(__file__).parents[1]
PROSE = [
    "README.md",
    "CONTRIBUTING.md",
    *(f"docs/{page.name}" for page in sorted((ROOT / "docs").glob("*.md"))),
]


def _code(page):
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)


# Pages that show answers too (>>>) are run in tests/estimators/test_guides.py.
PAGES = [page for page in PROSE if _code(page) and not any(">>>" in block for block in _code(page))]


def test_the_pages_with_code_are_found():
    assert {"README.md", "docs/plots.md", "docs/comparison_methods.md"} <= set(PAGES)


@pytest.mark.parametrize("page", PAGES)
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch, capsys):
    """Red if a block of the page raises, or prints something else than the block of text right below it shows.

    Blocks share their names, as a reader would type them. The data are those that come with the library.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SETWISE_DATA", raising=False)
    text = (ROOT / page).read_text(encoding="utf-8")
    names: dict[str, object] = {"__name__": "__main__"}
    for block, shown in re.findall(r"```python\n(.*?)```\n(?:```\n(.*?)```)?", text, flags=re.DOTALL):
        capsys.readouterr()
        exec(compile(block, page, "exec"), names)
        if shown:
            assert capsys.readouterr().out == shown


def test_the_tour_of_the_terminal_runs(tmp_path, monkeypatch, capsys):
    """Red if a command of the README fails; they are run one after another in an empty folder."""
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL)
    commands = [line for block in blocks for line in block.splitlines() if line.startswith("setwise ")]
    assert len(commands) >= 8
    for command in commands:
        assert main(shlex.split(command, comments=True)[1:]) == 0, command
    assert {path.name for path in tmp_path.iterdir()} >= {"yeast.setwise", "answers.csv", "report.html"}


def test_the_tour_of_your_own_texts_runs(tmp_path, monkeypatch):
    """Red if a command of the page fails; the explorer and the server have tests of their own."""
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs/own_texts.md").read_text(encoding="utf-8")
    exec(compile(_code("docs/own_texts.md")[0], "own_texts.md", "exec"), {})
    Path("new.csv").write_text(
        re.search(r"<!-- new.csv -->\n```text\n(.*?)```", text, re.DOTALL)[1], encoding="utf-8"
    )
    commands = [
        line
        for block in re.findall(r"```sh\n(.*?)```", text, flags=re.DOTALL)
        for line in block.splitlines()
        if re.match("setwise (?!explore|serve)", line)
    ]
    assert len(commands) >= 10
    for command in commands:
        if "train-corrected.csv" in command:
            shutil.copy("train.csv", "train-corrected.csv")
        assert main(shlex.split(command, comments=True)[1:]) == 0, command
    assert {path.name for path in tmp_path.iterdir()} >= {
        "tickets.setwise",
        "answers.csv",
        "report.html",
        "tickets.html",
    }


@pytest.mark.parametrize("page", MADE)
def test_a_page_made_from_the_code_is_current(page):
    """Red if an option, a signature or a docstring changes: python -m docs.tools.pages api > docs/api.md"""
    assert (ROOT / f"docs/{page}.md").read_text(encoding="utf-8") == MADE[page]()


def test_the_picture_of_the_rooms_is_current():
    """Red when a room or an import between rooms changes: python -m docs.tools.rooms"""
    assert rooms.PICTURE.read_text(encoding="utf-8") == rooms.draw()


def test_the_walk_through_the_rooms_points_to_what_exists():
    """Red when a file or name in docs/architecture.md is moved without moving its sentence."""
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    files = re.findall(r"`((?:\w+/)*\w+\.py)`", text)
    assert len(files) >= 25
    for file in files:
        assert (ROOT / "src/setwise" / file).exists(), file
    for function, file in re.findall(r"`(\w+)`\s+of\s+`([\w/]+\.py)`", text):
        assert f"def {function}(" in (ROOT / "src/setwise" / file).read_text(encoding="utf-8"), (
            function,
            file,
        )


def test_the_reference_names_everything_public():
    """Red if a name can be imported that no line of docs/api.md explains."""
    page = (ROOT / "docs/api.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| `([\w.]+)[^`]*` \| (.*) \|$", page, flags=re.MULTILINE))
    for info in pkgutil.walk_packages(setwise.__path__, "setwise."):
        # The command's own, what only the library uses, and what older versions of scikit-learn lack.
        inner = (
            *("setwise.cli", "setwise.kernels", "setwise.blocks", "setwise.estimators"),
            *(
                "setwise.blockwise.",
                "setwise.persistence.",
                "setwise.storage",
                "setwise.tables.columns",
                "setwise.views",
                "setwise.web",
                "setwise.__main__",
            ),
        )
        if info.name.startswith(inner):
            continue
        names = getattr(importlib.import_module(info.name), "__all__", [])
        assert set(names) <= set(listed), info.name
    assert set(setwise.__all__) <= set(listed)
    contract = [name for name, value in vars(LabelDistribution).items() if callable(value) and name[0] != "_"]
    assert set(contract) <= set(listed)
    assert not [name for name, meaning in listed.items() if not meaning.strip()]


def test_every_estimator_has_a_place_in_the_guide_to_choosing():
    page = (ROOT / "docs/choosing.md").read_text(encoding="utf-8")
    comparison = (ROOT / "docs/comparison_methods.md").read_text(encoding="utf-8")
    for estimator in ESTIMATORS:
        assert f"`{estimator.__name__}" in page + comparison, estimator


def _places(text):
    """Every (file, name): a name in backticks belongs to the last file before it in its row or paragraph."""
    blocks = re.split(r"\n\n|\n(?=\|)", text)
    for block in blocks:
        file = None
        for quoted in re.findall(r"`([^`]+)`", block):
            if re.fullmatch(r"[\w/]+\.py", quoted):
                file = quoted
            elif file and re.fullmatch(r"[A-Za-z_]\w*(\.\w+)*", quoted):
                yield file, quoted


def test_a_place_is_every_name_after_a_file():
    row = "| x | `a/b.py` `C`, `D.e`; `f=1`, `g/h.py` `i` |\n| `none` | `a/b.py`: `setwise demo` |"
    assert list(_places(row)) == [("a/b.py", "C"), ("a/b.py", "D.e"), ("g/h.py", "i")]


def test_the_map_of_the_papers_points_to_what_exists():
    """Red if a file, function, class or method in docs/papers.md is moved without moving its row."""
    text = (ROOT / "docs/papers.md").read_text(encoding="utf-8")
    for path in re.findall(r"`((?:\w+/)+\w+\.\w+)`", text):
        assert (ROOT / "src/setwise" / path).exists() or (ROOT / path).exists(), path
    places = list(_places(text))
    assert {"BoostedGate", "MultinomialCounts", "LabelCounts.log_labels", "NaiBX.partial_fit"} <= {
        n for _, n in places
    }
    assert len(places) >= 100
    for file, name in places:
        top, *inner = name.split(".")
        source = (ROOT / "src/setwise" / file).read_text(encoding="utf-8")
        assert re.search(rf"^(def|class) {top}\b|^{top}\b.*=", source, flags=re.MULTILINE), (file, name)
        value = getattr(importlib.import_module(f"setwise.{file[:-3].replace('/', '.')}"), top)
        for part in inner:
            value = getattr(value, part)


ITEMS = {
    "MC": {"equation": 11, "algorithm": 1, "table": 5, "figure": 3},
    "ML-ME": {"equation": 13, "algorithm": 1, "table": 6, "figure": 2},
    "CBM": {"equation": 10, "algorithm": 2, "table": 2, "figure": 3},
    "CDN": {"equation": 0, "algorithm": 2, "table": 3, "figure": 1},
    "NaiBX": {"equation": 11, "algorithm": 2, "table": 9, "figure": 1},
}
"""How far the papers number what they contain; CDN's equations have no numbers."""


def _items(text, kind):
    """Numbers of the equations, algorithms, tables or figures that a text names, also "tables 2 to 5"."""
    found = re.findall(rf"{kind}s? (\(?\d+\)?(?:(?:, | and | to )\(?\d+\)?)*)", text.lower())
    for listed in found:
        for first, last in re.findall(r"\(?(\d+)\)?(?: to \(?(\d+)\)?)?", listed):
            yield from range(int(first), int(last or first) + 1)


def test_numbers_are_read_from_lists_and_ranges():
    text = "Algorithm 1, equations (8) to (10): EM; equations (4) and (6); Table 1; tables 2 to 5"
    assert list(_items(text, "equation")) == [8, 9, 10, 4, 6]
    assert list(_items(text, "table")) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("paper", ITEMS)
def test_every_numbered_item_of_a_paper_has_a_row(paper):
    """Red if docs/papers.md has no row for an equation, algorithm, table or figure of a paper, or an empty one."""
    text = (ROOT / "docs/papers.md").read_text(encoding="utf-8")
    section = re.split(r"^## ", text.split(f"\n## {paper}: ")[1], flags=re.MULTILINE)[0]
    rows = [line.strip("| ").split(" | ", 1) for line in section.splitlines() if line.startswith("|")]
    named = " ; ".join(item for item, where in filter(lambda row: len(row) == 2, rows) if len(where) > 10)
    for kind, most in ITEMS[paper].items():
        assert set(range(1, most + 1)) <= set(_items(named, kind)), kind


def test_the_counts_of_verdicts_are_those_of_the_tables():
    """Red if a line of the tables changes its verdict and the sentence above them does not."""
    text = (ROOT / "benchmarks/reproduce_mc.md").read_text(encoding="utf-8")
    said = re.search(r"(\d+) printed numbers: (\d+) better, (\d+) level \([^)]*\), (\d+) worse", text)
    assert said
    verdicts = Counter(re.findall(r"^\|.*\| ([a-z ]+) \|$", text, flags=re.MULTILINE))
    del verdicts["verdict"]
    counts = [verdicts.total(), verdicts["better"], verdicts["level"], verdicts["worse"]]
    assert counts == [int(number) for number in said.groups()]


def test_the_extras_that_are_named_exist():
    """Red if a page or a message asks for an extra that pyproject.toml does not have."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    sources = [*(ROOT / "src").rglob("*.py"), *(ROOT / page for page in PROSE)]
    named = {
        extra
        for path in sources
        for extras in re.findall(
            r"(?:setwise|pip install '?\.|`\.)\[([a-z,]+)\]", path.read_text(encoding="utf-8")
        )
        for extra in extras.split(",")
    }
    assert {"cli", "plot", "parquet", "lightgbm", "demo"} <= named
    assert named <= set(declared["optional-dependencies"])


@pytest.mark.parametrize("page", PROSE)
def test_links_lead_somewhere(page):
    """Red if a page links to a file that does not exist, or to an example of the gallery that nobody wrote."""
    path = ROOT / page
    for target in re.findall(r"\]\(([^)#]+)", path.read_text(encoding="utf-8")):
        example = re.fullmatch(r"gallery/(plot_\w+)", target)
        place = ROOT / f"examples/{example[1]}.py" if example else path.parent / target
        assert target.startswith("http") or place.exists(), target
