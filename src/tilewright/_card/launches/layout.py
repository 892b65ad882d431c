# SPDX-License-Identifier: Apache-2.0
"""Offsets of tt-metal's messages and mailboxes, compiled from the installed package's headers.

Releases move fields of their messages and regions of L1 about. So nothing of that is written down here: a small program
(native/card/layout) is compiled against the package's headers and prints offsets, and what it printed is kept in the
cache by the content of those headers.
"""

from __future__ import annotations

import dataclasses
import json
import subprocess
from pathlib import Path

from tilewright._build.cache import building, cache_directory, digest, write_atomically
from tilewright._build.compiler import find_compiler
from tilewright._build.native_build import NATIVE
from tilewright._card.package import CardError, TtMetal

_SOURCE = NATIVE / "card" / "layout" / "layout.cpp"
_EARLIER_COMMANDS = ("CQ_DISPATCH_SET_GO_SIGNAL_NOC_DATA",)  # up to 0.80
_ARCHS = {"wormhole_b0": ("wormhole", "ARCH_WORMHOLE"), "blackhole": ("blackhole", "ARCH_BLACKHOLE")}
_TENSIX, _IDLE_ETHERNET, _LINKED_ETHERNET = "COMPILE_FOR_BRISC", "COMPILE_FOR_IDLE_ERISC", "COMPILE_FOR_ERISC"


@dataclasses.dataclass(frozen=True)
class ReleaseLayout:
    """Addresses in L1 and offsets in ``kernel_config_msg_t``, under tt-metal's names."""

    tensix: dict[str, int]
    ethernet: dict[str, int]
    linked_ethernet: dict[str, int]

    def __getitem__(self, name: str) -> int:
        return self.tensix[name]

    def config(self, field: str) -> int:
        """Offset of a field of the launch message's configuration."""
        return self.tensix[f"kernel_config_msg_t.{field}"] + self.tensix["launch_msg_t.kernel_config"]

    @property
    def launch_address(self) -> int:
        return self.tensix["MEM_MAILBOX_BASE"] + self.tensix["mailboxes_t.launch"]

    @property
    def go_address(self) -> int:
        return self.tensix["MEM_MAILBOX_BASE"] + self.tensix["go_message"]

    @property
    def ethernet_go_addresses(self) -> tuple[int, int]:
        """Of an ethernet core without a link, and of one with."""
        idle = self.ethernet["MEM_IERISC_MAILBOX_BASE"] + self.ethernet["go_message"]
        return idle, self.linked_ethernet["MEM_AERISC_MAILBOX_BASE"] + self.linked_ethernet["go_message"]

    def as_json(self) -> str:
        return json.dumps(dataclasses.asdict(self))

    @classmethod
    def from_json(cls, text: str | bytes) -> ReleaseLayout:
        return cls(**json.loads(text))


def read_layout(package: TtMetal, arch: str) -> ReleaseLayout:
    """The layout of this package on this chip.

    Raises:
        CardError: its headers do not have what was looked for; names the package's version and the compiler's words.
    """
    entry = cache_directory() / "card" / "layouts" / f"{_key(package, arch)}.json"
    try:
        return ReleaseLayout.from_json(entry.read_bytes())
    except (OSError, ValueError, TypeError):
        tensix, ethernet = (_printed(package, arch, core) for core in (_TENSIX, _IDLE_ETHERNET))
        layout = ReleaseLayout(tensix, ethernet, _linked_ethernet(package, arch))
        write_atomically(entry, layout.as_json().encode())
        return layout


def _key(package: TtMetal, arch: str) -> str:
    headers = [
        package.root / "tt_metal" / "hw" / "inc" / "hostdev" / "dev_msgs.h",
        *sorted((package.root / "tt_metal" / "hw" / "inc").rglob("dev_mem_map.h")),
        *sorted((package.root / "tt_metal" / "hw" / "inc").rglob("core_config.h")),
    ]
    contents = [path.read_bytes() for path in headers if path.is_file()]
    return digest(arch, package.version, str(package.root), _SOURCE.read_bytes(), *contents)


def _include_directories(package: TtMetal, arch: str) -> list[Path]:
    headers = package.root / "tt_metal" / "hw" / "inc"
    name = _ARCHS[arch][0]
    families = [path.parent for path in headers.rglob("dev_mem_map.h") if path.parent.name == name]
    return [
        headers,
        *families,
        *(each / f"{arch}_defines" for each in families),
        headers / "internal",
        package.root / "tt_metal" / "hostdevcommon" / "api",
        package.root / "tt_metal",
        package.root,
    ]


def _linked_ethernet(package: TtMetal, arch: str) -> dict[str, int]:
    """Without the fabric's tables if the release describes them beside firmware, which only its own compiler takes."""
    try:
        return _printed(package, arch, _LINKED_ETHERNET)
    except CardError:
        return _printed(package, arch, _LINKED_ETHERNET, "WITHOUT_FABRIC")


def _printed(package: TtMetal, arch: str, *cores: str) -> dict[str, int]:
    compiler = find_compiler()
    with building(f"card-layout-{_key(package, arch)}") as work:
        program = work / "layout"
        commands = package.root / "tt_metal" / "impl" / "dispatch" / "kernels" / "cq_commands.hpp"
        text = commands.read_text() if commands.is_file() else ""  # the compiler says what is missing
        earlier = [f"HAS_{name}" for name in _EARLIER_COMMANDS if name in text]
        macros = ["KERNEL_BUILD", "TENSIX_FIRMWARE", _ARCHS[arch][1], *cores, *earlier]
        includes = [f"-I{directory}" for directory in _include_directories(package, arch)]
        flags = ["-std=c++20", "-w", *(f"-D{macro}" for macro in macros), *includes]
        result = compiler.run([*flags, str(_SOURCE), "-o", str(program)])
        if result.returncode != 0:
            raise CardError(_not_understood(package, arch, result.stderr))
        lines = subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()
    return {name: int(value) for name, value in (line.split() for line in lines)}


def _not_understood(package: TtMetal, arch: str, words: str) -> str:
    errors = [line for line in words.splitlines() if "error" in line] or words.splitlines()
    return (
        f"this release of tt-metal is not understood: {package} for {arch}. Its headers (hostdev/dev_msgs.h, "
        "dev_mem_map.h) do not have the launch message, mailboxes and L1 regions that were looked for:\n"
        + "\n".join(f"  {line}" for line in errors[:5])
    )
