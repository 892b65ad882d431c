# SPDX-License-Identifier: Apache-2.0
"""Time that packets take on the links between chips: of each link at least the cost of its packets or of its bytes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from tilewright._record.run import LinkTraffic
from tilewright._tensor.arch import describe_arch
from tilewright.timing._constants import constants_of
from tilewright.timing._timed_launch import TimedLaunch

_MOST_SHOWN = 10


@dataclasses.dataclass(frozen=True)
class LinkTime:
    """The busiest link of one launch.

    Attributes:
        operation: the call of ttnn that made the launch, or its kernels.
        link: chip and ethernet channel at both ends.
        packets, bytes: that crossed it, headers included.
        microseconds: at least, as long as its router and the link are busy with them.
    """

    operation: str
    link: tuple[tuple[int, int], tuple[int, int]]
    packets: int
    bytes: int
    microseconds: float

    def __str__(self) -> str:
        (chip, channel), (to_chip, to_channel) = self.link
        return (
            f"{self.microseconds:10,.1f}  {self.packets:8,}  {self.bytes:11,}  chip {chip} channel {channel} to chip "
            f"{to_chip} channel {to_channel}  {self.operation}"
        )


def link_microseconds(arch: str, packets: int, size: int) -> float:
    """How long a link is busy at least with packets of so many bytes in all.

    >>> round(link_microseconds("wormhole_b0", 1000, 1000 * (4096 + 48)), 1)
    349.1
    """
    constants = constants_of(arch)
    cycles = max(packets * constants["fabric_packet"], size / constants["fabric_link_rate"])
    return cycles / describe_arch(arch).clock_hz * 1e6


def link_times(launches: Iterable[TimedLaunch]) -> list[LinkTime]:
    """The busiest link of each launch that sent packets, the longest first."""
    found = [_busiest(launch, launch.links) for launch in launches if launch.links]
    return sorted(found, key=lambda each: -each.microseconds)


def _busiest(launch: TimedLaunch, links: Sequence[LinkTraffic]) -> LinkTime:
    arch = launch.record.arch
    longest = max(links, key=lambda link: link_microseconds(arch, link.packets, link.bytes))
    return LinkTime(
        launch.operation or launch.label,
        (longest.begin, longest.end),
        longest.packets,
        longest.bytes,
        link_microseconds(arch, longest.packets, longest.bytes),
    )


def link_lines(launches: Sequence[TimedLaunch]) -> list[str]:
    """A table of the busiest links; empty where no packet was sent."""
    found = link_times(launches)
    if not found:
        return []
    total = sum(each.microseconds for each in found)
    rest = [f"{len(found) - _MOST_SHOWN} others"] if len(found) > _MOST_SHOWN else []
    return [
        "",
        f"packets between chips: the busiest link of each launch is busy for {total:,.1f} us in all at least. Chips "
        "are timed each on its own: their waits for packets are not part of the times above.",
        "        us   packets        bytes  busiest link and operation",
        *map(str, found[:_MOST_SHOWN]),
        *rest,
    ]
