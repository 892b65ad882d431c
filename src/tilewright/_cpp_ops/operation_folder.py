# SPDX-License-Identifier: Apache-2.0
"""A folder with a C++ operation, in the layout of the tt-metal tree.

``NAME/NAME.hpp``, ``NAME.cpp``, ``NAME_nanobind.cpp``, ``device/*_device_operation.cpp``,
``device/*_program_factory.cpp``, ``device/kernels/...``. The folder may lie in a checkout or anywhere else: paths such
as ``ttnn/operations/reduction/NAME/NAME.hpp`` and ``ttnn/cpp/ttnn/operations/reduction/NAME/device/kernels/...`` are
found by the part behind the folder's name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from tilewright._cpp_ops.errors import CppOperationError

_SUFFIXES = (".cpp", ".cc", ".hpp", ".h")
_NOT_HOST = {"test_dev", "tests", "test", "build"}
# What kernels include and host code does not: some lie in folders of other names.
_KERNEL_API = re.compile(r'^[ \t]*#[ \t]*include[ \t]+["<](?:api/|dataflow_api|compute_kernel_api)', re.MULTILINE)
BINDING_NAMES = ("_nanobind.cpp", "_pybind.cpp", "_pybind11.cpp", "nanobind.cpp", "pybind.cpp")
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+["<]([^">]+)[">]', re.MULTILINE)


@dataclass(frozen=True)
class OperationFolder:
    """Host sources, headers and kernels of one operation."""

    root: Path
    sources: tuple[Path, ...] = field(repr=False)
    headers: tuple[Path, ...] = field(repr=False)

    @property
    def name(self) -> str:
        return self.root.name

    @property
    def binding_files(self) -> tuple[Path, ...]:
        return tuple(source for source in self.sources if source.name.endswith(BINDING_NAMES))

    @property
    def tree(self) -> Path | None:
        """The checkout this folder lies in: what is above its ``ttnn/cpp/ttnn``."""
        parts = self.root.parts
        for index in range(len(parts) - 2):
            if parts[index : index + 3] == ("ttnn", "cpp", "ttnn"):
                return Path(*parts[:index])
        return None

    def include_directories(self) -> list[Path]:
        """Where the folder's own includes are found, before the host headers."""
        return [self.root, self.root.parent, self.root / "device"]

    def checkout_directories(self) -> list[Path]:
        """Where includes of its checkout are found, behind the host headers: those stand for the checkout's own."""
        return [] if self.tree is None else [self.tree / "ttnn" / "cpp", self.tree / "ttnn", self.tree]

    def tree_headers(self) -> dict[str, Path]:
        """Includes by paths of the tree that mean a file of this folder."""
        found: dict[str, Path] = {}
        for file in (*self.sources, *self.headers):
            for name in _INCLUDE.findall(file.read_text(errors="replace")):
                target = self.inside(name)
                if target is not None and "/" in name:
                    found[name] = target
        return found

    def inside(self, path: str) -> Path | None:
        """The file of this folder that a path of the tree ends with, if there is one."""
        parts = PurePosixPath(path).parts
        for index, part in enumerate(parts):
            if part == self.name:
                candidate = self.root.joinpath(*parts[index + 1 :])
                if candidate.is_file():
                    return candidate
        return None


def _is_no_host_folder(name: str) -> bool:
    return name in _NOT_HOST or "kernel" in name


def _is_host(source: Path) -> bool:
    return _KERNEL_API.search(source.read_text(errors="replace")) is None


def _require_readable(file: Path) -> None:
    try:
        with file.open("rb"):
            return
    except OSError as error:
        raise CppOperationError(f"{file} cannot be read: {error.strerror}") from error


def read_folder(path: str | Path) -> OperationFolder:
    """The operation that lies in ``path``.

    Raises:
        CppOperationError: there is none, with what is missing.
    """
    root = Path(path).absolute()
    if not root.is_dir():
        raise CppOperationError(f"{path} is no folder; `tilewright build` takes the folder of a C++ operation")
    files = [
        file
        for file in sorted(root.rglob("*"))
        if file.suffix in _SUFFIXES and not any(map(_is_no_host_folder, file.relative_to(root).parts[:-1]))
    ]
    for file in files:
        _require_readable(file)
    sources = tuple(file for file in files if file.suffix in (".cpp", ".cc") and _is_host(file))
    headers = tuple(file for file in files if file.suffix in (".hpp", ".h"))
    folder = OperationFolder(root, sources, headers)
    if not sources:
        raise CppOperationError(
            f"{path} has no host sources (*.cpp outside of kernels/): an operation has at least "
            f"{root.name}.cpp, {root.name}_nanobind.cpp and device/{root.name}_device_operation.cpp"
        )
    if not folder.binding_files:
        raise CppOperationError(
            f"{path} has no binding ({root.name}_nanobind.cpp with a function that takes nb::module_&), so Python "
            "could not call the operation; `tilewright new NAME --cpp` writes one to look at"
        )
    return folder
