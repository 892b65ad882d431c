# SPDX-License-Identifier: Apache-2.0
"""Runs spread over OS threads, and devices used from several Python threads."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from tilewright import ttnn
from tilewright._errors import DeadlockError, KernelError, KernelFaultError, TilewrightError, TimeLimitError
from tilewright._launch.chip import Chip
from tilewright._launch.run_options import RunOptions
from tilewright._tensor.arch import describe_arch

READER = """
void kernel_main() {
    const auto tensor = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0), 2048);
    for (uint32_t page = get_arg_val<uint32_t>(1); page < get_arg_val<uint32_t>(2); page++) {
        cb_reserve_back(0, 1);
        noc_async_read_page(page, tensor, get_write_ptr(0));
        noc_async_read_barrier();
        cb_push_back(0, 1);
    }
}
"""
COMPUTE = """
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/tile_move_copy.h"
void kernel_main() {
    init_sfpu(0, 1);
    for (uint32_t i = get_arg_val<uint32_t>(1); i < get_arg_val<uint32_t>(2); i++) {
        cb_wait_front(0, 1);
        cb_reserve_back(1, 1);
        tile_regs_acquire();
        copy_tile(0, 0, 0);
        exp_tile_init();
        exp_tile(0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 1);
        tile_regs_release();
        cb_pop_front(0, 1);
        cb_push_back(1, 1);
    }
}
"""
WRITER = """
void kernel_main() {
    const auto tensor = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0), 2048);
    for (uint32_t page = get_arg_val<uint32_t>(1); page < get_arg_val<uint32_t>(2); page++) {
        cb_wait_front(1, 1);
        noc_async_write_page(page, tensor, get_read_ptr(1));
        noc_async_write_barrier();
        cb_pop_front(1, 1);
    }
}
"""


def exp_program(x: ttnn.Tensor, y: ttnn.Tensor, grid: tuple[int, int]) -> ttnn.ProgramDescriptor:
    """exp of x into y, the tiles split evenly over the grid."""
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(grid[0] - 1, grid[1] - 1))])
    share = int(np.prod(x.shape)) // 1024 // len(list(cores))

    def kernel(source: str, config: object, tensor: ttnn.Tensor, compile_time_args: list[int]) -> ttnn.KernelDescriptor:
        ranges = [(core, [tensor.buffer_address(), i * share, (i + 1) * share]) for i, core in enumerate(cores)]
        return ttnn.KernelDescriptor(
            kernel_source=source,
            source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
            core_ranges=cores,
            compile_time_args=compile_time_args,
            runtime_args=ranges,
            config=config,
        )

    kernels = [
        kernel(READER, ttnn.ReaderConfigDescriptor(), x, ttnn.TensorAccessorArgs(x).get_compile_time_args()),
        kernel(COMPUTE, ttnn.ComputeConfigDescriptor(), x, []),
        kernel(WRITER, ttnn.WriterConfigDescriptor(), y, ttnn.TensorAccessorArgs(y).get_compile_time_args()),
    ]
    cbs = [
        ttnn.CBDescriptor(
            total_size=4096, core_ranges=cores, format_descriptors=[ttnn.CBFormatDescriptor(i, ttnn.bfloat16, 2048)]
        )
        for i in (0, 1)
    ]
    return ttnn.ProgramDescriptor(kernels=kernels, cbs=cbs)


def test_two_threads_give_the_same_bytes_as_one() -> None:
    with ttnn.manage_device(0) as device:
        host = np.random.default_rng(0).standard_normal((256, 256), dtype=np.float32)
        x = ttnn.from_numpy(host, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
        results = []
        for threads in (1, 2, 3):
            y = ttnn.allocate_tensor_on_device(x.shape, ttnn.bfloat16, ttnn.TILE_LAYOUT, device)
            device.memory.launch(exp_program(x, y, (8, 4)), RunOptions(threads=threads))  # type: ignore[attr-defined]
            results.append(ttnn.to_numpy(y).astype(np.float32))
        # Only the result is rounded to bfloat16, which has 8 bits.
        assert np.allclose(results[0], np.exp(ttnn.to_numpy(x).astype(np.float64)), rtol=2**-8)
        assert results[0].tobytes() == results[1].tobytes() == results[2].tobytes()


def test_a_fault_in_the_second_thread_is_reported(chip: Chip, make_program) -> None:
    program = make_program(
        grid=(2, 1),
        reader="void kernel_main() {\n if (get_absolute_logical_x() == 1)\n  *(volatile int*)0x7f000000 = 1;\n}",
    )
    with pytest.raises(KernelFaultError, match=r"reader on core \(1,0\) at reader.cpp:3: touched memory at 0x7f000000"):
        chip.launch(program, RunOptions(threads=2))
    chip.launch(make_program(grid=(2, 1), reader="void kernel_main() {}"), RunOptions(threads=2))


def test_a_deadlock_in_the_second_thread_lets_the_first_finish(chip: Chip, make_program) -> None:
    work = "volatile uint32_t x = 0; for (uint32_t i = 0; i < 20000000; i++) { x = x + 1; } cb_push_back(0, 1);"
    program = make_program(
        grid=(2, 1),
        cbs={0: 1},
        reader="void kernel_main() { if (get_absolute_logical_x() == 0) { " + work + " } }",
        writer="void kernel_main() { cb_wait_front(0, 1); }",
    )
    with pytest.raises(DeadlockError) as caught:
        chip.launch(program, RunOptions(threads=2))
    assert "deadlock on core (1,0)\n" in str(caught.value)
    assert "(0,0)" not in str(caught.value)


def test_a_core_freed_by_another_thread_is_not_called_stuck(chip: Chip, make_program) -> None:
    source = """
    void kernel_main() {
        const uint32_t word = get_write_ptr(0);
        if (get_absolute_logical_x() == 1) {
            noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(word), get_arg_val<uint32_t>(2));
        } else {
            for (volatile uint32_t i = 0; i < 3000000; i = i + 1) {}
            noc_inline_dw_write(get_noc_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), word), 7);
        }
    }
    """
    where = [chip.arch.worker_columns[1], chip.arch.worker_rows[0]]

    def program(value: int) -> ttnn.ProgramDescriptor:
        return make_program(grid=(2, 1), cbs={0: 1}, args={"reader": [*where, value]}, reader=source)

    chip.launch(program(7), RunOptions(threads=2))
    with pytest.raises(DeadlockError, match=r"deadlock on core \(1,0\)"):
        chip.launch(program(8), RunOptions(threads=2))


RING = """
// Each core adds its number to a word and passes it on, round the ring and round again.
void kernel_main() {
    auto* own = reinterpret_cast<volatile uint32_t*>(get_semaphore(0));
    auto* word = reinterpret_cast<volatile uint32_t*>(get_write_ptr(0));
    const uint32_t x = get_absolute_logical_x();
    const uint32_t next_x = get_arg_val<uint32_t>((x + 1) % 4);
    const uint32_t next_y = get_arg_val<uint32_t>(4);
    if (x == 0) {
        word[0] = 0;
    }
    for (uint32_t round = 1; round <= 3; round++) {
        if (x != 0 || round != 1) {
            noc_semaphore_wait_min(own, round - (x == 0));
        }
        cb_reserve_back(0, 1);
        cb_push_back(0, 1);
        word[0] = 10 * word[0] + x;
        noc_async_write(get_write_ptr(0), get_noc_addr(next_x, next_y, get_write_ptr(0)), get_arg_val<uint32_t>(5));
        noc_async_write_barrier();
        noc_semaphore_inc(get_noc_addr(next_x, next_y, get_semaphore(0)), 1);
    }
}
"""
TAKER = "void kernel_main() { for (uint32_t i = 0; i < 3; i++) { cb_wait_front(0, 1); cb_pop_front(0, 1); } }"


@pytest.mark.parametrize("sent_bytes", [4, 128])  # as a flag that arrives between rounds, and as data that does at once
def test_cores_tied_by_semaphores_do_the_same_on_any_number_of_threads(
    chip: Chip, make_program, sent_bytes: int
) -> None:
    args = {"reader": [*chip.arch.worker_columns[:4], chip.arch.worker_rows[0], sent_bytes]}
    records = []
    for threads in (1, 2, 3, 4):
        program = make_program(grid=(4, 1), cbs={0: 1}, semaphores=1, args=args, reader=RING, writer=TAKER)
        run = chip.launch(program, RunOptions(threads=threads, keep_l1=True))
        words = [int(chip.read_l1((x, 0), chip.arch.l1_unreserved_base, 4).view(np.uint32)[0]) for x in range(4)]
        records.append((words, run.switches, run.traffic, run.circular_buffers))
    assert records[0][0][0] == 12301230123 % 2**32
    assert all(record == records[0] for record in records)


def test_a_deadlock_of_cores_that_wait_for_each_other_is_the_same_on_any_number_of_threads(
    chip: Chip, make_program
) -> None:
    source = """
    void kernel_main() {
        auto* own = reinterpret_cast<volatile uint32_t*>(get_semaphore(0));
        noc_semaphore_wait(own, get_absolute_logical_x() == 2 ? 0 : 1);
    }
    """
    said = set()
    for threads in (1, 2, 4):
        program = make_program(grid=(4, 1), semaphores=1, reader=source)
        with pytest.raises(DeadlockError) as caught:
            chip.launch(program, RunOptions(threads=threads))
        said.add(str(caught.value))
    assert len(said) == 1


def test_first_cores_error_is_reported_on_any_number_of_threads(chip: Chip, make_program) -> None:
    """The later core fails at once, the earlier one after a while."""
    source = """
    void kernel_main() {
        if (get_absolute_logical_x() == 0) {
            for (volatile uint32_t i = 0; i < 3000000; i = i + 1) {}
        }
        ASSERT(false);
    }
    """
    for threads in (1, 2):
        with pytest.raises(KernelError, match=r"on core \(0,0\)"):
            chip.launch(make_program(grid=(2, 1), reader=source), RunOptions(threads=threads))


def test_core_reads_back_its_own_write(chip: Chip, make_program) -> None:
    source = """
    void kernel_main() {
        const uint64_t there = get_noc_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), get_semaphore(1));
        noc_inline_dw_write(there, 77);
        noc_async_write_barrier();
        noc_async_read(there, get_semaphore(0), 4);
        noc_async_read_barrier();
    }
    """
    where = [chip.arch.worker_columns[1], chip.arch.worker_rows[0]]
    chip.launch(make_program(grid=(1, 1), semaphores=2, args={"reader": where}, reader=source))
    assert chip.read_semaphore((0, 0), 0) == 77


def test_threads_by_the_environment(chip: Chip, make_program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_THREADS", "many")
    with pytest.raises(TilewrightError, match="TILEWRIGHT_THREADS is 'many'; allowed: 1 to 256"):
        chip.launch(make_program(reader="void kernel_main() {}"))
    monkeypatch.setenv("TILEWRIGHT_THREADS", "2")
    chip.launch(make_program(reader="void kernel_main() {}"))


def test_a_time_limit_ends_every_thread(chip: Chip, make_program) -> None:
    program = make_program(grid=(2, 1), reader="void kernel_main() { volatile int x = 0; for (;;) { x = x + 1; } }")
    with pytest.raises(TimeLimitError):
        chip.launch(program, RunOptions(threads=2, time_limit=0.2, spin_limit=60))


def test_devices_in_two_python_threads_survive_each_others_faults(make_program) -> None:
    failures: list[BaseException] = []

    def use(value: int) -> None:
        chip = Chip(describe_arch("wormhole_b0"), (2, 1))
        good = make_program(
            grid=(2, 1),
            semaphores=1,
            args={"reader": [value]},
            # By the plain offset a card has; the engine shows only one core's L1 there at a time.
            reader="void kernel_main() { uint32_t offset = get_semaphore(0) & 0x1fffff;"
            " *(volatile uint32_t*)(uintptr_t)get_semaphore(0) = get_arg_val<uint32_t>(0) + offset - offset; }",
        )
        bad = make_program(reader="void kernel_main() { *(volatile int*)8 = 1; }")
        try:
            for _ in range(30):
                with pytest.raises(KernelFaultError):
                    chip.launch(bad)
                chip.launch(good)
                assert chip.read_semaphore((1, 0), 0) == value
        except BaseException as error:
            failures.append(error)
        finally:
            chip.close()

    threads = [threading.Thread(target=use, args=(value,)) for value in (11, 22)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == []


def test_closed_device_is_named(make_program) -> None:
    chip = Chip(describe_arch("wormhole_b0"), (1, 1))
    chip.close()
    with pytest.raises(TilewrightError, match="the device is closed"):
        chip.launch(make_program(reader="void kernel_main() {}"))


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one processor")
def test_small_runs_stay_on_their_owners_processor(chip: Chip, make_program) -> None:
    """One of several threads has all, and so has what nothing is known of yet."""
    program = make_program(grid=(2, 1), reader="void kernel_main() { /* nothing, on an owner's processor */ }")

    def processors(threads: int) -> int:
        chip.launch(program, RunOptions(threads=threads))
        return len(os.sched_getaffinity(chip._launcher.runner()._process.pid))

    all_processors = len(os.sched_getaffinity(0))
    assert processors(threads=1) == all_processors
    # Now and then something else holds up a run, which is not a small one then.
    assert 1 in [processors(threads=1) for _ in range(20)]
    assert processors(threads=2) == all_processors


def test_a_runner_with_nothing_to_do_sleeps(chip: Chip, make_program) -> None:
    """The tick of a run goes on for a little while, and ends; the next run has it again."""
    program = make_program(grid=(1, 1), reader="void kernel_main() { /* nothing, and then a rest */ }")
    endless = make_program(grid=(1, 1), reader="void kernel_main() { for (volatile bool on = true; on;) {} }")
    chip.launch(program)
    status = Path(f"/proc/{chip._launcher.runner()._process.pid}/status")

    def times_woken() -> int:
        return int(status.read_text().split("\nvoluntary_ctxt_switches:")[1].split()[0])

    def rests() -> bool:
        before = times_woken()
        time.sleep(0.1)
        return times_woken() == before

    assert any(rests() for _ in range(20))
    with pytest.raises(TimeLimitError):
        chip.launch(endless, RunOptions(time_limit=0.1))
