# SPDX-License-Identifier: Apache-2.0
"""The observer that checks every launch: of a script, a test, an operation's call."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

from tilewright._diagnose.deadlock import pages
from tilewright._errors import TilewrightError
from tilewright._launch.observer import Launch, Memory, Observer
from tilewright._record.run import Run
from tilewright.check._check_program import CheckResult, check_launch
from tilewright.check._finding import Core, Finding
from tilewright.check._l1_footprint import L1Footprint, make_footprint
from tilewright.check._reuse import structure
from tilewright.check._silence import SilencedFinding
from tilewright.check._smallest_depths import smallest_depths
from tilewright.check._sync_table import SyncTable, make_sync_table


@dataclasses.dataclass(frozen=True)
class CheckedLaunch:
    """Result of the check of a launch.

    Attributes:
        error: type and message of what the launch ended with; None where it ended well.
        was_run: False where it never began, such as one with a kernel that does not compile.
        program: the same text for the same program, whatever its arguments.
        sync, footprint: of the first launch of each program, where they are wanted.
    """

    findings: list[Finding]
    notes: list[Finding]
    silenced: list[SilencedFinding]
    error: tuple[str, str] | None
    was_run: bool
    program: str
    sync: SyncTable | None = None
    footprint: L1Footprint | None = None

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    @staticmethod
    def of(result: CheckResult, sync: SyncTable | None = None, footprint: L1Footprint | None = None) -> CheckedLaunch:
        error = None if result.error is None else (type(result.error).__name__, str(result.error))
        program = repr(structure(result.program))
        return CheckedLaunch(result.findings, result.notes, result.silenced, error, True, program, sync, footprint)


class CheckObserver(Observer[CheckedLaunch]):
    """Checks launches. One with findings goes on; one that cannot end raises what it raises without the checker.

    Args:
        seeds: randomised schedules of each launch, as ``check_program`` has them.
        sync: make the sync table of each program.
        footprint: make the L1 footprint of each program, with the smallest depths that still work.
        fast: only the rules about calls.

    Attributes:
        formulas: pages by index of the circular buffer, for the footprint, where an operation says them.
        steps: tile-rows of each core, for the sync table, where an operation says them.
        progress: gets a line about what is being done.
    """

    sees_unwritten_memory = True

    def __init__(
        self, seeds: int | None = None, sync: bool = False, footprint: bool = False, fast: bool = False
    ) -> None:
        super().__init__()
        self._seeds = seeds
        self._sync = sync
        self._footprint = footprint
        self._fast = fast
        self.sees_unset_arguments = not fast  # a fast check does not see the loads of arguments
        self._seen: set[str] = set()
        self._launches = 0
        self.formulas: Mapping[int, str] = {}
        self.steps: dict[Core, int] | None = None
        self.progress: Callable[[str], None] = lambda words: None

    def observe(self, launch: Launch) -> Run:
        launch.options = dataclasses.replace(launch.options, fast=self._fast)
        before = launch.save() if self._footprint or self._seeds != 0 else None
        try:
            result = check_launch(launch, self._seeds, before=before)
        except TilewrightError as error:
            self.take(CheckedLaunch([], [], [], (type(error).__name__, str(error)), False, ""))
            raise
        self._launches += 1
        self.progress(f"launch {self._launches} checked, findings: {len(result.findings)}")
        self.take(self._with_tables(result, before))
        if result.error is not None:
            raise result.error
        assert result.run is not None
        return result.run

    def _with_tables(self, result: CheckResult, before: Memory | None) -> CheckedLaunch:
        """Tables are made while the device is open, once for each program."""
        plain = CheckedLaunch.of(result)
        if plain.program in self._seen:
            return plain
        self._seen.add(plain.program)
        sync = make_sync_table(result.run, self.steps) if self._sync and result.run is not None else None
        return dataclasses.replace(
            plain, sync=sync, footprint=self._footprint_of(result, before) if self._footprint else None
        )

    def _footprint_of(self, result: CheckResult, before: Memory | None) -> L1Footprint:
        smallest = None
        if result.error is None:
            smallest = smallest_depths(
                result.launch,
                before,
                progress=lambda cb, depth: self.progress(f"smallest depths: {cb} with {pages(depth)}"),
            )
        return make_footprint(result.launch, result.run, self.formulas, smallest)
