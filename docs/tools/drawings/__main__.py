"""Write all drawings."""

from docs.tools.drawings.every import FOLDER, drawings

if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, svg in drawings().items():
        (FOLDER / f"{name}.svg").write_text(svg, encoding="utf-8")
