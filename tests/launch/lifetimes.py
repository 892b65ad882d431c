# SPDX-License-Identifier: Apache-2.0
"""A process whose threads, coroutines and forked children open, use and close the same devices without agreement.

    python -m tests.launch.lifetimes ROUNDS

Each call must work or raise one of the errors below, and each tensor that can be read must have its own values. The
last line printed counts both kinds of rounds.
"""

from __future__ import annotations

import asyncio
import collections
import contextlib
import os
import random
import re
import sys
import threading
import time
from collections.abc import Callable

import numpy as np

from tilewright import ttnn
from tilewright._errors import TilewrightError
from tilewright._launch.observer import observed_launches
from tilewright._launch.run_program import run_program
from tilewright.check._observer import CheckObserver

THREADS = 4
CHILD_SECONDS = 60
COPY = """
void kernel_main() {
    const auto from = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0), 2048);
    const auto to = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(1), 2048);
    cb_reserve_back(0, 1);
    noc_async_read_page(0, from, get_write_ptr(0));
    noc_async_read_barrier();
    noc_async_write_page(0, to, get_write_ptr(0));
    noc_async_write_barrier();
    cb_push_back(0, 1);
}
"""
CORES = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))])
ALLOWED = re.compile(
    r"the device is closed|device 0 is closed|Tensor is not allocated|is not allocated|has been deallocated"
    r"|was opened by process \d+|lie[s]? on another device|is on another device"
)
counted: collections.Counter[str] = collections.Counter()


def copy_program(x: ttnn.Tensor, y: ttnn.Tensor) -> ttnn.ProgramDescriptor:
    core = ttnn.CoreCoord(0, 0)
    kernel = ttnn.KernelDescriptor(
        kernel_source=COPY,
        source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=CORES,
        compile_time_args=ttnn.TensorAccessorArgs(x).get_compile_time_args(),
        runtime_args=[(core, [x.buffer_address(), y.buffer_address()])],
        config=ttnn.ReaderConfigDescriptor(),
    )
    buffer = ttnn.CBDescriptor(
        total_size=2048, core_ranges=CORES, format_descriptors=[ttnn.CBFormatDescriptor(0, ttnn.bfloat16, 2048)]
    )
    return ttnn.ProgramDescriptor(kernels=[kernel], cbs=[buffer])


shared: list[ttnn.Tensor] = []  # one thread deallocates what another launches


def one_round(chance: random.Random) -> None:
    """Open device 0, copy a tile on it with a program, compare, and perhaps close the device under the others."""
    device = ttnn.open_device(0, grid=(1, 1))
    value = float(chance.randrange(1, 200))
    x = ttnn.from_numpy(np.full((32, 32), value, np.float32), ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    y = ttnn.allocate_tensor_on_device(x.shape, ttnn.bfloat16, ttnn.TILE_LAYOUT, device)
    shared.append(x)
    program = copy_program(x, y)
    if chance.random() < 0.3:
        with contextlib.suppress(IndexError):
            shared.pop(chance.randrange(len(shared) or 1)).deallocate()
    run = run_program([x, y], program)
    got = ttnn.to_numpy(y).astype(np.float32)
    if not (got == value).all():
        raise AssertionError(f"a tile of {value} was read as {np.unique(got)}")
    assert all(use.index == 0 for use in run.circular_buffers)
    device.memory.read_l1((0, 0), 1 << 20, 64)  # type: ignore[attr-defined]
    if chance.random() < 0.3:
        ttnn.close_device(device)
        shared.clear()


def counted_round(chance: random.Random) -> None:
    try:
        one_round(chance)
        counted["worked"] += 1
    except (TilewrightError, RuntimeError, ValueError) as error:
        if not ALLOWED.search(str(error)):
            raise
        counted["raised"] += 1


def in_threads(work: Callable[[int], None]) -> None:
    failures: list[BaseException] = []

    def guarded(number: int) -> None:
        try:
            work(number)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def threads_alone(rounds: int) -> None:
    def work(number: int) -> None:
        chance = random.Random(number)
        for _ in range(rounds):
            counted_round(chance)

    in_threads(work)


def threads_observed(rounds: int) -> None:
    """No launch escapes an observer because another thread's launch has it."""
    before = counted["worked"]
    with observed_launches(CheckObserver()) as results:
        threads_alone(rounds)
    assert len(results) >= counted["worked"] - before, "a launch was not checked"


def coroutines(rounds: int) -> None:
    async def task(number: int) -> None:
        chance = random.Random(100 + number)
        for _ in range(rounds):
            await asyncio.to_thread(counted_round, chance)

    async def all_tasks() -> None:
        await asyncio.gather(*map(task, range(THREADS)))

    asyncio.run(all_tasks())


def child(chance: random.Random, parents: ttnn.Device, tensor: ttnn.Tensor) -> None:
    """What a forked process does: the parent's device refuses, its own works."""
    for use in (
        lambda: ttnn.to_numpy(tensor),
        lambda: ttnn.from_numpy(np.zeros((32, 32), np.float32), layout=ttnn.TILE_LAYOUT, device=parents),
        lambda: run_program([tensor, tensor], copy_program(tensor, tensor)),
    ):
        try:
            use()
        except (TilewrightError, RuntimeError) as error:
            if not ALLOWED.search(str(error)):
                raise
        else:
            raise AssertionError("a forked process used its parent's device")
    shared.clear()
    one_round(chance)


def forked_while_threads_run(rounds: int) -> None:
    parents = ttnn.open_device(1, grid=(1, 1))
    tensor = ttnn.from_numpy(np.ones((32, 32), np.float32), ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=parents)

    def work(number: int) -> None:
        chance = random.Random(200 + number)
        for _ in range(rounds):
            if number:
                counted_round(chance)
                continue
            process = os.fork()
            if process == 0:
                status = 1
                try:
                    child(chance, parents, tensor)
                    status = 0
                finally:
                    os._exit(status)
            wait_for(process)
            counted["children"] += 1

    in_threads(work)
    ttnn.close_device(parents)


def wait_for(process: int) -> None:
    """Wait for a child; one that does not end is a lock it inherited."""
    until = time.monotonic() + CHILD_SECONDS
    while time.monotonic() < until:
        done, status = os.waitpid(process, os.WNOHANG)
        if done:
            assert status == 0, f"a forked child ended with {status}"
            return
        time.sleep(0.002)
    os.kill(process, 9)
    raise AssertionError("a forked child did not end")


if __name__ == "__main__":
    count = int(sys.argv[1])
    for part in (threads_alone, threads_observed, coroutines, forked_while_threads_run):
        part(count if part is not threads_observed else max(2, count // 4))
        shared.clear()
        print(part.__name__, dict(counted), flush=True)
    assert min(counted["worked"], counted["raised"]) > 0
    assert counted["children"] == count
