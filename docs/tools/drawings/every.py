"""All drawings by name."""

from __future__ import annotations

from pathlib import Path

from docs.tools.drawings.chart import choosing_chart
from docs.tools.drawings.families import FAMILIES
from docs.tools.drawings.front import label_by_label_and_whole
from docs.tools.drawings.quadrature import quadrature

FOLDER = Path(__file__).parents[2] / "drawings"


def drawings() -> dict[str, str]:
    """Draw everything that docs/drawings holds."""
    return {
        "front": label_by_label_and_whole(),
        "front_narrow": label_by_label_and_whole(narrow=True),
        "choosing": choosing_chart(),
        "choosing_narrow": choosing_chart(narrow=True),
        "quadrature": quadrature(),
        **{f"family_{name}": draw() for name, draw in FAMILIES.items()},
    }
