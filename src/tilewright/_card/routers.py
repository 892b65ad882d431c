# SPDX-License-Identifier: Apache-2.0
"""Routers of the fabric: kernels on ethernet cores, which the engine models instead of running them.

All that the model needs stands in the kernel's build record and in its launch message: named compile-time arguments
have the addresses in the ethernet core's L1, runtime arguments the router of the same chip that packets are forwarded
to, macros the size of a packet's header.
"""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Iterator

from tilewright._card.kernel_record import named_arguments, recorded_macros
from tilewright._card.launch_message import LONGEST_NAME, TEXT_MAGIC, kernel_directory
from tilewright._card.layout import ReleaseLayout
from tilewright._card.package import CardError
from tilewright._card.systems import Mesh
from tilewright._wire.runner import FabricRouter

_ACTIVE_ETHERNET = 1  # which of tt-metal's programmable core types
_READY = 0xA2B2C2D2  # EDMStatus::LOCAL_HANDSHAKE_COMPLETE
_ROUTER, _KERNELS = "fabric_erisc_router", "kernels"  # in a build directory, which firmware has too


@dataclasses.dataclass(frozen=True)
class RouterKernel:
    """A router's kernel as it was built and launched.

    Attributes:
        downstream: NoC coordinates of the router of the same chip that packets are forwarded to; None: there is none.
    """

    status_address: int
    handshake: int
    worker_location: int
    header_bytes: int
    downstream: tuple[int, int] | None

    @property
    def words(self) -> bytes:
        """What it writes into its L1 before it routes packets: address and value each."""
        return struct.pack("<II", self.status_address, _READY)


def router_kernel(layout: ReleaseLayout, l1: bytes) -> RouterKernel:
    """The router that was launched on an ethernet core whose memory this is.

    Raises:
        CardError: another kernel was launched there, or a router of a kind that is not simulated.
    """
    directories = [each for each in _directories(l1) if f"/{_KERNELS}/" in each]
    directory = next((each for each in directories if f"/{_ROUTER}/" in each), None)
    if directory is None:
        name = directories[0].split("/")[-3] if directories else "a kernel"
        raise CardError(f"{name} was launched on an ethernet core; only routers of the fabric are simulated there")
    named, macros = named_arguments(directory), recorded_macros(directory)
    if "FABRIC_2D" in macros:
        raise CardError(
            "the fabric with routes in two dimensions (FABRIC_2D) is not simulated; use FabricConfig.FABRIC_1D or "
            "FABRIC_1D_RING"
        )
    channels = named["MAX_NUM_SENDER_CHANNELS"]
    arguments = _runtime_arguments(layout, l1, 2 * channels + 4)
    has_downstream, _, x, y = arguments[2 * channels :]
    return RouterKernel(
        status_address=named["EDM_STATUS_PTR_ADDR"],
        handshake=arguments[0],
        worker_location=named["LOCAL_SENDER_CH_0_CONN_INFO_ADDR"],
        header_bytes=_header_bytes(macros),
        downstream=(x, y) if has_downstream else None,
    )


def _header_bytes(macros: dict[str, str]) -> int:
    """Of a packet, as the release's headers have it for these macros."""
    return 48 if macros.get("FABRIC_1D_PKT_HDR_EXTENSION_WORDS", "1") == "0" else 64


def _directories(l1: bytes) -> Iterator[str]:
    """Build directories of what the host loaded."""
    begin = l1.find(TEXT_MAGIC)
    while begin >= 0:
        directory = kernel_directory(l1[begin : begin + LONGEST_NAME])
        if directory is not None:
            yield directory
        begin = l1.find(TEXT_MAGIC, begin + 1)


def _runtime_arguments(layout: ReleaseLayout, l1: bytes, count: int) -> tuple[int, ...]:
    ethernet = layout.linked_ethernet
    config = (
        ethernet["MEM_AERISC_MAILBOX_BASE"] + ethernet["mailboxes_t.launch"] + ethernet["launch_msg_t.kernel_config"]
    )
    bases = config + ethernet["kernel_config_msg_t.kernel_config_base"]
    (base,) = struct.unpack_from("<I", l1, bases + 4 * _ACTIVE_ETHERNET)
    (offset,) = struct.unpack_from("<H", l1, config + ethernet["kernel_config_msg_t.rta_offset"])
    return struct.unpack_from(f"<{count}I", l1, base + offset)


class Routers:
    """The routers of a system that were started so far."""

    def __init__(self, mesh: Mesh, channels: tuple[tuple[int, int], ...], layout: ReleaseLayout) -> None:
        """``channels``: NoC coordinates of each ethernet channel."""
        self._channels = channels
        self._connections = layout.tensix.get("MEM_TENSIX_FABRIC_CONNECTIONS_BASE", 0)
        self._links = {end: other for cable in mesh.cables() for end, other in (cable, cable[::-1])}
        self._routers: dict[tuple[int, int], FabricRouter] = {}

    def start(self, card: int, x: int, y: int, kernel: RouterKernel) -> None:
        """Note a router. It may replace one of an earlier start of the fabric."""
        channel = self._channels.index((x, y))
        if (card, channel) not in self._links:
            raise CardError(f"a router was launched on chip {card} channel {channel}, which has no link")
        peer_die, peer_channel = self._links[card, channel]
        down_x, down_y = kernel.downstream or (0, 0)
        self._routers[card, channel] = FabricRouter(
            die=card,
            channel=channel,
            noc_x=x,
            noc_y=y,
            peer_die=peer_die,
            peer_channel=peer_channel,
            has_downstream=kernel.downstream is not None,
            downstream_x=down_x,
            downstream_y=down_y,
            header_bytes=kernel.header_bytes,
            handshake=kernel.handshake,
            worker_location=kernel.worker_location,
            connections=self._connections,
        )

    def all(self) -> list[FabricRouter]:
        return [self._routers[key] for key in sorted(self._routers)]
