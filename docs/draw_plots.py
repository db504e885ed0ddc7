"""Draw the pictures of plots.md: every block of code that is followed by a picture makes its ``display``."""

import re
from pathlib import Path

PAGE = Path(__file__).with_name("plots.md")
BLOCK = re.compile(r"```python\n(.*?)```\n(?:!\[[^]]*\]\(([^)]+)\))?", flags=re.DOTALL)


def main() -> None:
    """Run the page and write its pictures beside it."""
    names: dict[str, object] = {}
    for code, picture in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        exec(compile(code, PAGE.name, "exec"), names)
        if picture:
            path = PAGE.parent / picture
            path.parent.mkdir(exist_ok=True)
            path.write_text(names["display"].to_svg(), encoding="utf-8")  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()
