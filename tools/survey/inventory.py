# SPDX-License-Identifier: Apache-2.0
"""Finds the kernels of a ttnn package and says what each is."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

from tilewright._errors import TilewrightError
from tools.survey.source_text import SourceTree, included_names

_ENTRY = re.compile(r"\bvoid\s+kernel_main\s*\(|\bTT_KERNEL\b")
_COMPUTE_INCLUDE = re.compile(r"api/compute/|compute_kernel_api|kernel/compute/|kernel_lib/eltwise/|_compute\.hpp$")
_FABRIC_INCLUDE = re.compile(r"tt_metal/fabric/")

CORE, QUASAR, MULTI_CHIP = "core", "quasar", "multi-chip"


@dataclasses.dataclass(frozen=True)
class Kernel:
    """One kernel source of a package.

    Attributes:
        relative: its path below the package's root.
        family: the group of operations it belongs to, e.g. ``"data_movement"`` or ``"experimental/kda"``.
        scope: ``"core"`` (one Wormhole or Blackhole chip), ``"quasar"`` or ``"multi-chip"``.
        kind: ``"reader"``, ``"writer"``, ``"reader_writer"``, ``"other"`` (data movement) or ``"compute"``.
    """

    path: Path
    relative: str
    family: str
    scope: str
    kind: str

    @property
    def is_compute(self) -> bool:
        return self.kind == "compute"


def package_root(path: Path) -> Path:
    """The directory of a ttnn package or tt-metal tree that holds ``ttnn/cpp``.

    Raises:
        TilewrightError: neither ``path`` nor ``path/ttnn`` is one.
    """
    for candidate in (path, path / "ttnn"):
        if (candidate / "ttnn" / "cpp" / "ttnn").is_dir():
            return candidate.resolve()
    raise TilewrightError(f"{path} is not a ttnn package: expected kernels under {path}/ttnn/cpp/ttnn")


def find_kernels(root: Path) -> list[Kernel]:
    """Every kernel below ``root/ttnn/cpp``, by path."""
    tree = SourceTree(root)
    kernels = []
    for path in sorted((root / "ttnn" / "cpp").rglob("*.cpp")):
        text = tree.text(path)
        if _ENTRY.search(text):
            relative = path.relative_to(root).as_posix()
            kernels.append(
                Kernel(path, relative, _family(relative), _scope(relative, tree, path), _kind(relative, text))
            )
    return kernels


def _family(relative: str) -> str:
    parts = relative.split("/")
    if "operations" not in parts:
        return "kernel (common)"
    below = parts[parts.index("operations") + 1 :]
    return "/".join(below[:2]) if below[0] == "experimental" else below[0]


def _scope(relative: str, tree: SourceTree, path: Path) -> str:
    if "/quasar/" in relative:
        return QUASAR
    reaches_fabric = any(_FABRIC_INCLUDE.search(name) for text in tree.closure(path) for name in included_names(text))
    return MULTI_CHIP if "/ccl/" in relative or "fabric" in relative or reaches_fabric else CORE


def _kind(relative: str, text: str) -> str:
    name = relative.rsplit("/", 1)[-1]
    compute = "compute" in name or any(_COMPUTE_INCLUDE.search(included) for included in included_names(text))
    if "/compute/" in relative or (compute and "/dataflow/" not in relative):
        return "compute"
    reads, writes = "read" in name, "writ" in name
    if reads and writes:
        return "reader_writer"
    return "reader" if reads else "writer" if writes else "other"
