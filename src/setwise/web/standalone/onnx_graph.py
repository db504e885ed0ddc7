"""A small writer of ONNX graphs: every step gets a name, constants are double precision."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from setwise.errors import InputError

OPSET, IR = 18, 9
"""Versions that onnxruntime reads since 2023."""
TINY = 1e-300


class Graph:
    """Nodes in their order, constants and outputs of a graph with the input ``features``."""

    def __init__(self) -> None:
        try:
            self._onnx = import_module("onnx")
        except ImportError as error:
            raise InputError("onnx is not installed", hint="pip install 'setwise[onnx]'") from error
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._outputs: dict[str, Any] = {}

    def add(self, kind: str, *inputs: str, **options: Any) -> str:
        """Add a step with one result; return its name."""
        return self.add_many(kind, 1, *inputs, **options)[0]

    def add_many(self, kind: str, results: int, *inputs: str, **options: Any) -> list[str]:
        """Add a step with several results; return their names."""
        names = [f"{kind}_{len(self._nodes)}_{i}" for i in range(results)]
        self._nodes.append(self._onnx.helper.make_node(kind, list(inputs), names, **options))
        return names

    def constant(self, values: npt.ArrayLike) -> str:
        """Numbers that are part of the model."""
        return self._store(np.asarray(values, dtype=np.float64))

    def integers(self, values: npt.ArrayLike) -> str:
        """Shapes, axes and indices."""
        return self._store(np.asarray(values, dtype=np.int64))

    def _store(self, values: npt.NDArray[Any]) -> str:
        name = f"constant_{len(self._constants)}"
        self._constants.append(self._onnx.numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def columns(self, matrix: str, which: npt.ArrayLike) -> str:
        """Some columns of a matrix."""
        return self.add("Gather", matrix, self.integers(which), axis=1)

    def scaled(self, matrix: str, factor: float) -> str:
        """A matrix times a number."""
        return matrix if factor == 1.0 else self.add("Mul", matrix, self.constant(factor))

    def total(self, matrices: list[str]) -> str:
        """The sum of matrices."""
        return matrices[0] if len(matrices) == 1 else self.add("Sum", *matrices)

    def numbers(self, values: str) -> str:
        """Booleans or integers as doubles."""
        return self.add("Cast", values, to=self._onnx.TensorProto.DOUBLE)

    def whole_numbers(self, values: str) -> str:
        """Values as integers."""
        return self.add("Cast", values, to=self._onnx.TensorProto.INT64)

    def rows_at(self, rows: npt.NDArray[Any], values: str) -> str:
        """For each row of ``values``, the row of a constant matrix at its largest column."""
        return self.add("Gather", self.constant(rows), self.add("ArgMax", values, axis=1, keepdims=0), axis=0)

    def product_of_sets(self, on: str, sets: npt.NDArray[Any]) -> str:
        """The probabilities (n, m) of sets if the labels are independent with P(on) = ``on`` (n, L)."""
        bits = np.asarray(sets, dtype=np.float64).T
        log_on, log_off = self._logs(on)
        logs = self.add(
            "Add",
            self.add("MatMul", log_on, self.constant(bits)),
            self.add("MatMul", log_off, self.constant(1 - bits)),
        )
        return self.add("Exp", logs)

    def product_of_answer(self, on: str, answer: str) -> str:
        """The probability (n, 1) of each row's own set."""
        off = self.add("Sub", self.constant(1.0), answer)
        log_on, log_off = self._logs(on)
        logs = self.add("Add", self.add("Mul", log_on, answer), self.add("Mul", log_off, off))
        return self.add("Exp", self.add("ReduceSum", logs, self.integers([1]), keepdims=1))

    def _logs(self, on: str) -> tuple[str, str]:
        """Logarithms of P(on) and P(off), finite."""
        off = self.add("Sub", self.constant(1.0), on)
        log_on, log_off = (self.add("Log", self.add("Max", p, self.constant(TINY))) for p in (on, off))
        return log_on, log_off

    def output(self, name: str, value: str) -> None:
        """Give a result the name under which callers ask for it."""
        self._nodes.append(self._onnx.helper.make_node("Identity", [value], [name]))
        kind = self._onnx.TensorProto.INT64 if name == "best_set" else self._onnx.TensorProto.DOUBLE
        self._outputs[name] = kind

    def serialized(self, d: int, L: int, metadata: dict[str, str]) -> bytes:
        """The bytes of the checked model."""
        helper = self._onnx.helper
        features = helper.make_tensor_value_info("features", self._onnx.TensorProto.DOUBLE, ["n", d])
        outputs = [
            helper.make_tensor_value_info(name, kind, ["n", L]) for name, kind in self._outputs.items()
        ]
        graph = helper.make_graph(self._nodes, "setwise", [features], outputs, self._constants)
        opsets = [helper.make_opsetid("", OPSET)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=IR, producer_name="setwise")
        helper.set_model_props(model, metadata)
        self._onnx.checker.check_model(model)
        return bytes(model.SerializeToString())
