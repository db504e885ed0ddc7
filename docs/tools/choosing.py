"""Make the table of methods in ``docs/choosing.md`` from the classes: ``python -m docs.tools.choosing`` writes it."""

from __future__ import annotations

from pathlib import Path

from sklearn.utils import get_tags

from setwise.estimators.catalog import Method, about, methods

PAGE = Path(__file__).parents[1] / "choosing.md"
START = "<!-- made by python -m docs.tools.choosing -->\n"
END = "<!-- end -->\n"
HEAD = (
    "| your case | estimator | `--model` | joint P(y \\| x) | also takes | fit |\n|---|---|---|---|---|---|\n"
)


def table() -> str:
    """The methods as Markdown, the cheapest first."""
    return HEAD + "".join(_row(name, method) for name, method in methods().items())


def _row(name: str, method: Method) -> str:
    said = about(method)
    cells = (
        said.suits,
        f"`{name}`",
        f"`{said.short}`",
        said.joint,
        ", ".join(_takes(method)),
        f"{said.cost:g}",
    )
    return f"| {' | '.join(cells)} |\n"


def _takes(method: Method) -> list[str]:
    """What a method takes besides complete dense and sparse rows."""
    extras = {
        "missing labels": method.takes_missing_labels,
        "missing features": get_tags(method()).input_tags.allow_nan,
        "rows one by one": hasattr(method, "partial_fit"),
    }
    return [what for what, taken in extras.items() if taken]


def fill(page: str) -> str:
    """The page with its table as the classes have it now."""
    before, _, rest = page.partition(START)
    return before + START + table() + END + rest.partition(END)[2]


if __name__ == "__main__":
    PAGE.write_text(fill(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
