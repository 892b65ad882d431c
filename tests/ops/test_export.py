# SPDX-License-Identifier: Apache-2.0
"""A package for hardware: the real ttnn makes of it the program that runs here, and its kernels are C++ for a card."""

from __future__ import annotations

import dataclasses
import hashlib
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tilewright.ops
from tests.ops import export_probe
from tilewright import OwnTolerance, Rows, operation, ops, ttnn
from tilewright._planner.plan import Plan
from tilewright._planner.row_program import build_program, compile_time_values
from tilewright._program.kernel_config import ComputeConfigDescriptor, MathFidelity
from tilewright.formula import Value, l2_normalize, softmax, transpose
from tilewright.kernels._language import KernelRole
from tilewright.ops._export import ExportError, export_operation
from tilewright.ops._operation import Operation

NAMES = ("centralize_w_rm", "variance_w_rm", "standardize_w_rm", "layernorm_fused_rm")
# Whole tiles; rows and columns that end inside a tile; rows too wide for L1.
SHAPES = {
    "aligned": ((2, 3, 64, 128), ttnn.bfloat16),
    "unaligned": ((5, 7, 100), ttnn.float32),
    "wide": ((64, 70000), ttnn.bfloat16),
}
CONFIG = ComputeConfigDescriptor(math_fidelity=MathFidelity.HiFi4, fp32_dest_acc_en=True)


@pytest.fixture(scope="module")
def device():
    device = ttnn.open_device(device_id=0)
    yield device
    ttnn.close_device(device)


@dataclasses.dataclass(frozen=True)
class Case:
    operation: Operation
    plan: Plan

    @property
    def tensor_names(self) -> tuple[str, ...]:
        return (*(each.name for each in self.operation.inputs), *self.operation.output_names)


@pytest.fixture(params=SHAPES)
def shape_and_dtype(request):
    return SHAPES[request.param]


@pytest.fixture(params=NAMES)
def case(request, shape_and_dtype, device) -> Case:
    operation = getattr(tilewright.ops, request.param)
    return Case(operation, operation.plan(*shape_and_dtype, device))


def exported(case: Case, directory: Path) -> Path:
    export_operation(case.operation, directory, shape=case.plan.rows.shape)
    return directory


def our_program(case: Case, monkeypatch) -> dict:
    """The program of an operation's call, with the stand-ins for tensors."""
    monkeypatch.setattr("tilewright.kernels._descriptor.TensorAccessorArgs", export_probe.StandInAccessorArgs)
    monkeypatch.setattr("tilewright.kernels._descriptor.Tensor", export_probe.StandIn)
    kernels = case.plan.kernels
    tensors = export_probe.stand_ins(case.tensor_names)
    for each in tensors.values():
        each.dtype = case.plan.rows.dtype
    numbers = case.operation.numbers(case.plan, dict.fromkeys(case.operation.parameters, 0.25))
    program = build_program(case.plan, kernels, tensors, numbers, CONFIG)
    sources = [f"// SPDX-License-Identifier: Apache-2.0\n{kernel.cpp_source()}" for kernel in kernels]
    return {**export_probe.describe(program, ttnn), "sources": sources}


def test_the_real_ttnn_builds_the_program_that_runs_here(case, real_ttnn, tmp_path, monkeypatch):
    directory = exported(case, tmp_path / "package")
    probe = Path(export_probe.__file__)
    rows = case.plan.rows
    shape = "x".join(map(str, rows.shape))
    names = ",".join(case.tensor_names)
    command = [real_ttnn, str(probe), str(directory), case.operation.name, names, shape, rows.dtype.name.lower()]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    result = subprocess.run(
        command,
        capture_output=True,
        text=True,
        env={**environment, "TT_LOGGER_LEVEL": "FATAL"},
        cwd=tmp_path,  # ttnn leaves reports where it runs
        check=False,
    )
    assert result.returncode == 0, result.stderr[-2000:]
    theirs, ours = json.loads(result.stdout), our_program(case, monkeypatch)
    assert theirs == json.loads(json.dumps(ours))


@pytest.mark.parametrize("arch", ["wormhole_b0", "blackhole"])
def test_the_published_headers_accept_every_kernel(case, wheel_headers, arch):
    kernels = case.plan.kernels
    values = compile_time_values(case.plan, {})
    for kernel in kernels:
        layout = kernel.arguments
        arguments = [values[name] for name in layout.scalars] + [2, 2048] * len(layout.tensors)
        errors = wheel_headers.check(
            kernel.cpp_source(), is_compute=kernel.role is KernelRole.COMPUTE, compile_time_args=arguments, arch=arch
        )
        assert not errors, errors


def on_device(array, dtype, device):
    return ttnn.from_numpy(array, dtype=dtype, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)


@pytest.fixture
def imported(monkeypatch, tmp_path):
    """Imports a package as a card's host would, with our ttnn in the place of ttnn."""

    def load(directory: Path, module: str):
        monkeypatch.setitem(sys.modules, "ttnn", ttnn)
        monkeypatch.syspath_prepend(str(directory))
        return importlib.import_module(module)

    yield load
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


def test_exported_package_gives_the_operations_result(case, device, imported, tmp_path):
    shape, dtype = case.plan.rows.shape, case.plan.rows.dtype
    generator = np.random.default_rng(1)
    arrays = [generator.standard_normal(shape)] + [
        generator.standard_normal(shape[-1]) for _ in case.operation.inputs[1:]
    ]
    tensors = [on_device(array.astype(np.float32), dtype, device) for array in arrays]
    call = getattr(imported(exported(case, tmp_path / "package"), case.operation.name), case.operation.name)
    got, expected = call(*tensors), case.operation(*tensors)
    assert tuple(got.shape) == tuple(expected.shape)
    np.testing.assert_array_equal(ttnn.to_numpy(got), ttnn.to_numpy(expected))


@pytest.mark.parametrize("name", NAMES)
def test_the_packages_own_test_passes_and_can_fail(name, device, imported, tmp_path, monkeypatch):
    pytest.importorskip("torch")
    export_operation(getattr(tilewright.ops, name), tmp_path / "package", shape=(64, 70))
    test = imported(tmp_path / "package", f"test_{name}")
    assert len(test.CASES) == 4
    for case in test.CASES:
        getattr(test, f"test_{name}")(device, *case)
    right = getattr(test, name)
    monkeypatch.setattr(test, name, lambda *tensors: ttnn.from_torch(ttnn.to_torch(right(*tensors)).float() + 0.5))
    with pytest.raises(AssertionError):
        getattr(test, f"test_{name}")(device, *test.CASES[0])


def test_one_package_takes_any_shape_dtype_and_cores(device, imported, tmp_path):
    """It plans as the operation does, so it gives the same bits; a grid of its own is a plan of its own."""
    operation = tilewright.ops.standardize_w_rm
    export_operation(operation, tmp_path / "package")
    call = imported(tmp_path / "package", "standardize_w_rm").standardize_w_rm
    generator = np.random.default_rng(2)
    for shape, dtype in (((33, 70), ttnn.bfloat16), ((2, 3, 40, 96), ttnn.float32), ((4, 70000), ttnn.bfloat16)):
        x = on_device(generator.standard_normal(shape).astype(np.float32), dtype, device)
        for grid in (None, ttnn.CoreGrid(x=2, y=3)):
            got, expected = call(x, core_grid=grid), operation(x, core_grid=grid)
            np.testing.assert_array_equal(ttnn.to_numpy(got), ttnn.to_numpy(expected))


def test_the_packages_call_refuses_in_the_words_of_the_operation(device, imported, tmp_path):
    operation = tilewright.ops.layernorm_fused_rm
    export_operation(operation, tmp_path / "package")
    call = imported(tmp_path / "package", "layernorm_fused_rm").layernorm_fused_rm
    row = on_device(np.ones(96, np.float32), ttnn.bfloat16, device)
    x = on_device(np.ones((64, 96), np.float32), ttnn.bfloat16, device)
    with pytest.raises(ValueError, match="Input must have at least 2 dimensions, got rank 1"):
        call(row, row, row)
    with pytest.raises(ValueError, match=r"Input must be in ROW_MAJOR layout, got .*TILE"):
        call(ttnn.zeros((64, 96), ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device), row, row)
    with pytest.raises(ValueError, match=r"Input must be BFLOAT16 or FLOAT32, got .*INT32"):
        call(ttnn.zeros((64, 96), ttnn.int32, device=device), row, row)
    with pytest.raises(ValueError, match=r"Gamma must have shape \[96\], got \[32\]"):
        call(x, on_device(np.ones(32, np.float32), ttnn.bfloat16, device), row)
    with pytest.raises(ValueError, match=r"Gamma dtype must match input dtype, expected .*BFLOAT16 got .*FLOAT32"):
        call(x, on_device(np.ones(96, np.float32), ttnn.float32, device), row)
    with pytest.raises(ValueError, match="Epsilon must be positive, got 0"):
        call(x, row, row, epsilon=0)
    with pytest.raises(ValueError, match="Epsilon must be positive, got -1"):
        call(x, row, row, -1)  # by position, as the operation itself takes it


def test_operation_whose_bound_is_as_large_as_its_results_needs_a_tolerance(tmp_path):
    def of_cosines(a: Rows, b: Rows) -> Value:
        """Softmax of cosines over a small temperature, both ways."""
        logits = l2_normalize(a) @ transpose(l2_normalize(b)) / 0.07
        return softmax(logits) + softmax(logits, dim=-2)

    with pytest.raises(ops.OperationError, match=r"of_cosines cannot be exported: .* declare a tolerance of your own"):
        export_operation(operation(of_cosines), tmp_path / "package", shape=(64, 96))
    own = OwnTolerance(relative=0.05, reason="as much as a bfloat16 score is off")
    export_operation(operation(tolerance=own)(of_cosines), tmp_path / "package", shape=(64, 96))


def test_export_into_a_used_directory_needs_replace(tmp_path):
    operation = tilewright.ops.centralize_w_rm
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ExportError, match="is not empty"):
        export_operation(operation, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
    export_operation(operation, tmp_path, replace=True)
    assert (tmp_path / "notes.txt").read_text() == "mine"
    with pytest.raises(ExportError, match="is a file"):
        export_operation(operation, tmp_path / "notes.txt")


def test_export_replaces_its_files_and_keeps_the_users(tmp_path):
    operation = tilewright.ops.centralize_w_rm
    kernels = tmp_path / "centralize_w_rm" / "kernels" / "bfloat16_resident"

    def export():
        export_operation(operation, tmp_path, replace=True)
        return {path.name for path in kernels.iterdir()}

    first = export()
    assert first == {"read.cpp", "compute_centralize_w_rm.cpp", "write.cpp"}
    record = tmp_path / "centralize_w_rm" / ".exported.json"
    written = json.loads(record.read_text())
    for name, text in (("old.cpp", "// theirs"), ("changed.cpp", "// theirs")):
        (kernels / name).write_text(text)
        written[f"centralize_w_rm/kernels/bfloat16_resident/{name}"] = hashlib.sha256(text.encode()).hexdigest()
    record.write_text(json.dumps(written))
    (kernels / "changed.cpp").write_text("// changed by hand")
    (kernels / "mine.cpp").write_text("// mine")
    assert export() == first | {"mine.cpp", "changed.cpp"}


@pytest.mark.parametrize("name", NAMES)
def test_package_does_not_name_tilewright(name, tmp_path):
    export_operation(getattr(tilewright.ops, name), tmp_path)
    for path in tmp_path.rglob("*"):
        if path.suffix in (".py", ".cpp"):
            code = [line for line in path.read_text().splitlines() if not line.startswith("Written by")]
            assert "tilewright" not in "\n".join(code)
            assert max(len(line) for line in code) <= 120


def test_the_configuration_of_the_plan_is_exported(device):
    """A float32 tensor's buffers that are only moved keep all bits; the package states it, too."""
    operation = tilewright.ops.centralize_w_rm
    plan = operation.plan((32, 64), ttnn.float32, device)
    assert plan.compute_config(CONFIG).unpack_to_dest_mode
