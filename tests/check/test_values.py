# SPDX-License-Identifier: Apache-2.0
"""Values that mean nothing, followed to an output: unwritten memory, padding, what lies beside a reduction."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.check.compute_programs import circular_buffer, compute_kernel, empty, kernel_line, run_checked, step, tiles
from tests.page_writer import PAGE_WRITER
from tilewright import ttnn
from tilewright._record.run import RunNote

WRITE_LINE = 1 + PAGE_WRITER.splitlines().index("        noc_async_write_page(page, to, get_read_ptr(16));")
START = "compute_kernel_hw_startup(0, 1, 16);"
ROW_SUM = "PoolType::SUM, ReduceDim::REDUCE_ROW"
ROW_MAX = "PoolType::MAX, ReduceDim::REDUCE_ROW"
COLUMN_SUM = "PoolType::SUM, ReduceDim::REDUCE_COL"


def ones(device: ttnn.Device, columns: int = 32) -> ttnn.Tensor:
    """A scaler: the first `columns` of row 0 of each face row are one, everything else is zero."""
    values = np.zeros((32, 32), np.float32)
    values[[0, 16], :columns] = 1
    return ttnn.from_numpy(values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


def run(
    inputs: list[ttnn.Tensor], output: ttnn.Tensor, init: str, maths: str, *cbs: ttnn.CBDescriptor
) -> list[RunNote]:
    return run_checked(inputs, output, compute_kernel(f"{START}\n{init}\n{step(maths)}"), cbs)


def reduction(kind: str, after: str = "") -> tuple[str, str]:
    return f"reduce_init<{kind}>(0, 1, 16);", f"reduce_tile<{kind}>(0, 1, 0, 0, 0); {after}"


def only(notes: list[RunNote], rule: str) -> RunNote:
    assert [note.rule for note in notes] == [rule], notes
    note = notes[0]
    comes_out = kernel_line(note) if note.related is None else kernel_line(note.related)
    assert comes_out == WRITE_LINE
    return note


# --- padding ---


def test_the_operation_that_took_a_value_in_is_named(device: ttnn.Device) -> None:
    """Not the writer, and not a copy on the way: the reduction."""
    inputs = [tiles(device, 32, 10), ones(device)]
    note = only(run(inputs, empty(device, 32, 1), *reduction(ROW_SUM)), "value-padding")
    named = next(line for line in note.stack if "/include/" not in line.path)
    assert "reduce_tile" in Path(named.path).read_text().splitlines()[named.line - 1]


def test_a_row_sum_that_takes_in_padding(device: ttnn.Device) -> None:
    note = only(run([tiles(device, 32, 10), ones(device)], empty(device, 32, 1), *reduction(ROW_SUM)), "value-padding")
    assert note.text == (
        "tensor 2, row 0, column 0 of tile 0 takes in columns 10 to 31 of tile 0 of tensor 0, which are padding"
    )
    assert run([tiles(device, 32, 10), ones(device, 10)], empty(device, 32, 1), *reduction(ROW_SUM)) == []
    assert run([tiles(device, 32, 32), ones(device)], empty(device, 32, 1), *reduction(ROW_SUM)) == []


def test_a_row_maximum_that_takes_in_padding(device: ttnn.Device) -> None:
    only(run([tiles(device, 32, 10), ones(device)], empty(device, 32, 1), *reduction(ROW_MAX)), "value-padding")
    assert run([tiles(device, 32, 32), ones(device)], empty(device, 32, 1), *reduction(ROW_MAX)) == []


def test_rows_of_padding_reach_only_rows_of_padding(device: ttnn.Device) -> None:
    assert run([tiles(device, 10, 32), ones(device)], empty(device, 10, 1), *reduction(ROW_SUM)) == []
    note = only(
        run([tiles(device, 10, 32), ones(device)], empty(device, 1, 32), *reduction(COLUMN_SUM)), "value-padding"
    )
    assert "takes in rows 10 to 31 of tile 0 of tensor 0" in note.text


def test_a_mask_takes_padding_out(device: ttnn.Device) -> None:
    mask = np.zeros((32, 32), np.float32)
    mask[:, :10] = 1
    inputs = [tiles(device, 32, 10), ones(device)]
    inputs.append(ttnn.from_numpy(mask, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device))
    masked = f"""copy_init(0); cb_wait_front(2, 1); cb_reserve_back(3, 1); tile_regs_acquire();
    copy_tile(0, 0, 0); copy_tile(2, 0, 1); {{}} tile_regs_commit(); tile_regs_wait(); pack_tile(0, 3);
    tile_regs_release(); cb_push_back(3, 1); cb_wait_front(3, 1);
    reduce_init<{ROW_SUM}>(3, 1, 16);"""
    maths = f"reduce_tile<{ROW_SUM}>(3, 1, 0, 0, 0);"
    wait = "cb_wait_front(0, 1);"
    output = empty(device, 32, 1)
    only(run(inputs, output, wait + masked.format(""), maths, circular_buffer(3, 1)), "value-padding")
    take_out = "mask_tile_init(); mask_tile(0, 1);"
    assert run(inputs, output, wait + masked.format(take_out), maths, circular_buffer(3, 1)) == []


def test_a_product_over_padding(device: ttnn.Device) -> None:
    product = ("matmul_init(0, 1);", "matmul_tiles(0, 1, 0, 0, 0);")
    full = empty(device, 32, 32)
    only(run([tiles(device, 32, 10), tiles(device, 10, 32)], full, *product), "value-padding")
    zeros_below = np.zeros((32, 32), np.float32)
    zeros_below[:10] = 1
    second = ttnn.from_numpy(zeros_below, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    assert run([tiles(device, 32, 10), second], full, *product) == []
    # Rows and columns of padding only give rows and columns of padding.
    assert run([tiles(device, 10, 32), tiles(device, 32, 7)], empty(device, 10, 7), *product) == []


def test_padding_may_go_into_padding_of_the_output(device: ttnn.Device) -> None:
    copy = ("copy_init(0);", "copy_tile(0, 0, 0);")
    source, other = tiles(device, 20, 10), tiles(device, 32, 32)
    assert run([source, other], empty(device, 20, 10), *copy) == []
    only(run([source, other], empty(device, 20, 11), *copy), "value-padding")
    transposed = ("transpose_init(0);", "transpose_tile(0, 0, 0);")
    assert run([source, other], empty(device, 10, 20), *transposed) == []
    only(run([source, other], empty(device, 20, 10), *transposed), "value-padding")


def test_padding_of_an_output_stays_padding_when_it_is_written_again(device: ttnn.Device) -> None:
    output = empty(device, 20, 10)
    for _ in range(2):
        assert (
            run([tiles(device, 20, 10), tiles(device, 32, 32)], output, "add_init(0, 1);", "add_tiles(0, 1, 0, 0, 0);")
            == []
        )


@pytest.mark.parametrize("dtype", [ttnn.bfloat8_b, ttnn.float32])
def test_other_formats(device: ttnn.Device, dtype: ttnn.DataType) -> None:
    inputs = [tiles(device, 32, 10, dtype), tiles(device, 32, 32, dtype)]
    copy = ("copy_init(0);", "copy_tile(0, 0, 0);")
    assert run(inputs, empty(device, 32, 10, dtype), *copy) == []
    only(run(inputs, empty(device, 32, 32, dtype), *copy), "value-padding")


# --- unwritten memory ---


def test_unwritten_tensor(device: ttnn.Device) -> None:
    add = ("add_init(0, 1);", "add_tiles(0, 1, 0, 0, 0);")
    note = only(run([tiles(device, 32, 32), empty(device, 32, 32)], empty(device, 32, 32), *add), "value-uninitialised")
    assert note.text == "tensor 2, row 0, column 0 of tile 0 takes in tile 0 of tensor 1, which is not all written"


def test_unwritten_page(device: ttnn.Device) -> None:
    inputs = [tiles(device, 32, 32), tiles(device, 32, 32)]
    pushed = "cb_reserve_back(2, 1); cb_push_back(2, 1); cb_wait_front(2, 1); mul_init(0, 2);"
    maths = "mul_tiles(0, 2, 0, 0, 0);"
    note = only(run(inputs, empty(device, 32, 32), pushed, maths, circular_buffer(2, 1)), "value-uninitialised")
    assert note.text.endswith("takes in unwritten bytes of c_2")
    filled = """fill_tile_init(); cb_reserve_back(2, 1); tile_regs_acquire(); fill_tile(0, 2.0f); tile_regs_commit();
    tile_regs_wait(); pack_tile(0, 2); tile_regs_release(); cb_push_back(2, 1); cb_wait_front(2, 1); mul_init(0, 2);"""
    assert run(inputs, empty(device, 32, 32), filled, maths, circular_buffer(2, 1)) == []


def test_fill_defines_a_tile_with_undefined_contents(device: ttnn.Device) -> None:
    maths = "copy_tile(0, 0, 0); fill_tile_init(); fill_tile(0, 1.0f);"
    inputs = [empty(device, 32, 32), tiles(device, 32, 32)]
    assert run(inputs, empty(device, 32, 32), "copy_init(0);", maths) == []


def test_a_product_with_zero_means_something(device: ttnn.Device) -> None:
    zeros = ttnn.from_numpy(np.zeros((32, 32)), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    inputs, output = [empty(device, 32, 32), zeros], empty(device, 32, 32)
    assert run(inputs, output, "mul_init(0, 1);", "mul_tiles(0, 1, 0, 0, 0);") == []
    only(run(inputs, output, "add_init(0, 1);", "add_tiles(0, 1, 0, 0, 0);"), "value-uninitialised")


# --- the scaler of a mean ---


def divided_by(device: ttnn.Device, size: int) -> ttnn.Tensor:
    """A scaler of one over ``size`` for 20 columns; the tensor has no dimension of 32."""
    values = np.zeros((17, 20), np.float32)
    values[[0, 16]] = 1 / size
    return ttnn.from_numpy(values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device, pad_value=0)


@pytest.mark.parametrize(("size", "is_wrong"), [(32, True), (20, False), (1, False), (64, False)])
def test_a_mean_over_20_columns_divides_by_20(device: ttnn.Device, size: int, is_wrong: bool) -> None:
    inputs = [tiles(device, 5, 20), divided_by(device, size)]
    notes = [(note.rule, note.text) for note in run(inputs, empty(device, 5, 1), *reduction(ROW_SUM))]
    text = "reduces along rows with a scaler of 1/32; tensor 0 has 20 columns, which padding makes 32"
    assert notes == ([("scaler-size", text)] if is_wrong else [])


def test_one_over_32_is_right_where_a_tensor_has_32_rows(device: ttnn.Device) -> None:
    """The mean may be one over these."""
    inputs = [tiles(device, 32, 20), divided_by(device, 32)]
    assert run(inputs, empty(device, 32, 1), *reduction(ROW_SUM)) == []


# --- beside a reduction ---

REDUCED = """cb_wait_front(0, 1); cb_wait_front(1, 1); cb_reserve_back(2, 1); reduce_init<{kind}>(0, 1, 2);
tile_regs_acquire(); reduce_tile<{kind}>(0, 1, 0, 0, 0); tile_regs_commit(); tile_regs_wait(); pack_tile(0, 2);
tile_regs_release(); reduce_uninit(); cb_push_back(2, 1); cb_wait_front(2, 1); {init}(0, 2);"""


@pytest.mark.parametrize(
    ("kind", "wrong", "right", "result"),
    [
        (ROW_SUM, "rows", "cols", "column 0"),
        (ROW_MAX, "rows", "cols", "column 0"),
        (COLUMN_SUM, "cols", "rows", "row 0"),
    ],
)
def test_a_result_spread_the_wrong_way(device: ttnn.Device, kind: str, wrong: str, right: str, result: str) -> None:
    def notes(way: str) -> list[RunNote]:
        prepare = REDUCED.format(kind=kind, init=f"sub_bcast_{way}_init")
        maths = f"sub_tiles_bcast_{way}(0, 2, 0, 0, 0);"
        inputs = [tiles(device, 32, 32), ones(device)]
        return run(inputs, empty(device, 32, 32), prepare, maths, circular_buffer(2, 1))

    note = only(notes(wrong), "broadcast-region")
    assert note.text.endswith(f"takes in c_2, where a reduction left its result only in {result}")
    assert notes(right) == []


def test_row_maxima_that_go_on_are_loaded_with_their_faces_transposed(device: ttnn.Device) -> None:
    """Maxima of rows are kept in row 0 of each face while they are found: a plain copy leaves them in column 0."""

    def notes(is_transposed: int) -> list[RunNote]:
        prepare = REDUCED.format(kind=ROW_MAX, init="add_init")
        maths = (
            f"copy_tile_to_dst_init_short(2, 0, {is_transposed}); copy_tile(2, 0, 0); "
            f"reduce_init<{ROW_MAX}>(0, 1, 16); reduce_tile<{ROW_MAX}>(0, 1, 0, 0, 0);"
        )
        inputs = [tiles(device, 32, 32), ones(device)]
        return run(inputs, empty(device, 32, 1), prepare, maths, circular_buffer(2, 1))

    only(notes(0), "broadcast-region")
    assert notes(1) == []


def test_a_result_used_as_a_whole_tile(device: ttnn.Device) -> None:
    inputs = [tiles(device, 32, 32), ones(device)]
    prepare = REDUCED.format(kind=ROW_SUM, init="add_init")
    maths = "add_tiles(0, 2, 0, 0, 0);"
    note = only(run(inputs, empty(device, 32, 32), prepare, maths, circular_buffer(2, 1)), "broadcast-region")
    assert note.text.endswith("left its result only in column 0; no broadcast has read it")
    assert run(inputs, empty(device, 32, 1), prepare, maths, circular_buffer(2, 1)) == []


def test_sums_may_rely_on_the_zeros_beside_a_result(device: ttnn.Device) -> None:
    inputs = [tiles(device, 32, 32), ones(device)]
    prepare = REDUCED.format(kind=ROW_SUM, init="add_init") + f" reduce_init<{ROW_SUM}>(2, 1, 16);"
    maths = f"reduce_tile<{ROW_SUM}>(2, 1, 0, 0, 0);"
    assert run(inputs, empty(device, 32, 1), prepare, maths, circular_buffer(2, 1)) == []


# --- row-major data ---


def test_tilize_of_unwritten_rows(device: ttnn.Device) -> None:
    def notes(rows: int) -> list[RunNote]:
        values = np.ones((rows, 32), np.float32)
        tensor = ttnn.from_numpy(values, dtype=ttnn.bfloat16, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)
        kernel = compute_kernel(
            "compute_kernel_hw_startup(0, 16); tilize_init(0, 1, 16);\n"
            f"cb_wait_front(0, {rows}); cb_reserve_back(16, 1); tilize_block(0, 1, 16); cb_push_back(16, 1);"
        )
        sticks = circular_buffer(0, 32, page_bytes=64)
        return run_checked([tensor], empty(device, 32, 32), kernel, [sticks], pages=rows)

    # Waiting for 20 of the 32 rows a tile takes breaks the contract of the buffer too.
    assert {note.rule for note in notes(20)} == {"value-uninitialised", "cb-read-past-wait"}
    assert notes(32) == []
