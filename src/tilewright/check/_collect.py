# SPDX-License-Identifier: Apache-2.0
"""From what a checked run left (its notes, and the error it ended with) to findings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tilewright._build.source_lines import SourceLine
from tilewright._diagnose.deadlock import StuckCores, stuck_cores
from tilewright._diagnose.diagnosis import position_lines, user_lines
from tilewright._errors import KernelFaultError, RunError, TimeLimitError
from tilewright._program.errors import Problem, ProgramError
from tilewright._record.run import KernelPosition, KernelState, Run, RunNote, RunStatus, SemaphoreRaise, WaitKind
from tilewright._rules import RULES
from tilewright.check._finding import Finding, Place

_CB_WAITS = (WaitKind.CB_WAIT_FRONT, WaitKind.CB_RESERVE_BACK)


def findings_of_run(run: Run, error: RunError | None, seed: int = 0) -> Iterator[Finding]:
    """Everything a run noted and, where it ended early, why."""
    for note in run.notes:
        yield _of_note(run, note, seed)
    if error is None:
        return
    if run.status is RunStatus.DEADLOCK:
        yield from _of_deadlock(run, seed)
        return
    culprit = next((position for position in run.positions if position.is_error), None)
    rule = error.rule or _unnamed_rule(error)
    yield _at(run, rule, culprit, error.reason or str(error).splitlines()[0], seed)


def findings_of_program_error(error: ProgramError) -> Iterator[Finding]:
    """Findings about the program before it runs."""
    for problem in error.problems:
        rule = RULES[problem.rule if isinstance(problem, Problem) else "program-invalid"]
        yield Finding(rule.id, "", "", 0, None, (), None, 0, str(problem), rule.cause, rule.cure)


def _unnamed_rule(error: RunError) -> str:
    if isinstance(error, TimeLimitError):
        return "time-limit"
    return "kernel-fault" if isinstance(error, KernelFaultError) else "kernel-refused"


def _of_note(run: Run, note: RunNote, seed: int) -> Finding:
    rule = RULES[note.rule]
    path, line, called_from = _place(run, note.kernel, note.stack)
    if note.rule == "stack-size":  # a function is too large, not the line that used its memory first
        line = next((frame.function_line for frame in note.stack if (frame.path, frame.line) == (path, line)), line)
    return Finding(
        rule.id,
        run.kernel_label(note.kernel),
        path,
        line,
        called_from,
        (note.core,),
        None if note.cb is None else run.cb_label(note.cb),
        note.address,
        _named(run, note.text) + _popped_by_helper(run, note),
        rule.cause,
        rule.cure,
        note.count,
        seed,
        _related(run, note),
    )


def _popped_by_helper(run: Run, note: RunNote) -> str:
    """The helper that popped the pages of a buffer before the kernel popped them again; empty where that is not so."""
    if note.rule != "cb-pop-unwaited" or note.related is None:
        return ""
    path, line, called_from = _place(run, note.related.kernel, note.related.stack)
    if called_from is None:
        return ""
    return f"; the helper called in line {called_from[1]} has popped its pages already ({Path(path).name}:{line})"


def _related(run: Run, note: RunNote) -> Place | None:
    if note.related is None:
        return None
    path, line, _ = _place(run, note.related.kernel, note.related.stack)
    return Place(run.kernel_label(note.related.kernel), path, line) if line else None


def _of_deadlock(run: Run, seed: int) -> Iterator[Finding]:
    """One finding for each root. A semaphore that no kernel raises follows from another root, where there is one."""
    groups = stuck_cores(run)
    others = [group for group in groups if group.hang.rule != "hang-semaphore"]
    for group in others or _semaphore_roots(run, groups):
        rule, waiting = RULES[group.hang.rule], group.hang.waiting
        path, line, called_from = _place(run, waiting.kernel, waiting.stack)
        yield Finding(
            rule.id,
            run.kernel_label(waiting.kernel),
            path,
            line,
            called_from,
            group.cores,
            run.cb_label(waiting.wait_cb) if waiting.wait_kind in _CB_WAITS else None,
            0,
            group.hang.reason,
            rule.cause,
            rule.cure,
            len(group.cores),
            seed,
            positions=tuple(position_lines(run, group)),
        )


def _semaphore_roots(run: Run, groups: list[StuckCores]) -> list[StuckCores]:
    """The waits that others follow from: for a raise that never comes, not for a kernel that is itself stuck."""
    missing = [group for group in groups if _lacks_raiser(run, group.hang.waiting)]
    final = [group for group in groups if not any(each.later for each in _raises_for(run, group.hang.waiting))]
    return missing or final or groups


def _raises_for(run: Run, waiting: KernelPosition) -> list[SemaphoreRaise]:
    return [each for each in run.raises if (each.on, each.word) == (waiting.core, waiting.wait_word)]


def _lacks_raiser(run: Run, waiting: KernelPosition) -> bool:
    """No kernel raises what it waits for, or a kernel has ended that raised it less often than on other cores."""
    raises = _raises_for(run, waiting)
    counts = {(each.kernel, each.core): each.count for each in raises}
    most = {kernel: max(count for (other, _), count in counts.items() if other == kernel) for kernel, _ in counts}
    return not raises or any(
        position.state is KernelState.FINISHED
        and position.core != waiting.core
        and counts.get((position.kernel, position.core), 0) < most.get(position.kernel, 0)
        for position in run.positions
    )


def _at(run: Run, rule_id: str, culprit: KernelPosition | None, text: str, seed: int) -> Finding:
    rule = RULES[rule_id]
    if culprit is None:
        return Finding(rule.id, "", "", 0, None, (), None, 0, text, rule.cause, rule.cure, seed=seed)
    path, line, called_from = _place(run, culprit.kernel, culprit.stack)
    return Finding(
        rule.id,
        run.kernel_label(culprit.kernel),
        path,
        line,
        called_from,
        (culprit.core,),
        _named_circular_buffer(run, text),
        0,
        _named(run, text),
        rule.cause,
        rule.cure,
        seed=seed,
    )


def _named(run: Run, text: str) -> str:
    """An engine's sentence with the names the program gave its circular buffers."""
    return re.sub(r"\bc_(\d+)\b", lambda found: run.cb_label(int(found.group(1))), text)


def _named_circular_buffer(run: Run, text: str) -> str | None:
    """The buffer an engine's sentence is about: it is named as ``c_<index>``."""
    for word in text.replace("(", " ").replace(",", " ").split():
        name = word.rstrip(":;.)")
        if name.startswith("c_") and name[2:].isdigit():
            return run.cb_label(int(name[2:]))
    return None


def _place(run: Run, kernel: int, stack: tuple[SourceLine, ...]) -> tuple[str, int, tuple[str, int] | None]:
    path = run.kernels[kernel].path
    site, own = user_lines(stack, path)
    if site is None:
        return path, 0, None
    return site.path, site.line, (own.path, own.line) if own is not None else None
