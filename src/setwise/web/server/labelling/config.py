"""The labelling interface of a project: which choices it offers, and what they are about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from xml.parsers import expat

from setwise.errors import InputError

MAX_DEPTH = 64
MAX_CHARACTERS = 2**20


@dataclass
class Choices:
    """A control of choices.

    Attributes
    ----------
    name : str
        Of the control.
    to_name : str
        Of the object that it labels.
    values : list of str
    """

    name: str
    to_name: str
    values: list[str] = field(default_factory=list)


@dataclass
class Interface:
    """Controls and objects of an interface.

    Attributes
    ----------
    choices : list of Choices
    variables : dict of str to str
        The key of the task's data that each object shows, by the name of the object.
    """

    choices: list[Choices] = field(default_factory=list)
    variables: dict[str, str] = field(default_factory=dict)


def read_config(text: str) -> Interface:
    """Read the XML of an interface; it may come from a stranger.

    Examples
    --------
    >>> control = '<Choices name="c" toName="t"><Choice value="sea"/></Choices>'
    >>> read_config(f'<View><Text name="t" value="$note"/>{control}</View>')
    Interface(choices=[Choices(name='c', to_name='t', values=['sea'])], variables={'t': 'note'})
    """
    if len(text) > MAX_CHARACTERS:
        raise InputError(f"label_config has more than {MAX_CHARACTERS} characters")
    reader = _Reader()
    try:
        reader.read(text)
    except expat.ExpatError as error:
        raise InputError(f"label_config is not XML: {error}") from None
    return reader.found


class _Reader:
    """Collects the elements that matter, without a document type and its entities."""

    def __init__(self) -> None:
        self.found = Interface()
        self._depth = 0

    def read(self, text: str) -> None:
        parser = expat.ParserCreate()
        parser.StartDoctypeDeclHandler = self._refuse
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.Parse(text, True)

    def _refuse(self, *_: object) -> None:
        raise InputError("label_config has a document type, which is not allowed")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise InputError(f"label_config is nested deeper than {MAX_DEPTH}")
        if tag == "Choices":
            self.found.choices.append(Choices(attributes.get("name", ""), attributes.get("toName", "")))
        elif tag == "Choice" and self.found.choices:
            self.found.choices[-1].values.append(attributes.get("alias", attributes.get("value", "")))
        elif attributes.get("value", "").startswith("$"):
            self.found.variables[attributes.get("name", "")] = attributes["value"][1:]

    def _end(self, _: str) -> None:
        self._depth -= 1


def find_choices(interface: Interface, labels: Sequence[str]) -> Choices:
    """The control whose choices are labels of the model; the one that shares most with them."""
    shared = [len(set(control.values) & set(labels)) for control in interface.choices]
    if not any(shared):
        message = "label_config has no <Choices> with a label of the model"
        raise InputError(message, hint=f"the labels are {', '.join(map(repr, labels[:8]))}")
    return interface.choices[shared.index(max(shared))]
