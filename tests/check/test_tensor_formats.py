# SPDX-License-Identifier: Apache-2.0
"""Circular buffers whose format or layout does not fit the tensor: named with both, silent where they fit."""

from __future__ import annotations

import numpy as np
import pytest

from tests.check.compute_programs import circular_buffer, compute_kernel, empty, reader, run_checked, step, tiles
from tests.page_writer import PAGE_WRITER
from tests.tile_program import source_kernel
from tilewright import ttnn
from tilewright._record.run import RunNote
from tilewright.check import check_program

L1 = ttnn.L1_MEMORY_CONFIG
ADD = compute_kernel(f"compute_kernel_hw_startup(0, 1, 16);\nadd_init(0, 1);\n{step('add_tiles(0, 1, 0, 0, 0);')}")


def notes(inputs: list[ttnn.Tensor], output: ttnn.Tensor, *cbs: ttnn.CBDescriptor) -> list[RunNote]:
    found = run_checked(inputs, output, ADD, cbs)
    return [each for each in found if each.rule in ("tensor-format", "cb-layout")]


def test_a_tile_read_in_another_format_is_named_with_both(device: ttnn.Device) -> None:
    inputs = [tiles(device, 32, 32), tiles(device, 32, 32)]
    both = [circular_buffer(index, 2, ttnn.float32, 2048) for index in (0, 1)]
    found = notes(inputs, empty(device, 32, 32), *both)
    assert [each.rule for each in found] == ["tensor-format"] * 2
    assert found[0].text == (
        "reads c_0, with pages of 2048 bytes, as Float32, whose tiles have 4096; its page comes from tensor 0, "
        "which is Float16_b"
    )
    assert notes(inputs, empty(device, 32, 32)) == []


def test_a_tile_of_another_format_of_the_same_size_is_named(device: ttnn.Device) -> None:
    inputs = [tiles(device, 32, 32, ttnn.uint16), tiles(device, 32, 32)]
    (found,) = notes(inputs, empty(device, 32, 32), circular_buffer(0, 1, ttnn.bfloat16))
    assert "its page comes from tensor 0, which is UInt16" in found.text


def test_a_page_packed_in_another_format_than_the_output_is_named(device: ttnn.Device) -> None:
    inputs = [tiles(device, 32, 32), tiles(device, 32, 32)]
    (found,) = notes(inputs, empty(device, 32, 32, ttnn.uint16), circular_buffer(16, 1, ttnn.bfloat16))
    assert found.text == "writes a page of c_16, which was packed as Float16_b, to tensor 2, which is UInt16"


def test_short_rows_taken_for_tiles_are_named_by_their_layout(device: ttnn.Device) -> None:
    """A row of 64 elements is smaller than what a tile assembled of pieces is made of."""
    values = np.ones((32, 64), np.float32)
    rows = [ttnn.from_numpy(values, dtype=ttnn.bfloat16, layout=ttnn.ROW_MAJOR_LAYOUT, device=device) for _ in "ab"]
    cbs = [circular_buffer(index, 1) for index in (0, 1)]
    (found,) = notes(rows, empty(device, 32, 32), *cbs)
    assert found.rule == "cb-layout"
    assert "takes rows of a tensor in ROW_MAJOR layout from c_0 as tiles" in found.text


def test_rows_counted_as_tiles_in_the_output_are_explained(device: ttnn.Device) -> None:
    source = tiles(device, 32, 64)
    output = ttnn.allocate_tensor_on_device(
        ttnn.Shape([32, 64]), ttnn.bfloat16, ttnn.ROW_MAJOR_LAYOUT, device, ttnn.DRAM_MEMORY_CONFIG
    )
    move = source_kernel("writer", PAGE_WRITER.replace("16", "0"), ttnn.WriterConfigDescriptor(), [output], 2)
    program = ttnn.ProgramDescriptor(kernels=[reader([source], [2]), move], cbs=[circular_buffer(0, 2)], semaphores=[])
    (found,) = [each for each in check_program([source, output], program).findings if each.rule == "output-unwritten"]
    assert found.numbers.endswith("as many were written as it would have tiles, 2")


@pytest.mark.parametrize(("dtype", "named"), [(ttnn.float32, True), (ttnn.bfloat16, False)])
def test_a_buffer_over_a_tensor_of_another_format_is_named_before_the_run(
    device: ttnn.Device, dtype: ttnn.DataType, named: bool
) -> None:
    tensor = ttnn.from_numpy(
        np.ones((32, 32)),
        dtype=ttnn.bfloat16,
        layout=ttnn.TILE_LAYOUT,
        device=device,
        memory_config=ttnn.L1_MEMORY_CONFIG,
    )
    over = circular_buffer(0, 1, dtype, 2048)
    over.set_buffer_from_tensor(tensor)
    compute = source_kernel("compute", compute_kernel(""), ttnn.ComputeConfigDescriptor(), [])
    program = ttnn.ProgramDescriptor(kernels=[compute], cbs=[over], semaphores=[])
    found = [each.numbers for each in check_program([tensor], program).findings if each.rule == "tensor-format"]
    assert found == (["c_0 is Float32 and lies over tensor 0, which is Float16_b"] if named else [])
