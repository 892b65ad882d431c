# SPDX-License-Identifier: Apache-2.0
"""Programs that are used again: stale arguments, and cache keys that leave something out.

A card's program cache keeps the first program of a key and runs it for every later call with the key; what differs
between the calls must be set again. So a program from a cache is compared with one built afresh for the same tensors.
"""

from __future__ import annotations

import dataclasses
import weakref
from collections.abc import Callable, Iterator, Sequence

from tilewright._build.kernel_sources import source_path
from tilewright._launch.chip import Chip
from tilewright._launch.host_memory import ForeignTensor
from tilewright._launch.observer import Launch
from tilewright._program.kernel import KernelDescriptor
from tilewright._program.program import ProgramDescriptor
from tilewright._program.runtime_arguments import all_runtime_arguments, common_runtime_arguments
from tilewright._rules import RULES
from tilewright._tensor.tensor import Tensor
from tilewright.check._finding import Finding, merge_findings

Build = Callable[..., ProgramDescriptor]


def check_reuse(make_build: Callable[[], Build], *calls: Sequence[object]) -> list[Finding]:
    """Findings about programs that a caching builder gives back.

    Args:
        make_build: gives a new builder with an empty cache; the builder takes a call's arguments and gives the
            program to run.
        calls: arguments of the calls to make, one after the other, with one builder; at least two.

    Example::

        def make_build():
            cache = {}

            def build(x, y):
                if x.shape not in cache:
                    cache[x.shape] = make_program(x, y)
                return cache[x.shape]  # the addresses of x and y are the first call's

            return build

        findings = check_reuse(make_build, (x1, y1), (x2, y2))
    """
    if len(calls) < 2:
        raise ValueError(f"check_reuse needs the arguments of at least two calls, not {len(calls)}")
    cached = make_build()
    found: list[Finding] = []
    for number, arguments in enumerate(calls, 1):
        found += compare_programs(cached(*arguments), make_build()(*arguments), f"call {number}")
    return merge_findings(found)


def compare_programs(given: ProgramDescriptor, fresh: ProgramDescriptor, call: str) -> Iterator[Finding]:
    """Differences of ``given`` from the program built anew for the same call."""
    difference = _structural_difference(given, fresh)
    if difference:
        rule = RULES["cache-collision"]
        text = f"{call} gets a program built for another call: {difference}"
        yield Finding(rule.id, "", "", 0, None, (), None, 0, text, rule.cause, rule.cure)
        return
    for stale, right in zip(given.kernels, fresh.kernels, strict=True):
        yield from _stale_arguments(stale, right, call)


def _stale_arguments(given: KernelDescriptor, fresh: KernelDescriptor, call: str) -> Iterator[Finding]:
    rule = RULES["arg-stale"]
    path = source_path(given)
    has = {(core.x, core.y): list(values) for core, values in given.runtime_args}
    should = {(core.x, core.y): list(values) for core, values in fresh.runtime_args}
    wrong: dict[str, tuple[str, list[tuple[int, int]]]] = {}
    for core, values in should.items():
        for index, text in _differences(has.get(core, []), values):
            wrong.setdefault(f"runtime argument {index}", (text, []))[1].append(core)
    for index, text in _differences(list(given.common_runtime_args), list(fresh.common_runtime_args)):
        wrong[f"common runtime argument {index}"] = (text, [(core.x, core.y) for core in given.core_ranges])
    for argument, (text, cores) in wrong.items():
        numbers = f"in {call}, {argument} {text}"
        yield Finding(
            rule.id, given.name, path, 0, None, tuple(cores), None, 0, numbers, rule.cause, rule.cure, len(cores)
        )


def _differences(has: list[int], should: list[int]) -> Iterator[tuple[int, str]]:
    for index in range(max(len(has), len(should))):
        now = has[index] if index < len(has) else None
        then = should[index] if index < len(should) else None
        if now != then:
            is_now = "is missing" if now is None else f"is {now:#x}"
            yield index, f"{is_now}, a fresh build {'has none' if then is None else f'gives {then:#x}'}"


def structure(program: ProgramDescriptor) -> dict[str, object]:
    """Everything of a program but its runtime arguments, by what it is."""
    parts: dict[str, object] = {"number of kernels": len(program.kernels)}
    for kernel in program.kernels:
        what = f"kernel {kernel.name}"
        parts[f"{what}: source"] = (kernel.source_type, kernel.kernel_source)
        parts[f"{what}: core_ranges"] = repr(kernel.core_ranges)
        parts[f"{what}: compile_time_args"] = list(kernel.compile_time_args)
        parts[f"{what}: named_compile_time_args"] = list(kernel.named_compile_time_args)
        parts[f"{what}: defines"] = list(kernel.defines)
        parts[f"{what}: config"] = repr(kernel.config)
    for cb in program.cbs:
        parts[f"CB {cb.label}"] = (cb.total_size, repr(cb.core_ranges), repr(list(cb.format_descriptors)))
    for semaphore in program.semaphores:
        parts[f"semaphore {semaphore.id}"] = repr(semaphore)
    return parts


def _structural_difference(given: ProgramDescriptor, fresh: ProgramDescriptor) -> str:
    return _first_difference(structure(given), structure(fresh))


def _first_difference(has: dict[str, object], should: dict[str, object]) -> str:
    for what in dict.fromkeys([*should, *has]):
        if has.get(what) != should.get(what):
            return f"{what} is {_short(has.get(what))} instead of {_short(should.get(what))}"
    return ""


def _short(value: object) -> str:
    text = "missing" if value is None else str(value)
    return text if len(text) <= 60 else text[:57] + "..."


@dataclasses.dataclass(frozen=True)
class _GivenArguments:
    """Arguments of the kernels of one launch."""

    arguments: dict[tuple[str, str, int], int]  # kernel, core, index -> value
    addresses: list[int | None]  # of the tensors, in order


class _History:
    """The checked launches of a chip so far."""

    def __init__(self) -> None:
        self.by_hash: dict[int, dict[str, object]] = {}
        self.last: dict[tuple[str, str], _GivenArguments] = {}  # by operation and structure


_histories: weakref.WeakKeyDictionary[Chip, _History] = weakref.WeakKeyDictionary()


def reuse_findings(launch: Launch, fresh_program: ProgramDescriptor | None) -> Iterator[Finding]:
    """Findings about this launch, given the checked launches of the chip before it.

    Two launches with the same ``custom_program_hash`` must be the same program. Where an argument was a tensor's
    address in one launch, it must not stay that address when the program runs with another tensor in the same
    operation: in another one, which makes several launches, it may be the address of an intermediate tensor.
    """
    program = launch.program
    if fresh_program is not None:
        yield from compare_programs(program, fresh_program, "this call")
    addresses = _addresses(launch.tensors)
    if not addresses:
        return
    history = _histories.setdefault(launch.chip, _History())
    parts = structure(program)
    yield from _collisions(history, program, parts)
    now = _GivenArguments(_argument_values(launch), addresses)
    key = launch.operation, repr(parts)
    before = history.last.get(key)
    if before is not None:
        yield from _stale_addresses(program, before, now)
    history.last[key] = now


def _addresses(tensors: Sequence[Tensor | ForeignTensor | None]) -> list[int | None]:
    """Of each tensor, in order, None for one that is not known; empty where one of them is on no device."""
    found: list[int | None] = []
    for tensor in tensors:
        if tensor is None or isinstance(tensor, ForeignTensor):
            found.append(None if tensor is None else tensor.address)
        elif isinstance(tensor, Tensor) and tensor.device() is not None and tensor.is_allocated():
            found.append(tensor.buffer_address())
        else:
            return []
    return found


def _collisions(history: _History, program: ProgramDescriptor, parts: dict[str, object]) -> Iterator[Finding]:
    key = program.custom_program_hash
    if key is None:
        return
    difference = _first_difference(history.by_hash.setdefault(key, parts), parts)
    if difference:
        rule = RULES["cache-collision"]
        text = f"custom_program_hash {key:#x} was used for another program: there, {difference}"
        yield Finding(rule.id, "", "", 0, None, (), None, 0, text, rule.cause, rule.cure)


def _argument_values(launch: Launch) -> dict[tuple[str, str, int], int]:
    values: dict[tuple[str, str, int], int] = {}
    for kernel in launch.program.kernels:
        for core, given in all_runtime_arguments(kernel, launch.program.config_bases, launch.read_words).items():
            values.update({(kernel.name, str(core), index): value for index, value in enumerate(given)})
        common = enumerate(common_runtime_arguments(kernel, launch.program.config_bases, launch.read_words))
        values.update({(kernel.name, "common", index): value for index, value in common})
    return values


def _stale_addresses(program: ProgramDescriptor, before: _GivenArguments, now: _GivenArguments) -> Iterator[Finding]:
    rule = RULES["arg-stale"]
    gone = set(before.addresses) - set(now.addresses)
    pairs = zip(before.addresses, now.addresses, strict=False)
    moved = {old: new for old, new in pairs if old is not None and new is not None and old in gone}
    # Where one argument followed a tensor to its new address, others with the old value only look like addresses.
    followed = {old for key, old in before.arguments.items() if old in moved and now.arguments.get(key) == moved[old]}
    kernels = {kernel.name: kernel for kernel in program.kernels}
    seen: dict[tuple[str, int], str] = {}
    for (name, core, index), value in now.arguments.items():
        if value in moved and value not in followed and before.arguments.get((name, core, index)) == value:
            what = "common runtime argument" if core == "common" else "runtime argument"
            text = f"{what} {index} is still {value:#x}, the address of the tensor of an earlier launch; "
            seen.setdefault((name, index), text + f"this launch's is at {moved[value]:#x}")
    for (name, _), text in seen.items():
        path = source_path(kernels[name])
        cores = tuple((core.x, core.y) for core in kernels[name].core_ranges)
        yield Finding(rule.id, name, path, 0, None, cores, None, 0, text, rule.cause, rule.cure, len(cores))
