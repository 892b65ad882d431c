# SPDX-License-Identifier: Apache-2.0
"""The sync table, the L1 footprint, and the smallest depths."""

from __future__ import annotations

import json

import numpy as np

from tests.check.source_program import PAGE_BYTES, check_source, core_grid, source_program
from tilewright import ttnn
from tilewright._launch.run_options import RunOptions
from tilewright._launch.tensor_launch import TensorLaunch
from tilewright.check import check_program
from tilewright.check._l1_footprint import make_footprint
from tilewright.check._smallest_depths import smallest_depths
from tilewright.check._sync_table import make_sync_table


def launch(io_tensors: list[ttnn.Tensor], program: ttnn.ProgramDescriptor) -> TensorLaunch:
    return TensorLaunch(io_tensors, program, RunOptions())


READER = """void kernel_main() {
    cb_reserve_back(2, 1); cb_push_back(2, 1);
    for (int row = 0; row < 3; row++) { cb_reserve_back(0, 4); cb_push_back(0, 4); }
}"""
WRITER = """void kernel_main() {
    for (int row = 0; row < 3; row++) {
        cb_wait_front(2, 1);
        for (int tile = 0; tile < 4; tile++) { cb_wait_front(0, 1); cb_pop_front(0, 1); }
    }
}"""


def test_the_sync_table_counts_pushes_and_pops_per_step_and_in_all(device: ttnn.Device) -> None:
    program = source_program({0: 8, 2: 1, 5: 1}, grid=(2, 1), reader=READER, writer=WRITER)
    result = check_source(device, program)
    assert result.run is not None
    (group,) = result.sync_table.groups
    assert (group.cores, group.steps) == (((0, 0), (1, 0)), 3)
    rows = {row.cb: row for row in group.rows}
    stream, kept, unused = rows["c_0"], rows["c_2"], rows["c_5"]
    assert (stream.producers, stream.consumers) == (("reader",), ("writer",))
    assert (stream.pushed, stream.popped, stream.pushed_per_step, stream.popped_per_step) == (12, 12, 4, 4)
    assert (stream.peak, stream.left_over, stream.kind, stream.is_balanced) == (8, 0, "streaming", True)
    assert (kept.kind, kept.left_over, kept.wait_calls, kept.is_balanced) == ("persistent", 1, 3, False)
    assert (kept.pushed, kept.pushed_per_step, kept.popped_per_step) == (1, None, None)
    assert kept.why == "writer waits for the 1 page and pops none"
    assert unused.kind == "unused"


def test_a_buffer_where_a_kernel_is_stuck_does_not_balance(device: ttnn.Device) -> None:
    """As many pops as pushes, and one wait more."""
    reader = READER.replace("row < 3", "row < 2")
    (group,) = check_source(device, source_program({0: 8, 2: 1}, reader=reader, writer=WRITER)).sync_table.groups
    stream = group.rows[0]
    assert (stream.pushed, stream.popped, stream.is_balanced) == (8, 8, False)
    assert stream.why == "writer still waits for 1 page, 0 there"


def test_cores_with_other_traffic_are_another_group(device: ttnn.Device) -> None:
    reader = """void kernel_main() {
        for (uint32_t i = 0; i < 2u + get_absolute_logical_x(); i++) { cb_reserve_back(0, 1); cb_push_back(0, 1); }
    }"""
    writer = """void kernel_main() {
        for (uint32_t i = 0; i < 2u + get_absolute_logical_x(); i++) { cb_wait_front(0, 1); cb_pop_front(0, 1); }
    }"""
    result = check_source(device, source_program({0: 2}, grid=(2, 2), reader=reader, writer=writer))
    assert [group.cores for group in result.sync_table.groups] == [((0, 0), (0, 1)), ((1, 0), (1, 1))]


def test_tile_rows_of_an_operation_are_used_where_they_are_known(device: ttnn.Device) -> None:
    result = check_source(device, source_program({0: 8, 2: 1}, reader=READER, writer=WRITER))
    assert result.run is not None
    (group,) = make_sync_table(result.run, {(0, 0): 6}).groups
    assert (group.steps, group.step_name, group.rows[0].pushed_per_step) == (6, "tile-row", 2)
    assert group.title == "on core (0,0): 6 tile-rows each"


def test_buffer_filled_once_is_not_divided_among_tile_rows(device: ttnn.Device) -> None:
    """Four pages kept for two tile-rows are four pages, not two for each."""
    reader = READER.replace("cb_reserve_back(2, 1)", "cb_reserve_back(2, 4)").replace(
        "cb_push_back(2, 1)", "cb_push_back(2, 4)"
    )
    writer = WRITER.replace("cb_wait_front(2, 1)", "cb_wait_front(2, 4)")
    result = check_source(device, source_program({0: 8, 2: 4}, reader=reader, writer=writer))
    assert result.run is not None
    (group,) = make_sync_table(result.run, {(0, 0): 2}).groups
    kept = next(row for row in group.rows if row.cb == "c_2")
    assert (kept.kind, kept.pushed, kept.pushed_per_step) == ("persistent", 4, None)


def test_the_table_as_text_markdown_and_json(device: ttnn.Device) -> None:
    table = check_source(device, source_program({0: 8, 2: 1}, reader=READER, writer=WRITER)).sync_table
    text = table.text(80).splitlines()
    assert text[0] == "sync table on core (0,0): 3 steps each (inferred)"
    assert text[2].split() == ["c_0", "1", ">", "2", "8", "12", "(4/step)", "12", "(4/step)", "12", "8", "0"]
    assert max(map(len, text)) <= 80
    assert (
        "| c_0 | reader | writer | 8 | 12 (4/step) | 12 (4/step) | 12 | 8 | 0 | streaming | yes |" in table.markdown()
    )
    assert json.loads(json.dumps(table.as_dict()))["groups"][0]["steps"] == 3


def copy_program(source: ttnn.Tensor, output: ttnn.Tensor, num_tiles: int, depth: int) -> ttnn.ProgramDescriptor:
    """Copies tiles in pairs through a buffer of ``depth`` pages."""
    move = """void kernel_main() {
        constexpr auto args = TensorAccessorArgs<0>();
        const auto tensor = TensorAccessor(args, get_arg_val<uint32_t>(0));
        for (uint32_t tile = 0; tile < TILES; tile += 2) {
            BEFORE(0, 2);
            MOVE(tile, tensor, POINTER(0));
            MOVE(tile + 1, tensor, POINTER(0) + get_tile_size(0));
            BARRIER();
            AFTER(0, 2);
        }
    }""".replace("TILES", str(num_tiles))
    names = {
        "reader": ("cb_reserve_back", "noc_async_read_page", "get_write_ptr", "noc_async_read_barrier", "cb_push_back"),
        "writer": ("cb_wait_front", "noc_async_write_page", "get_read_ptr", "noc_async_write_barrier", "cb_pop_front"),
    }
    configs = {"reader": ttnn.ReaderConfigDescriptor(), "writer": ttnn.WriterConfigDescriptor()}
    kernels = []
    for (name, calls), tensor in zip(names.items(), (source, output), strict=True):
        text = move
        for word, call in zip(("BEFORE", "MOVE", "POINTER", "BARRIER", "AFTER"), calls, strict=True):
            text = text.replace(word, call)
        kernels.append(
            ttnn.KernelDescriptor(
                text,
                ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
                core_ranges=core_grid(1, 1),
                compile_time_args=ttnn.TensorAccessorArgs(tensor).get_compile_time_args(),
                runtime_args=[(ttnn.CoreCoord(0, 0), [tensor.buffer_address()])],
                config=configs[name],
                name=name,
            )
        )
    cb = ttnn.CBDescriptor(
        total_size=depth * PAGE_BYTES,
        core_ranges=core_grid(1, 1),
        format_descriptors=[ttnn.CBFormatDescriptor(0, ttnn.bfloat16, PAGE_BYTES, name="tiles")],
    )
    return ttnn.ProgramDescriptor(kernels=kernels, cbs=[cb])


def test_the_smallest_depth_is_found_and_the_result_stays(device: ttnn.Device) -> None:
    values = np.arange(32 * 256, dtype=np.float32).reshape(32, 256) % 251
    source = ttnn.from_numpy(values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    output = ttnn.empty([32, 256], dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    program = copy_program(source, output, 8, depth=6)
    tried: list[int] = []
    assert smallest_depths(launch([source, output], program), progress=lambda _, depth: tried.append(depth)) == {0: 2}
    assert tried == [2]
    assert (ttnn.to_numpy(output) == values).all()
    assert next(iter(program.cbs)).total_size == 6 * PAGE_BYTES


def test_a_depth_that_breaks_the_wrap_is_passed_over(device: ttnn.Device) -> None:
    """Pushes of 2 and 3 pages: 3 pages are enough for each call, and only 5 let the counts add up."""
    reader = """void kernel_main() {
        for (int i = 0; i < 2; i++) {
            cb_reserve_back(0, 2); cb_push_back(0, 2); cb_reserve_back(0, 3); cb_push_back(0, 3);
        }
    }"""
    writer = reader.replace("reserve_back", "wait_front").replace("push_back", "pop_front")
    tensor = ttnn.zeros([32, 32], device=device)
    program = source_program({0: 10}, reader=reader, writer=writer)
    assert smallest_depths(launch([tensor], program)) == {0: 5}


def test_the_footprint_has_bytes_budget_peak_formula_and_smallest(device: ttnn.Device) -> None:
    source = ttnn.zeros([32, 256], dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    output = ttnn.zeros([32, 256], dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    result = check_program([source, output], copy_program(source, output, 2, depth=8))
    assert result.ok, [finding.text() for finding in result.findings]
    footprint = result.l1_footprint({0: "4*Wt"}, search=True)
    (group,) = footprint.groups
    (row,) = group.rows
    assert (row.cb, row.pages, row.total_bytes, row.peak) == ("c_0 tiles", 8, 8 * PAGE_BYTES, 2)
    assert (row.formula, row.smallest, group.smallest_bytes) == ("4*Wt", 2, 2 * PAGE_BYTES)
    assert group.budget == device.l1_end - device.description.l1_unreserved_base
    text = footprint.text()
    assert "c_0 tiles never uses more than 2 of its 8 pages" in text
    assert "| c_0 tiles | 8 | 2048 | 16,384 | 2 | 4*Wt | 2 |" in footprint.markdown()


def test_a_buffer_in_a_tensor_takes_no_room(device: ttnn.Device) -> None:
    tensor = ttnn.zeros([32, 32], dtype=ttnn.bfloat16, device=device, memory_config=ttnn.L1_MEMORY_CONFIG)
    cb = ttnn.CBDescriptor(
        total_size=64, core_ranges=core_grid(1, 1), format_descriptors=[ttnn.CBFormatDescriptor(0, ttnn.bfloat16, 64)]
    )
    cb.set_buffer_from_tensor(tensor)
    (group,) = make_footprint(launch([tensor], ttnn.ProgramDescriptor(cbs=[cb]))).groups
    assert (group.total_bytes, group.rows[0].in_tensor) == (0, True)
