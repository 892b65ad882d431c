# SPDX-License-Identifier: Apache-2.0
"""The runtime arguments of a kernel, wherever the host put them: in its descriptor, or in the L1 of its cores."""

from __future__ import annotations

from collections.abc import Callable

from tilewright._program.config_bases import ConfigBases
from tilewright._program.kernel import KernelDescriptor

Core = tuple[int, int]
ReadWords = Callable[[Core, int, int], list[int]]  # of a core's L1, from an address, so many


def runtime_arguments(
    kernel: KernelDescriptor, bases: ConfigBases, core: Core, read_words: ReadWords
) -> tuple[int, ...]:
    """Those of one core. Arguments in L1 may have words of alignment behind them."""
    place = kernel.arguments_in_l1
    if place is not None:
        return tuple(read_words(core, bases.of(core) + place.address, place.count)) if place.count else ()
    return next((tuple(words) for at, words in kernel.runtime_args if (at.x, at.y) == core), ())


def all_runtime_arguments(
    kernel: KernelDescriptor, bases: ConfigBases, read_words: ReadWords
) -> dict[Core, tuple[int, ...]]:
    """Those of every core that has some."""
    if kernel.arguments_in_l1 is None:
        return {(at.x, at.y): tuple(words) for at, words in kernel.runtime_args}
    return {(at.x, at.y): runtime_arguments(kernel, bases, (at.x, at.y), read_words) for at in kernel.core_ranges}


def common_runtime_arguments(kernel: KernelDescriptor, bases: ConfigBases, read_words: ReadWords) -> tuple[int, ...]:
    """Those that all cores share."""
    place = kernel.arguments_in_l1
    if place is None:
        return tuple(kernel.common_runtime_args)
    first = next(iter(kernel.core_ranges), None)
    if not place.common_count or first is None:
        return ()
    core = (first.x, first.y)
    return tuple(read_words(core, bases.of(core) + place.common_address, place.common_count))
