# SPDX-License-Identifier: Apache-2.0
"""How kernels are compiled in a system with a fabric: with the installed package's headers of the fabric.

Those headers, unchanged, say how a worker writes packets. They name places of L1 that the release decides.
"""

from __future__ import annotations

from pathlib import Path

from tilewright._build.cache import cache_directory, digest, locked
from tilewright._card.launches.layout import ReleaseLayout

USES_FABRIC = "TW_FABRIC"  # headers of this name lead to the package's own (_build/generated_headers.py)
_PLACES = {
    "TW_ROUTING_TABLE": "MEM_TENSIX_ROUTING_TABLE_BASE",
    "TW_ROUTING_PATH": "MEM_TENSIX_ROUTING_PATH_BASE_1D",
    "TW_EXIT_NODE_TABLE": "MEM_TENSIX_EXIT_NODE_TABLE_BASE",
    "TW_FABRIC_CONNECTIONS": "MEM_TENSIX_FABRIC_CONNECTIONS_BASE",
    "TW_FABRIC_CONNECTION_LOCK": "MEM_FABRIC_CONNECTION_LOCK_BASE",
    "TW_FABRIC_COUNTER": "MEM_FABRIC_COUNTER_BASE",
    "TW_PACKET_HEADER_POOL": "MEM_PACKET_HEADER_POOL_BASE",
    "TW_PACKET_HEADER_MAX_SIZE": "PACKET_HEADER_MAX_SIZE",
    "TW_NUM_PACKET_HEADERS": "NUM_PACKET_HEADERS",
}

_SHARED = ("hostdev", "api/socket_api.h", "api/alignment.h")


def fabric_defines(layout: ReleaseLayout) -> tuple[tuple[str, str], ...]:
    """Macros for kernels of several chips; none if the release has no fabric of this kind."""
    if any(name not in layout.tensix for name in _PLACES.values()):
        return ()
    return ((USES_FABRIC, "1"), *((macro, f"{layout[name]}u") for macro, name in _PLACES.items()))


def fabric_include_paths(root: str) -> tuple[str, ...]:
    """Folders with the package's headers of the fabric, and none of its other kernel API."""
    return (f"{root}/tt_metal/hostdevcommon/api", f"{root}/tt_metal/api", str(_shared_headers(root)))


def _shared_headers(root: str) -> Path:
    """A folder that leads to the headers the package's host and kernels share, and to those of sockets."""
    folder = cache_directory() / "card" / "fabric-headers" / digest(root, *_SHARED)
    missing = [name for name in _SHARED if not (folder / name).is_symlink()]
    if missing:
        with locked(f"fabric-headers-{folder.name}"):
            for name in missing:
                link = folder / name
                link.parent.mkdir(parents=True, exist_ok=True)
                if not link.is_symlink():
                    link.symlink_to(Path(root) / "tt_metal" / "hw" / "inc" / name)
    return folder
