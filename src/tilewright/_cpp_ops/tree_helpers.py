# SPDX-License-Identifier: Apache-2.0
"""Sources of a checkout that an operation's folder needs: helpers that several operations share.

A folder in a checkout includes headers of its neighbours (``moreh_helper_functions.hpp``). Where the folder leaves a
function undefined, sources in the directories of those headers that name it are compiled too, and those that define it
are linked.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from tilewright._cpp_ops.host_build import HostObject, compile_each, compile_together, host_library, recording_headers
from tilewright._cpp_ops.operation_folder import OperationFolder


def symbols(objects: Iterable[Path]) -> tuple[set[str], set[str]]:
    """Names that the objects define for others, and those they leave undefined."""
    defined: set[str] = set()
    undefined: set[str] = set()
    for path in objects:
        here, missing = _symbols_of(path)
        defined |= here
        undefined |= missing
    return defined, undefined - defined


@functools.lru_cache(maxsize=1024)
def _symbols_of(path: Path) -> tuple[frozenset[str], frozenset[str]]:
    """Of one object; its name says its content."""
    defined: set[str] = set()
    undefined: set[str] = set()
    with path.open("rb") as file:
        for section in ELFFile(file).iter_sections():
            if isinstance(section, SymbolTableSection):
                for symbol in section.iter_symbols():
                    if symbol["st_shndx"] == "SHN_UNDEF":
                        undefined.add(symbol.name)
                    elif symbol["st_info"]["bind"] != "STB_LOCAL":
                        defined.add(symbol.name)
    return frozenset(defined), frozenset(undefined)


def tree_helpers(folder: OperationFolder, objects: Sequence[HostObject], together: bool = False) -> list[HostObject]:
    """Objects of the checkout's sources that define what the folder leaves undefined, and what those leave.

    Args:
        together: sources of one operation in one translation unit, where they can be.
    """
    if folder.tree is None:
        return []
    known = list(objects)
    ours, _ = symbols([host_library().object])
    compiled: dict[Path, HostObject | None] = dict.fromkeys((*folder.sources, *(each.source for each in objects)))
    while True:
        _, undefined = symbols(each.object for each in known)
        missing = {name for name in undefined - ours if name.startswith("_ZN") and "ttnn" in name}
        candidates = {source for source in _around(known, folder.tree) if _may_define(source, missing)}
        _compile(candidates - compiled.keys(), compiled, together)
        linked = {each.source for each in known}
        found = [each for each in compiled.values() if each is not None and each.source not in linked]
        found = [each for each in found if symbols([each.object])[0] & missing]
        if not found:
            return known[len(objects) :]
        known += found


def _around(objects: Sequence[HostObject], tree: Path) -> set[Path]:
    """Host sources in the directories of the checkout's headers that the objects read, and below."""
    root = tree.resolve()
    directories = {file.resolve().parent for each in objects for file in each.files}
    return {
        source
        for directory in directories
        if directory.is_relative_to(root / "ttnn" / "cpp")
        for source in _sources_below(directory)
    }


@functools.lru_cache(maxsize=256)
def _sources_below(directory: Path) -> tuple[Path, ...]:
    below = (path for path in directory.rglob("*.cpp") if not _KERNELS.search(str(path.relative_to(directory))))
    return tuple(path for path in sorted(below) if not path.name.endswith("nanobind.cpp"))


_KERNELS = re.compile("kernel")


def identifiers(mangled: str) -> list[str]:
    """Parts of a nested name.

    >>> identifiers("_ZN4ttnn10operations12check_tensorERKNS_6TensorE")
    ['ttnn', 'operations', 'check_tensor']
    """
    rest = re.sub(r"^_ZNK?", "", mangled)
    parts = []
    while (found := re.match(r"\d+", rest)) is not None:
        end = found.end() + int(found[0])
        parts.append(rest[found.end() : end])
        rest = rest[end:]
    return parts


def _may_define(source: Path, missing: set[str]) -> bool:
    """Whether the last two parts of a missing name are in the source's text: others are not worth compiling."""
    text = _text(source)
    return any(all(part in text for part in identifiers(name)[-2:]) for name in missing)


@functools.lru_cache(maxsize=1024)
def _text(source: Path) -> str:
    return source.read_text(errors="replace")


def _compile(sources: set[Path], compiled: dict[Path, HostObject | None], together: bool) -> None:
    """Adds the objects of those sources that compile; what the others would define is named when linking fails.

    A source sees the headers of its own operation, so that its object serves every folder that needs it.
    """
    compiled.update(dict.fromkeys(sources))
    by_operation: dict[Path, set[Path]] = {}
    for source in sources:
        by_operation.setdefault(_operation(source), set()).add(source)
    for operation, alone in sorted(by_operation.items()):
        folder = OperationFolder(operation, (), ())
        include, headers = folder.include_directories(), recording_headers().before(folder.checkout_directories())
        if together:
            below = _sources_below(operation) if _is_operation(operation) else sorted(operation.glob("*.cpp"))
            group = [source for source in below if source not in compiled or source in sources]
            whole = compile_together(group, include, headers)
            if isinstance(whole, HostObject):
                compiled.update(dict.fromkeys(group))
                compiled[whole.source] = whole
                continue
        for result in compile_each(sorted(alone), include, headers):
            if isinstance(result, HostObject):
                compiled[result.source] = result


def _is_operation(folder: Path) -> bool:
    return next(folder.glob("*_nanobind.cpp"), None) is not None


def _operation(source: Path) -> Path:
    """The folder of the operation that a source belongs to: above its ``device``."""
    parts = source.parts
    return Path(*parts[: parts.index("device")]) if "device" in parts else source.parent
