# SPDX-License-Identifier: Apache-2.0
"""Running an operation on arrays, and what its result is compared with."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from tilewright import ttnn
from tilewright.ops import OPERATIONS, Operation, Options, Outcome
from tilewright.ops.accuracy import Accuracy, compare

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
    def exact(self) -> np.ndarray:
        return self.operation.reference(*self.operands.values(), epsilon=self.epsilon)

    def accuracy(self, rows: slice = slice(None)) -> Accuracy:
        """Errors of some rows of a two-dimensional input."""
        operands = {**self.operands, "input_tensor": self.operands["input_tensor"][rows]}
        return compare(self.operation, self.y[rows], operands, self.epsilon)


class Runner:
    """Runs operations on one device."""

    def __init__(self, device: ttnn.Device) -> None:
        self.device = device

    def __call__(
        self, name: str, x: np.ndarray, dtype: str = "bfloat16", *, epsilon: float = 1e-5, **options: Any
    ) -> Result:
        operation = OPERATIONS[name]
        vectors = np.random.default_rng(7)
        arrays = {"input_tensor": x}
        for vector in operation.vectors:
            arrays[vector] = vectors.standard_normal(x.shape[-1])  # type: ignore[assignment]
        tensors = {
            key: ttnn.from_numpy(array, DTYPES[dtype], layout=ttnn.ROW_MAJOR_LAYOUT, device=self.device)
            for key, array in arrays.items()
        }
        outcome = operation.launch(tensors, Options(**options), epsilon=epsilon)
        operands = {key: tensor.to_numpy().astype(np.float64) for key, tensor in tensors.items()}
        return Result(operation, outcome.output.to_numpy().astype(np.float64), operands, epsilon, outcome)
