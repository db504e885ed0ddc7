"""The bodies of requests from the page, checked before anything is computed."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from setwise.web.explorer.answers.slices import Slice

LARGEST = 10**9
Number = Annotated[int, Field(ge=0, le=LARGEST)]
Name = Annotated[str, Field(max_length=2000)]
Names = Annotated[list[Name], Field(max_length=20_000)]
Numbers = Annotated[list[Number], Field(max_length=20_000)]
Part = Literal["labels", "sets", "question", "structure", "components"]


class Body(BaseModel):
    """A body without unknown fields."""

    model_config = ConfigDict(extra="forbid")


class RowQuestion(Body):
    """A question about one row."""

    row: Number
    model: Annotated[int, Field(ge=0, le=1)] = 0
    evidence: dict[Number, Literal[0, 1]] = Field(default_factory=dict, max_length=20_000)
    changes: dict[Name, str | float | None] = Field(default_factory=dict, max_length=2000)
    n_sets: Annotated[int, Field(ge=1, le=50)] = 10
    held_out: bool = False
    parts: list[Part] = ["labels", "sets", "question", "structure", "components"]


class Why(RowQuestion):
    """A question about a label, or about the set of exactly some labels."""

    label: Number | None = None
    labels: Numbers | None = None


class SliceBody(Body):
    """The conditions of a slice."""

    text: Name = ""
    on: Numbers = []
    off: Numbers = []
    exactly: Numbers | None = None
    size: Number | None = None
    predicted: bool = False
    confidence: tuple[float, float] | None = None
    outcome: Literal["", "right", "wrong"] = ""
    column: Name = ""
    value: Name = ""
    order: Literal["row", "confidence", "error"] = "row"
    model: Annotated[int, Field(ge=0, le=1)] = 0

    def conditions(self) -> Slice:
        """The slice of the library."""
        given: dict[str, Any] = self.model_dump(include=set(SliceBody.model_fields))
        for name in ("on", "off", "exactly"):
            given[name] = None if given[name] is None else tuple(given[name])
        return Slice(**given)


class ListQuestion(SliceBody):
    """A page of a list."""

    start: Number = 0
    stop: Number = 100


class DecisionBody(Body):
    """A decision to measure, and one to compare it with."""

    decision: str | dict[str, Any] = "subset"
    plain: str | dict[str, Any] = "subset"
    model: Annotated[int, Field(ge=0, le=1)] = 0


class CorrectionBody(Body):
    """A decision about a row."""

    row: Number
    action: Literal["accept", "keep", "edit", "skip", "undo"]
    labels: Names = []
    note: Annotated[str, Field(max_length=2000)] = ""
    seen: Number = 0
