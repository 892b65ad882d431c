# SPDX-License-Identifier: Apache-2.0
"""In the host's process: the device profiler of ttnn, which the simulated card does not have.

ttnn's functions return nothing, or no program, if its profiler is off. A performance script would take that for a
result, so each of them warns and names the command that computes times.
"""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable
from typing import Any

_READS = (
    ("device", "ReadDeviceProfiler"),
    ("profiler", "get_latest_programs_perf_data"),
    ("profiler", "get_all_programs_perf_data"),
)


def watch_profiler() -> None:
    """Have ttnn's functions that read the profiler warn; releases differ in which they have."""
    for module, name in _READS:
        place = getattr(sys.modules["ttnn"]._ttnn, module, None)
        if hasattr(place, name):
            setattr(place, name, _warning(name, getattr(place, name)))


def _warning(name: str, read: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(read)
    def warned(*arguments: Any, **named: Any) -> Any:
        warnings.warn(
            f"ttnn.{name}: the simulated card has no profiler: no times are read, and no file of the "
            "profiler is written. `tilewright time SCRIPT --csv FILE` writes modelled times in the layout of the "
            "profiler's report of operations",
            RuntimeWarning,
            stacklevel=3,  # the caller of ttnn's Python function
        )
        return read(*arguments, **named)

    return warned
