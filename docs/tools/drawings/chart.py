"""The decision chart of the page on choosing: questions from top to bottom, an estimator to the right of each."""

from __future__ import annotations

from collections.abc import Iterator

from docs.tools.drawings.canvas import arrow, box, svg, text

QUESTIONS = (
    ("I have a minute and no opinion", "AutoSetClassifier"),
    ("Rows arrive one by one", "NaiBX"),
    ("I have probabilities of labels already", "SetsFromMarginals"),
    ("A baseline, in a second", "BinaryRelevance"),
    ("Labels depend on each other; exact and quick", "ConditionalTree"),
    ("Measurements with curved effects, many rows", "DecisionForest"),
    ("Text, many labels, whole sets must be right", "ConditionalBernoulliMixture"),
    ("Different kinds of rows", "MixtureOfTreeExperts"),
    ("Few distinct sets, many rows of each", "LabelPowerset"),
    ("The last percent, time does not matter", "StackedSets"),
)
"""Read from the top: the first that is true decides."""

ROW, LEFT, GAP, RIGHT = 58, 372, 50, 246
NARROW_ROW = 112


def choosing_chart(narrow: bool = False) -> str:
    """Draw the questions and their answers, to the right of them or, for phones, below."""
    title = "Read from the top. " + " ".join(f"{case}: {answer}." for case, answer in QUESTIONS)
    if narrow:
        return svg(LEFT + 4, NARROW_ROW * len(QUESTIONS) - 6, title, _answers_below())
    return svg(LEFT + GAP + RIGHT + 4, ROW * len(QUESTIONS) - 6, title, _answers_beside())


def _answers_beside() -> Iterator[str]:
    for i, (case, answer) in enumerate(QUESTIONS):
        y = 2 + ROW * i
        yield from _question(y, case)
        yield from arrow((LEFT + 2, y + 20), (LEFT + GAP + 2, y + 20), clear=3)
        yield text(LEFT + 22, y + 13, "yes", "soft middle")
        yield from _answer(LEFT + GAP + 2, y, answer)
        yield from _no(y, ROW) if i + 1 < len(QUESTIONS) else ()


def _answers_below() -> Iterator[str]:
    for i, (case, answer) in enumerate(QUESTIONS):
        y = 2 + NARROW_ROW * i
        left = LEFT - RIGHT + 2
        yield from _question(y, case)
        yield from arrow((left + RIGHT / 2, y + 40), (left + RIGHT / 2, y + 60), clear=1)
        yield text(left + RIGHT / 2 + 12, y + 54, "yes", "soft")
        yield from _answer(left, y + 60, answer)
        yield from _no(y, NARROW_ROW) if i + 1 < len(QUESTIONS) else ()


def _question(y: float, words: str) -> Iterator[str]:
    yield box(2, y, LEFT, 40)
    yield text(16, y + 25, words)


def _answer(x: float, y: float, name: str) -> Iterator[str]:
    yield box(x, y, RIGHT, 40, "box", 20)
    yield text(x + RIGHT / 2, y + 25, name, "code middle strong")


def _no(y: float, row: float) -> Iterator[str]:
    yield from arrow((40, y + 40), (40, y + row), clear=1)
    yield text(56, y + row - 5, "no", "soft")
