# SPDX-License-Identifier: Apache-2.0
"""Running a program under every rule of the checker."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence

from tilewright._display.notebook import card, paragraph
from tilewright._errors import RunError, TilewrightError
from tilewright._launch.observer import Launch, Memory
from tilewright._launch.operation_name import is_call_of
from tilewright._launch.run_options import RunOptions
from tilewright._launch.tensor_launch import TensorLaunch
from tilewright._program.errors import ProgramError
from tilewright._program.program import ProgramDescriptor
from tilewright._record.run import Run
from tilewright._rules import Severity
from tilewright._tensor.argument import require, whole_number
from tilewright._tensor.tensor import Tensor, tensor_list
from tilewright.check._collect import findings_of_program_error, findings_of_run
from tilewright.check._consequences import under_their_causes
from tilewright.check._finding import Finding, merge_findings
from tilewright.check._guarded_calls import guarded_calls
from tilewright.check._l1_footprint import L1Footprint, make_footprint
from tilewright.check._orders import orders_to_try
from tilewright.check._over_tensors import with_tensor_hint
from tilewright.check._reuse import reuse_findings
from tilewright.check._silence import SilencedFinding, separate_silenced
from tilewright.check._smallest_depths import smallest_depths
from tilewright.check._sync_table import SyncTable, make_sync_table
from tilewright.check._tensor_formats import formats_over_tensors
from tilewright.check._unwritten_output import unwritten_output

_MOST_SEEDS = 100_000
_REINTERPRETS = "ttnn.bitcast"  # it takes the bits of a tensor for another format
_USUAL = RunOptions(spin_limit=2.0)


_MOST_SHOWN = 10  # findings in a notebook


@dataclasses.dataclass(frozen=True)
class CheckResult:
    """Result of a checked run.

    Attributes:
        launch: what was launched.
        findings: errors and warnings, worst first.
        notes: findings a person should look at; they fail nothing.
        silenced: findings that a comment in a kernel allows.
        run: the record of the run; None where the program never ran.
        error: what the run ended with, where it ended early.
    """

    launch: Launch
    findings: list[Finding]
    notes: list[Finding]
    silenced: list[SilencedFinding]
    run: Run | None
    error: RunError | ProgramError | None

    @property
    def program(self) -> ProgramDescriptor:
        """The program that was checked."""
        return self.launch.program

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    @property
    def sync_table(self) -> SyncTable:
        """The sync table, as far as the run got; empty where the program never ran."""
        return SyncTable(()) if self.run is None else make_sync_table(self.run)

    def l1_footprint(self, formulas: Mapping[int, str] | None = None, *, search: bool = False) -> L1Footprint:
        """L1 footprint of the circular buffers.

        Args:
            formulas: pages by buffer index, where an operation gives them.
            search: run the program again and again for the smallest depths that still end with the same result.
        """
        smallest = smallest_depths(self.launch) if search else None
        return make_footprint(self.launch, self.run, formulas, smallest)

    def _repr_html_(self) -> str:
        count, noted = len(self.findings), len(self.notes)
        title = f"Checked: {count or 'no'} finding{'s' if count != 1 else ''}, {noted or 'no'} notes"
        shown = [each._repr_html_() for each in (*self.findings, *self.notes)[:_MOST_SHOWN]]
        more = count + noted - len(shown)
        return card(title, *shown, paragraph(f"... and {more} more") if more else "")


class CheckError(TilewrightError):
    """A launch with ``check=True`` found something; ``result`` has the findings."""

    def __init__(self, result: CheckResult) -> None:
        count = len(result.findings)
        head = f"the checker has {count} finding{'s' if count != 1 else ''}:"
        super().__init__("\n".join([head, *(finding.text(width=120) for finding in result.findings)]))
        self.result = result


def check_program(
    io_tensors: Sequence[Tensor],
    program: ProgramDescriptor,
    options: RunOptions = _USUAL,
    *,
    seeds: int | None = None,
    fresh_program: ProgramDescriptor | None = None,
) -> CheckResult:
    """Run a program under strict rules and find everything that is wrong with it.

    The runs are real ones: the output tensor holds the result afterwards, where there is one.

    Args:
        io_tensors: inputs and, last, the output, all on one device.
        program: what to run.
        options: limits of each run; every run is a checked one, in one thread.
        seeds: further orders of events to try, each on the same contents of the tensors. Default: two for each kernel
            and two more, 16 at most, where the order can matter (semaphores, or a buffer with two producers or
            consumers), else none.
        fresh_program: where ``program`` comes from a cache, what a build from scratch gives for the same call.

    Example::

        result = tilewright.check_program([x, y], program)
        for finding in result.findings:
            print(finding.text())
    """
    io_tensors = tensor_list("io_tensors", io_tensors)
    require("program", program, ProgramDescriptor, "a ttnn.ProgramDescriptor")
    require("options", options, RunOptions, "a tilewright.RunOptions")
    if seeds is not None:
        seeds = whole_number("seeds", seeds, most=_MOST_SEEDS)
    if fresh_program is not None:
        require("fresh_program", fresh_program, ProgramDescriptor, "a ttnn.ProgramDescriptor")
    return check_launch(TensorLaunch(io_tensors, program, options), seeds, fresh_program=fresh_program)


def check_launch(
    launch: Launch,
    seeds: int | None = None,
    *,
    before: Memory | None = None,
    fresh_program: ProgramDescriptor | None = None,
) -> CheckResult:
    """Run a launch under every rule of the checker.

    Args:
        seeds: as ``check_program`` has them.
        before: the memory as it is now, where the caller has copied it already.
        fresh_program: as ``check_program`` has it.
    """
    if before is None and seeds != 0:
        before = launch.save()
    before_run = list(formats_over_tensors(launch))
    run, error, found = checked_run(launch.run, launch.options, 0)
    found += before_run
    if error is None and run is not None:
        orders = seeds if seeds is not None else orders_to_try(launch.program, run)
        if orders:
            found = _in_other_orders(launch, before, orders, found)
    if error is None:
        found += unwritten_output(launch)
    found = [with_tensor_hint(each, launch.program) for each in found]
    found += guarded_calls(launch.program)
    found += reuse_findings(launch, fresh_program)
    if is_call_of(_REINTERPRETS, launch.operation):
        found = [each for each in found if each.rule != "tensor-format"]
    if launch.chip.num_dies > 1:
        found = [each.with_chips(launch.chip.die_grid[1]) for each in found]
    if launch.operation:
        found = [dataclasses.replace(each, operation=launch.operation) for each in found]
    standing, silenced = separate_silenced(merge_findings(found))
    standing = under_their_causes(standing)
    return CheckResult(
        launch,
        [finding for finding in standing if finding.severity is not Severity.NOTE],
        [finding for finding in standing if finding.severity is Severity.NOTE],
        silenced,
        run,
        error,
    )


def _in_other_orders(launch: Launch, before: Memory, orders: int, found: list[Finding]) -> list[Finding]:
    """Findings of the first run and of randomised schedules, up to the first that does not end well."""
    result = launch.save()
    try:
        for seed in range(1, orders + 1):
            _, failed, more = checked_run(functools.partial(launch.run_again, before), launch.options, seed)
            found = merge_findings([*merge_findings(found), *merge_findings(more)], count=max)
            if failed is not None:
                break
    finally:
        launch.restore(result)
    return found


def require_clean(io_tensors: Sequence[Tensor], program: ProgramDescriptor) -> CheckResult:
    """A launch that ends with CheckError when there is any finding.

    Example::

        ttnn.generic_op([x, y], program, check=True)
    """
    result = check_program(io_tensors, program)
    if result.findings:
        raise CheckError(result) from result.error
    return result


def checked_run(
    run_with: Callable[[RunOptions], Run], options: RunOptions, seed: int
) -> tuple[Run | None, RunError | ProgramError | None, list[Finding]]:
    """One checked run: its record, what it ended with, and what it shows."""
    try:
        run = run_with(dataclasses.replace(options, checked=True, seed=seed))
    except ProgramError as refused:
        return None, refused, list(findings_of_program_error(refused))
    except RunError as failed:
        if not isinstance(failed.run, Run):
            raise
        return failed.run, failed, list(findings_of_run(failed.run, failed, seed))
    return run, None, list(findings_of_run(run, None, seed))
