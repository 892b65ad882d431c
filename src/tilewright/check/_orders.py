# SPDX-License-Identifier: Apache-2.0
"""Randomised schedules: how many runs show what the order of events can change."""

from __future__ import annotations

from collections import defaultdict

from tilewright._program.program import ProgramDescriptor
from tilewright._record.run import Run

_RANDOM_ORDERS = 2
_MOST_ORDERS = 16


def orders_to_try(program: ProgramDescriptor, run: Run) -> int:
    """How many further orders show what an order can change; none where it can change nothing.

    The engine's first seeds let each kernel in turn run ahead of all others, and behind all others; later ones are
    random.
    """
    return min(2 * len(program.kernels) + _RANDOM_ORDERS, _MOST_ORDERS) if order_matters(program, run) else 0


def order_matters(program: ProgramDescriptor, run: Run) -> bool:
    """Whether the outcome can depend on the order in which kernels run.

    Kernels that talk only through circular buffers with one producer and one consumer each do the same in any order.
    """
    if program.semaphores:
        return True
    producers: dict[tuple[tuple[int, int], int], set[int]] = defaultdict(set)
    consumers: dict[tuple[tuple[int, int], int], set[int]] = defaultdict(set)
    for traffic in run.traffic:
        if traffic.push_calls or traffic.reserve_calls:
            producers[traffic.core, traffic.cb].add(traffic.kernel)
        if traffic.pop_calls or traffic.wait_calls:
            consumers[traffic.core, traffic.cb].add(traffic.kernel)
    return any(len(kernels) > 1 for kernels in (*producers.values(), *consumers.values()))
