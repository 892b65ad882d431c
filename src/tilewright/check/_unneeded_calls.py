# SPDX-License-Identifier: Apache-2.0
"""Why a program does the same without one of its calls on circular buffers, from the traffic of both runs."""

from __future__ import annotations

from collections.abc import Iterable

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
    if len(changed) != 1:
        return ""
    ((index, call),) = changed
    label = run.cb_label(index)
    if call in ("reserve_calls", "pop_calls") and _fits(run, index):
        return f"all pages pushed to {label} in this run fit the buffer; a run with more pages needs the call"
    here = {key: traffic for key, traffic in before.items() if key[1] == index}
    if call == "wait_calls" and _still(here, after, "largest_wait"):
        return f"another wait of the kernel covers these pages of {label}"
    if call == "reserve_calls" and _still(here, after, "largest_reserve"):
        return f"another reserve of the kernel covers these pages of {label}"
    if call == "wait_calls" and not run.kernels[kernel].is_compute and all(each.push_calls for each in here.values()):
        return f"the kernel itself pushed these pages of {label}"
    return ""


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
