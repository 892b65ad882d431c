# SPDX-License-Identifier: Apache-2.0
"""One mistake, one finding: what follows from another finding is listed under it.

Only pairs of rules where one is the other's cause whenever both are seen together, on the same cores or in the same
kernel: two mistakes in one program stay two findings.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Sequence

from tilewright.check._finding import Finding

Fits = Callable[[Finding, Finding], bool]
_PAGE = re.compile(r"s page (\d+) of ")
_SHARE = re.compile(r"(\d+) of (?:the )?\d+ pages")

_LOST_SIGNALS = (
    "noc-multicast-no-receiver",
    "noc-multicast-misses",
    "fabric-multicast-misses",
    "semaphore-lost-reset",
    "semaphore-overshoot",
)
_BETWEEN_CORES = ("l1-race", "dram-race", "noc-multicast-misses", "noc-multicast-no-receiver")
_EARLY_READS = ("noc-use-in-flight", "noc-push-in-flight", "cb-read-past-wait", "pack-unpack-order")
_MISPLACED = ("cb-write-past-reserve", "cb-write-unreserved", "cb-index-wrap", "cb-use-after-pop")
_WRONG_SIZES = ("arg-no-address", "tensor-page-size", "tensor-format")
_BAD_VALUES = ("value-uninitialised", "value-padding", "broadcast-region")


def _anywhere(cause: Finding, effect: Finding) -> bool:
    return True


def _same_kernel(cause: Finding, effect: Finding) -> bool:
    return cause.kernel == effect.kernel


def _same_line(cause: Finding, effect: Finding) -> bool:
    return (cause.kernel, cause.path, cause.line) == (effect.kernel, effect.path, effect.line)


def _shared_cores(cause: Finding, effect: Finding) -> bool:
    return not cause.cores or not effect.cores or bool(set(cause.cores) & set(effect.cores))


def _same_memory(cause: Finding, effect: Finding) -> bool:
    """One buffer, and a line in common: one missing signal shows at both ends."""
    return cause.cb is not None and cause.cb == effect.cb and bool(_lines(cause) & _lines(effect))


def _same_buffer(cause: Finding, effect: Finding) -> bool:
    return cause.cb is not None and cause.cb == effect.cb and _shared_cores(cause, effect)


def _on_unserved_cores(cause: Finding, effect: Finding) -> bool:
    """Arguments of cores that a card's host left out: of all kernels there."""
    return all("the host did not write" in each.numbers for each in (cause, effect)) and _shared_cores(cause, effect)


def _same_page(cause: Finding, effect: Finding) -> bool:
    """One share of work that ends behind the tensors: the same page of each, on the same cores."""
    one, other = (_PAGE.search(each.numbers) for each in (cause, effect))
    return one is not None and other is not None and one[1] == other[1] and _shared_cores(cause, effect)


def _same_share(cause: Finding, effect: Finding) -> bool:
    """As many pages of a buffer as of the output are left."""
    one, other = (_SHARE.match(each.numbers) for each in (cause, effect))
    return one is not None and other is not None and one[1] == other[1]


def _wrong_page_written(cause: Finding, effect: Finding) -> bool:
    """The page that a kernel should have written instead."""
    return cause.numbers.startswith("writes ")


def _rows_as_tiles(cause: Finding, effect: Finding) -> bool:
    """Tiles read from a tensor whose pages are rows."""
    return "ROW_MAJOR layout" in effect.numbers and _shared_cores(cause, effect)


def _same_kernel_and_buffer(cause: Finding, effect: Finding) -> bool:
    return _same_kernel(cause, effect) and _same_buffer(cause, effect)


def _lines(finding: Finding) -> set[tuple[str, int]]:
    related = {(finding.related.path, finding.related.line)} if finding.related else set()
    return {(finding.path, finding.line)} | related


# A push or pop that no thread makes.
_LEFT_OUT = (("trisc-guard",), _shared_cores)

# An argument that the host did not pass.
_NOT_GIVEN = (("arg-missing",), _shared_cores)

# A count that is an address, and the address a count.
_MISCOUNTED = (("arg-no-address",), _same_kernel)

# What may follow, from which rules, and where.
_FOLLOWS: dict[str, tuple[tuple[tuple[str, ...], Fits], ...]] = {
    # One missing wait or reserve shows at the first access and at the pop or push.
    "cb-pop-unwaited": ((("cb-read-past-wait",), _same_kernel_and_buffer),),
    "cb-push-unreserved": ((("cb-write-unreserved", "cb-write-past-reserve"), _same_kernel_and_buffer),),
    # A wrong dtype shows in reader, compute and writer.
    "tensor-page-size": ((("tensor-page-size",), _shared_cores),),
    "tensor-format": ((("tensor-page-size", "tensor-format"), _shared_cores),),
    "divide-by-zero": ((("divide-by-zero",), _same_kernel),),  # what follows from the same arguments
    "init-missing": ((("init-missing",), _same_line),),  # for one side of the call, and for another
    "uninit-missing": ((("uninit-missing",), _same_kernel),),  # until there is an init
    "hang-missing-producer": (_LEFT_OUT, _NOT_GIVEN),
    "hang-finished-producer": (_LEFT_OUT, _NOT_GIVEN, _MISCOUNTED),
    "hang-self": (_LEFT_OUT,),
    "hang-circle": (_LEFT_OUT,),
    "hang-full-buffer": ((("cb-pop-unwaited",), _same_buffer), _LEFT_OUT, _NOT_GIVEN, _MISCOUNTED),
    "hang-semaphore": ((_LOST_SIGNALS, _anywhere),),
    "l1-race": (
        (("l1-race",), _same_memory),
        (("cb-write-unreserved", "cb-read-past-wait", "cb-two-producers"), _same_buffer),
    ),
    "noc-use-in-flight": ((("cb-write-unreserved",), _same_buffer),),
    "noc-reuse-in-flight": ((("l1-race",), _same_memory),),
    "noc-multicast-outside": ((("noc-multicast-misses", "noc-multicast-outside"), _same_kernel),),  # data and flag
    "tensor-not-passed": ((("tensor-not-passed",), _same_kernel),),
    "pack-unpack-order": ((("pack-unpack-order",), _same_memory),),
    "value-uninitialised": (
        (_BETWEEN_CORES, _anywhere),
        (_EARLY_READS, _shared_cores),
        (_MISPLACED, _same_buffer),
        (_WRONG_SIZES, _shared_cores),
        (("cb-layout",), _same_line),
        (("cb-pop-unwaited",), _same_kernel_and_buffer),
        (("cb-two-producers",), _shared_cores),
    ),
    "output-unwritten": (
        ((*_BETWEEN_CORES, *_WRONG_SIZES, *_BAD_VALUES), _anywhere),
        (("cb-left-over",), _same_share),
        (("noc-page-out-of-range",), _wrong_page_written),
    ),
    "cb-two-producers": ((("cb-two-producers",), _same_buffer),),  # of each of the two
    "cb-left-over": ((("cb-two-producers",), _same_buffer),),
    # What a kernel does with an argument that it did not get.
    "arg-missing": ((("arg-missing",), _on_unserved_cores),),
    "noc-unaligned": ((_WRONG_SIZES, _same_kernel), (("noc-page-stride",), _same_kernel), _NOT_GIVEN),
    "noc-page-out-of-range": (
        (_WRONG_SIZES, _same_kernel),
        _NOT_GIVEN,
        (("cb-layout",), _rows_as_tiles),
        (("noc-page-out-of-range",), _same_page),
    ),
    "dram-race": ((("noc-page-out-of-range",), _same_line),),
    "cb-page-convention": (
        (_WRONG_SIZES, _same_kernel),
        (("cb-page-convention",), _same_buffer),  # in each kernel of the buffer
    ),
    "noc-page-stride": ((_WRONG_SIZES, _same_kernel),),
    "cb-write-past-reserve": ((_WRONG_SIZES, _same_kernel),),
    "cb-read-past-wait": ((_WRONG_SIZES, _same_kernel),),
    "cb-index-wrap": (
        (_WRONG_SIZES, _same_kernel),
        (("cb-write-past-reserve", "cb-read-past-wait"), _same_memory),
        (("cb-page-convention",), _same_kernel_and_buffer),
    ),
    "l1-outside-buffer": ((_WRONG_SIZES, _same_kernel), (("cb-page-convention",), _same_line)),
    "kernel-refused": ((("tensor-format",), _same_line),),
}


def under_their_causes(findings: Sequence[Finding]) -> list[Finding]:
    """The findings that stand by themselves, each with those that follow from it."""
    effects: dict[int, list[Finding]] = {}
    roots: list[int] = []
    for index, finding in enumerate(findings):
        root = _root_of(index, findings)
        if root == index:
            roots.append(index)
        else:
            effects.setdefault(root, []).append(finding)
    return [dataclasses.replace(findings[root], consequences=tuple(effects.get(root, ()))) for root in roots]


def _root_of(index: int, findings: Sequence[Finding]) -> int:
    """The finding a finding follows from in the end, itself where that is none."""
    seen = {index}
    while (cause := _cause_of(index, findings)) is not None and cause not in seen:
        index = cause
        seen.add(index)
    return index


def _cause_of(index: int, findings: Sequence[Finding]) -> int | None:
    effect = findings[index]
    for rules, fits in _FOLLOWS.get(effect.rule, ()):
        for other, cause in enumerate(findings):
            is_earlier = cause.rule != effect.rule or other < index  # of two alike the first is the cause
            same_operation = cause.operation == effect.operation  # of a script's many
            if cause.rule in rules and is_earlier and same_operation and fits(cause, effect):
                return other
    return None
