# SPDX-License-Identifier: Apache-2.0
"""Routers of the fabric: kernels on ethernet cores, which the engine models instead of running them.

All that the model needs stands in the kernel's build record and in its launch message: named compile-time arguments
have the addresses in the ethernet core's L1 and the rules of flow control, the other compile-time arguments the slots
of its channels, runtime arguments the router of the same chip that packets are forwarded to, macros the size of a
packet's header.
"""

from __future__ import annotations

import dataclasses
import struct

from tilewright._card.launches.kernel_record import named_arguments, recorded_macros
from tilewright._card.launches.layout import ReleaseLayout
from tilewright._card.package import CardError
from tilewright._card.products import HostChip
from tilewright._card.systems.ethernet_cores import EthernetCore
from tilewright._card.systems.known_systems import Mesh
from tilewright._wire.runner import FabricRouter

_MOST_WAYS = 4
_READY = 0xA2B2C2D2  # EDMStatus::LOCAL_HANDSHAKE_COMPLETE
_ROUTER = "fabric_erisc_router"  # in a build directory
_CHANNELS = 0xABCD1234  # the compile-time argument before the table of channels
_ENTRY_WORDS = 4  # of that table: address and slots of a channel, then those at the other end


@dataclasses.dataclass(frozen=True)
class RouterKernel:
    """The kernel of a router, from its build record and its launch.

    Attributes:
        downstream: the routers of the same chip that packets are forwarded to: 16 bits for each way, the NoC
            coordinates x and y << 8; 0: there is none. A router along a line has one way; one of a mesh has a way for
            each direction but its own, in tt-metal's order.
        rows: of the mesh whose packets have routes in two dimensions; 0: routes along a line.
        place: row and column of the chip in that mesh.
        direction: of the link, as tt-metal counts directions.
        sender_slots: packets that each sender channel holds, the worker's first.
        receiver_slots: packets that the receiver channel holds.
        injects: a bit for each sender channel that leaves one of the receiver's slots free (bubble flow control).
        acknowledges: whether a packet's slot is free when it has crossed the link, not when it has left the receiver.
    """

    status_address: int
    handshake: int
    worker_location: int
    header_bytes: int
    downstream: int
    sender_slots: tuple[int, ...]
    receiver_slots: int
    injects: int
    acknowledges: bool
    rows: int = 0
    place: tuple[int, int] = (0, 0)
    direction: int = 0

    @property
    def words(self) -> bytes:
        """Words that it writes into its L1 before it routes packets: address and value each."""
        return struct.pack("<II", self.status_address, _READY)


def router_kernel(layout: ReleaseLayout, core: EthernetCore) -> RouterKernel:
    """The router that was launched on an ethernet core.

    Raises:
        CardError: another kernel was launched there, or a router of a kind that is not simulated.
    """
    directory = next((each for each in core.kernels if f"/{_ROUTER}/" in each), None)
    if directory is None:
        name = core.kernels[0].split("/")[-3] if core.kernels else "a kernel"
        raise CardError(f"{name} was launched on an ethernet core; only routers of the fabric are simulated there")
    named, macros = named_arguments(directory), recorded_macros(directory)
    if named.get("UDM_MODE", 0):
        raise CardError("the fabric with reads of other chips' memory (FabricUDMMode.ENABLED) is not simulated")
    if named.get("IS_INTERMESH_ROUTER", 0):
        raise CardError("a fabric between several meshes is not simulated; open all chips as one mesh")
    is_mesh = "FABRIC_2D" in macros
    channels, ways = named["MAX_NUM_SENDER_CHANNELS"], named["NUM_DOWNSTREAM_SENDERS_VC0"] if is_mesh else 1
    arguments = core.arguments(2 * channels + 3 + ways)
    mask, x, y = arguments[2 * channels], *arguments[-2:]
    senders, receivers = channel_slots(macros, named["NUM_SENDER_CHANNELS"], named["NUM_RECEIVER_CHANNELS"])
    injects = sum(named[f"SENDER_CH_{channel}_IS_INJECTION"] << channel for channel in range(len(senders)))
    return RouterKernel(
        status_address=named["EDM_STATUS_PTR_ADDR"],
        handshake=arguments[0],
        worker_location=named["LOCAL_SENDER_CH_0_CONN_INFO_ADDR"],
        header_bytes=_mesh_header_bytes(macros) if is_mesh else _header_bytes(macros),
        downstream=_ways(mask, x, y),
        sender_slots=senders,
        receiver_slots=receivers[0],
        injects=injects if named["ENABLE_DEADLOCK_AVOIDANCE"] else 0,
        acknowledges=bool(named["ENABLE_FIRST_LEVEL_ACK_VC0"]),
        rows=named["MESH_Y_SIZE"] if is_mesh else 0,
        place=_place(layout, core.l1) if is_mesh else (0, 0),
        direction=named["MY_DIRECTION"],
    )


def channel_slots(macros: dict[str, str], senders: int, receivers: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Slots of each sender and receiver channel: a table of channels, then the entry of each.

    >>> channel_slots({"KERNEL_COMPILE_TIME_ARGS": "2882343476,2,64,8,64,8,96,16,96,16,0,0,1"}, 2, 1)
    ((8, 8), (16,))
    """
    words = [int(word, 0) for word in macros.get("KERNEL_COMPILE_TIME_ARGS", "").split(",") if word]
    if words[:1] != [_CHANNELS] or len(words) < 2 + _ENTRY_WORDS * words[1] + senders + receivers:
        raise CardError("this release's routers are not understood: their build record has no table of channels")
    entries, behind = words[3 : 2 + _ENTRY_WORDS * words[1] : _ENTRY_WORDS], 2 + _ENTRY_WORDS * words[1]
    slots = [entries[entry] for entry in words[behind : behind + senders + receivers]]
    return tuple(slots[:senders]), tuple(slots[senders:])


def _ways(mask: int, x: int, y: int) -> int:
    """Where packets go on: a bit of ``mask`` for each way that there is; their coordinates follow each other.

    >>> hex(_ways(0b101, 0x0503, 0x1918))
    '0x190500001803'
    """
    ways = 0
    for way in range(_MOST_WAYS):
        if mask >> way & 1:
            ways |= (x & 0xFF | (y & 0xFF) << 8) << 16 * way
            x, y = x >> 8, y >> 8
    return ways


def _header_bytes(macros: dict[str, str]) -> int:
    """Of a packet with a route along a line, as the release's headers have it for these macros."""
    return 48 if macros.get("FABRIC_1D_PKT_HDR_EXTENSION_WORDS", "1") == "0" else 64


def _mesh_header_bytes(macros: dict[str, str]) -> int:
    """Of a packet with a route in two dimensions: 60 bytes and the route, rounded up to 16 bytes."""
    return -(-(60 + int(macros.get("FABRIC_2D_PKT_HDR_ROUTE_BUFFER_SIZE", "36"))) // 16) * 16


def _place(layout: ReleaseLayout, l1: bytes) -> tuple[int, int]:
    """Row and column of the chip, from the table that the host wrote."""
    ethernet, structure = layout.linked_ethernet, "tt::tt_fabric::routing_l1_info_t"
    if f"{structure}.my_mesh_coord_y" not in ethernet:
        raise CardError("this release's fabric with routes in two dimensions (FABRIC_2D) is not understood")
    table = ethernet["MEM_AERISC_ROUTING_TABLE_BASE"]
    return l1[table + ethernet[f"{structure}.my_mesh_coord_y"]], l1[table + ethernet[f"{structure}.my_mesh_coord_x"]]


class Routers:
    """The routers of a system that were started so far."""

    def __init__(self, mesh: Mesh, chip: HostChip, layout: ReleaseLayout) -> None:
        self._channels = chip.ethernet
        self._connections = layout.tensix.get("MEM_TENSIX_FABRIC_CONNECTIONS_BASE", 0)
        self._links = {end: other for cable in mesh.cables(chip.link_order) for end, other in (cable, cable[::-1])}
        self._routers: dict[tuple[int, int], FabricRouter] = {}

    def start(self, card: int, x: int, y: int, kernel: RouterKernel) -> None:
        """Note a router. It may replace one of an earlier start of the fabric."""
        channel = self._channels.index((x, y))
        if (card, channel) not in self._links:
            raise CardError(f"a router was launched on chip {card} channel {channel}, which has no link")
        peer_die, peer_channel = self._links[card, channel]
        self._routers[card, channel] = FabricRouter(
            die=card,
            channel=channel,
            noc_x=x,
            noc_y=y,
            peer_die=peer_die,
            peer_channel=peer_channel,
            downstream=kernel.downstream,
            mesh_rows=kernel.rows,
            mesh_y=kernel.place[0],
            mesh_x=kernel.place[1],
            direction=kernel.direction,
            header_bytes=kernel.header_bytes,
            handshake=kernel.handshake,
            worker_location=kernel.worker_location,
            connections=self._connections,
            receiver_slots=kernel.receiver_slots,
            sender_slots=sum(slots << 8 * channel for channel, slots in enumerate(kernel.sender_slots)),
            injects=kernel.injects,
            acknowledges=kernel.acknowledges,
        )

    def all(self) -> list[FabricRouter]:
        return [self._routers[key] for key in sorted(self._routers)]
