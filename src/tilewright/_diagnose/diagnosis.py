# SPDX-License-Identifier: Apache-2.0
"""Where the kernels of a run stood, in words: which waits where for what, and the root of it."""

from __future__ import annotations

from pathlib import Path

from tilewright._build.generated_headers import is_own_header
from tilewright._build.source_lines import SourceLine
from tilewright._diagnose.core_names import name_cores
from tilewright._diagnose.deadlock import THREAD_WAITS, StuckCores, semaphore_label, stuck_cores
from tilewright._record.run import KernelPosition, KernelState, Run, WaitKind

_GROUPS_SHOWN = 4


def user_lines(stack: tuple[SourceLine, ...], kernel_path: str) -> tuple[SourceLine | None, SourceLine | None]:
    """Where in the user's sources a kernel stands: the innermost line, and the kernel's own where that is another.

    Lines of our own headers are left out.
    """
    outside = [frame for frame in stack if not is_own_header(frame.path) and frame.function != "tw_kernel_entry"]
    if not outside:
        return None, None
    site = outside[0]
    entry = "_Z11kernel_mainv"  # a kernel written in Python has its lines in another file than the one compiled
    own = next((frame for frame in outside if frame.path == kernel_path or frame.function == entry), None)
    return site, own if own != site else None


def call_site(stack: tuple[SourceLine, ...], kernel_path: str) -> str:
    """Where a kernel stands, in words; where that lies in a helper, also the kernel's own line."""
    site, own = user_lines(stack, kernel_path)
    if site is None:
        return Path(kernel_path).name
    return str(site) if own is None else f"{site} (called from {own})"


def deadlock_message(run: Run) -> str:
    """The text of a DeadlockError.

    Example::

        deadlock on core (0,0)
          reader          finished
          compute (pack)  variance.cpp:41  cb_reserve_back(c_1 in_tiled, 4)  0 of 4 pages free
          writer          writer.cpp:18  cb_wait_front(c_16 out, 1)  0 of 1 pages there
        c_1 in_tiled is full and no kernel on this core pops it: compute pushed 4 pages, 0 were popped.
    """
    groups = sorted(stuck_cores(run), key=lambda group: len(group.cores))  # the odd one out first
    lines: list[str] = []
    for group in groups[:_GROUPS_SHOWN]:
        lines += [f"deadlock on {name_cores(group.cores)}", *position_lines(run, group), group.hang.reason]
    if len(groups) > _GROUPS_SHOWN:
        rest = sum(len(group.cores) for group in groups[_GROUPS_SHOWN:])
        lines.append(f"... and {rest} more cores stuck in other ways")
    return "\n".join(lines)


def position_lines(run: Run, group: StuckCores) -> list[str]:
    """A line for each kernel, or thread of one, of cores that are stuck alike."""
    shown = [position for position in group.positions if _says_something(position, group)]
    width = max(len(run.position_label(position)) for position in shown)
    return [f"  {run.position_label(position):<{width}}  {describe_position(run, position)}" for position in shown]


def _says_something(position: KernelPosition, group: StuckCores) -> bool:
    """Threads that have finished, or wait for another of their kernel, only follow from one that waits elsewhere."""
    others = [each for each in group.positions if each.kernel == position.kernel and each is not position]
    follows = position.wait_kind in THREAD_WAITS or position.state is KernelState.FINISHED
    return not (follows and any(each.wait_kind not in (WaitKind.NONE, *THREAD_WAITS) for each in others))


def describe_position(run: Run, position: KernelPosition) -> str:
    """One line: where a kernel stands and what it waits for."""
    if position.state is KernelState.FINISHED:
        return "finished"
    where = call_site(position.stack, run.kernels[position.kernel].path)
    label = run.cb_label(position.wait_cb)
    amount, have = position.wait_amount, position.wait_have
    if position.wait_kind is WaitKind.CB_WAIT_FRONT:
        return f"{where}  cb_wait_front({label}, {amount})  {have} of {amount} pages there"
    if position.wait_kind is WaitKind.CB_RESERVE_BACK:
        return f"{where}  cb_reserve_back({label}, {amount})  {have} of {amount} pages free"
    if position.wait_kind is WaitKind.SEMAPHORE_EQUAL:
        return f"{where}  noc_semaphore_wait({semaphore_label(position)}, {amount})  it holds {have}"
    if position.wait_kind is WaitKind.SEMAPHORE_AT_LEAST:
        return f"{where}  noc_semaphore_wait_min({semaphore_label(position)}, {amount})  it holds {have}"
    if position.wait_kind in THREAD_WAITS:
        thread, what = THREAD_WAITS[position.wait_kind]
        return f"{where}  waits for the {thread.name.lower()} thread {what}"
    if position.wait_kind is WaitKind.THREAD_SEMAPHORE:
        return f"{where}  waits on semaphore {position.wait_cb} between the threads"
    if position.wait_kind is WaitKind.SPIN:
        return f"{where}  in a loop of its own"
    return f"{where}  running"
