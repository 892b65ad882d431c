# SPDX-License-Identifier: Apache-2.0
"""``tilewright doctor``: check this machine's compilers, cache and processor, and run one kernel."""

from __future__ import annotations

import argparse
import importlib.util
import os
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tilewright import __version__
from tilewright._build.cache import building, cache_directory
from tilewright._build.compiler import available_compilers, find_compiler
from tilewright._card.package import installed_ttnn
from tilewright._cli.command_parser import CommandParser
from tilewright._cli.json_output import error_object, json_text
from tilewright._cli.screen import COLUMNS, wrapped
from tilewright._errors import TilewrightError

_FEATURES = ("avx2", "fma", "avx512f", "avx512_bf16", "asimd", "sve")

_KERNEL = """
void kernel_main() {
    volatile uint32_t* word = reinterpret_cast<volatile uint32_t*>(get_semaphore(0));
    *word = get_arg_val<uint32_t>(0) + 1;
}
"""


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        "doctor",
        "Show compiler, cache and processor, then compile and run one kernel. Exit status 1 if something is missing.",
        """
        tilewright doctor
        tilewright doctor --json
        """,
    )
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    return parser


def _cpu_features() -> str:
    try:
        words = set(Path("/proc/cpuinfo").read_text().split())
    except OSError:
        return "unknown"
    return ", ".join(feature for feature in _FEATURES if feature in words) or "none of " + ", ".join(_FEATURES)


def _cache_state() -> str:
    directory = cache_directory()
    with building("doctor"):  # shows that it can be written to
        sizes = [path.stat().st_size for path in directory.rglob("*") if path.is_file()]
    return f"{directory} ({len(sizes)} files, {sum(sizes) / 1e6:.1f} MB)"


def _engine() -> str:
    from tilewright._launch.engine import engine

    begin = time.perf_counter()
    engine()
    return f"loaded in {time.perf_counter() - begin:.2f} s"


def _try_kernel() -> str:
    from tilewright._launch.chip import Chip
    from tilewright._program.kernel import KernelDescriptor
    from tilewright._program.kernel_config import DataMovementConfigDescriptor
    from tilewright._program.program import ProgramDescriptor
    from tilewright._program.semaphore import SemaphoreDescriptor
    from tilewright._tensor.arch import describe_arch
    from tilewright._tensor.cores import CoreCoord, CoreRange, CoreRangeSet

    core = CoreRangeSet([CoreRange(CoreCoord(0, 0), CoreCoord(0, 0))])
    kernel = KernelDescriptor(
        kernel_source=_KERNEL,
        source_type=KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=core,
        runtime_args=[(CoreCoord(0, 0), [41])],
        config=DataMovementConfigDescriptor(),
        name="doctor",
    )
    program = ProgramDescriptor(
        kernels=[kernel], semaphores=[SemaphoreDescriptor(id=0, core_ranges=core, initial_value=0)]
    )
    chip = Chip(describe_arch("wormhole_b0"))
    begin = time.perf_counter()
    chip.launch(program)
    seconds = time.perf_counter() - begin
    answer = int(chip.read_semaphore((0, 0), 0))
    chip.close()
    if answer != 42:
        raise TilewrightError(f"the kernel ran but gave {answer} instead of 42")
    return f"compiled and ran in {seconds:.2f} s, right result"


def _protection() -> str:
    from tilewright._launch.chip import Chip
    from tilewright._tensor.arch import describe_arch

    chip = Chip(describe_arch("wormhole_b0"), (1, 1))
    refused = chip.filter_error()
    chip.close()
    if refused:
        return (
            f"kernels run in a process of their own, but this system does not filter its calls "
            f"({os.strerror(refused)}): a kernel could reach files and the network"
        )
    return "kernels run in a process of their own, which gets no files, no network and no new processes"


def _ttnn() -> str:
    """The installed ttnn, which scripts then run with, and whether its release is one that works."""
    found = installed_ttnn()
    if found is None:
        return 'not installed: `import ttnn` gives the built-in module (pip install "tilewright[ttnn]" adds ttnn)'
    try:
        found.refuse_if_too_old()
    except TilewrightError as error:
        return str(error)
    return f"{found.version}, runs on the simulated card"


def _check(findings: dict[str, str], name: str, examine: Callable[[], str]) -> bool:
    try:
        findings[name] = examine()
    except (TilewrightError, OSError) as error:
        findings[name] = f"FAILED: {error}"
        return False
    return True


def run(arguments: list[str]) -> int:
    options = build_parser().parse_args(arguments)
    findings: dict[str, str] = {
        "tilewright": f"{__version__} on Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    }
    healthy = _check(findings, "compiler", lambda: str(find_compiler()))
    others = [str(compiler) for compiler in available_compilers()[1:]]
    findings["other compilers"] = "\n".join(others) if others else 'none (pip install "tilewright[compiler]" adds one)'
    findings["processor"] = _cpu_features()
    healthy &= _check(findings, "cache", _cache_state)
    healthy = healthy and _check(findings, "engine", _engine) and _check(findings, "kernel", _try_kernel)
    healthy = healthy and _check(findings, "protection", _protection)
    findings["ttnn"] = _ttnn()
    findings["torch"] = "installed" if importlib.util.find_spec("torch") else "not installed (optional)"
    if options.json:
        missing = [f"{name}: {value}" for name, value in findings.items() if value.startswith("FAILED")]
        error = None if healthy else error_object("SomethingMissing", "\n".join(missing))
        print(json_text("doctor", {**findings, "healthy": healthy}, 0 if healthy else 1, error))
    else:
        width = max(map(len, findings))
        for name, value in findings.items():
            first, *others = [row for line in value.split("\n") for row in wrapped(line, COLUMNS - width - 2)]
            print("\n".join([f"{name:<{width}}  {first}", *(" " * (width + 2) + row for row in others)]))
    if not healthy:
        print("something is missing: see the lines that say FAILED", file=sys.stderr)
    return 0 if healthy else 1
