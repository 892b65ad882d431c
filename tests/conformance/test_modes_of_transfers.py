# SPDX-License-Identifier: Apache-2.0
"""NoC calls that take a mode: every value of it that can be seen in memory, on two cores.

Each case has a word of its own in a page of c_0, at the same address on both cores, which begins as zero. Core (0,0)
runs them; a word beside holds the seven that is sent. Whether a write is posted or linked and how large a packet may be
makes no difference to what arrives.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
import pytest

from tilewright._launch.chip import Chip
from tilewright._launch.run_options import RunOptions
from tilewright._program.circular_buffer import CBDescriptor, CBFormatDescriptor
from tilewright._program.kernel import KernelDescriptor
from tilewright._program.kernel_config import ReaderConfigDescriptor
from tilewright._program.program import ProgramDescriptor
from tilewright._program.semaphore import SemaphoreDescriptor
from tilewright._tensor.arch import describe_arch
from tilewright._tensor.cores import CoreCoord, CoreRange, CoreRangeSet
from tilewright._tensor.dtype import DataType

_KERNEL = """
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t page = get_write_ptr(0);
    for (uint32_t i = 0; i < 512; i++) {
        reinterpret_cast<volatile uint32_t*>(page)[i] = 0;
    }
    const auto word = [&](uint32_t slot) { return page + 64 * slot; };
    const auto at = [&](uint32_t slot) { return get_noc_addr(word(slot)); };
    const auto low = [&](uint32_t slot) { return uint32_t(at(slot)); };
    const uint32_t x = my_x[noc_index], y = my_y[noc_index];
    const auto there = [&](uint32_t slot) { return get_noc_addr(x + 1, y, word(slot)); };
    const auto both = [&](uint32_t slot) { return get_noc_multicast_addr(x, y, x + 1, y, word(slot)); };
    const uint32_t seven = word(31);
    *reinterpret_cast<volatile uint32_t*>(seven) = 7;
    noc_semaphore_inc(get_noc_addr(x - get_absolute_logical_x(), y, get_semaphore(0)), 1);
    if (get_absolute_logical_x() != 0) {
        return;
    }
    noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(get_semaphore(0)), 2);
CASES
    noc_async_full_barrier();
}
"""


@dataclasses.dataclass(frozen=True)
class Transfer:
    """Statements about slot ``N``, and what its word then holds on the first core and on the second."""

    text: str
    first: int = 0
    second: int = 0


_FLAGS = ("true", "false")
TRANSFERS = [
    *(
        Transfer(f"noc_semaphore_inc<{posted}>(at(N), 5); noc_semaphore_inc<{posted}>(at(N), 2);", 7)
        for posted in _FLAGS
    ),
    *(Transfer(f"noc_semaphore_inc_multicast<{posted}>(both(N), 5, 1);", 0, 5) for posted in _FLAGS),
    *(
        Transfer(
            f"noc_semaphore_set_multicast(seven, both(N), 1, {linked});"
            " noc_semaphore_set_multicast(seven, both(N), 1);",
            0,
            7,
        )
        for linked in _FLAGS
    ),
    *(
        Transfer(
            f"noc_semaphore_set_multicast_loopback_src(seven, both(N), 2, {linked});"
            " noc_semaphore_set_multicast_loopback_src(seven, both(N), 2);",
            7,
            7,
        )
        for linked in _FLAGS
    ),
    *(Transfer(f"noc_inline_dw_write<InlineWriteDst::L1, {posted}>(at(N), 9);", 9) for posted in _FLAGS),
    *(
        Transfer(f"noc_inline_mcast_dw_write<InlineWriteDst::L1, {posted}>(both(N), 9, 0xF, noc_index, 0, 0, 1);", 0, 9)
        for posted in _FLAGS
    ),
    # The value of the state, or the call's own; half of the address changed, or none.
    Transfer(
        "noc_inline_dw_write_set_state<false, true>(at(N), 3); noc_inline_dw_write_with_state<false, true, false>(8);",
        3,
    ),
    Transfer(
        "noc_inline_dw_write_set_state<true, true>(at(0), 3); noc_inline_dw_write_set_state<true, false>(at(N), 4);"
        " noc_inline_dw_write_with_state<false, true, true, false, false>(8);",
        3,
    ),
    Transfer(
        "noc_inline_dw_write_set_state<false, true>(at(N), 3);"
        " noc_inline_dw_write_with_state<false, true, false, false, true>(8);",
        8,
    ),
    Transfer(
        "noc_inline_dw_write_set_state<false, true>(at(0), 3);"
        " noc_inline_dw_write_with_state<true, true, false, false, true>(8, low(N));",
        8,
    ),
    Transfer(
        "noc_inline_dw_write_set_state<false, true>(at(N), 3);"
        " noc_inline_dw_write_with_state<false, true, false, true, true>"
        "(8, uint32_t(there(N) >> NOC_ADDR_COORD_SHIFT));",
        0,
        8,
    ),
    *(
        Transfer(text.replace("POSTED", posted), 0, 7)
        for posted in _FLAGS
        for text in [
            "noc_async_write<64, true, POSTED>(seven, there(N), 4);",
            "noc_async_write<NOC_MAX_BURST_SIZE + 1, true, POSTED>(seven, there(N), 4);",
            "noc_async_write_one_packet<true, POSTED>(seven, there(N), 4);",
            "noc_async_write_one_packet<false, POSTED>(seven, there(N), 4);",
            "noc_async_write_one_packet_set_state<POSTED>(there(0), 4);"
            " noc_async_write_one_packet_with_state<POSTED>(seven, low(N));",
            "noc_async_write_set_state<POSTED>(there(0)); noc_async_write_with_state<POSTED>(seven, low(N), 4);",
            "noc_async_write_one_packet_with_trid<true, POSTED>(seven, there(N), 4, 3);",
            "noc_async_write_one_packet_with_trid_set_state<POSTED>(there(0));"
            " noc_async_write_one_packet_with_trid_with_state<true, POSTED>(seven, low(N), 4, 3);",
        ]
    ),
    *(
        Transfer(
            f"noc_async_write_multicast<{size}>(seven, both(N), 4, 1, {linked});"
            f" noc_async_write_multicast<{size}>(seven, both(N), 4, 1);",
            0,
            7,
        )
        for size, linked in ((64, "true"), (64, "false"), ("NOC_MAX_BURST_SIZE + 1", "true"))
    ),
    *(
        Transfer(
            f"noc_async_write_multicast_one_packet(seven, both(N), 4, 1, {linked});"
            " noc_async_write_multicast_one_packet(seven, both(N), 4, 1);",
            0,
            7,
        )
        for linked in _FLAGS
    ),
    *(
        Transfer(
            f"noc_async_write_multicast_loopback_src(seven, both(N), 4, 2, {linked});"
            " noc_async_write_multicast_loopback_src(seven, both(N), 4, 2);",
            7,
            7,
        )
        for linked in _FLAGS
    ),
    *(
        Transfer(f"noc_async_read<{size}>(get_noc_addr(x + 1, y, seven), word(N), 4);", 7)
        for size in ("64", "NOC_MAX_BURST_SIZE + 1")
    ),
]
CALLS = TRANSFERS
_PER_RUN = 30


@pytest.fixture(scope="module")
def chip() -> Iterator[Chip]:
    chip = Chip(describe_arch("wormhole_b0"))
    yield chip
    chip.close()


def words_after(chip: Chip, transfers: list[Transfer]) -> np.ndarray:
    """The word of every case on the two cores."""
    cores = CoreRangeSet([CoreRange(CoreCoord(0, 0), CoreCoord(1, 0))])
    cases = "\n".join(f"    {{ {each.text} }}".replace("(N)", f"({slot})") for slot, each in enumerate(transfers))
    kernel = KernelDescriptor(
        kernel_source=_KERNEL.replace("CASES", cases),
        source_type=KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=cores,
        config=ReaderConfigDescriptor(),
        name="reader",
    )
    program = ProgramDescriptor(
        kernels=[kernel],
        cbs=[CBDescriptor(2048, cores, [CBFormatDescriptor(0, DataType.UINT32, 2048)])],
        semaphores=[SemaphoreDescriptor(id=0, core_ranges=cores, initial_value=0)],
    )
    chip.launch(program, RunOptions(keep_l1=True))
    base = describe_arch("wormhole_b0").l1_unreserved_base
    pages = [chip.read_l1((column, 0), base, 2048).view(np.uint32)[::16] for column in range(2)]
    return np.stack(pages, axis=1)[: len(transfers)]


@pytest.mark.parametrize("first", range(0, len(TRANSFERS), _PER_RUN))
def test_words_that_arrive(chip: Chip, first: int) -> None:
    transfers = TRANSFERS[first : first + _PER_RUN]
    found = words_after(chip, transfers)
    for transfer, words in zip(transfers, found.tolist(), strict=True):
        assert words == [transfer.first, transfer.second], transfer.text
