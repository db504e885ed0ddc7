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


def choosing_chart() -> str:
    """Draw the questions and their answers."""
    height = ROW * len(QUESTIONS) - 10
    title = "Read from the top. " + " ".join(f"{case}: {answer}." for case, answer in QUESTIONS)
    return svg(LEFT + GAP + RIGHT + 4, height + 4, title, _shapes())


def _shapes() -> Iterator[str]:
    for i, (case, answer) in enumerate(QUESTIONS):
        y = 2 + ROW * i
        yield box(2, y, LEFT, 40)
        yield text(16, y + 25, case)
        yield from arrow((LEFT + 2, y + 20), (LEFT + GAP + 2, y + 20), clear=3)
        yield text(LEFT + 22, y + 13, "yes", "soft middle")
        yield box(LEFT + GAP + 2, y, RIGHT, 40, "box", 20)
        yield text(LEFT + GAP + 2 + RIGHT / 2, y + 25, answer, "code middle strong")
        if i + 1 < len(QUESTIONS):
            yield from arrow((40, y + 40), (40, y + ROW), clear=1)
            yield text(56, y + 53, "no", "soft")
