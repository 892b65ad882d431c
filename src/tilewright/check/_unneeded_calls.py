# SPDX-License-Identifier: Apache-2.0
"""Why a program does the same without one of its calls, from the traffic of both runs and from its formats."""

from __future__ import annotations

from collections.abc import Iterable

from tilewright._program.kernel import KernelDescriptor
from tilewright._program.program import ProgramDescriptor
from tilewright._record.run import CbTraffic, Run

_CALLS = ("reserve_calls", "push_calls", "wait_calls", "pop_calls")
_Key = tuple[tuple[int, int], int]  # a core and a circular buffer


def why_unneeded(run: Run, without: Run, kernel: int) -> str:
    """Why the checker and the values do not notice that a kernel lacks a call; empty where the traffic does not say.

    Args:
        run: of the program as it is; it has no findings.
        without: of the program without the call; it has none either, so every page was waited for or reserved.
    """
    before, after = _traffic(run, kernel), _traffic(without, kernel)
    changed = {
        (index, call)
        for (core, index), traffic in before.items()
        for call in _CALLS
        if getattr(traffic, call) != getattr(after.get((core, index)), call, 0)
    }
    calls = {call for _, call in changed}
    if len(calls) != 1:
        return ""
    reasons: dict[str, list[str]] = {}
    for index, call in sorted(changed):
        reason = _why_unneeded_on(run, before, after, kernel, index, call)
        reasons.setdefault(reason, []).append(run.cb_label(index))
    return "" if "" in reasons else "; ".join(reason.format(" and ".join(cbs)) for reason, cbs in reasons.items())


def _why_unneeded_on(
    run: Run, before: dict[_Key, CbTraffic], after: dict[_Key, CbTraffic], kernel: int, index: int, call: str
) -> str:
    """The same for one circular buffer, whose name belongs at ``{}``."""
    if call in ("reserve_calls", "pop_calls") and _fits(run, index):
        return "all pages pushed to {} in this run fit the buffer; a run with more pages needs the call"
    if call == "reserve_calls" and not any(use.pushed for use in run.circular_buffers if use.index == index):
        return "no kernel pushes pages of {}, which is scratch memory"
    here = {key: traffic for key, traffic in before.items() if key[1] == index}
    if call == "wait_calls" and _still(here, after, "largest_wait"):
        return "another wait of the kernel covers these pages of {}"
    if call == "reserve_calls" and _still(here, after, "largest_reserve"):
        return "another reserve of the kernel covers these pages of {}"
    if call == "reserve_calls" and all(each.pop_calls for each in here.values()):
        return "the kernel itself pops the pages of {} before it fills them again"
    if call == "wait_calls" and not run.kernels[kernel].is_compute and all(each.push_calls for each in here.values()):
        return "the kernel itself pushed these pages of {}"
    return ""


def one_format(program: ProgramDescriptor, kernel: KernelDescriptor) -> str:
    """The format and tile of all circular buffers on the kernel's cores; empty where they differ.

    Only then does no setting of formats change any.
    """
    formats = [
        each for cb in program.cbs if cb.core_ranges.intersects(kernel.core_ranges) for each in cb.format_descriptors
    ]
    kinds = [(each.data_format, each.tile, each.faces) for each in formats]
    return formats[0].data_format.name if formats and all(kind == kinds[0] for kind in kinds) else ""


def _traffic(run: Run, kernel: int) -> dict[_Key, CbTraffic]:
    return {(each.core, each.cb): each for each in run.traffic if each.kernel == kernel}


def _fits(run: Run, index: int) -> bool:
    uses = [use for use in run.circular_buffers if use.index == index]
    return any(use.pushed for use in uses) and all(use.pushed <= use.num_pages for use in uses)


def _still(before: dict[_Key, CbTraffic], after: dict[_Key, CbTraffic], largest: str) -> bool:
    """Whether the kernel still makes calls for as many pages on each core."""
    counts: Iterable[tuple[int, int]] = (
        (getattr(traffic, largest), getattr(after.get(key), largest, 0)) for key, traffic in before.items()
    )
    return all(wanted == left for wanted, left in counts)
