# SPDX-License-Identifier: Apache-2.0
"""The root of a deadlock: follows waiting kernels to the one that can be named as the cause.

Every kernel that waits points at the kernels that could end its wait. Following these pointers ends at a kernel that
has finished or never existed, at a semaphore, or in a circle. Of a compute kernel each thread waits by itself: pages
are pushed by its pack thread and popped by its unpack thread, and the three wait for each other. The root's rule is an
id of the checker's catalogue.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Sequence

from tilewright._diagnose.core_names import name_cores
from tilewright._record.run import CbTraffic, CbUse, ComputeThread, KernelPosition, KernelState, Run, WaitKind

STUCK = (KernelState.BLOCKED, KernelState.POLLING)
_CB_WAITS = (WaitKind.CB_WAIT_FRONT, WaitKind.CB_RESERVE_BACK)
# Which thread of its own kernel a thread waits for, and what it waits for.
THREAD_WAITS = {
    WaitKind.DST_FREE: (ComputeThread.PACK, "to give a half of DST back"),
    WaitKind.DST_READY: (ComputeThread.MATHS, "to finish results in DST"),
    WaitKind.SOURCE_READY: (ComputeThread.UNPACK, "to unpack operands"),
    WaitKind.SOURCE_FREE: (ComputeThread.MATHS, "to take operands out of the source registers"),
}
# Of several roots on one core the first of these says most: the others usually follow from it.
_CLEAREST_FIRST = (
    "hang-missing-producer",
    "hang-finished-producer",
    "hang-full-buffer",
    "hang-self",
    "semaphore-overshoot",
    "hang-semaphore",
    "hang-circle",
)

Core = tuple[int, int]


@dataclasses.dataclass(frozen=True)
class Hang:
    """The root of a deadlock on one or more cores that are stuck alike.

    Attributes:
        rule: id of the checker's rule.
        waiting: the wait at the root, on the first of the cores.
        reason: one sentence with the numbers.
    """

    rule: str
    waiting: KernelPosition
    reason: str


@dataclasses.dataclass(frozen=True)
class StuckCores:
    """Cores whose kernels stand at the same places."""

    cores: tuple[Core, ...]
    positions: tuple[KernelPosition, ...]  # of the first core
    hang: Hang


def stuck_cores(run: Run) -> list[StuckCores]:
    """The stuck cores of a deadlock, grouped, each group with its root."""
    by_core: dict[Core, list[KernelPosition]] = defaultdict(list)
    for position in run.positions:
        by_core[position.core].append(position)
    groups: dict[tuple[object, ...], list[Core]] = defaultdict(list)
    for core, positions in by_core.items():
        if any(position.state in STUCK for position in positions):
            groups[tuple(_signature(position) for position in positions)].append(core)
    return [
        StuckCores(tuple(cores), tuple(by_core[cores[0]]), _root(run, by_core[cores[0]])) for cores in groups.values()
    ]


def could_end(run: Run, positions: Sequence[KernelPosition]) -> list[tuple[KernelPosition, list[int]]]:
    """Each stuck kernel of one core, with the kernels of that core that could end its wait."""
    stuck = [position for position in positions if position.state in STUCK]
    search = _RootSearch(run, stuck)
    return [(position, search.partners(position) if position.wait_kind in _CB_WAITS else []) for position in stuck]


def _signature(position: KernelPosition) -> tuple[object, ...]:
    return (position.kernel, position.thread, position.state, position.wait_kind, position.wait_cb, position.stack[:6])


def _root(run: Run, positions: Sequence[KernelPosition]) -> Hang:
    stuck = [position for position in positions if position.state in STUCK]
    # Others usually wait for the compute kernel, so what it waits for goes first among equals.
    # Of its threads the packer's: what has no room is the cause of what does not come.
    stuck.sort(
        key=lambda each: (not run.kernels[each.kernel].is_compute, each.wait_kind is not WaitKind.CB_RESERVE_BACK)
    )
    roots = [_RootSearch(run, stuck).from_(position) for position in stuck]
    return min(roots, key=lambda hang: _CLEAREST_FIRST.index(hang.rule))


class _RootSearch:
    """The way from one waiting kernel of a core to a root."""

    def __init__(self, run: Run, stuck: Sequence[KernelPosition]) -> None:
        self._run = run
        self._stuck = {(position.kernel, position.thread): position for position in stuck}

    def from_(self, position: KernelPosition) -> Hang:
        path: list[KernelPosition] = []
        hang = self._follow(position, path)
        unknown = {each.kernel: self._run.kernel_label(each.kernel) for each in path if not each.is_followed}
        if not unknown or len(path) == 1:
            return hang
        caveat = f"What {' and '.join(unknown.values())} would do later was not followed to its end."
        return dataclasses.replace(hang, reason=f"{hang.reason} {caveat}")

    def _follow(self, position: KernelPosition, path: list[KernelPosition]) -> Hang:
        while True:
            if position in path:
                return self._circle(path[path.index(position) :])
            path.append(position)
            if position.wait_kind in THREAD_WAITS:
                thread, _ = THREAD_WAITS[position.wait_kind]
                if (position.kernel, thread) not in self._stuck:
                    return self._finished_thread(position)
                position = self._stuck[position.kernel, thread]
                continue
            if position.wait_kind is WaitKind.THREAD_SEMAPHORE:
                return self._thread_semaphore(position)
            if position.wait_kind not in _CB_WAITS:
                return _semaphore_hang(self._run, position)
            partners = self.partners(position)
            alive = [self._side(kernel, position) for kernel in partners if self._may_end(kernel, position)]
            if not alive:
                return self._no_partner(position, partners)
            position = next((each for each in alive if each.kernel != position.kernel), alive[0])

    def _side(self, kernel: int, position: KernelPosition) -> KernelPosition:
        """The thread of a stuck kernel that would end a wait for pages, or for room."""
        pushes = position.wait_kind is WaitKind.CB_WAIT_FRONT
        wanted = ComputeThread.PACK if pushes else ComputeThread.UNPACK
        threads = [each for (of, _), each in self._stuck.items() if of == kernel]
        return next((each for each in threads if each.thread is wanted), threads[0])

    def _stuck_kernels(self) -> dict[int, KernelPosition]:
        """Any position of each kernel: what it would still push and pop is the same in all."""
        return {kernel: position for (kernel, _), position in self._stuck.items()}

    def partners(self, position: KernelPosition) -> list[int]:
        """Kernels of this core that could end the wait: those that push, or pop, the buffer, or would do so later."""
        cb = position.wait_cb
        stuck = self._stuck_kernels()

        def knows(kernel: int) -> bool:  # what it might do after its own wait is nothing to go by
            return kernel != position.kernel or position.is_followed

        if position.wait_kind is WaitKind.CB_WAIT_FRONT:
            known = [t.kernel for t in self._traffic(position) if t.push_calls or t.reserve_calls]
            later = [kernel for kernel, each in stuck.items() if cb in each.would_push and knows(kernel)]
        else:
            known = [t.kernel for t in self._traffic(position) if t.pop_calls or t.wait_calls]
            later = [kernel for kernel, each in stuck.items() if cb in each.would_pop and knows(kernel)]
        return list(dict.fromkeys(known + later))

    def _may_end(self, kernel: int, position: KernelPosition) -> bool:
        """Whether a kernel that is stuck itself could end the wait. A producer that would push no more could not."""
        stuck = self._stuck_kernels()
        if kernel not in stuck:
            return False
        is_for_pages = position.wait_kind is WaitKind.CB_WAIT_FRONT and kernel != position.kernel
        return not is_for_pages or position.wait_cb in stuck[kernel].would_push

    def _finished_thread(self, position: KernelPosition) -> Hang:
        thread, what = THREAD_WAITS[position.wait_kind]
        name = self._run.position_label(position)
        reason = f"{name} waits for its {thread.name.lower()} thread {what}, but that thread has finished."
        return Hang("hang-self", position, reason)

    def _thread_semaphore(self, position: KernelPosition) -> Hang:
        name = self._run.position_label(position)
        reason = (
            f"{name} waits on semaphore {position.wait_cb} between the threads, which none of them changes any more."
        )
        return Hang("hang-self", position, reason)

    def _traffic(self, position: KernelPosition) -> list[CbTraffic]:
        return [t for t in self._run.traffic if t.core == position.core and t.cb == position.wait_cb]

    def _use(self, position: KernelPosition) -> CbUse:
        uses = self._run.circular_buffers
        return next(use for use in uses if use.core == position.core and use.index == position.wait_cb)

    def _no_partner(self, position: KernelPosition, partners: list[int]) -> Hang:
        """No kernel that could end this wait is still running."""
        run, label, name = self._run, self._run.cb_label(position.wait_cb), self._run.kernel_label(position.kernel)
        use = self._use(position)
        own = next((t for t in self._traffic(position) if t.kernel == position.kernel), None)
        moved = [t for t in self._traffic(position) if t.kernel in partners]
        if position.wait_kind is WaitKind.CB_WAIT_FRONT:
            if not partners:
                wanted = pages(position.wait_amount)
                reason = f"{label} has no producer: {name} waits for {wanted}, no kernel on this core pushes any."
                return Hang("hang-missing-producer", position, reason)
            done = ", ".join(f"{run.kernel_label(t.kernel)} pushed {pages(t.pages_pushed)}" for t in moved)
            missing, needed = position.wait_amount - position.wait_have, use.popped + position.wait_amount
            nth = f" by its wait number {own.wait_calls}" if own is not None else ""
            ended = "pushes no more" if any(kernel in self._stuck_kernels() for kernel in partners) else "has finished"
            reason = (
                f"{label} will never get the {pages(missing)} {name} still waits for: {done} in all and {ended}, "
                f"{name} needs {needed}{nth}."
            )
            return Hang("hang-finished-producer", position, reason)
        if use.left_over < 0:
            return self._lost_count(position)
        if not partners:
            reason = (
                f"{label} is full and no kernel on this core pops it: {pages(use.pushed)} pushed, "
                f"{use.popped} popped, {use.num_pages} in the buffer."
            )
            return Hang("hang-full-buffer", position, reason)
        done = ", ".join(f"{run.kernel_label(t.kernel)} popped {pages(t.pages_popped)}" for t in moved)
        nth = f" at its reserve number {own.reserve_calls}" if own is not None else ""
        reason = (
            f"{label} stays full for {name}{nth}: {done} in all and has finished, "
            f"{pages(use.left_over)} of {use.num_pages} are left in it."
        )
        return Hang("hang-full-buffer", position, reason)

    def _circle(self, circle: list[KernelPosition]) -> Hang:
        run = self._run
        if all(position.kernel == circle[0].kernel for position in circle):
            return self._own_circle(circle)
        steps = []
        for position in circle:
            if position.wait_kind in _CB_WAITS:
                verb = "pages in" if position.wait_kind is WaitKind.CB_WAIT_FRONT else "room in"
                steps.append(f"{run.kernel_label(position.kernel)} waits for {verb} {run.cb_label(position.wait_cb)}")
        each_other = "they wait for each other: " + ", ".join(steps) + "."
        full = next((position for position in circle if position.wait_kind is WaitKind.CB_RESERVE_BACK), None)
        if full is None:
            return Hang("hang-circle", next(each for each in circle if each.wait_kind in _CB_WAITS), each_other)
        use, label = self._use(full), run.cb_label(full.wait_cb)
        if use.left_over < 0:
            return self._lost_count(full)
        reason = (
            f"{label} is full ({use.left_over} of {use.num_pages} pages, {use.popped} popped so far) and no kernel can "
            f"drain it: {each_other}"
        )
        return Hang("hang-full-buffer", full, reason)

    def _lost_count(self, position: KernelPosition) -> Hang:
        """More pages were popped than pushed: to a producer the buffer looks full from then on."""
        use, label = self._use(position), self._run.cb_label(position.wait_cb)
        who = " and ".join(self._run.kernel_label(t.kernel) for t in self._traffic(position) if t.pages_popped)
        reason = (
            f"{label} has lost count: {who} popped {pages(use.popped)} when {use.pushed} had been pushed, so there is "
            f"never room again for {self._run.kernel_label(position.kernel)}. Wait for pages before popping them."
        )
        return Hang("hang-full-buffer", position, reason)

    def _own_circle(self, circle: list[KernelPosition]) -> Hang:
        """The threads of one kernel wait for each other."""
        at_buffers = [position for position in circle if position.wait_kind in _CB_WAITS]
        if not at_buffers:
            steps = [self._thread_step(position) for position in circle]
            return Hang("hang-self", circle[0], f"its threads wait for each other: {', '.join(steps)}.")
        hang = self._self_wait(at_buffers[0])
        threads = [self._thread_step(position) for position in circle if position.wait_kind in THREAD_WAITS]
        if hang.waiting.wait_kind is WaitKind.CB_WAIT_FRONT or not threads:
            return hang
        # A card's threads run apart, so the reader wants to know why that does not help.
        return dataclasses.replace(hang, reason=f"{hang.reason} Before it comes to that pop, {' and '.join(threads)}.")

    def _thread_step(self, position: KernelPosition) -> str:
        thread, what = THREAD_WAITS[position.wait_kind]
        return f"its {position.thread.name.lower()} thread waits for the {thread.name.lower()} thread {what}"

    def _self_wait(self, position: KernelPosition) -> Hang:
        label, name = self._run.cb_label(position.wait_cb), self._run.kernel_label(position.kernel)
        use = self._use(position)
        if position.wait_kind is WaitKind.CB_WAIT_FRONT:
            wanted = f"{pages(position.wait_amount)} of {label}"
            if use.pushed == 0:
                past = "pushes the first only later"
            elif use.popped == 0:
                past = f"has pushed {use.pushed} and pushes more only later"
            else:
                past = f"has pushed {use.pushed} and popped {use.popped} of them already, before this wait needed them"
            reason = f"{name} waits for {wanted}, which no other kernel pushes: it {past}."
        elif use.popped == 0:
            reason = (
                f"{label} is full and was never popped: {name} pushed {pages(use.pushed)} and waits for room, "
                "but it is also the kernel that reads them and must pop them first."
            )
        else:
            reason = (
                f"{name} waits for itself: it is the one that pops {label}, which holds {pages(use.left_over)} of "
                f"{use.num_pages} pushed earlier and not popped."
            )
        return Hang("hang-self", position, reason)


def pages(count: int) -> str:
    """A number of pages in words.

    >>> pages(1), pages(2)
    ('1 page', '2 pages')
    """
    return f"{count} page" if count == 1 else f"{count} pages"


def semaphore_label(position: KernelPosition) -> str:
    return "a word in L1" if position.wait_semaphore is None else f"semaphore {position.wait_semaphore}"


def _semaphore_hang(run: Run, position: KernelPosition) -> Hang:
    name, semaphore = run.kernel_label(position.kernel), semaphore_label(position)
    if position.wait_semaphore is not None and not position.semaphore_exists:
        x, y = position.core
        reason = f"{semaphore} is not configured on core ({x},{y}): the program gives it to other cores, or to none."
        return Hang("hang-semaphore", position, reason)
    if position.wait_kind is WaitKind.SEMAPHORE_EQUAL and position.wait_have > position.wait_amount:
        reason = (
            f"{name} waits until {semaphore} is exactly {position.wait_amount}, but it already holds "
            f"{position.wait_have}: it was raised past the value."
        )
        return Hang("semaphore-overshoot", position, reason)
    reason = (
        f"{name} waits on {semaphore}, which holds {position.wait_have} and which no kernel raises to "
        f"{position.wait_amount} any more: {_raisers(run, position)}."
    )
    return Hang("hang-semaphore", position, reason)


def _raisers(run: Run, position: KernelPosition) -> str:
    """Kernels that have raised the semaphore a kernel waits for, and those that have not but do on other cores."""
    here = [each for each in run.raises if (each.on, each.word) == (position.core, position.wait_word)]
    raised: dict[tuple[int, int, str], list[Core]] = defaultdict(list)
    for each in here:
        if each.count:
            over = (
                "" if each.link is None else f" with packets that left chip {each.link[0]} over channel {each.link[1]}"
            )
            raised[each.kernel, each.count, over].append(each.core)
    parts = [
        f"{run.kernel_label(kernel)} on {name_cores(cores)} raised it {_times(count, len(cores))}{over}"
        for (kernel, count, over), cores in raised.items()
    ]
    have = {(each.kernel, each.core) for each in here if each.count}
    kernels = {each.kernel for each in here}
    waiting: dict[tuple[int, str], list[Core]] = defaultdict(list)
    for other in run.positions:
        if other.kernel in kernels and (other.kernel, other.core) not in have and other.core != position.core:
            waiting[other.kernel, _what_of(other)].append(other.core)
    parts += [
        f"{run.kernel_label(kernel)} on {name_cores(cores)} has not ({what})"
        for (kernel, what), cores in waiting.items()
    ]
    return "; ".join(parts) if parts else "no kernel has raised it over the NoC"


def _what_of(position: KernelPosition) -> str:
    if position.state is KernelState.FINISHED:
        return "it has finished"
    if position.wait_kind in _CB_WAITS:
        return f"it waits for c_{position.wait_cb}"
    return f"it waits for {semaphore_label(position)}" if position.state in STUCK else "it runs"


def _times(count: int, cores: int) -> str:
    return ("once" if count == 1 else f"{count} times") + (" each" if cores > 1 else "")
