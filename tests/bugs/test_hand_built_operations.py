# SPDX-License-Identifier: Apache-2.0
"""Failures of these operations that had no explanation when they were built by hand: each is reported by its rule."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from tests.bugs import hand_built_kernels
from tilewright import Rows, operation, ops, ttnn
from tilewright._errors import DeadlockError, KernelCompileError
from tilewright._launch.run_program import run_program
from tilewright._planner.plan import Plan
from tilewright._planner.row_program import Kernels, build_program
from tilewright._program.program import ProgramDescriptor
from tilewright._tensor.tensor import Tensor
from tilewright.check import CheckResult, check_program
from tilewright.formula import Value, mean
from tilewright.kernels import Kernel
from tilewright.kernels.phases import Region, add, add_rsqrt, mul_bcast_cols
from tilewright.ops._operation import Operation

SOURCE = hand_built_kernels.__file__


@operation(buffers={"in_rm": 0, "in_tiled": 1, "scaler": 2, "mean": 3, "centralized": 4, "out_rm": 16})
def centralize_by_hand(x: Rows) -> Value:
    """Rows minus their mean, with the buffers it had when it was built by hand."""
    centralized = x - mean(x)
    return centralized  # noqa: RET504 (its name is its buffer)


@dataclasses.dataclass
class Attempt:
    """An operation with some of its kernels replaced, on one core."""

    operation: Operation
    x: Tensor
    y: Tensor
    plan: Plan
    program: ProgramDescriptor

    def run(self) -> None:
        run_program([self.x, self.y], self.program)

    def check(self) -> CheckResult:
        return check_program([self.x, self.y], self.program)

    @property
    def result(self) -> np.ndarray:
        return self.y.to_numpy().astype(np.float64)

    @property
    def exact(self) -> np.ndarray:
        return self.operation.reference({"x": self.x.to_numpy().astype(np.float64)})[0]


@pytest.fixture
def attempt(device):
    def make(
        shape: tuple[int, ...],
        *,
        operation: Operation = centralize_by_hand,
        reader: Kernel | None = None,
        compute: Kernel | None = None,
        scale: float = 1.0,
        x: np.ndarray | None = None,
    ) -> Attempt:
        values = np.random.default_rng(3).standard_normal(shape) * scale if x is None else x
        tensor = ttnn.from_numpy(
            values.astype(np.float32), dtype=ttnn.bfloat16, layout=ttnn.ROW_MAJOR_LAYOUT, device=device
        )
        y = ttnn.allocate_tensor_on_device(shape, ttnn.bfloat16, ttnn.ROW_MAJOR_LAYOUT, device)
        plan = operation.plan(shape, ttnn.bfloat16, device, core_grid=(1, 1))
        usual = plan.kernels
        kernels = Kernels(reader or usual.reader, compute or usual.compute, usual.writer)
        tensors = {"x": tensor, "output": y}
        program = build_program(plan, kernels, tensors, operation.numbers(plan))
        return Attempt(operation, tensor, y, plan, program)

    return make


def line_of(text: str) -> int:
    """Number of the only line of the faulty kernels with a text."""
    lines = Path(SOURCE).read_text(encoding="utf-8").splitlines()
    found = [number for number, line in enumerate(lines, 1) if text in line]
    assert len(found) == 1, (text, found)
    return found[0]


def test_a_stub_that_reserves_one_page_and_writes_wt(attempt):
    """A stub hung for an unknown reason: it wrote four pages where it had one."""
    findings = attempt((32, 128), reader=hand_built_kernels.read_rows_reserving_one_page).check().findings
    past = [each for each in findings if each.rule == "cb-write-past-reserve"]
    assert past, findings
    assert past[0].path == SOURCE
    assert past[0].line == line_of("noc_async_read(x.get_noc_addr(stick), address, stick_bytes)")
    hung = [each for each in findings if each.rule == "hang-finished-producer"]
    assert hung, findings
    assert hung[0].cb == "c_0 in_rm"


def test_tiles_never_popped_stop_the_second_tile_row(attempt):
    one = attempt((32, 64), compute=hand_built_kernels.centralize_without_pop)
    one.run()  # a single tile-row runs, and is right
    assert np.abs(one.result - one.exact).max() < 2**-7
    with pytest.raises(DeadlockError) as caught:
        attempt((64, 64), compute=hand_built_kernels.centralize_without_pop).run()
    message = str(caught.value)
    assert "c_1 in_tiled" in message
    assert "cb_reserve_back" in message
    assert f"{SOURCE}:" in message or "hand_built_kernels.py:" in message
    findings = attempt((64, 64), compute=hand_built_kernels.centralize_without_pop).check().findings
    assert [(each.rule, each.cb) for each in findings] == [("hang-self", "c_1 in_tiled")]


def test_a_mean_popped_per_tile_stops_at_the_second_tile(attempt):
    one = attempt((32, 32), compute=hand_built_kernels.centralize_mean_per_tile)
    one.run()  # rows of one tile run, and are right
    assert np.abs(one.result - one.exact).max() < 2**-7
    with pytest.raises(DeadlockError) as caught:
        attempt((32, 64), compute=hand_built_kernels.centralize_mean_per_tile).run()
    message = str(caught.value)
    assert "c_3 mean" in message
    assert "cb_wait_front" in message
    findings = attempt((32, 64), compute=hand_built_kernels.centralize_mean_per_tile).check().findings
    assert [(each.rule, each.cb) for each in findings] == [("hang-self", "c_3 mean")]


READER_OF_THREE = """
#include "api/dataflow/dataflow_api.h"
void kernel_main() {{
    constexpr uint32_t stick_bytes = get_compile_time_arg_val(0);
    constexpr auto input_args = TensorAccessorArgs<1>();
    constexpr auto gamma_args = TensorAccessorArgs<{second}>();
    constexpr auto beta_args = TensorAccessorArgs<{third}>();
    const auto input = TensorAccessor(input_args, get_arg_val<uint32_t>(0));
    const auto scale = TensorAccessor(gamma_args, get_arg_val<uint32_t>(1));
    const auto shift = TensorAccessor(beta_args, get_arg_val<uint32_t>(2));
    cb_reserve_back(0, 3);
    noc_async_read(input.get_noc_addr(0), get_write_ptr(0), stick_bytes);
    noc_async_read(scale.get_noc_addr(0), get_write_ptr(0) + 64, stick_bytes);
    noc_async_read(shift.get_noc_addr(0), get_write_ptr(0) + 128, stick_bytes);
    noc_async_read_barrier();
    cb_push_back(0, 3);
}}
"""


def accessor_program(device, second: str, third: str) -> tuple[list[Tensor], ProgramDescriptor]:
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))])
    tensors = [
        ttnn.from_numpy(np.ones(32, np.float32), dtype=ttnn.bfloat16, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)
        for _ in range(3)
    ]
    arguments = [64]
    for tensor in tensors:
        arguments += ttnn.TensorAccessorArgs(tensor).get_compile_time_args()
    kernel = ttnn.KernelDescriptor(
        kernel_source=READER_OF_THREE.format(second=second, third=third),
        source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=cores,
        compile_time_args=arguments,
        runtime_args=[(ttnn.CoreCoord(0, 0), [tensor.buffer_address() for tensor in tensors])],
        config=ttnn.ReaderConfigDescriptor(),
    )
    sticks = ttnn.CBFormatDescriptor(buffer_index=0, data_format=ttnn.bfloat16, page_size=64)
    cb = ttnn.CBDescriptor(total_size=192, core_ranges=cores, format_descriptors=[sticks])
    return tensors, ttnn.ProgramDescriptor(kernels=[kernel], cbs=[cb])


def test_hard_coded_offsets_of_accessor_arguments(device):
    """Offsets three apart, when a tensor takes two arguments: the last accessor begins behind the last argument."""
    with pytest.raises(KernelCompileError, match=r"given fewer arguments(.|\n)*cpp:7:"):
        run_program(*accessor_program(device, "4", "7"))
    chained = ("input_args.next_compile_time_args_offset()", "gamma_args.next_compile_time_args_offset()")
    run_program(*accessor_program(device, *chained))


def test_stick_pages_against_tile_pages(attempt):
    """A tile-row is 32 pages to the reader and 4 to tilize: it never drains what is pushed."""
    faulty = attempt((256, 128), reader=hand_built_kernels.read_rows_in_stick_pages)
    for cb in faulty.program.cbs:
        for descriptor in cb.format_descriptors:
            if descriptor.buffer_index == 0:
                descriptor.page_size, cb.total_size = 256, 64 * 256
    with pytest.raises(DeadlockError) as caught:
        faulty.run()
    assert "c_0 in_rm" in str(caught.value)
    named = [each for each in faulty.check().findings if each.rule == "cb-page-convention"]
    assert [each.cb for each in named] == ["c_0 in_rm"]
    assert "One kernel counts a page as a stick, the other as a tile" in named[0].cause


def test_tiles_drained_as_sticks(attempt):
    """Correlation is lost on random rows and perfect where elements agree: the trace of tiles read as sticks."""
    faulty = attempt((32, 128), compute=hand_built_kernels.centralize_without_untilize)
    result = faulty.check()
    named = [each for each in result.findings if each.rule == "cb-layout"]
    assert named, result.findings
    assert "out_rm" in named[0].cb
    correlation = np.corrcoef(faulty.result.ravel(), faulty.exact.ravel())[0, 1]
    assert abs(correlation) < 0.2
    signs = np.where(np.arange(128) % 2, -1.0, 1.0)[None].repeat(32, axis=0)
    alternating = attempt((32, 128), compute=hand_built_kernels.centralize_without_untilize, x=signs)
    alternating.run()
    assert np.corrcoef(alternating.result.ravel(), alternating.exact.ravel())[0, 1] > 0.999


@pytest.mark.parametrize("other_orders", [0, 2])
def test_ht_instead_of_all_tile_rows(device, other_orders):
    """Work counted as Ht leaves five sixths of [2, 3, 32, 64] untouched; the untouched rows are poison, not zeros."""
    operation, shape = ops.centralize_w_rm, (2, 3, 32, 64)
    x = np.random.default_rng(5).standard_normal(shape).astype(np.float32)
    tensor = ttnn.from_numpy(x, dtype=ttnn.bfloat16, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)
    y = ttnn.allocate_tensor_on_device(shape, ttnn.bfloat16, ttnn.ROW_MAJOR_LAYOUT, device)
    short = operation.plan(shape[-2:], ttnn.bfloat16, device)
    program = operation.program(short, {"x": tensor, "output": y})
    findings = check_program([tensor, y], program, seeds=other_orders).findings
    assert [each.rule for each in findings] == ["output-unwritten"]
    assert "160 of 192 pages" in findings[0].text()
    assert "N*C*Ht" in findings[0].cause
    untouched = np.isnan(y.to_numpy().astype(np.float64)).reshape(6, 32, 64).all(axis=(1, 2))
    assert list(untouched) == [False] + [True] * 5
    assert not np.isnan(operation(x)).any()


def test_epsilon_that_reaches_two_rows_of_32(attempt):
    """A reduce scaler has its value in row 0 of each face: added element by element, rows 0 and 16 get it."""
    faulty = attempt(
        (32, 64),
        operation=ops.standardize_w_rm,
        reader=hand_built_kernels.read_rows_and_epsilon_scaler,
        compute=hand_built_kernels.standardize_adding_epsilon_tiles,
        scale=1e-3,
    )
    faulty.run()
    error = np.abs(faulty.result - faulty.exact).max(axis=1)
    assert sorted(np.flatnonzero(error < 2**-6)) == [0, 16]
    # The contracts say it without running: the sum holds data in one element, and a column is needed next.
    total = add.contract.regions(cb_a=Region.COLUMN_0, cb_b=Region.SCALER)["cb_out"]
    with pytest.raises(ValueError, match=r"mul_bcast_cols needs data in column 0 of cb_b, which has it in element"):
        mul_bcast_cols.contract.regions(cb_a=Region.TILE, cb_b=total)
    right = add_rsqrt.contract.regions(cb_in=Region.COLUMN_0, cb_epsilon=Region.TILE)["cb_out"]
    assert mul_bcast_cols.contract.regions(cb_a=Region.TILE, cb_b=right) == {"cb_out": Region.TILE}
