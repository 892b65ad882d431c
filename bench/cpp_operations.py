# SPDX-License-Identifier: Apache-2.0
"""The build of a C++ operation's folder: cold, and after a change of one file, in seconds of processor time."""

from __future__ import annotations

import os
import resource
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench.timing import Row

_EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "cpp_operations" / "variance_w_rm"


def _processor_seconds(work: Callable[[], object]) -> float:
    def used() -> float:
        both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(each.ru_utime + each.ru_stime for each in both)

    before = used()
    work()
    return used() - before


def measure(turns: int) -> list[Row]:
    from tilewright._cpp_ops.build import build_operation
    from tilewright._cpp_ops.host_build import host_library

    with tempfile.TemporaryDirectory() as place:
        kept, os.environ["TILEWRIGHT_CACHE"] = os.environ.get("TILEWRIGHT_CACHE"), f"{place}/cache"
        try:
            host_library()  # once for a compiler, as the engine is
            folder = Path(place) / "variance_w_rm"
            shutil.copytree(_EXAMPLE, folder)
            cold = _processor_seconds(lambda: build_operation(folder))
            factory = folder / "device" / "variance_w_rm_program_factory.cpp"
            factory.write_text(factory.read_text() + "\n// changed\n")
            changed = _processor_seconds(lambda: build_operation(folder))
        finally:
            if kept is None:
                del os.environ["TILEWRIGHT_CACHE"]
            else:
                os.environ["TILEWRIGHT_CACHE"] = kept
    return [
        Row("build of a C++ operation, cold (s of processor time)", f"{cold:.1f} s", "", cold, 10.0),
        Row("build of a C++ operation, one file changed (s of processor time)", f"{changed:.1f} s", "", changed, 3.0),
    ]
