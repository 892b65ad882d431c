# SPDX-License-Identifier: Apache-2.0
"""Which variant of the engine the processor of this machine can run."""

from __future__ import annotations

import functools
import platform
from pathlib import Path

# Instructions each variant needs besides those of the one after it, by their names in /proc/cpuinfo; the best first.
_NEEDS = {
    "x86-64-v4-bf16": {"avx512_bf16"},
    "x86-64-v4": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
    "x86-64-v3": {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"},
}
VARIANTS = tuple(_NEEDS) if platform.machine() == "x86_64" else ("aarch64",)


@functools.cache
def _lines() -> tuple[str, ...]:
    """Model and instructions of the first processor; all of a machine have the same."""
    try:
        with Path("/proc/cpuinfo").open() as file:
            text = file.read(16384).partition("\n\n")[0]
    except OSError:
        return (platform.processor(),)
    return tuple(line for line in text.splitlines() if line.startswith(("flags", "Features", "model name")))


def processor_identity() -> str:
    """Distinguishes processors for which ``-march=native`` makes other code."""
    return "\n".join(_lines())


def usable_variants() -> tuple[str, ...]:
    """Variants this processor can run, the best first."""
    return _usable(frozenset(word for line in _lines() for word in line.partition(":")[2].split()))


def _usable(instructions: frozenset[str]) -> tuple[str, ...]:
    """Variants a processor with these instructions can run.

    >>> _usable(frozenset("avx avx2 bmi1 bmi2 f16c fma abm movbe avx512_bf16".split()))
    ('x86-64-v3',)
    """
    if platform.machine() != "x86_64":
        return VARIANTS
    usable: list[str] = []
    needed: set[str] = set()
    for variant, own in reversed(_NEEDS.items()):
        needed |= own
        if needed <= instructions:
            usable.insert(0, variant)
    return tuple(usable)


if __name__ == "__main__":  # CMakeLists.txt calls it when the package is built for the machine it is installed on
    print(next(iter(usable_variants()), "native"))
