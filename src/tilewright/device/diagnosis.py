# SPDX-License-Identifier: Apache-2.0
"""Says why a run could not go on: who waits where for what, and the first cause that can be named."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from tilewright.device.engine_build import NATIVE
from tilewright.device.run import CbTraffic, KernelPosition, KernelState, Run, WaitKind
from tilewright.device.source_lines import SourceLine

_STUCK = (KernelState.BLOCKED, KernelState.POLLING)


def call_site(stack: tuple[SourceLine, ...], kernel_path: str) -> str:
    """Where in the user's sources a kernel stands.

    The innermost line outside our own headers; where that lies in a helper, also the kernel's own line.
    """
    include = str(NATIVE / "include")
    outside = [frame for frame in stack if not frame.path.startswith(include) and frame.function != "tw_kernel_entry"]
    if not outside:
        return Path(kernel_path).name
    site = outside[0]
    entry = "_Z11kernel_mainv"  # a kernel written in Python has its lines in another file than the one compiled
    own = next((frame for frame in outside if frame.path == kernel_path or frame.function == entry), None)
    if own is None or own == site:
        return str(site)
    return f"{site} (called from {own})"


def deadlock_message(run: Run) -> str:
    """The text of a DeadlockError.

    Example::

        deadlock on core (0,0)
          reader    finished
          compute   variance.cpp:41  cb_reserve_back(c_1 in_tiled, 4)  0 of 4 pages free
          writer    writer.cpp:18  cb_wait_front(c_16 out, 1)  0 of 1 pages there
        c_1 in_tiled is full and nobody on this core pops it: compute pushed 4 pages, 0 were popped.
    """
    by_core: dict[tuple[int, int], list[KernelPosition]] = defaultdict(list)
    for position in run.positions:
        by_core[position.core].append(position)
    stuck_cores = [core for core, all_ in by_core.items() if any(p.state in _STUCK for p in all_)]
    groups: dict[tuple[object, ...], list[tuple[int, int]]] = defaultdict(list)
    for core in stuck_cores:
        groups[tuple(_signature(position) for position in by_core[core])].append(core)
    lines: list[str] = []
    for cores in list(groups.values())[:4]:
        lines += _core_lines(run, cores, by_core[cores[0]])
        cause = _cause(run, by_core[cores[0]])
        if cause:
            lines.append(cause)
    if len(groups) > 4:
        lines.append(f"... and {sum(len(cores) for cores in list(groups.values())[4:])} more cores stuck in other ways")
    return "\n".join(lines)


def _signature(position: KernelPosition) -> tuple[object, ...]:
    return (position.kernel, position.state, position.wait_kind, position.wait_cb, position.stack[:6])


def _core_lines(run: Run, cores: list[tuple[int, int]], positions: list[KernelPosition]) -> list[str]:
    x, y = cores[0]
    others = f" and {len(cores) - 1} more cores alike" if len(cores) > 1 else ""
    width = max(len(run.kernel_label(position.kernel)) for position in positions)
    lines = [f"deadlock on core ({x},{y}){others}"]
    for position in positions:
        lines.append(f"  {run.kernel_label(position.kernel):<{width}}  {describe_position(run, position)}")
    return lines


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
        return f"{where}  noc_semaphore_wait({_semaphore(position)}, {amount})  it holds {have}"
    if position.wait_kind is WaitKind.SEMAPHORE_AT_LEAST:
        return f"{where}  noc_semaphore_wait_min({_semaphore(position)}, {amount})  it holds {have}"
    if position.wait_kind is WaitKind.SPIN:
        return f"{where}  polls memory"
    return f"{where}  running"


def _cause(run: Run, positions: list[KernelPosition]) -> str:
    """Follows who waits for whom until something that can be named."""
    stuck = [position for position in positions if position.state in _STUCK]
    start = next((position for position in stuck if position.is_error), stuck[0])
    # A finished or missing partner says more than a cycle: look for one first, from every stuck kernel.
    chains = [_follow(run, positions, position) for position in [start, *stuck]]
    return next((text for text, is_certain in chains if text and is_certain), chains[0][0])


def _follow(run: Run, positions: list[KernelPosition], position: KernelPosition) -> tuple[str, bool]:
    """The cause at the end of the chain of waits, and whether it is one nobody else of the core could end."""
    stuck = [p for p in positions if p.state in _STUCK]
    seen: list[int] = []
    while True:
        if position.wait_kind not in (WaitKind.CB_WAIT_FRONT, WaitKind.CB_RESERVE_BACK):
            return _semaphore_cause(run, position), True
        if position.kernel in seen:
            return _cycle_cause(run, positions, seen[seen.index(position.kernel) :]), False
        seen.append(position.kernel)
        partners = _partners(run, position)
        alive = [p for p in stuck if p.kernel in {t.kernel for t in partners}]
        if not partners and len(stuck) > 1:
            return _unknown_partners(run, stuck), False
        if not alive:
            return _missing_partner(run, position, partners), True
        position = next((p for p in alive if p.kernel != position.kernel), alive[0])


def _unknown_partners(run: Run, stuck: list[KernelPosition]) -> str:
    """A partner that never came to its first push or pop cannot be told from one that does not exist."""
    pushes = [p for p in stuck if p.wait_kind is WaitKind.CB_WAIT_FRONT and not _partners(run, p)]
    pops = [p for p in stuck if p.wait_kind is WaitKind.CB_RESERVE_BACK and not _partners(run, p)]
    # Others usually wait for the compute kernel, so what it waits for comes first.
    pushes.sort(key=lambda position: not run.kernels[position.kernel].is_compute)
    parts = [
        f"nothing was ever pushed to {run.cb_label(p.wait_cb)}, which {run.kernel_label(p.kernel)} waits for"
        for p in pushes
    ]
    parts += [
        f"nothing was ever popped from {run.cb_label(p.wait_cb)}, in which {run.kernel_label(p.kernel)} waits for room"
        for p in pops
    ]
    return "; ".join(parts) + ". The kernel that should do so is missing, or is itself one of those that wait."


def _partners(run: Run, position: KernelPosition) -> list[CbTraffic]:
    """Kernels of this core that could end the wait: those that push, or pop, the circular buffer."""
    traffic = [t for t in run.traffic if t.core == position.core and t.cb == position.wait_cb]
    if position.wait_kind is WaitKind.CB_WAIT_FRONT:
        return [t for t in traffic if t.push_calls or t.reserve_calls]
    return [t for t in traffic if t.pop_calls or t.wait_calls]


def _pages(count: int) -> str:
    return f"{count} page" if count == 1 else f"{count} pages"


def _missing_partner(run: Run, position: KernelPosition, partners: list[CbTraffic]) -> str:
    label = run.cb_label(position.wait_cb)
    use = next(u for u in run.circular_buffers if u.core == position.core and u.index == position.wait_cb)
    name = run.kernel_label(position.kernel)
    if position.wait_kind is WaitKind.CB_WAIT_FRONT:
        if not partners:
            wanted = _pages(position.wait_amount)
            return f"{label} has no producer: {name} waits for {wanted}, nobody on this core pushes any."
        done = ", ".join(f"{run.kernel_label(t.kernel)} pushed {_pages(t.pages_pushed)}" for t in partners)
        missing = position.wait_amount - position.wait_have
        return f"{label} will never get the {_pages(missing)} {name} still waits for: {done} in all and has finished."
    if not partners:
        return (
            f"{label} is full and nobody on this core pops it: {_pages(use.pushed)} pushed, "
            f"{use.popped} popped, {use.num_pages} in the buffer."
        )
    done = ", ".join(f"{run.kernel_label(t.kernel)} popped {_pages(t.pages_popped)}" for t in partners)
    return (
        f"{label} stays full for {name}: {done} in all and has finished, "
        f"{_pages(use.left_over)} of {use.num_pages} are left in it."
    )


def _cycle_cause(run: Run, positions: list[KernelPosition], cycle: list[int]) -> str:
    waiting = {p.kernel: p for p in positions if p.state in _STUCK}
    if len(cycle) == 1:
        position = waiting[cycle[0]]
        label = run.cb_label(position.wait_cb)
        name = run.kernel_label(position.kernel)
        if position.wait_kind is WaitKind.CB_RESERVE_BACK:
            use = next(u for u in run.circular_buffers if u.core == position.core and u.index == position.wait_cb)
            if use.popped == 0:
                return (
                    f"{label} is full and was never popped: {name} pushed {_pages(use.pushed)} and waits for room, "
                    "but it is also the kernel that reads them and must pop them first."
                )
            return (
                f"{name} waits for itself: it is the one that pops {label}, which holds {_pages(use.left_over)} of "
                f"{use.num_pages} pushed earlier and not popped."
            )
        return f"{name} waits for itself: it is the one that pushes {label}."
    steps = []
    for kernel in cycle:
        position = waiting[kernel]
        verb = "pages in" if position.wait_kind is WaitKind.CB_WAIT_FRONT else "room in"
        steps.append(f"{run.kernel_label(kernel)} waits for {verb} {run.cb_label(position.wait_cb)}")
    return "they wait for each other: " + ", ".join(steps) + "."


def _semaphore(position: KernelPosition) -> str:
    return "a word in L1" if position.wait_semaphore is None else f"semaphore {position.wait_semaphore}"


def _semaphore_cause(run: Run, position: KernelPosition) -> str:
    name, semaphore = run.kernel_label(position.kernel), _semaphore(position)
    if position.wait_semaphore is not None and not position.semaphore_exists:
        x, y = position.core
        return f"{semaphore} is not configured on core ({x},{y}): the program gives it to other cores, or to none."
    if position.wait_kind is WaitKind.SEMAPHORE_EQUAL and position.wait_have > position.wait_amount:
        return (
            f"{name} waits until {semaphore} is exactly {position.wait_amount}, but it already holds "
            f"{position.wait_have}: it was raised past the value."
        )
    return (
        f"{name} waits on {semaphore}, which holds {position.wait_have} and which nobody raises to "
        f"{position.wait_amount} any more."
    )
