"""The form of requests and answers of the plain API, from which its OpenAPI page is made."""

from __future__ import annotations

from typing import Annotated, Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, FailFast, Field, WithJsonSchema, model_validator
from typing_extensions import TypeAliasType

from setwise.web.api.questions.top_k import MAX_K
from setwise.web.api.rows import Row

_VALUE = {"type": ["number", "string", "boolean", "null"]}
Cell = Annotated[Any, WithJsonSchema({"anyOf": [_VALUE, {"type": "array", "items": _VALUE}]})]
Number = Annotated[Any, WithJsonSchema({"type": ["number", "null"]})]
Flag = Annotated[Any, WithJsonSchema({"enum": [0, 1, True, False, None]})]
"""Values are checked where they are used, which names the row and the column."""

PlainRow = dict[str, Cell] | list[Number] | str
Known = dict[str, Flag]
T = TypeVar("T")
# A long list is left at its first error: a body of commas would have millions.
RowList = TypeAliasType("RowList", Annotated[list[PlainRow], FailFast()])
KnownList = TypeAliasType("KnownList", Annotated[list[Known | None], FailFast()])
NameList = TypeAliasType("NameList", Annotated[list[str], FailFast()])


class Rows(BaseModel):
    """Rows to ask about."""

    model_config = ConfigDict(extra="forbid")

    row: Annotated[
        PlainRow | None, Field(description="One row: cells by column name, numbers, or a text.")
    ] = None
    rows: Annotated[
        list[PlainRow] | None, FailFast(), Field(description="Several rows, in the place of `row`.")
    ] = None

    @model_validator(mode="after")
    def _one_form(self) -> Rows:
        if (self.row is None) == (self.rows is None):
            raise ValueError("expected either `row` or `rows`")
        return self

    def all_rows(self) -> list[Row]:
        """The rows, also if there is one."""
        return list(self.rows) if self.rows is not None else [self.row or {}]

    def options(self) -> dict[str, Any]:
        """What else the question has."""
        return {name: getattr(self, name) for name in type(self).model_fields if name not in ("row", "rows")}


class Given(Rows):
    """Rows of which some labels may be known."""

    evidence: Annotated[
        Known | KnownList | None,
        Field(
            description="Labels that are known, by name: 1 is on, 0 is off. One object for all rows, or one per row."
        ),
    ] = None


class PredictRequest(Given):
    """Ask for the best set of each row for a loss."""

    decision: Annotated[
        str | dict[str, Any] | None,
        Field(description="The name of a loss, or a rule: {'rule': 'Costs', 'false_negative': {'sea': 9}}."),
    ] = None


class TopKRequest(Given):
    """Ask for the k most probable sets."""

    k: Annotated[int, Field(ge=1, le=MAX_K, strict=True)] = 5


class NextQuestionRequest(Given):
    """Ask which label to ask about."""

    about: Annotated[
        list[str] | None, FailFast(), Field(description="The labels of interest; by default all.")
    ] = None


class LabelErrorsRequest(Rows):
    """Ask whether given labels look wrong."""

    labels: Annotated[list[NameList], FailFast(), Field(description="The given set of each row.")]


class ExplainRequest(Rows):
    """Ask which features make labels probable."""

    evidence: Annotated[Known | None, Field(description="Known labels, the same for all rows.")] = None
    target: Annotated[
        str | NameList | None,
        Field(description="A label, or several that are on together; by default each predicted label."),
    ] = None
    whole_set: Annotated[bool, Field(strict=True, description="Explain the predicted set as a whole.")] = (
        False
    )
    by_column: Annotated[bool, Field(strict=True, description="Add up the features of each column.")] = False
    n_features: Annotated[int, Field(ge=1, le=10_000, strict=True)] = 10


class PredictAnswer(BaseModel):
    """The best set of a row."""

    labels: list[str] | None = Field(description="null if the rule abstains.")
    log_probability: float | None = Field(description="null if it is zero, or if the model has no exact one.")
    expected_loss: float | None = Field(description="null if the rule does not know it.")
    standard_error: float | None = Field(description="Of the expected loss; 0 if that is exact.")
    certified: bool = Field(description="Whether no other answer has a smaller expected loss.")


class MarginalsAnswer(BaseModel):
    """The probability of each label."""

    probabilities: dict[str, float]


class ProbableSet(BaseModel):
    """A set with its probability."""

    labels: list[str]
    log_probability: float | None


class TopKAnswer(BaseModel):
    """The most probable sets of a row."""

    sets: list[ProbableSet]
    certified: bool


class SizesAnswer(BaseModel):
    """The probability of 0, 1, ... labels."""

    sizes: list[float]


class NextQuestionAnswer(BaseModel):
    """The label to ask about."""

    label: str | None = Field(description="null if all labels are known.")
    gain: float
    gains: dict[str, float | None] = Field(
        description="Of every label, in nats; null for labels of interest."
    )


class LabelErrorsAnswer(BaseModel):
    """How suspicious a given set is."""

    score: float | None = Field(description="null if the given set is impossible.")
    log_probability: float | None
    suggested: list[str] | None


class Contribution(BaseModel):
    """What a feature adds to the log-odds."""

    feature: str
    column: str
    value: float | None
    contribution: float


class OneExplanation(BaseModel):
    """What features add to the log-odds of a target, from those of a typical row."""

    target: str
    probability: float
    log_odds: float
    base: float
    others: float = Field(description="The sum of all features that are not listed.")
    features: list[Contribution]
    method: str = Field(description="exact, estimated or sampled")


class ExplainAnswer(BaseModel):
    """The explanations of a row."""

    explanations: list[OneExplanation]


class Answers(BaseModel, Generic[T]):
    """Answers of one model, one per row."""

    model: str
    version: str
    answers: list[T]
    warnings: list[str] = []


class Column(BaseModel):
    """A column that rows have."""

    name: str
    kind: str


class Input(BaseModel):
    """What rows look like."""

    rows: str = Field(description="table, numbers or texts")
    n_features: int | None
    columns: list[Column]


class ModelDescription(BaseModel):
    """What a model takes and answers."""

    name: str
    version: str
    estimator: str
    labels: list[str]
    min_labels: int
    decision: str
    decisions: list[str]
    rules: list[str]
    input: Input
    training: dict[str, Any] | None
    written_by: dict[str, str]
    reload_error: str | None = Field(description="Why a newer file was not loaded.")


class ModelList(BaseModel):
    """The models of the server."""

    models: list[str]
    refused: dict[str, str] = Field(description="Files that could not be loaded, and why.")


class Problem(BaseModel):
    """What is wrong with a request."""

    error: str
    row: int | None = None
    column: str | None = None
    label: str | None = None


PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "The body is not JSON, or the request is malformed."},
    401: {"model": Problem, "description": "A token is needed."},
    403: {"model": Problem, "description": "Pages of other sites may not call."},
    404: {"model": Problem, "description": "There is no such model."},
    408: {"model": Problem, "description": "The body took too long."},
    413: {"model": Problem, "description": "The body or the number of rows is too large."},
    415: {"model": Problem, "description": "The body has another type than JSON."},
    421: {"model": Problem, "description": "The server has another name."},
    422: {"model": Problem, "description": "The model cannot answer this; the message says why."},
    429: {"model": Problem, "description": "The server is busy."},
}
"""Answers to wrong requests, for every route."""
