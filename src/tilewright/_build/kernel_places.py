# SPDX-License-Identifier: Apache-2.0
"""Names for the directories a kernel is made from, the same wherever they lie.

A compiled kernel must serve every clone and every environment that has the same sources. So its cache key, the record
of the files it was made from and its debug information have these names, and each user of the library puts directories
of its own in their place.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from pathlib import Path

from tilewright._build.generated_headers import generated_directory
from tilewright._build.native_build import NATIVE
from tilewright._build.translation_unit import KernelSource
from tilewright._program.kernel_path import kernel_search_path

_ROOT = "/tilewright"
# What a kernel written in Python names its lines by.
_LINE = re.compile(rb'^(#line \d+ ")(.*)/([^/"]*")$', re.MULTILINE)


def include_roots(path: str) -> list[str]:
    """Directories a kernel's includes are looked up in, besides its own.

    A kernel of a tt-metal tree or of a ttnn installation finds that tree's kernel libraries; any other, one given as
    text above all, those of ``$TT_METAL_HOME`` or of an installed ttnn.
    """
    tree = tree_of(path) or next(filter(_is_tree, kernel_search_path()), None)
    if tree is None:
        return []
    return [str(tree), str(tree / "ttnn"), str(tree / "ttnn" / "cpp"), str(tree / "tt_metal")]


def _is_tree(place: Path) -> bool:
    return (place / "ttnn" / "cpp" / "ttnn").is_dir()


def tree_of(path: str) -> Path | None:
    """The tt-metal tree, or ttnn installation, that a kernel belongs to."""
    return next(filter(_is_tree, Path(path).parent.parents), None)


@dataclasses.dataclass(frozen=True)
class Places:
    """Directories and their names, the longest directory first: one inside another has a name of its own."""

    names: tuple[tuple[str, str], ...]

    def hide(self, path: str) -> str:
        """A path with the name of its directory.

        >>> Places((("/home/me/kernels", "/tilewright/kernel"),)).hide("/home/me/kernels/reader.cpp")
        '/tilewright/kernel/reader.cpp'
        """
        for directory, name in self.names:
            if path == directory or path.startswith(f"{directory}/"):
                return name + path[len(directory) :]
        return path

    def show(self, path: str) -> str:
        """A path with its directory again.

        >>> Places((("/home/me/kernels", "/tilewright/kernel"),)).show("/tilewright/kernel/reader.cpp")
        '/home/me/kernels/reader.cpp'
        """
        if path.startswith(_ROOT):
            for directory, name in self.names:
                if path == name or path.startswith(f"{name}/"):
                    return directory + path[len(name) :]
        return path

    def hidden_lines(self, content: bytes) -> bytes:
        """The text of a kernel, with names in its ``#line`` directives."""
        return _LINE.sub(lambda match: match[1] + self.hide(match[2].decode()).encode() + b"/" + match[3], content)

    def flags(self) -> list[str]:
        """Flags that make a compiler write names into debug information; of several that fit it takes the last."""
        return [f"-fdebug-prefix-map={directory}={name}" for directory, name in reversed(self.names)]


def include_directories(source: KernelSource) -> list[str]:
    """Where a kernel's includes are looked up besides its own directory, in this order."""
    own = [NATIVE / "include", NATIVE, generated_directory()]
    # A relative path means another directory from another working directory.
    given = [Path(path).absolute() for path in source.include_paths]
    return [*map(str, [*own, *given]), *include_roots(source.path)]


def kernel_content(source: KernelSource) -> bytes:
    """The text of a kernel's own file; empty if there is none."""
    try:
        return Path(source.path).read_bytes()
    except OSError:
        return b""


def places_of(source: KernelSource) -> Places:
    """Names for the directories of a kernel."""
    return _places(source.path, tuple(include_directories(source)), kernel_content(source))


@functools.lru_cache(maxsize=1024)
def _places(path: str, include: tuple[str, ...], content: bytes) -> Places:
    names = {str(Path(path).parent): f"{_ROOT}/kernel", str(NATIVE): f"{_ROOT}/native"}
    for index, directory in enumerate(include):
        names.setdefault(directory, f"{_ROOT}/include{index}")
    lines = dict.fromkeys(match[2].decode(errors="replace") for match in _LINE.finditer(content))
    for index, directory in enumerate(lines):
        names.setdefault(directory, f"{_ROOT}/lines{index}")
    return Places(tuple(sorted(names.items(), key=lambda item: -len(item[0]))))
