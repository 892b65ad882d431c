# SPDX-License-Identifier: Apache-2.0
"""Every public function and method, called with invalid arguments: it returns or names the wrong argument.

An error is fine where a line of ours raises it on purpose, or where Python refuses a call that does not fit the
signature. What comes out of the middle of something (an AttributeError of None, a KeyError, a number too large for a C
type, a call that never returns) is not. Which calls are made is the same every time.
"""

from __future__ import annotations

import ast
import collections
import enum
import functools
import inspect
import itertools
import random
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

import numpy as np

import tilewright
from tilewright import formula, metal2, ops, timing, ttnn
from tilewright._card import products
from tilewright._launch.run_options import RunOptions
from tilewright._launch.run_program import run_program
from tilewright._tensor import argument
from tilewright._tensor.paper_device import paper_device
from tilewright.check._check_program import check_program

NUM_CALLS = 24_000
LONGEST = 20.0  # seconds; most take microseconds, the first call of an operation compiles its kernels


class _RaisingIndex:
    def __index__(self) -> int:
        raise RuntimeError("no index today")


class _RaisingRepr:
    def __repr__(self) -> str:
        raise RuntimeError("no repr today")


class _RaisingIteration:
    def __iter__(self) -> Iterator[int]:
        raise OSError("no iteration today")

    def __len__(self) -> int:
        return -1


def _endless() -> list[Any]:
    within: list[Any] = []
    within.append(within)
    return within


CORE = ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (0, 0))])

PLAIN: list[Callable[[], Any]] = [
    lambda: None,
    lambda: True,
    lambda: False,
    lambda: 0,
    lambda: 1,
    lambda: 2,
    lambda: 32,
    lambda: -1,
    lambda: -100_000,
    lambda: 2**31,
    lambda: 2**32,
    lambda: 2**63,
    lambda: 10**30,
    lambda: 1.5,
    lambda: float("nan"),
    lambda: float("inf"),
    lambda: -0.0,
    lambda: 1j,
    lambda: Decimal("NaN"),
    lambda: Fraction(1, 3),
    lambda: "",
    lambda: "x",
    lambda: "in_tiled",
    lambda: "a" * 300,
    lambda: "\0",
    lambda: 'a"b\\c\nd',
    lambda: "\ud800",
    lambda: "🧱",
    lambda: "{}",
    lambda: "{",
    lambda: "[" * 5000,
    lambda: '{"start": 7, "x": [], "y": null}',
    lambda: b"",
    lambda: b"\xff",
    lambda: bytearray(3),
    lambda: [],
    lambda: [1, 2],
    lambda: [32, 32],
    lambda: [None],
    lambda: ["x", 1],
    lambda: [-1, 5],
    lambda: [2**40, 2**40],
    lambda: [1.5, float("nan")],
    lambda: [[1, 2], [3, 4]],
    lambda: [1] * 40,
    lambda: (),
    lambda: (0, 0),
    lambda: (1, 2, 3),
    lambda: (2**31, 2**31),
    lambda: {},
    lambda: {"a": 1},
    lambda: {1: 2},
    lambda: {"X": None, "\n": "1"},
    lambda: set(),
    lambda: {1, 2},
    lambda: range(3),
    lambda: range(2**62),
    lambda: iter([1, 2]),
    lambda: (each for each in (1, "a")),
    lambda: object(),
    lambda: object,
    lambda: int,
    lambda: len,
    lambda: lambda *given: None,
    lambda: sys,
    lambda: Ellipsis,
    lambda: NotImplemented,
    lambda: slice(None, None, 0),
    lambda: ValueError("x"),
    lambda: Path("a\nb"),
    lambda: Path("/nowhere/at/all.cpp"),
    lambda: np.int64(3),
    lambda: np.uint8(255),
    lambda: np.float32(1.5),
    lambda: np.bool_(True),
    lambda: np.datetime64("NaT"),
    lambda: np.zeros(()),
    lambda: np.zeros((0,)),
    lambda: np.zeros((2, 32), np.float32),
    lambda: np.zeros((2, 2), np.complex64),
    lambda: np.array(["a"]),
    lambda: np.array([object()]),
    lambda: np.zeros(3, dtype=[("a", int)]),
    lambda: np.full((2, 2), np.nan),
    _RaisingIndex,
    _RaisingRepr,
    _RaisingIteration,
    _endless,
]

OURS: list[Callable[[], Any]] = [
    lambda: ttnn.CoreCoord(0, 0),
    lambda: ttnn.CoreCoord(2**31, 7),
    lambda: ttnn.CoreRange((0, 0), (1, 1)),
    lambda: ttnn.CoreRange((0, 0), (2**31, 2**31)),
    lambda: CORE,
    lambda: ttnn.CoreRangeSet([]),
    lambda: ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (2**31, 2**31))]),
    lambda: ttnn.CoreGrid(x=1, y=1),
    lambda: ttnn.Shape([2, 32]),
    lambda: ttnn.Shape([]),
    lambda: ttnn.Shape([2**31, 2**31]),
    lambda: ttnn.bfloat16,
    lambda: ttnn.bfloat8_b,
    lambda: ttnn.uint32,
    lambda: ttnn.DataType.INVALID if hasattr(ttnn.DataType, "INVALID") else ttnn.float32,
    lambda: ttnn.ROW_MAJOR_LAYOUT,
    lambda: ttnn.TILE_LAYOUT,
    lambda: ttnn.DRAM_MEMORY_CONFIG,
    lambda: ttnn.L1_MEMORY_CONFIG,
    lambda: ttnn.BufferType.L1,
    lambda: ttnn.TensorMemoryLayout.HEIGHT_SHARDED,
    lambda: ttnn.MemoryConfig(ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1),
    lambda: ttnn.ShardSpec(CORE, [32, 32], ttnn.ShardOrientation.ROW_MAJOR),
    lambda: ttnn.Tile((32, 32)),
    lambda: ttnn.from_numpy(np.zeros((2, 32), np.float32)),
    lambda: ttnn.from_numpy(np.zeros((32, 32), np.float32), layout=ttnn.TILE_LAYOUT),
    lambda: ttnn.ProgramDescriptor(),
    lambda: ttnn.KernelDescriptor("reader.cpp", core_ranges=CORE, config=ttnn.ReaderConfigDescriptor()),
    lambda: ttnn.CBFormatDescriptor(0, ttnn.bfloat16, 2048),
    lambda: ttnn.CBDescriptor(
        total_size=2048, core_ranges=CORE, format_descriptors=[ttnn.CBFormatDescriptor(0, ttnn.bfloat16, 2048)]
    ),
    lambda: ttnn.SemaphoreDescriptor(id=0, core_ranges=CORE, initial_value=0),
    lambda: ttnn.ComputeConfigDescriptor(),
    lambda: ttnn.ReaderConfigDescriptor(),
    lambda: ttnn.RuntimeArgs(),
    lambda: ttnn.TensorAccessorArgs,
    lambda: paper_device("wormhole_b0"),
    lambda: metal2.ProgramSpec,
    lambda: metal2.SourceCode("void kernel_main() {}"),
    lambda: metal2.SemaphoreSpec,
]

FUNCTIONS: list[Callable[..., Any]] = [
    check_program,
    run_program,
    RunOptions,
    tilewright.time_program,
    tilewright.operation,
    tilewright.check_operation,
    tilewright.Positive,
    products.choose_card,
]
# What opens a chip, here that would be hundreds; what only tilewright makes.
LEFT_OUT = {"manage_device", "open_device"}
MADE_INSIDE = {"DeviceTime", "ProcessorTime", "Wait", "Outcome", "Plan", "Operation", "Value", "trace"}
# What such a function raises is its own.
FUNCTIONS_OF_THE_USER = {"preprocess"}
# Internal: a buffer registers with its device.
INTERNAL = {"register", "unregister"}


def _is_pythons(thing: object) -> bool:
    """Whether calling it is Python's business: enumerations and errors."""
    return isinstance(thing, type) and issubclass(thing, enum.Enum | BaseException)


def _public(thing: object) -> Iterator[str]:
    yield from (name for name in dir(thing) if not name.startswith("_") and name not in INTERNAL)
    yield from ("__getitem__", "__contains__", "__eq__", "__call__")


def targets() -> list[tuple[str, Callable[[], Callable[..., Any]]]]:
    """Everything that can be called, each with a function that makes it anew."""
    found: list[tuple[str, Callable[[], Callable[..., Any]]]] = []
    for module in (ttnn, metal2, ops, timing, formula):
        for name in module.__all__:
            thing = getattr(module, name)
            if callable(thing) and name not in LEFT_OUT | MADE_INSIDE and not _is_pythons(thing):
                found.append((f"{module.__name__}.{name}", functools.partial(_same, thing)))
    found += [(function.__name__, functools.partial(_same, function)) for function in FUNCTIONS]
    for make in OURS:
        instance = make()
        if isinstance(instance, type):
            continue
        for name in _public(instance):
            label = f"{type(instance).__name__}.{name}"
            is_property = isinstance(inspect.getattr_static(type(instance), name, None), property)
            if not is_property and callable(getattr(instance, name, None)):
                found.append((label, functools.partial(_method, make, name)))
            elif not name.startswith("__"):
                found.append((f"{label} =", functools.partial(_setter, make, name)))
    return sorted(dict(found).items())


def _same(thing: Callable[..., Any]) -> Callable[..., Any]:
    return thing


def _method(make: Callable[[], Any], name: str) -> Callable[..., Any]:
    method: Callable[..., Any] = getattr(make(), name)
    return method


def _setter(make: Callable[[], Any], name: str) -> Callable[[Any], None]:
    return lambda value: setattr(make(), name, value)


def calls(seed: int, count: int) -> Iterator[tuple[str, Callable[..., Any], list[Any], dict[str, Any]]]:
    """``count`` calls: each target in turn, its arguments drawn by chance, with names where it has them."""
    chance = random.Random(seed)
    values = [*PLAIN, *OURS, *OURS]
    made = targets()
    for label, make in itertools.islice(itertools.cycle(made), count):
        function = make()
        positional, named = _drawn(function, chance, values)
        yield label, function, positional, named


def _drawn(
    function: Callable[..., Any], chance: random.Random, values: list[Callable[[], Any]]
) -> tuple[list[Any], dict[str, Any]]:
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return [chance.choice(values)() for _ in range(chance.randrange(4))], {}
    positional, named = [], {}
    for parameter in parameters:
        value = chance.choice(values)()
        if parameter.name in FUNCTIONS_OF_THE_USER:
            continue
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional += [chance.choice(values)() for _ in range(chance.randrange(3))]
        elif parameter.kind is parameter.VAR_KEYWORD:
            continue
        elif parameter.default is parameter.empty and chance.random() < 0.97:
            if parameter.kind is parameter.KEYWORD_ONLY:
                named[parameter.name] = value
            elif not named:
                positional.append(value)
        elif chance.random() < 0.5:
            if parameter.kind is parameter.POSITIONAL_ONLY:
                if len(positional) == parameters.index(parameter):
                    positional.append(value)
            else:
                named[parameter.name] = value
    return positional, named


class TooLongError(Exception):
    pass


def _too_long(_signal: int, _frame: FrameType | None) -> None:
    raise TooLongError


@functools.cache
def _raise_lines(file: str) -> frozenset[int]:
    """Lines of a file on which a ``raise`` stands."""
    tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    found = (node for node in ast.walk(tree) if isinstance(node, ast.Raise))
    return frozenset(line for node in found for line in range(node.lineno, (node.end_lineno or node.lineno) + 1))


def complaint(error: BaseException, tb: TracebackType | None) -> str:
    """Defect of an error; empty if it was raised on purpose."""
    frames = list(traceback.walk_tb(tb))
    if isinstance(error, TooLongError):
        return "never returns"
    frame, line = frames[-1]
    file = frame.f_code.co_filename
    ours = [each for each in frames if _is_ours(each[0])]
    if not ours or file == __file__:
        return ""  # Python refused the call, or what we gave raised
    if not _is_ours(frame):
        return f"from {Path(file).name}, called at {_place(*ours[-1])}"
    if line not in _raise_lines(file):
        return f"at {_place(frame, line)}"
    return "" if str(error) else "says nothing"


def _is_ours(frame: FrameType) -> bool:
    return "/tilewright/" in frame.f_code.co_filename


def _place(frame: FrameType, line: int) -> str:
    return f"{frame.f_code.co_filename.rpartition('tilewright/')[2]}:{line}"


def test_every_public_call_answers_or_names_the_argument() -> None:
    before = signal.signal(signal.SIGALRM, _too_long)
    found: collections.Counter[str] = collections.Counter()
    try:
        for label, function, positional, named in calls(2026, NUM_CALLS):
            signal.setitimer(signal.ITIMER_REAL, LONGEST)
            try:
                function(*positional, **named)
            except Exception as error:
                signal.setitimer(signal.ITIMER_REAL, 0)
                wrong = complaint(error, error.__traceback__)
                if wrong:
                    found[f"{label}: {type(error).__name__} {wrong}"] += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert found == {}


def test_accident_is_distinguished_from_a_raised_error() -> None:
    """The judge of the test above: what it lets through and what not."""

    def judged(function: Callable[[], object]) -> str:
        try:
            function()
        except Exception as error:
            return complaint(error, error.__traceback__)
        return "no error"

    assert judged(lambda: argument.whole_number("x", "a")) == ""
    assert judged(lambda: ttnn.Shape(None)) == ""  # type: ignore[arg-type]
    assert judged(lambda: len(5)) == ""  # type: ignore[arg-type]  # not ours at all
    assert judged(lambda: argument.require("x", 1, 5, "a")).startswith("at _tensor/argument.py:")  # type: ignore[arg-type]
    assert judged(lambda: argument.from_json("x", "{}", "a", lambda value: 1 / 0)) == ""  # what we gave raised
    assert "never returns" in judged(lambda: _too_long(0, None))
