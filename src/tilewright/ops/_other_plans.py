# SPDX-License-Identifier: Apache-2.0
"""Savings of other block sizes, strategies and core counts.

The record of a launch can be replayed with deeper buffers or more transfers in flight. These choices change which calls
its kernels make, so each is planned, launched and timed by itself.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

from tilewright._errors import TilewrightError
from tilewright._planner.row_program import Tensors
from tilewright._tensor.cores import CoreCoord, CoreRange, CoreRangeSet
from tilewright.formula._validation import OperationError
from tilewright.ops._operation import Operation
from tilewright.ops._options import Options
from tilewright.ops._outcome import Outcome
from tilewright.timing._advice import Effect
from tilewright.timing._timed_launch import TimedLaunch


def effects_of_other_plans(
    operation: Operation,
    tensors: Tensors,
    options: Options,
    outcome: Outcome,
    launches: list[TimedLaunch],
    on_trial: Callable[[str], None],
) -> tuple[Effect, ...]:
    """Savings of each single change of the plan; those that do not fit L1 are left out.

    Args:
        options, outcome: what the operation was launched with, and what came of it.
        launches: those timed so far, the operation's own as the last; others are taken out again.
    """
    first, effects = launches[-1].time.cycles, []
    for words, other in _others(operation, tensors, options, outcome):
        on_trial(words)
        before = len(launches)
        try:
            operation.launch(tensors, other)
        except (OperationError, TilewrightError):
            continue
        finally:
            made = launches[before:]
            del launches[before:]
        effects.append(Effect(words, 1 - sum(each.time.cycles for each in made) / first))
    return tuple(effects)


def _others(
    operation: Operation, tensors: Tensors, options: Options, outcome: Outcome
) -> Iterator[tuple[str, Options]]:
    plan, main = outcome.plan, tensors[operation.main_input.name]
    device = main.device()
    assert device is not None  # it was launched
    same = dataclasses.replace(options, strategy=plan.strategy)
    for tiles in (plan.block_tiles // 2, 2 * plan.block_tiles):
        if 0 < tiles <= plan.rows.line_tiles:
            words = f"blocks of {tiles} instead of {plan.block_tiles} tiles"
            yield words, dataclasses.replace(same, block_tiles=tiles)
    for strategy in operation.variants(operation.form(main.dtype)):
        if strategy is not plan.strategy:
            words = f"a {strategy.value} plan instead of a {plan.strategy.value} one"
            yield words, dataclasses.replace(options, strategy=strategy, block_tiles=None)
    grid = device.compute_with_storage_grid_size()
    if options.core_grid is None and grid.y > 1:
        half = CoreRangeSet([CoreRange(CoreCoord(0, 0), CoreCoord(grid.x - 1, grid.y // 2 - 1))])
        yield f"only the first {grid.y // 2} of {grid.y} rows of cores", dataclasses.replace(same, core_grid=half)
