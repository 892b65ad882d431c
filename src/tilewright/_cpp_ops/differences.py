# SPDX-License-Identifier: Apache-2.0
"""Differences between a program from the cache and a fresh one, by kernel, core and argument.

A call that finds its program changes that program's arguments. What it forgets (an address, a scalar) or what the
program hash leaves out (a shape) shows as a difference from the program that the same call would build anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

_KERNEL_PARTS = (
    "source", "kind of source", "cores", "compile-time arguments", "named compile-time arguments", "defines",
    "optimisation", "include paths", "configuration",
)  # fmt: skip
_CB_PARTS = ("cores", "total size", "formats")


# What changes the arguments of a cached program, and why one was not changed.
_NOT_SET = {
    "override": "override_runtime_arguments does not set it",
    "patching": "not in the program hash; a cached descriptor gets the addresses of bound buffers only",
}


def program_differences(cached: list[Any], fresh: list[Any], compared: str = "override") -> list[str]:
    """One line for each difference.

    Args:
        compared: ``structure`` without the arguments of a run; else what changed these in the cached program:
            ``override`` (override_runtime_arguments) or ``patching`` (the addresses that a descriptor binds).

    >>> kernel = ["k.cpp", False, [], [], [], [], None, [], ["reader"], [[0, 0, [64]]], []]
    >>> other = [*kernel[:9], [[0, 0, [96]]], []]
    >>> print(program_differences([[kernel], [], []], [[other], [], []])[0].partition(" (")[0])
    kernel k.cpp, core 0-0: runtime argument 0 is 64, a fresh program has 96
    """
    if len(cached) == 3 and cached[0] == "spec":  # made from a spec: its form, then the arguments of the run
        if cached[1] != fresh[1]:
            return ["the program spec differs (what it depends on is not in the program hash)"]
        differ = cached[2] != fresh[2]
        return ["the arguments of the run differ (override_runtime_arguments does not set them)"] if differ else []
    if len(cached) != 3:
        return ["the program spec differs (what it depends on is not in the program hash)"] if cached != fresh else []
    return list(_differences(cached, fresh, _NOT_SET.get(compared)))


def _differences(cached: list[Any], fresh: list[Any], not_set: str | None) -> Iterator[str]:
    for what, old, new in zip(("kernels", "circular buffers", "semaphores"), cached, fresh, strict=True):
        if len(old) != len(new):
            yield f"{len(old)} {what}, a fresh program has {len(new)} (not in the program hash)"
            return
    for old, new in zip(cached[1], fresh[1], strict=True):
        yield from _parts(f"circular buffer {_cb_name(new)}", _CB_PARTS, old, new)
        if not_set and _address(old) != _address(new):
            yield (
                f"circular buffer {_cb_name(new)}: lies at {_address(old)}, a fresh program has {_address(new)} "
                "(override_runtime_arguments does not call UpdateDynamicCircularBufferAddress)"
            )
    for old, new in zip(cached[0], fresh[0], strict=True):
        name = f"kernel {Path(new[0]).name}" if not new[1] else "a kernel given as text"
        yield from _parts(name, _KERNEL_PARTS, old, new)
        if not_set:
            yield from _arguments(name, old, new, not_set)
    if cached[2] != fresh[2]:
        yield "semaphores differ (what they depend on is not in the program hash)"


def _parts(name: str, parts: tuple[str, ...], old: list[Any], new: list[Any]) -> Iterator[str]:
    for part, before, now in zip(parts, old, new, strict=False):
        if before != now:
            yield f"{name}: {part} {_short(before)}, a fresh program has {_short(now)} (not in the program hash)"


def _arguments(name: str, old: list[Any], new: list[Any], not_set: str) -> Iterator[str]:
    old_args = {(x, y): values for x, y, values in old[9]}
    new_args = {(x, y): values for x, y, values in new[9]}
    same: dict[tuple[str, ...], list[tuple[int, int]]] = {}
    for core in sorted(old_args.keys() | new_args.keys()):
        words = _words("runtime argument", old_args.get(core, []), new_args.get(core, []), not_set)
        same.setdefault(tuple(words), []).append(core)
    for lines, cores in same.items():
        others = f" and {len(cores) - 1} more" if len(cores) > 1 else ""
        yield from (f"{name}, core {cores[0][0]}-{cores[0][1]}{others}: {line}" for line in lines)
    yield from (f"{name}: {line}" for line in _words("common runtime argument", old[10], new[10], not_set))


def _words(kind: str, old: list[int], new: list[int], not_set: str) -> Iterator[str]:
    if len(old) != len(new):
        yield f"{len(old)} {kind}s, a fresh program has {len(new)}"
        return
    for index, (before, now) in enumerate(zip(old, new, strict=True)):
        if before != now:
            yield f"{kind} {index} is {before}, a fresh program has {now} ({not_set})"


def _cb_name(cb: list[Any]) -> str:
    return ", ".join(str(form[0]) for form in cb[2])


def _address(cb: list[Any]) -> Any:
    return None if cb[3] is None else (cb[3][1], cb[3][2])


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
