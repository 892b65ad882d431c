# SPDX-License-Identifier: Apache-2.0
"""The error a run ended with, in words."""

from __future__ import annotations

import signal
from typing import NoReturn

from tilewright._diagnose.diagnosis import call_site, deadlock_message, describe_position
from tilewright._errors import DeadlockError, KernelError, KernelFaultError, RunError, SpinningError, TimeLimitError
from tilewright._record.ending import Ending
from tilewright._record.run import KernelPosition, KernelState, Run, RunStatus

_NULL_PAGE = 0x1000
_WINDOW_BEGIN = 0x10000  # lowest L1 offset the engine can show as a plain address
_SLOT_BYTES = 2 << 20  # address space of one core's L1


def raise_error(run: Run, ending: Ending, time_limit: float | None, l1_bytes: int) -> NoReturn:
    """Raises the error of a run that did not end well."""
    culprit = next((position for position in run.positions if position.is_error), None)
    text = ending.text
    if run.status is RunStatus.DEADLOCK:
        raise DeadlockError(deadlock_message(run), run)
    if run.status is RunStatus.INTERRUPTED:
        raise KeyboardInterrupt
    if run.status is RunStatus.TIME_LIMIT:
        where = "\n".join(_unfinished(run))
        raise TimeLimitError(f"the run took longer than its time limit of {time_limit:g} s\n{where}", run)
    if culprit is None:
        raise RunError(text or run.status.name, run)
    where = _where(run, culprit, ending)
    if run.status is RunStatus.KERNEL_ERROR:
        raise KernelError(f"{where}: {text}", run, reason=text, rule=ending.rule)
    if run.status is RunStatus.SPINNING:
        reason = f"moves nothing any more: {text}" if text else _spinning_reason(culprit)
        lines = "\n".join(_unfinished(run))
        raise SpinningError(f"{where}: {reason}\n{lines}", run, reason=reason, rule="hang-spinning")
    reason = fault_text(ending, l1_bytes)
    raise KernelFaultError(f"{where}: {reason}", run, reason=reason)


def _spinning_reason(culprit: KernelPosition) -> str:
    return "loops without end: it polls memory that no kernel changes any more, or its loop has no end"


def fault_text(ending: Ending, l1_bytes: int) -> str:
    """A fault in words; addresses are named by the core's memory where possible."""
    if ending.text:
        return ending.text
    name = signal_name(ending.fault_signal)
    if ending.fault_signal == signal.SIGABRT:
        return "called abort(), threw a C++ exception that nothing catches, or damaged the heap"
    if ending.fault_signal not in (signal.SIGSEGV, signal.SIGBUS):
        return f"stopped by {name}"
    address, offset = ending.fault_address, ending.fault_address - ending.l1_base
    if address < _NULL_PAGE:
        return f"touched memory at {address:#x}, a null pointer ({name})"
    if address < _WINDOW_BEGIN:
        return (
            f"touched memory at {address:#x}: L1 below {_WINDOW_BEGIN:#x} is the firmware's and cannot be reached "
            f"by its plain offset ({name})"
        )
    if l1_bytes <= offset < _SLOT_BYTES:
        return f"touched memory at {address:#x}, {offset - l1_bytes} bytes past the end of this core's L1 ({name})"
    return f"touched memory at {address:#x}, which is not in this core's L1 ({name})"


def signal_name(number: int) -> str:
    """``SIGSEGV`` for 11, ``signal 99`` for a number without a name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _where(run: Run, position: KernelPosition, ending: Ending) -> str:
    kernel = run.kernels[position.kernel]
    if ending.loading:
        return f"kernel {kernel.name}, while its library was loaded"
    x, y = position.core
    return f"kernel {run.position_label(position)} on core ({x},{y}) at {call_site(position.stack, kernel.path)}"


def _unfinished(run: Run) -> list[str]:
    waiting = [position for position in run.positions if position.state is not KernelState.FINISHED]
    lines = [
        f"  {run.position_label(position)} on core ({position.core[0]},{position.core[1]})  "
        f"{describe_position(run, position)}"
        for position in waiting[:8]
    ]
    return [*lines, f"  ... and {len(waiting) - 8} more"] if len(waiting) > 8 else lines
