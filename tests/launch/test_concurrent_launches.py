# SPDX-License-Identifier: Apache-2.0
"""Programs from several processes, threads and coroutines at once: each gets its result; a hang stops no other."""

from __future__ import annotations

import asyncio
import concurrent.futures
import multiprocessing
import time

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright._errors import DeadlockError, SpinningError
from tilewright._launch.chip import Chip
from tilewright._launch.run_options import RunOptions
from tilewright._tensor.arch import describe_arch
from tilewright.ops import centralize_w_rm

VALUES = np.random.default_rng(5).standard_normal((64, 96), dtype=np.float32)
ADDS_ONE = "void kernel_main() { *(volatile uint32_t*)get_semaphore(0) = get_arg_val<uint32_t>(0) + 1; }"
SPINS = "void kernel_main() { while (*(volatile uint32_t*)get_semaphore(0) == 0) {} }"


def centralized(number: int) -> NDArray[np.float32]:
    """One process's work, on a device of its own."""
    result: NDArray[np.float32] = centralize_w_rm(VALUES * number)
    return result


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_processes_have_a_device_each(method: str) -> None:
    expected = [centralized(number) for number in range(4)]  # and the parent's stays open meanwhile
    context = multiprocessing.get_context(method)
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        assert np.array_equal(list(pool.map(centralized, range(4))), expected)
    assert np.array_equal(centralized(3), expected[3])


def test_threads_share_a_chip_in_turn(chip: Chip, make_program) -> None:
    def launched(number: int) -> int:
        own = Chip(describe_arch("wormhole_b0"), (1, 1)) if number % 2 else chip
        try:
            own.launch(make_program(semaphores=1, args={"reader": [number]}, reader=ADDS_ONE))
            return own.read_semaphore((0, 0), 0) if number % 2 else number + 1
        finally:
            if own is not chip:
                own.close()

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert list(pool.map(launched, range(16))) == [number + 1 for number in range(16)]


def test_a_loop_of_coroutines_goes_on_while_a_program_hangs(chip: Chip, make_program) -> None:
    spinning = Chip(describe_arch("wormhole_b0"), (1, 1))
    hanging = make_program(cbs={0: 1}, reader="void kernel_main() { cb_wait_front(0, 1); }")
    adding = make_program(semaphores=1, args={"reader": [41]}, reader=ADDS_ONE)
    ticks: list[float] = []

    async def tick() -> None:
        while True:
            ticks.append(time.monotonic())
            await asyncio.sleep(0.01)

    async def everything() -> list[object]:
        ticking = asyncio.create_task(tick())
        launches = [
            asyncio.to_thread(spinning.launch, make_program(semaphores=1, reader=SPINS), RunOptions(spin_limit=0.5)),
            asyncio.to_thread(chip.launch, hanging),
            asyncio.to_thread(chip.launch, adding),
        ]
        results = await asyncio.gather(*launches, return_exceptions=True)
        ticking.cancel()
        return list(results)

    try:
        spun, hung, added = asyncio.run(everything())
    finally:
        spinning.close()
    assert isinstance(spun, SpinningError)
    assert isinstance(hung, DeadlockError)
    assert not isinstance(added, BaseException)
    assert len(ticks) > 10  # the loop was never held up for long: half a second has fifty
