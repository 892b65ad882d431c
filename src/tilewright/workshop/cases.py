# SPDX-License-Identifier: Apache-2.0
"""The test cases of a spec: their data, running one, and how near the result is."""

from __future__ import annotations

import dataclasses
import math
import zlib

import numpy as np

from tilewright.ops.operation import Float64, Operation, Options, Outcome
from tilewright.tensor.device import Device
from tilewright.tensor.dtype import DataType
from tilewright.tensor.layout import Layout
from tilewright.tensor.tensor import Tensor
from tilewright.workshop.spec.model import Spec, TestCase

DTYPES = {"bfloat16": DataType.BFLOAT16, "float32": DataType.FLOAT32}


@dataclasses.dataclass(frozen=True)
class CaseResult:
    """What a case gave.

    Attributes:
        result, exact: the output, and float64 computed from what the tensors really held.
        operands: what they held.
        share: the largest error as a share of what its element is allowed; 1 or less passes.
        worst: where that is.
    """

    case: TestCase
    outcome: Outcome
    operands: dict[str, Float64]
    result: Float64
    exact: Float64
    share: float
    worst: tuple[int, ...]

    @property
    def text(self) -> str:
        """One line about the worst element."""
        given, wanted = self.result[self.worst], self.exact[self.worst]
        place = list(self.worst)
        return f"{self.case.name}: {self.share:.3g} of the tolerance used; at {place} {given:.6g}, exact {wanted:.6g}"


def rows(data: str, shape: tuple[int, ...], seed: int = 0) -> Float64:
    """Numbers of a kind.

    ``normal`` N(0,1), ``offset`` N(10,1), ``constant`` 5, ``alternating`` +-(i+1) in row i, ``spike`` one 50 in a row
    of zeros, ``arange`` 0, 1, 2 ... in every row, ``tiny`` N(0,1) * 1e-30.
    """
    generator = np.random.default_rng(seed)
    width = shape[-1]
    columns = np.broadcast_to(np.arange(width, dtype=np.float64), shape)
    match data:
        case "offset":
            return generator.standard_normal(shape) + 10
        case "constant":
            return np.full(shape, 5.0)
        case "alternating":
            signs = np.where(columns % 2, -1.0, 1.0)
            row = np.arange(math.prod(shape[:-1]), dtype=np.float64).reshape(*shape[:-1], 1)
            return np.asarray(signs * (row % 8 + 1))
        case "spike":
            return np.where(columns == width // 3, 50.0, 0.0)
        case "arange":
            return np.array(columns)
        case "tiny":
            return generator.standard_normal(shape) * 1e-30
    return generator.standard_normal(shape)


def case_tensors(operation: Operation, case: TestCase, device: Device) -> dict[str, Tensor]:
    """The operands of a case on a device; vectors are N(1, 0.5) so that none of their elements hides an error."""
    seed = zlib.crc32(case.name.encode())
    generator = np.random.default_rng(seed + 1)
    arrays = {"input_tensor": rows(case.data, case.shape, seed)}
    for name in operation.vectors:
        arrays[name] = 1 + generator.standard_normal(case.shape[-1]) / 2
    dtype = DTYPES[case.dtype]
    return {name: Tensor(array, dtype, device, Layout.ROW_MAJOR) for name, array in arrays.items()}


def run_case(
    operation: Operation, spec: Spec, case: TestCase, device: Device, options: Options | None = None
) -> CaseResult:
    """Runs a case and compares it, element by element."""
    tensors = case_tensors(operation, case, device)
    outcome = operation.launch(tensors, options, epsilon=spec.epsilon)
    operands = {name: tensor.to_numpy().astype(np.float64) for name, tensor in tensors.items()}
    result = outcome.output.to_numpy().astype(np.float64)
    exact = operation.reference(*operands.values(), epsilon=spec.epsilon)
    shares = _shares(case, result, exact, operands)
    worst = tuple(int(each) for each in np.unravel_index(int(np.argmax(shares)), shares.shape))
    return CaseResult(case, outcome, operands, result, exact, float(shares[worst]), worst)


def _shares(case: TestCase, result: Float64, exact: Float64, operands: dict[str, Float64]) -> Float64:
    """Each element's error as a share of what it is allowed; NaN and a wrong shape are infinitely wrong."""
    if result.shape != exact.shape:
        raise ValueError(f"the result has shape {result.shape}, the reference {exact.shape}")
    if case.bound is not None:
        scale = np.maximum(1, np.abs(exact))
        if "beta" in operands:  # where beta cancels, what was rounded before is not small
            scale = np.maximum(scale, np.abs(exact - operands["beta"].reshape(-1)))
        allowed = case.bound * scale
    else:
        allowed = (case.atol or 0) + (case.rtol or 0) * np.abs(exact)
    error = np.abs(result - exact)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(error == 0, 0.0, error / allowed)
    return np.where(np.isnan(result), np.inf, shares)
