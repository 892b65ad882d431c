# SPDX-License-Identifier: Apache-2.0
"""Recorded calls of each function of the kernel API, read from its C++ body.

A function calls functions of the engine (``tw_*``), some through other functions of the headers. Those that take a card
time are recorded; ``TW_RECORDED_CALL`` in ``native/abi`` says as what.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from tilewright._build.native_build import NATIVE
from tilewright._build.sfpu_headers import generated_sfpu_headers
from tilewright._cpp_declarations import cpp_bodies

_CALLED = re.compile(r"\b(\w+)\s*(?:<[^;{}()]*>)?\(")
_ROW = re.compile(r"^TW_RECORDED_CALL\((\w+), (.*)\)$", re.MULTILINE)
_RECORDED = re.compile(r"Call::(\w+)")
_OPERATION = re.compile(r"\bSfpu(Unary|Binary|Ternary)::(\w+)")
# A write of a word may set a semaphore, so the engine chooses the entry: NocWrite and NocWriteMulticast, or of a word.
_WRITES = {"tw_record_write(0": "NocWrite", "tw_record_write(1": "NocWriteMulticast"}


def recorded_calls(function: str) -> tuple[str, ...]:
    """What a recorded kernel writes down when it calls the function: names of ``native/abi/record.h``, in order.

    Where a template argument chooses between calls, all of them.

    >>> recorded_calls("reduce_init")
    ('UnpackLoop', 'MathLoop', 'PackMask')
    """
    recorded = _recorded_functions()
    return tuple(call for each in _called(function) for call in recorded.get(each, ()))


def vector_operations(function: str) -> tuple[tuple[str, str], ...]:
    """Operations of the vector unit a function may call, each with its table: ``("unary", "Gelu")``."""
    return tuple(
        dict.fromkeys(
            (arity.lower(), operation)
            for name in (function, *_called(function))
            for arity, operation in _OPERATION.findall(_bodies().get(name, ""))
        )
    )


def multiplies(function: str) -> bool:
    """Whether it is the product among the calls of the matrix unit with two operands."""
    return "ELWMUL" in _bodies()[function]


def _called(function: str, callers: tuple[str, ...] = ()) -> Iterator[str]:
    """Functions it calls, each before those that it calls itself."""
    bodies = _bodies()
    for name in _CALLED.findall(bodies.get(function, "")):
        if name != function and name not in callers:
            yield name
            yield from _called(name, (*callers, function))


@functools.cache
def _bodies() -> dict[str, str]:
    """Bodies of the functions that headers define; of several forms the first, which the others lead to."""
    include = NATIVE / "include"
    texts = [path.read_text(encoding="utf-8") for path in sorted(include.rglob("*.h"))]
    found: dict[str, str] = {}
    for text in (*texts, *generated_sfpu_headers().values()):
        for each in cpp_bodies(text):
            found.setdefault(each.name, each.body)
    return found


@functools.cache
def _recorded_functions() -> dict[str, tuple[str, ...]]:
    """Functions of the engine with the calls they are recorded as."""
    # noc_semaphore_set is a plain store, which it records by itself.
    found: dict[str, tuple[str, ...]] = {"semaphore_set": ("SemaphoreSet",)}
    for path in sorted((NATIVE / "abi").glob("*.h")):
        for name, text in _ROW.findall(path.read_text(encoding="utf-8")):
            written = next((call for begin, call in _WRITES.items() if text.startswith(begin)), None)
            found[f"tw_{name}"] = (written,) if written else tuple(_RECORDED.findall(text))
    return found
