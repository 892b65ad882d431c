# SPDX-License-Identifier: Apache-2.0
"""A C++ kernel, and a whole program of one's own, in the place of what would be made: same calls, same judgement."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.custom_operations import doubled, scaled
from tilewright import Rows, operation, ttnn
from tilewright._errors import TilewrightError
from tilewright._workshop.cases import check_operation
from tilewright.formula import Value
from tilewright.kernels import CompileTimeArg, RuntimeArg, cpp_kernel
from tilewright.kernels._errors import KernelArgumentError
from tilewright.ops import Operation, OperationError
from tilewright.ops._accuracy import Accuracy, held, judge
from tilewright.ops._export import export_operation


@operation(program=lambda tensors, numbers: None)  # type: ignore[arg-type,return-value]
def nothing(x: Rows) -> Value:
    """A function that makes no program."""
    return x * 1.0


def judged(declared: Operation, device: ttnn.Device, shape: tuple[int, ...]) -> Accuracy:
    array = np.random.default_rng(0).standard_normal(shape)
    tensors = {"x": ttnn.from_numpy(array, ttnn.bfloat16, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)}
    outcome = declared.launch(tensors)
    return judge([outcome.output.to_numpy()], declared.bounds(outcome.plan, held(tensors)))


def test_a_kernel_in_cpp_runs_and_is_exported(device: ttnn.Device, tmp_path: Path) -> None:
    assert judged(doubled, device, (70, 100)).is_within_bound
    export_operation(doubled, tmp_path, shape=(64, 64))
    exported = (tmp_path / "doubled" / "kernels" / "bfloat16_blocked" / "doubled_in_cpp.cpp").read_text()
    assert exported.endswith((Path(__file__).parent / "doubled.cpp").read_text())


def test_an_argument_that_no_plan_has_is_named(device: ttnn.Device) -> None:
    @cpp_kernel("doubled.cpp", "compute")
    def misnamed(num_tile_rows: RuntimeArg, tiles_of_a_block: CompileTimeArg) -> None:
        """2 * x."""

    @operation(kernels={"blocked": {"compute": misnamed}}, buffers={"in_rm": 0, "in_tiled": 1, "out_rm": 16})
    def declared(x: Rows) -> Value:
        """2 * x."""
        return x * 2.0

    with pytest.raises(
        KernelArgumentError, match=r"misnamed: there is no compile-time argument tiles_of_a_block; there"
    ) as raised:
        judged(declared, device, (32, 32))
    assert isinstance(raised.value, TilewrightError)  # commands print its text without a traceback


def test_a_program_of_its_own_runs_with_its_numbers(device: ttnn.Device, tmp_path: Path) -> None:
    assert judged(scaled, device, (70, 100)).is_within_bound
    assert scaled(np.ones((32, 32), np.float32), factor=5)[0, 0] == 5
    check_operation(scaled, device)


def test_a_program_of_its_own_is_exported_for_its_shape(
    wormhole: ttnn.Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export_operation(scaled, tmp_path, shape=(70, 100))
    monkeypatch.setitem(sys.modules, "ttnn", ttnn)
    monkeypatch.syspath_prepend(str(tmp_path))
    package = importlib.import_module("scaled")
    array = np.random.default_rng(0).standard_normal((70, 100))
    x = ttnn.from_numpy(array, ttnn.float32, layout=ttnn.ROW_MAJOR_LAYOUT, device=wormhole)
    np.testing.assert_array_equal(package.scaled(x).to_numpy(), scaled(x).to_numpy())
    with pytest.raises(ValueError, match=r"factor must be 3\.0, the value of the export, got 4\.0"):
        package.scaled(x, 4.0)
    with pytest.raises(ValueError, match=r"x must have shape \[70, 100\], the shape of the export"):
        package.scaled(ttnn.zeros((32, 32), ttnn.float32, device=wormhole))


def test_function_without_a_program_is_refused() -> None:
    with pytest.raises(OperationError, match=r"`program` must return a ttnn\.ProgramDescriptor, not None"):
        nothing(np.ones((32, 32), np.float32))
