# SPDX-License-Identifier: Apache-2.0
"""Tile operations against what init and reconfig calls left: each mistake is named at its line, its cure is silent."""

from __future__ import annotations

import pytest

from tests.check.compute_programs import (
    BODY_LINE,
    circular_buffer,
    compute_kernel,
    empty,
    kernel_line,
    run_checked,
    step,
    tiles,
)
from tilewright import ttnn
from tilewright._errors import KernelError
from tilewright._record.run import RunNote

START = "compute_kernel_hw_startup(0, 1, 16);"
FLOAT = "DataFormat::Float16_b"
MATHS_LINE = BODY_LINE + 5  # of one START, one init, then step()


def run(device: ttnn.Device, body: str, second: ttnn.DataType = ttnn.bfloat16) -> list[RunNote]:
    inputs = [tiles(device, 32, 32), tiles(device, 32, 32, second)]
    return run_checked(inputs, empty(device, 32, 32), compute_kernel(body))


@pytest.mark.parametrize("dtype", [ttnn.int32, ttnn.uint32])
def test_a_32_bit_integer_needs_32_bit_dst(device: ttnn.Device, dtype: ttnn.DataType) -> None:
    body = "compute_kernel_hw_startup(0, 0, 16);\ncopy_init(0);\n" + step("copy_tile(0, 0, 0);")
    inputs, output = [tiles(device, 32, 32, dtype)] * 2, empty(device, 32, 32, dtype)

    def notes(is_wide: bool) -> list[RunNote]:
        config = ttnn.ComputeConfigDescriptor(fp32_dest_acc_en=is_wide)
        return run_checked(inputs, output, compute_kernel(body), config=config)

    note = one_note(notes(False))
    assert (note.rule, kernel_line(note)) == ("dst-width", MATHS_LINE)
    assert "of c_0 to DST, which has 16 bits for each element: fp32_dest_acc_en is not set" in note.text
    assert notes(True) == []


def one_note(notes: list[RunNote]) -> RunNote:
    assert len(notes) == 1, notes
    return notes[0]


@pytest.mark.parametrize(
    ("init", "needs", "call"),
    [
        ("add_init(0, 1);", "mul_init(0, 1);", "mul_tiles(0, 1, 0, 0, 0);"),
        ("", "sub_init(0, 1);", "sub_tiles(0, 1, 0, 0, 0);"),
        ("mul_bcast_rows_init(0, 1);", "mul_bcast_cols_init(0, 1);", "mul_tiles_bcast_cols(0, 1, 0, 0, 0);"),
        ("mul_init(0, 1);", "mul_bcast_scalar_init(0, 1);", "mul_tiles_bcast_scalar(0, 1, 0, 0, 0);"),
        ("add_init(0, 1);", "copy_init(0);", "copy_tile(0, 0, 0);"),
        ("transpose_init(0);", "copy_init(0);", "copy_tile(0, 0, 0);"),
        ("copy_init(0);", "transpose_init(0);", "transpose_tile(0, 0, 0);"),
        ("copy_init(0);", "matmul_init(0, 1);", "matmul_tiles(0, 1, 0, 0, 0);"),
        ("matmul_init(0, 1);", "add_init(0, 1);", "add_tiles(0, 1, 0, 0, 0);"),
        (
            "reduce_init<PoolType::SUM, ReduceDim::REDUCE_COL>(0, 1, 16); reduce_uninit();",
            "reduce_init<PoolType::MAX, ReduceDim::REDUCE_COL>(0, 1, 16); reduce_uninit();",
            "reduce_tile<PoolType::MAX, ReduceDim::REDUCE_COL>(0, 1, 0, 0, 0);",
        ),
        ("unary_bcast_init<BroadcastType::ROW>(0);", "unary_bcast_init<BroadcastType::COL>(0);",
         "unary_bcast<BroadcastType::COL>(0, 0, 0);"),
    ],
)  # fmt: skip
def test_an_operation_needs_its_own_init(device: ttnn.Device, init: str, needs: str, call: str) -> None:
    def notes(first: str) -> list[RunNote]:
        found = run(device, f"{START}\n{first}\n{step(call)}")
        return [note for note in found if note.rule not in ("broadcast-region", "value-uninitialised")]

    note = one_note(notes(init))
    assert (note.rule, kernel_line(note)) == ("init-missing", MATHS_LINE)
    assert "was last set up by" in note.text or "were last set up by" in note.text
    assert notes(needs) == []


def test_the_message_names_both_inits(device: ttnn.Device) -> None:
    note = one_note(run(device, f"{START}\nadd_init(0, 1);\n{step('mul_tiles(0, 1, 0, 0, 0);')}"))
    assert note.text == "mul_tiles needs mul_init, but the maths side was last set up by add_init"


@pytest.mark.parametrize(
    ("init", "needs", "call", "says"),
    [
        ("", "exp_tile_init();", "exp_tile(0);", "before any init call of the vector unit"),
        ("", "gt_int_tile_init<DataFormat::Int32>();", "gt_int_tile<DataFormat::Int32>(0, 0, 0);", "before any init"),
        ("exp_tile_init();", "recip_tile_init();", "recip_tile(0);", "no init call has set any"),
        ("sqrt_tile_init();", "recip_tile_init();", "recip_tile(0);", "set those of sqrt or rsqrt"),
        ("recip_tile_init(); sqrt_tile_init();", "sqrt_tile_init(); recip_tile_init();", "recip_tile(0);", "sqrt"),
    ],
)
def test_the_vector_unit_needs_its_init(device: ttnn.Device, init: str, needs: str, call: str, says: str) -> None:
    def notes(first: str) -> list[RunNote]:
        return run(device, f"{START}\ncopy_init(0); {first}\n{step('copy_tile(0, 0, 0); ' + call)}")

    note = one_note(notes(init))
    assert (note.rule, kernel_line(note)) == ("init-missing", MATHS_LINE)
    assert says in note.text
    assert notes(needs) == []


def test_an_init_of_the_vector_unit_leaves_the_matrix_unit_alone(device: ttnn.Device) -> None:
    maths = "exp_tile_init(); add_tiles(0, 1, 0, 0, 0); exp_tile(0); recip_tile_init(); recip_tile(0);"
    assert run(device, f"{START}\nadd_init(0, 1);\n{step(maths)}") == []


def test_a_second_operand_in_another_format(device: ttnn.Device) -> None:
    body = f"{{}}\nadd_init(0, 1);\n{step('add_tiles(0, 1, 0, 0, 0);')}"
    note = one_note(run(device, body.format("compute_kernel_hw_startup(0, 0, 16);"), ttnn.bfloat8_b))
    assert (note.rule, note.cb, kernel_line(note)) == ("format-mismatch", 1, MATHS_LINE)
    assert note.text == "add_tiles reads c_1, which holds Bfp8_b, while SrcB is set to Float16_b"
    assert run(device, body.format(START), ttnn.bfloat8_b) == []


def test_a_format_left_by_the_operation_before(device: ttnn.Device) -> None:
    maths = "copy_tile(1, 0, 0); {} copy_init(0); copy_tile(0, 0, 1);"
    body = f"{START}\nreconfig_data_format_srca(1); copy_init(1);\n{step(maths)}"
    note = one_note(run(device, body.format(""), ttnn.float32))
    assert (note.rule, note.cb, kernel_line(note)) == ("format-mismatch", 0, MATHS_LINE)
    assert run(device, body.format("reconfig_data_format_srca(1, 0);"), ttnn.float32) == []


def test_an_output_in_another_format(device: ttnn.Device) -> None:
    inputs = [tiles(device, 32, 32), tiles(device, 32, 32)]
    body = f"compute_kernel_hw_startup(0, 1, {{}});\ncopy_init(0);\n{step('copy_tile(0, 0, 0);')}"

    def notes(output_of_start_up: int) -> list[RunNote]:
        kernel = compute_kernel(body.format(output_of_start_up))
        return run_checked(inputs, empty(device, 32, 32, ttnn.float32), kernel)

    note, consequence = notes(0)
    assert (note.rule, note.cb, kernel_line(note)) == ("format-mismatch", 16, MATHS_LINE + 3)
    assert consequence.rule == "value-uninitialised"  # half of the output's page
    assert note.text == "pack_tile writes c_16, which holds Float32, while the packer is set to Float16_b"
    assert notes(16) == []


def test_signed_and_unsigned_words_are_one_format_to_a_card(device: ttnn.Device) -> None:
    inputs = [tiles(device, 32, 32, ttnn.int32), tiles(device, 32, 32, ttnn.uint32)]
    body = f"compute_kernel_hw_startup(0, 0, 16);\ncopy_init(1);\n{step('copy_tile(1, 0, 0);')}"
    config = ttnn.ComputeConfigDescriptor(fp32_dest_acc_en=True)
    assert run_checked(inputs, empty(device, 32, 32, ttnn.int32), compute_kernel(body), config=config) == []


def test_faces_left_by_another_operands_init(device: ttnn.Device) -> None:
    half = circular_buffer(1, 1, page_bytes=2048, tile=ttnn.TileDescriptor(16, 32))
    inputs = [tiles(device, 32, 32), tiles(device, 32, 32)]

    def notes(start_up: int, reconfig: str, init: str, operand: int) -> list[RunNote]:
        start = f"compute_kernel_hw_startup({start_up}, {start_up}, 16);"
        body = f"{start} {reconfig}\n{init}\n{step(f'copy_tile({operand}, 0, 0);')}"
        return run_checked(inputs, empty(device, 32, 32), compute_kernel(body), [half])

    left_by_init = one_note(notes(0, "reconfig_full_operand_srca(1);", "copy_init(0);", 1))
    assert (left_by_init.rule, left_by_init.cb) == ("geometry-mismatch", 1)
    assert "2 faces of 16 rows, but its init was for tiles with 4 faces" in left_by_init.text
    left_by_start_up = one_note(notes(1, "", "copy_init(0);", 0))
    assert (left_by_start_up.rule, kernel_line(left_by_start_up)) == ("geometry-mismatch", MATHS_LINE)
    assert "the unpacker of SrcA is set to 2 faces of 16 rows" in left_by_start_up.text
    assert notes(0, "", "copy_init(1);", 1) == []  # faces the loop does not ask for make no difference
    assert notes(0, "reconfig_full_operand_srca(1);", "copy_init(1);", 1) == []


def test_tilize_must_be_undone(device: ttnn.Device) -> None:
    def notes(uninit: str) -> list[RunNote]:
        tilize = f"cb_wait_front(0, 1); cb_reserve_back(2, 1); tilize_block(0, 1, 2); cb_push_back(2, 1); {uninit}"
        body = (
            f"{START}\ntilize_init(0, 1, 2); {tilize} copy_init(2);\n{step('cb_wait_front(2, 1); copy_tile(2, 0, 0);')}"
        )
        inputs = [tiles(device, 32, 32), tiles(device, 32, 32)]
        found = run_checked(inputs, empty(device, 32, 32), compute_kernel(body), [circular_buffer(2, 1)])
        return [note for note in found if note.rule != "cb-layout"]  # what it tilizes are tiles already

    note = one_note(notes(""))
    assert (note.rule, note.cb, kernel_line(note)) == ("uninit-missing", 2, MATHS_LINE)
    assert "tilize_uninit is missing" in note.text
    assert notes("tilize_uninit(0, 2);") == []


def test_tilize_of_rows_with_other_widths_than_its_init(device: ttnn.Device) -> None:
    def notes(init_tiles: int) -> list[RunNote]:
        tilize = "cb_wait_front(0, 1); cb_reserve_back(2, 1); tilize_block(0, 1, 2); cb_push_back(2, 1);"
        body = (
            f"{START}\ntilize_init(0, {init_tiles}, 2); {tilize} tilize_uninit(0, 2); copy_init(2);\n"
            f"{step('cb_wait_front(2, 1); copy_tile(2, 0, 0);')}"
        )
        inputs = [tiles(device, 32, 32), tiles(device, 32, 32)]
        found = run_checked(inputs, empty(device, 32, 32), compute_kernel(body), [circular_buffer(2, 1)])
        return [note for note in found if note.rule != "cb-layout"]  # what it tilizes are tiles already

    note = one_note(notes(2))
    assert (note.rule, note.cb) == ("init-missing", 0)
    assert "tilize_init for 1 tiles a row, but the unpackers were last set up by tilize_init for 2 tiles" in note.text
    assert notes(1) == []


def test_pack_untilize_must_be_undone(device: ttnn.Device) -> None:
    def notes(uninit: str) -> list[RunNote]:
        untilize = (
            f"cb_wait_front(0, 1); cb_reserve_back(2, 1); pack_untilize_block<1>(0, 1, 2); cb_push_back(2, 1); {uninit}"
            " cb_wait_front(2, 1); cb_pop_front(2, 1);"
        )
        body = f"{START}\npack_untilize_init<1>(0, 2); {untilize}\n{step('copy_tile(0, 0, 0);')}"
        inputs = [tiles(device, 32, 32), tiles(device, 32, 32)]
        return run_checked(inputs, empty(device, 32, 32), compute_kernel(body), [circular_buffer(2, 1)])

    note = one_note(notes(""))
    assert (note.rule, note.cb, kernel_line(note)) == ("uninit-missing", 16, MATHS_LINE + 3)
    assert notes("pack_untilize_uninit(2);") == []


def test_the_mask_of_a_reduction_must_be_undone(device: ttnn.Device) -> None:
    reduce = "reduce_init<PoolType::MAX, ReduceDim::REDUCE_ROW>(0, 1, 16); {} add_init(0, 1);"
    body = f"{START}\n{reduce}\n{step('add_tiles(0, 1, 0, 0, 0);')}"
    rules = [note.rule for note in run(device, body.format(""))]
    assert rules == ["uninit-missing", "broadcast-region"]  # the cut-off columns reach the output, too
    assert run(device, body.format("reduce_uninit();")) == []


def test_reduction_may_be_packed_with_its_mask_after_any_vector_function(device: ttnn.Device) -> None:
    inputs = [tiles(device, 32, 32), tiles(device, 32, 32)]
    maths = "reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(0, 1, 0, 0, 0); recip_tile_init(); recip_tile(0);"
    body = f"{START}\nreduce_init<PoolType::MAX, ReduceDim::REDUCE_ROW>(0, 1, 16);\n{step(maths)}"
    assert run_checked(inputs, empty(device, 32, 1), compute_kernel(body)) == []


@pytest.mark.parametrize(
    ("rule", "body"),
    [
        ("dst-index", f"{START} copy_init(0);\n{step('copy_tile(0, 0, 8);')}"),
        ("dst-index", f"{START} exp_tile_init();\n{step('exp_tile(8);')}"),
        ("dst-index", f"{START} mac_tile_init<{FLOAT}>();\n{step(f'mac_tile<{FLOAT}>(1, 2, 3, 1);')}"),
        ("dst-protocol", f"{START} copy_init(0); copy_tile(0, 0, 0);\n"),
        ("dst-protocol", f"{START} tile_regs_acquire(); tile_regs_wait(); tile_regs_acquire();"),
        ("dst-protocol", f"{START} tile_regs_acquire(); tile_regs_commit(); pack_tile(0, 16);"),
        ("hw-startup-missing", f"copy_init(0);\n{step('copy_tile(0, 0, 0);')}"),
    ],
)
def test_error_that_ends_a_run_names_its_rule(device: ttnn.Device, rule: str, body: str) -> None:
    with pytest.raises(KernelError) as caught:
        run(device, body)
    assert caught.value.rule == rule


def test_dst_that_is_never_committed(device: ttnn.Device) -> None:
    body = f"{START}\ncopy_init(0);\n" + step("copy_tile(0, 0, 0);").replace("tile_regs_commit();", "{}")
    note = one_note(run(device, body.format("")))
    assert (note.rule, kernel_line(note)) == ("dst-protocol", MATHS_LINE + 2)
    assert note.text.startswith("tile_regs_wait without a tile_regs_commit until the end of the kernel")
    assert run(device, body.format("tile_regs_commit();")) == []
