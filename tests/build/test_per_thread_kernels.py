# SPDX-License-Identifier: Apache-2.0
"""Compute kernels whose text differs from thread to thread: compiled for each, as on a card."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright
from tests.page_writer import PAGE_WRITER
from tilewright import ttnn
from tilewright._errors import DeadlockError, KernelCompileError, TilewrightError
from tilewright._launch.run_options import RunOptions

CORE = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))])
WORDS = 1024

# Every thread fills its third of the page by plain stores, in turn: unpack tells maths, maths tells pack. What they
# tell, and when, is in a header; a helper has a body for each thread.
HEADER = """
#pragma once
#include "api/compute/common.h"
#if defined(TRISC_UNPACK)
constexpr uint32_t me = 0;
#elif defined(TRISC_MATH)
constexpr uint32_t me = 1;
#else
constexpr uint32_t me = 2;
#endif

inline uint32_t told() {
#ifdef TRISC_MATH
    return ckernel::mailbox_read(ckernel::ThreadId::UnpackThreadId);
#endif
#ifdef TRISC_PACK
    return ckernel::mailbox_read(ckernel::ThreadId::MathThreadId);
#endif
    return 100;
}

#ifdef TRISC_UNPACK
inline void tell(uint32_t word) { ckernel::mailbox_write(ckernel::ThreadId::MathThreadId, word); }
#endif
#ifdef TRISC_MATH
inline void tell(uint32_t word) { ckernel::mailbox_write(ckernel::ThreadId::PackThreadId, word); }
#endif
#ifdef TRISC_PACK
inline void tell(uint32_t) {}
#endif
"""
STORES = """
#include "api/compute/common.h"
#include "api/debug/dprint.h"
#include "HEADER"

static uint32_t calls = 0;  // each thread counts its own
#ifdef TRISC_PACK
#define PER_WORD 3
#else
#define PER_WORD 2
#endif

void kernel_main() {
    const uint32_t page = get_local_cb_interface(16).fifo_wr_ptr << 4;
    auto* words = reinterpret_cast<volatile uint32_t*>(page);
    const uint32_t base = told();
    for (uint32_t i = me; i < WORDS; i += 3) {
        words[i] = base + PER_WORD * i + (calls++ >= 400 ? 1000000 : 0);
    }
    tell(base + 100);
#ifndef TRISC_MATH
    DPRINT << "thread " << me << ENDL();
#endif
    MATH(ASSERT(me == 1 && COMPILE_FOR_TRISC == 1);)
    cb_reserve_back(16, 1);
    cb_push_back(16, 1);
}
"""


@pytest.fixture(params=["wormhole_b0", "blackhole"], scope="module")
def device(request: pytest.FixtureRequest) -> Iterator[ttnn.Device]:
    device = ttnn.open_device(device_id=0, arch=request.param)
    yield device
    ttnn.close_device(device)


def kernel(source: str, config: object, *args: int, name: str = "", compile_time: tuple[int, ...] = ()) -> object:
    return ttnn.KernelDescriptor(
        kernel_source=source,
        source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=CORE,
        compile_time_args=list(compile_time),
        common_runtime_args=list(args),
        config=config,
        name=name,
    )


def run(device: ttnn.Device, compute: str, options: RunOptions | None = None) -> NDArray[np.uint32]:
    """The page of words that the kernel pushes."""
    shape = ttnn.Shape([1, WORDS])
    output = ttnn.allocate_tensor_on_device(shape, ttnn.uint32, ttnn.ROW_MAJOR_LAYOUT, device, ttnn.DRAM_MEMORY_CONFIG)
    accessor = tuple(ttnn.TensorAccessorArgs(output).get_compile_time_args())
    program = ttnn.ProgramDescriptor(
        kernels=[
            kernel(compute.replace("WORDS", str(WORDS)), ttnn.ComputeConfigDescriptor(), name="compute"),
            kernel(
                PAGE_WRITER, ttnn.WriterConfigDescriptor(), output.buffer_address(), 1, name="writer",
                compile_time=accessor,
            ),
        ],
        cbs=[ttnn.CBDescriptor(4 * WORDS, CORE, [ttnn.CBFormatDescriptor(16, ttnn.uint32, 4 * WORDS)])],
        semaphores=[],
    )  # fmt: skip
    tilewright.run_program([output, output], program, options or RunOptions())
    return ttnn.to_numpy(output).ravel()


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> str:
    header = tmp_path_factory.mktemp("headers") / "who.h"
    header.write_text(HEADER)
    return STORES.replace("HEADER", str(header))


@pytest.mark.parametrize("checked", [False, True])
def test_each_thread_has_its_branches_stores_and_words(device: ttnn.Device, stores: str, checked: bool) -> None:
    index = np.arange(WORDS)
    per_word = np.where(index % 3 == 2, 3, 2)
    printed: list[str] = []
    options = RunOptions(checked=checked, on_print=lambda *line: printed.append(line[-1]))
    for _ in range(2):  # globals begin anew
        found = run(device, stores, options)
        np.testing.assert_array_equal(found, 100 * (1 + index % 3) + per_word * index)
    assert sorted(line.split()[-1] for line in printed) == ["0", "0", "2", "2"]


def test_calls_that_differ_from_thread_to_thread_have_no_record(device: ttnn.Device, stores: str) -> None:
    with pytest.raises(TilewrightError, match="kernel compute has no record of calls, and no time"):
        run(device, stores, RunOptions(record_calls=True))


WAITS = """
#include "api/compute/common.h"
void kernel_main() {
    const uint32_t page = get_local_cb_interface(16).fifo_wr_ptr << 4;
    auto* words = reinterpret_cast<volatile uint32_t*>(page);
#ifdef TRISC_PACK
    words[0] = 7;
    words[1] = 1;  // the flag
#else
    while (words[1] != 1) {
        invalidate_l1_cache();
    }
#endif
#if COMPILE_FOR_TRISC == 0
    words[2] = words[0] + 1;
    words[3] = 1;
#endif
    PACK(while (words[3] != 1) { invalidate_l1_cache(); })
#ifdef GUARD
    cb_reserve_back(16, 1);
    cb_push_back(16, 1);
#endif
}
"""


def test_threads_that_poll_memory_take_turns(device: ttnn.Device) -> None:
    assert list(run(device, WAITS.replace("GUARD", "TRISC_PACK"))[:3]) == [7, 1, 8]


def test_a_push_that_only_the_unpack_thread_makes_does_nothing(device: ttnn.Device) -> None:
    with pytest.raises(DeadlockError, match=r"cb_wait_front\(c_16, 1\)"):
        run(device, WAITS.replace("GUARD", "TRISC_UNPACK"))


def test_an_error_in_one_threads_text_is_the_compilers(device: ttnn.Device) -> None:
    wrong = "void kernel_main() {\n#ifdef TRISC_PACK\n    no_such_call();\n#endif\n}\n"
    with pytest.raises(KernelCompileError, match=r"compute\.cpp:3:.*no_such_call"):
        run(device, wrong)


VALUES = """
#include "api/compute/common.h"
#include "HEADER"
void kernel_main() {
    auto* words = reinterpret_cast<volatile uint32_t*>(get_local_cb_interface(16).fifo_wr_ptr << 4);
    UNPACK((ckernel::mailbox_write(ckernel::ThreadId::PackThreadId, VALUE)));
    MATH((ckernel::mailbox_write(ckernel::ThreadId::PackThreadId, VALUE)));
    PACK({
        words[0] = ckernel::mailbox_read(ckernel::ThreadId::UnpackThreadId);
        words[1] = ckernel::mailbox_read(ckernel::ThreadId::MathThreadId);
        words[2] = VALUE;
    })
    cb_reserve_back(16, 1);
    cb_push_back(16, 1);
}
"""
CHAIN = """
#if defined(TRISC_UNPACK)
#define VALUE {}
#elif defined(TRISC_MATH)
#define VALUE {}
#else
#define VALUE {}
#endif
"""


def test_a_changed_header_is_compiled_again(device: ttnn.Device, tmp_path: Path) -> None:
    header = tmp_path / "value.h"
    text = VALUES.replace("HEADER", str(header))
    for values in ([1, 2, 3], [4, 5, 6]):
        header.write_text(CHAIN.format(*values))
        assert list(run(device, text)[:3]) == values
    header.write_text("#define VALUE 9\n")  # now the same for all of them
    assert list(run(device, text)[:3]) == [9, 9, 9]
