# SPDX-License-Identifier: Apache-2.0
"""NoC data of a launch for the page: bytes per route, banks, multicasts, busiest links."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from tilewright._report.launch_view import View
from tilewright.timing._constants import constants_of
from tilewright.timing._device_time import Core
from tilewright.timing._dies import Place, die_of, noc_nodes
from tilewright.timing._timed_launch import TimedLaunch
from tilewright.timing._traffic import Flow, Link, TransferKind, flows_of, link_bytes

_MOST_MULTICASTS = 40
_COLUMNS = ("dramRead", "dramWrite", "l1Read", "l1Write", "multicast", "signals")


def noc_view(launch: TimedLaunch) -> View:
    """Transfers of a timed launch, with what they are on the model's clock."""
    record, flows = launch.record, flows_of(launch.record)
    nodes = noc_nodes(record.arch, record.grid)
    names = {place: _name(node.core, node.bank) for node in nodes for place in node.places}
    links = link_bytes(record, flows)
    possible = constants_of(record.arch)["link_rate"] * max(launch.time.cycles, 1.0)
    return {
        "size": list(die_of(record.arch).size),
        "places": [
            {"at": list(place), "core": node.core and list(node.core), "bank": node.bank}
            for node in nodes
            for place in dict.fromkeys(node.places)
        ],
        "kernels": _kernels(flows),
        "banks": _banks(flows, sum(node.core is None for node in nodes)),
        "multicasts": _multicasts(flows),
        "links": [_link(link, size, size / possible, names) for link, size in _largest_first(links)],
        "cores": _cores(flows),
    }


def _name(core: Core | None, bank: int) -> str:
    return f"bank {bank}" if core is None else f"core ({core[0]},{core[1]})"


def _largest_first(links: dict[Link, int]) -> list[tuple[Link, int]]:
    return sorted(links.items(), key=lambda item: (-item[1], item[0].noc, item[0].begin, item[0].end))


def _link(link: Link, size: int, share: float, names: dict[Place, str]) -> View:
    ends = [names.get(place, f"router {place[0]}-{place[1]}") for place in (link.begin, link.end)]
    return {
        "noc": link.noc,
        "begin": list(link.begin),
        "end": list(link.end),
        "bytes": size,
        "share": round(share, 4),
        "words": f"{ends[0]} to {ends[1]}",
    }


def _column(flow: Flow) -> str:
    if flow.kind is TransferKind.MULTICAST:
        return "multicast"
    if flow.kind is TransferKind.SIGNAL:
        return "signals"
    memory = "dram" if flow.node is not None and flow.node.core is None else "l1"
    return memory + ("Read" if flow.kind is TransferKind.READ else "Write")


def _kernels(flows: Iterable[Flow]) -> list[View]:
    """Bytes by kernel and NoC; of words and increments how many there are."""
    found: dict[tuple[str, int], Counter[str]] = defaultdict(Counter)
    for flow in flows:
        column = _column(flow)
        found[flow.kernel, flow.noc][column] += flow.transfers if column == "signals" else flow.bytes
        found[flow.kernel, flow.noc]["transfers"] += flow.transfers
    return [
        {"kernel": kernel, "noc": noc, "transfers": row["transfers"], **{name: row[name] for name in _COLUMNS}}
        for (kernel, noc), row in sorted(found.items())
    ]


def _banks(flows: Iterable[Flow], count: int) -> list[View]:
    moved: Counter[tuple[int, TransferKind]] = Counter()
    for flow in flows:
        if flow.node is not None and flow.node.core is None:
            moved[flow.node.bank, flow.kind] += flow.bytes
    return [
        {"bank": bank, "read": moved[bank, TransferKind.READ], "written": moved[bank, TransferKind.WRITE]}
        for bank in range(count)
    ]


def _multicasts(flows: Iterable[Flow]) -> list[View]:
    """Those that send data, the largest first."""
    found = [
        {
            "kernel": flow.kernel,
            "core": list(flow.core),
            "noc": flow.noc,
            "to": [list(corner) for corner in flow.rectangle],
            "bytes": flow.bytes,
            "times": flow.transfers,
        }
        for flow in flows
        if flow.kind is TransferKind.MULTICAST and flow.rectangle is not None
    ]
    return sorted(found, key=lambda row: -int(str(row["bytes"])))[:_MOST_MULTICASTS]


def _cores(flows: Iterable[Flow]) -> list[View]:
    """With whom each core deals: what it reads from there and writes there."""
    found: dict[Core, dict[tuple[Core | None, int], list[int]]] = defaultdict(dict)
    for flow in flows:
        if flow.node is None:
            continue
        moved = found[flow.core].setdefault((flow.node.core, flow.node.bank), [0, 0])
        moved[flow.kind is not TransferKind.READ] += flow.bytes
    return [
        {"at": list(at), "with": [[_name(*other), *partners[other]] for other in sorted(partners, key=_bank_then_core)]}
        for at, partners in sorted(found.items())
    ]


def _bank_then_core(other: tuple[Core | None, int]) -> tuple[bool, Core, int]:
    core, bank = other
    return core is not None, core or (0, 0), bank


def core_bytes(view: View) -> dict[Core, int]:
    """NoC reads and writes of each core."""
    return {tuple(core["at"]): sum(row[1] + row[2] for row in core["with"]) for core in view["cores"]}
