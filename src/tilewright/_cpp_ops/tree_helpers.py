# SPDX-License-Identifier: Apache-2.0
"""Sources of a checkout that an operation's folder needs: helpers that several operations share.

A folder in a checkout includes headers of its neighbours (``moreh_helper_functions.hpp``). Where the folder leaves a
function undefined, the sources beside the headers it reads are compiled too, and those that define one are linked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from tilewright._cpp_ops.errors import CppOperationError
from tilewright._cpp_ops.host_build import HostObject, compile_sources, host_library
from tilewright._cpp_ops.operation_folder import OperationFolder

_ROUNDS = 4  # helpers of helpers


def symbols(objects: Iterable[Path]) -> tuple[set[str], set[str]]:
    """Names that the objects define for others, and those they leave undefined."""
    defined: set[str] = set()
    undefined: set[str] = set()
    for path in objects:
        with path.open("rb") as file:
            for section in ELFFile(file).iter_sections():
                if isinstance(section, SymbolTableSection):
                    for symbol in section.iter_symbols():
                        if symbol["st_shndx"] == "SHN_UNDEF":
                            undefined.add(symbol.name)
                        elif symbol["st_info"]["bind"] != "STB_LOCAL":
                            defined.add(symbol.name)
    return defined, undefined - defined


def tree_helpers(folder: OperationFolder, objects: Sequence[HostObject], include: Sequence[Path]) -> list[HostObject]:
    """Objects of the checkout's sources that define what the folder leaves undefined."""
    if folder.tree is None:
        return []
    known = list(objects)
    ours, _ = symbols([host_library().object])
    tried = {each.source for each in objects}
    for _ in range(_ROUNDS):
        _, undefined = symbols(each.object for each in known)
        missing = {name for name in undefined - ours if name.startswith("_ZN") and "ttnn" in name}
        found = _defining(missing, _beside(known, folder.tree) - tried, tried, include) if missing else []
        if not found:
            break
        known += found
    return known[len(objects) :]


def _beside(objects: Sequence[HostObject], tree: Path) -> set[Path]:
    """Sources that lie beside the checkout's headers which the objects read."""
    headers = {file.resolve() for each in objects for file in each.files}
    sources = {header.with_suffix(".cpp") for header in headers if header.is_relative_to(tree.resolve())}
    return {source for source in sources if source.is_file() and "kernels" not in source.parts}


def _defining(missing: set[str], sources: set[Path], tried: set[Path], include: Sequence[Path]) -> list[HostObject]:
    """Objects of those sources that compile and define a missing name."""
    found = []
    for source in sorted(sources):
        tried.add(source)
        try:
            (compiled,) = compile_sources([source], include)
        except CppOperationError:
            continue  # what stays undefined is named when the folder is linked
        if symbols([compiled.object])[0] & missing:
            found.append(compiled)
    return found
