# SPDX-License-Identifier: Apache-2.0
"""Flags between cores that a card's kernels rely on being seen in time."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tilewright._launch.chip import Chip
from tilewright._launch.run_options import RunOptions
from tilewright._program.program import ProgramDescriptor

MakeProgram = Callable[..., ProgramDescriptor]

HEAD = """
#include "api/dataflow/dataflow_api.h"

#define FLAG reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0))

static void tell(uint32_t value) {
    const uint64_t others = get_noc_multicast_addr(my_x[0] + 1, my_y[0], my_x[0] + 1, my_y[0], get_semaphore(0));
    noc_semaphore_set(FLAG, value);
    noc_semaphore_set_multicast(get_semaphore(0), others, 1);
    noc_async_write_barrier();
}
"""
# The other kernel of the core is needed between the two signals, as compute would be.
PARTNER = """
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    if (get_absolute_logical_x() != 0) {
        return;
    }
    for (uint32_t i = 0; i < 2; i++) {
        cb_wait_front(0, 1);
        cb_pop_front(0, 1);
        cb_reserve_back(1, 1);
        cb_push_back(1, 1);
    }
}
"""
ASK_PARTNER = "cb_reserve_back(0, 1); cb_push_back(0, 1); cb_wait_front(1, 1); cb_pop_front(1, 1);"


def test_a_flag_is_not_there_before_its_core_has_begun(chip: Chip, make_program: MakeProgram) -> None:
    reader = f"""{HEAD}
    void kernel_main() {{
        if (get_absolute_logical_x() == 0) {{
            {ASK_PARTNER}
            tell(1);
            {ASK_PARTNER}
        }} else {{
            noc_semaphore_set(FLAG, 0);
            noc_semaphore_wait(FLAG, 1);
        }}
    }}"""
    chip.launch(make_program(grid=(2, 1), cbs={0: 1, 1: 1}, semaphores=1, reader=reader, writer=PARTNER))


@pytest.mark.parametrize("checked", [False, True])
def test_a_value_is_seen_before_the_next_is_computed(chip: Chip, make_program: MakeProgram, checked: bool) -> None:
    reader = f"""{HEAD}
    void kernel_main() {{
        if (get_absolute_logical_x() == 0) {{
            {ASK_PARTNER}
            tell(1);
            {ASK_PARTNER}
            tell(2);
        }} else {{
            noc_semaphore_wait(FLAG, 1);
            noc_semaphore_wait(FLAG, 2);
        }}
    }}"""
    program = make_program(grid=(2, 1), cbs={0: 1, 1: 1}, semaphores=1, reader=reader, writer=PARTNER)
    chip.launch(program, RunOptions(checked=checked))


@pytest.mark.parametrize("checked", [False, True])
def test_a_flag_raised_again_is_seen_twice(chip: Chip, make_program: MakeProgram, checked: bool) -> None:
    reader = f"""{HEAD}
    void kernel_main() {{
        if (get_absolute_logical_x() == 0) {{
            {ASK_PARTNER}
            tell(1);
            {ASK_PARTNER}
            tell(1);
        }} else {{
            for (uint32_t i = 0; i < 2; i++) {{
                noc_semaphore_set(FLAG, 0);
                noc_semaphore_wait(FLAG, 1);
            }}
        }}
    }}"""
    program = make_program(grid=(2, 1), cbs={0: 1, 1: 1}, semaphores=1, reader=reader, writer=PARTNER)
    chip.launch(program, RunOptions(checked=checked))


@pytest.mark.parametrize("checked", [False, True])
def test_a_flag_raised_again_after_the_writes_barrier_is_seen_twice(
    chip: Chip, make_program: MakeProgram, checked: bool
) -> None:
    reader = f"""{HEAD}
    void kernel_main() {{
        if (get_absolute_logical_x() == 0) {{
            tell(1);
            tell(1);
        }} else {{
            for (uint32_t i = 0; i < 2; i++) {{
                noc_semaphore_wait(FLAG, 1);
                noc_semaphore_set(FLAG, 0);
            }}
        }}
    }}"""
    program = make_program(grid=(2, 1), semaphores=1, reader=reader)
    chip.launch(program, RunOptions(checked=checked))
