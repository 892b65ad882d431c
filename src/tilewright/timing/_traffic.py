# SPDX-License-Identifier: Apache-2.0
"""Transfers of a recorded launch: bytes per route and links."""

from __future__ import annotations

import collections
import dataclasses
import enum
from collections.abc import Iterable, Iterator

import numpy as np

from tilewright._record.call_record import CallRecord, Core
from tilewright.timing._dies import NocNode, Place, die_of, noc_nodes
from tilewright.timing._record_entries import KernelEntries, call_number, entries_of

_LOCAL_BITS = np.uint64(36)
_NODE_BITS, _NODE_MASK = 6, 63
_NO_RECTANGLE = ((0, 0), (0, 0))


class TransferKind(enum.Enum):
    READ = "read"
    WRITE = "write"
    MULTICAST = "multicast"
    SIGNAL = "signal"  # a word or an increment, to one core or many


_KINDS = {
    "NocRead": TransferKind.READ,
    "NocWrite": TransferKind.WRITE,
    "NocWriteMulticast": TransferKind.MULTICAST,
    "NocWriteWord": TransferKind.SIGNAL,
    "NocWriteWordMulticast": TransferKind.SIGNAL,
    "NocIncrement": TransferKind.SIGNAL,
    "NocIncrementMulticast": TransferKind.SIGNAL,
}
_TO_MANY = {"NocWriteMulticast", "NocWriteWordMulticast", "NocIncrementMulticast"}
_WORD_BYTES = 4


@dataclasses.dataclass(frozen=True)
class Flow:
    """All transfers of one kind that a kernel on a core makes with one place.

    Attributes:
        node: that place; None where many are meant, or where the model knows no node there.
        rectangle: first and last core of a multicast, logical; None of other transfers.
    """

    kernel: str
    core: Core
    noc: int
    kind: TransferKind
    node: NocNode | None
    rectangle: tuple[Core, Core] | None
    bytes: int
    transfers: int


@dataclasses.dataclass(frozen=True)
class Link:
    """From one router to the next one of a NoC."""

    noc: int
    begin: Place
    end: Place


def flows_of(record: CallRecord) -> list[Flow]:
    """Every flow of a launch.

    Example::

        launch = tilewright.time_program([x, y], program)
        for flow in flows_of(launch.record):
            print(flow.core, flow.kind.value, flow.bytes)
    """
    nodes = {node.noc: node for node in noc_nodes(record.arch, record.grid)}
    return [flow for entries in entries_of(record) for flow in _flows(record, entries, nodes)]


def _flows(record: CallRecord, entries: KernelEntries, nodes: dict[Place, NocNode]) -> Iterator[Flow]:
    kernel, nocs, sizes = record.kernels[entries.kernel].name, entries.a, entries.c
    for name, kind in _KINDS.items():
        (at,) = np.nonzero(entries.calls == call_number(name))
        if not len(at):
            continue
        places = entries.words[at + 1] >> _LOCAL_BITS
        keys, which, counts = np.unique(
            places << np.uint64(1) | nocs[at] & np.uint64(1), return_inverse=True, return_counts=True
        )
        amounts = np.full(len(at), _WORD_BYTES) if kind is TransferKind.SIGNAL else sizes[at]
        moved = np.bincount(which, amounts.astype(np.float64))
        for key, count, size in zip(keys.tolist(), counts.tolist(), moved.tolist(), strict=True):
            noc, place = key & 1, key >> 1
            node = None if name in _TO_MANY else nodes.get(_coordinates(place))
            rectangle = _rectangle(place, nodes) if name in _TO_MANY else None
            yield Flow(kernel, entries.core, noc, kind, node, rectangle, round(size), count)


def _coordinates(place: int) -> Place:
    return place & _NODE_MASK, place >> _NODE_BITS & _NODE_MASK


def _rectangle(place: int, nodes: dict[Place, NocNode]) -> tuple[Core, Core]:
    """The first and last core of the grid in a multicast's rectangle, whichever corner is named first."""
    (x0, y0), (x1, y1) = _coordinates(place), _coordinates(place >> 2 * _NODE_BITS)
    columns, rows = sorted((x0, x1)), sorted((y0, y1))
    cores = [
        node.core
        for (x, y), node in nodes.items()
        if node.core is not None and columns[0] <= x <= columns[1] and rows[0] <= y <= rows[1]
    ]
    return (min(cores), max(cores)) if cores else _NO_RECTANGLE


def link_bytes(record: CallRecord, flows: Iterable[Flow]) -> dict[Link, int]:
    """Traffic of every link: data of reads, writes and words. Multicasts branch on their way and are left out."""
    size = die_of(record.arch).size
    places = {node.core: node.places for node in noc_nodes(record.arch, record.grid)}
    found: collections.Counter[Link] = collections.Counter()
    for flow in flows:
        if flow.node is None:
            continue
        ends = places[flow.core][flow.noc], flow.node.places[flow.noc]
        for link in _route(flow.noc, *(ends[::-1] if flow.kind is TransferKind.READ else ends), size):
            found[link] += flow.bytes
    return dict(found)


def _route(noc: int, begin: Place, end: Place, size: Place) -> Iterator[Link]:
    """NoC 0 goes right, then down; NoC 1 up, then left; both go around at the edge."""
    step = 1 if noc == 0 else -1
    at = list(begin)
    for axis in (0, 1) if noc == 0 else (1, 0):
        while at[axis] != end[axis]:
            before = (at[0], at[1])
            at[axis] = (at[axis] + step) % size[axis]
            yield Link(noc, before, (at[0], at[1]))
