# SPDX-License-Identifier: Apache-2.0
"""Running an operation on arrays, and what its result is compared with."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from tilewright import ttnn
from tilewright.ops import OPERATIONS, Operation, Options, Outcome
from tilewright.ops._accuracy import Accuracy, compare, judge

DTYPES = {"bfloat16": ttnn.bfloat16, "float32": ttnn.float32}


@dataclasses.dataclass(frozen=True)
class Result:
    """A result in float64 with the operands the device really had."""

    operation: Operation
    y: np.ndarray
    operands: dict[str, np.ndarray]
    epsilon: float
    outcome: Outcome

    @property
    def parameters(self) -> dict[str, float]:
        return {"epsilon": self.epsilon} if "epsilon" in self.operation.parameters else {}

    @property
    def exact(self) -> np.ndarray:
        return self.operation.reference(self.operands, self.parameters)[0]

    def accuracy(self, rows: slice = slice(None)) -> Accuracy:
        """Errors of some rows of a two-dimensional input, next to the bound of the documents' operations."""
        exact = self.exact[rows]
        return compare(self.y[rows], exact, documents_bound(exact, self.operands.get("beta")))

    @property
    def share_of_analysis(self) -> float:
        """The largest error as a share of what the error analysis of the plan allows."""
        wanted = self.operation.bounds(self.outcome.plan, self.operands, self.parameters)
        return judge([self.y], wanted).share_of_bound


def documents_bound(exact: np.ndarray, beta: np.ndarray | None = None) -> np.ndarray:
    """Two roundings to bfloat16, 2^-7 of the largest of 1, the result, and the result before beta is added."""
    scale = np.maximum(1, np.abs(exact))
    return 2.0**-7 * (scale if beta is None else np.maximum(scale, np.abs(exact - beta.reshape(-1))))


class Runner:
    """Runs operations on one device."""

    def __init__(self, device: ttnn.Device) -> None:
        self.device = device

    def __call__(
        self, name: str, x: np.ndarray, dtype: str = "bfloat16", *, epsilon: float = 1e-5, **options: Any
    ) -> Result:
        operation = OPERATIONS[name]
        vectors = np.random.default_rng(7)
        arrays = {"x": x}
        for each in operation.inputs[1:]:
            arrays[each.name] = vectors.standard_normal(x.shape[-1])  # type: ignore[assignment]
        tensors = {
            key: ttnn.from_numpy(array, DTYPES[dtype], layout=ttnn.ROW_MAJOR_LAYOUT, device=self.device)
            for key, array in arrays.items()
        }
        parameters = {"epsilon": epsilon} if "epsilon" in operation.parameters else {}
        outcome = operation.launch(tensors, Options(**options), parameters=parameters)
        operands = {key: tensor.to_numpy().astype(np.float64) for key, tensor in tensors.items()}
        return Result(operation, outcome.output.to_numpy().astype(np.float64), operands, epsilon, outcome)
