# SPDX-License-Identifier: Apache-2.0
"""From a folder with a C++ operation to functions of ttnn."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from tilewright._build.cache import cache_directory, digest, read_entry, write_atomically
from tilewright._cpp_ops.errors import CppOperationError
from tilewright._cpp_ops.host_build import (
    HostObject,
    compile_sources,
    compile_together,
    host_library,
    kept_source,
    link,
    recording_headers,
)
from tilewright._cpp_ops.library import CppFunction, OperationLibrary, load_library
from tilewright._cpp_ops.linked import LinkedFunction, LinkedLibrary, linked_route, load_linked, module_text
from tilewright._cpp_ops.operation_folder import OperationFolder, read_folder
from tilewright._cpp_ops.tree_helpers import tree_helpers
from tilewright._program.kernel_path import resolve_kernel_path

# A function that takes a module by reference, as the compiler names it.
_TAKES_MODULE = "RN8nanobind7module_E"
# Errors that two sources have only in one translation unit: names that each has for itself.
_CLASH = re.compile("redefin|ambiguous|redeclar|conflict|previous")


@dataclass(frozen=True)
class BuiltFolder:
    """A folder and the library made of it."""

    folder: OperationFolder
    library: Path
    objects: tuple[HostObject, ...]

    @property
    def compiled(self) -> list[Path]:
        """Sources that were compiled now."""
        return [each.source for each in self.objects if each.compiled]

    def find_kernel(self, path: str) -> str:
        """Absolute path of a kernel that host code names: in the folder, else where every kernel is looked for."""
        inside = self.folder.inside(path)
        if inside is None and (self.folder.root / path).is_file():
            inside = self.folder.root / path
        if inside is None and self.folder.tree is not None and (self.folder.tree / path).is_file():
            inside = self.folder.tree / path
        return str(inside if inside is not None else resolve_kernel_path(path))


@dataclass(frozen=True)
class BuiltOperation(BuiltFolder):
    """A folder whose library records programs for ``ttnn.generic_op``."""

    def load(self, ttnn: Any = None) -> OperationLibrary:
        """The library in this process, on ``ttnn`` or what ``import ttnn`` gives here."""
        return load_library(self.library, current_ttnn() if ttnn is None else ttnn, self.find_kernel)

    def signatures(self) -> list[str]:
        """Of the functions it binds."""
        return [signature for each in self.load().functions.values() for signature in each.signatures]


@dataclass(frozen=True)
class LinkedOperation(BuiltFolder):
    """A folder whose library is linked against those of the installed ttnn."""

    def load(self, ttnn: Any = None) -> LinkedLibrary:
        """The library in this process, beside the installed ttnn."""
        return load_linked(self.library, self.folder.root, current_ttnn() if ttnn is None else ttnn, self.find_kernel)

    def signatures(self) -> list[str]:
        """Of the functions it binds, as the process found them that loaded the library first."""
        lines = (read_entry(_marker(self.library)) or b"").decode().splitlines()
        return [line.removeprefix(_SIGNATURE) for line in lines if line.startswith(_SIGNATURE)]


def current_ttnn() -> Any:
    """The ttnn of this process: what ``import ttnn`` gave, else tilewright's own."""
    import tilewright.ttnn

    return sys.modules.get("ttnn") or tilewright.ttnn


def build_operation(path: str | Path, together: bool = False) -> BuiltOperation:
    """Compiles and links the operation in a folder.

    Args:
        together: all sources in one translation unit, where they can be, and no trial of the library in a process of
            its own: a quarter of the time for a folder that is built once, the whole time again after each change.

    Raises:
        CppOperationError: with the compiler's errors, what is missing, or how the library fails to load.
    """
    folder = read_folder(path)
    include = [*folder.include_directories(), *_overlay(folder)]
    objects = _objects(folder, include, together)
    (module,) = compile_sources([_module_source(folder, objects)], [])
    helpers = tree_helpers(folder, objects, together)
    library = link([*(each.object for each in (*objects, *helpers, module)), host_library().object])
    if not together:
        _require_loadable(folder, library)
    return BuiltOperation(folder, library, tuple(objects))


def build_linked(path: str | Path) -> LinkedOperation:
    """Compiles the operation in a folder and links it against the libraries of the installed ttnn.

    Raises:
        CppOperationError: as for :func:`build_operation`, or what keeps the two from matching.
    """
    route = linked_route()
    folder = read_folder(path)
    include = [*folder.include_directories(), *_overlay(folder)]
    headers = route.headers.before(folder.checkout_directories())
    try:
        objects = compile_sources(folder.sources, include, headers)
    except CppOperationError as error:
        raise CppOperationError(
            f"{error}\n\nLinked against ttnn, host code has fewer of tt-metal's names (docs: cpp-operations, \"Linked "
            'against ttnn"); a folder that needs others is built without --link'
        ) from None
    source = kept_source("linked-module", module_text(_binding_functions(folder, objects)).encode())
    module = compile_sources([source], [], route.headers)
    parts = [each.object for each in (*objects, *module, *route.support())]
    library = link(parts, route.link_options)
    built = LinkedOperation(folder, library, tuple(objects))
    _require_loadable(folder, library, _LINKED_PROBE, str(folder.root))
    return built


def built_folder(path: str | Path, link: bool) -> BuiltOperation | LinkedOperation:
    """A folder built in either way."""
    return build_linked(path) if link else build_operation(path)


def _objects(folder: OperationFolder, include: Sequence[Path], together: bool) -> list[HostObject]:
    headers = recording_headers().before(folder.checkout_directories())
    if together:
        whole = compile_together(folder.sources, include, headers)
        if isinstance(whole, HostObject):
            return [whole]
        if not _CLASH.search(whole):
            raise CppOperationError(whole)
    return compile_sources(folder.sources, include, headers)


def _overlay(folder: OperationFolder) -> Iterator[Path]:
    """A directory with the headers of this folder under the tree's paths, where sources include them so."""
    headers = folder.tree_headers()
    if headers:
        name = digest(str(folder.root), *(f"{path} {target}" for path, target in headers.items()))
        directory = cache_directory() / "headers" / f"tree-{name}"
        for path, target in headers.items():
            text = f'#pragma once\n#include "{target}"\n'.encode()
            if read_entry(directory / path) != text:
                write_atomically(directory / path, text)
        yield directory


def _module_source(folder: OperationFolder, objects: Sequence[HostObject]) -> Path:
    """A source whose ``tw_bind_all`` calls every function of the folder that takes a module."""
    functions = _binding_functions(folder, objects)
    lines = ["namespace nanobind { class module_; }"]  # a declaration will do: compiling headers would take a second
    for number, name in enumerate(functions):
        lines.append(f'void bind_{number}(nanobind::module_&) __asm__("{name}");')
    calls = " ".join(f"bind_{number}(module);" for number in range(len(functions)))
    lines.append(f'extern "C" void tw_bind_all(nanobind::module_& module) {{ {calls} }}')
    text = ("\n".join(lines) + "\n").encode()
    return kept_source("module", text)


def _binding_functions(folder: OperationFolder, objects: Sequence[HostObject]) -> list[str]:
    """Names of the folder's functions that take a module and that no other of its sources calls."""
    defined: list[str] = []
    called: set[str] = set()
    for each in objects:
        with each.object.open("rb") as file:
            for section in ELFFile(file).iter_sections():
                if not isinstance(section, SymbolTableSection):
                    continue
                for symbol in section.iter_symbols():
                    if not symbol.name.endswith(_TAKES_MODULE) or not symbol.name.startswith("_Z"):
                        continue
                    if symbol["st_shndx"] == "SHN_UNDEF":
                        called.add(symbol.name)
                    elif symbol["st_info"]["bind"] == "STB_GLOBAL":
                        defined.append(symbol.name)
    if not defined:
        raise CppOperationError(
            f"no function in {', '.join(file.name for file in folder.binding_files)} takes nb::module_&, so nothing is "
            f"bound; it should define e.g. void bind_{folder.name}(nb::module_& mod)"
        )
    # A parent's bind function calls those of its parts; binding a part twice does no harm.
    return [name for name in defined if name not in called] or defined


_PROBE = """
import sys
from pathlib import Path
from tilewright._cpp_ops.library import OperationLibrary
import tilewright.ttnn
library = OperationLibrary(Path(sys.argv[1]), tilewright.ttnn, str)
print("\\n".join([*library.functions, "loaded"]))
"""


_LINKED_PROBE = """
import sys
from pathlib import Path
import ttnn
from tilewright._cpp_ops.errors import CppOperationError
from tilewright._cpp_ops.linked import LinkedLibrary
try:
    library = LinkedLibrary(Path(sys.argv[1]), Path(sys.argv[2]), ttnn, str)
except CppOperationError as error:
    print("refused:", error)
    sys.exit(1)
for function in library.functions.values():
    for signature in function.signatures:
        print("signature: " + signature)
print("loaded")
"""
_LOADED = "loaded"  # the last line of a process that came to its end
_LOAD_SECONDS = 120.0
_SIGNATURE = "signature: "
_REFUSED = "refused: "


def _marker(library: Path) -> Path:
    """There when a process has loaded the library; what that process printed."""
    return library.with_suffix(".loads")


def _require_loadable(folder: OperationFolder, library: Path, probe: str = _PROBE, *arguments: str) -> None:
    """Loads the library in a process of its own once: what ends that one must not end this one."""
    if read_entry(_marker(library)) is not None:
        return
    begins = "A constructor of a static object, or a bind function, {} before any operation is called."
    try:
        result = subprocess.run(
            [sys.executable, "-c", probe, str(library), *arguments],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_LOAD_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise CppOperationError(
            f"{folder.root} compiles, but its library is not loaded after {_LOAD_SECONDS:.0f} seconds.\n"
            + begins.format("does not end")
        ) from None
    if result.returncode != 0 and _REFUSED in result.stdout:
        raise CppOperationError(f"--link: {result.stdout.partition(_REFUSED)[2].strip()}")
    if result.returncode != 0 or result.stdout.splitlines()[-1:] != [_LOADED]:
        how = f"signal {-result.returncode}" if result.returncode < 0 else f"status {result.returncode}"
        raise CppOperationError(
            f"{folder.root} compiles, but its library cannot be loaded (a process that tried ended with {how}): "
            f"{_last_words(result.stderr) or 'it printed nothing'}\n" + begins.format("fails")
        )
    write_atomically(_marker(library), result.stdout.encode())


def _last_words(text: str) -> str:
    """The end of a process's output: the exception of a traceback, else the last lines."""
    _, is_traceback, behind = text.rpartition("\nTraceback ")
    lines = (behind if is_traceback else text.removeprefix("Traceback ")).strip().splitlines()
    if is_traceback or text.startswith("Traceback "):
        lines = list(itertools.dropwhile(lambda line: line.startswith((" ", "(")), lines))
    return " ".join(lines[-3:])


def build(folder: str | Path, link: bool = False) -> Mapping[str, CppFunction | LinkedFunction]:
    """Builds the C++ operation in a folder and makes its functions attributes of ttnn.

    ``ttnn`` is what ``import ttnn`` gives in this process, else ``tilewright.ttnn``.

    Args:
        link: link the folder against the libraries of the installed ttnn, in the place of recording its programs.

    Example::

        tilewright.build("./variance_w_rm")
        y = ttnn.variance_w_rm(x)

    Raises:
        CppOperationError: the folder does not build; the text has the compiler's errors.
    """
    return register(built_folder(folder, link).load())


def register(library: OperationLibrary | LinkedLibrary, ttnn: Any = None) -> Mapping[str, CppFunction | LinkedFunction]:
    """Makes functions and classes attributes of ttnn: ``ttnn.NAME``, in the place of one of that name.

    A function that is bound below ttnn, as in ``ttnn.experimental``, is there too.
    """
    target = library.ttnn if ttnn is None else ttnn
    for name, bound in library.classes.items():
        setattr(target, name, bound)
    for name, function in library.functions.items():
        setattr(target, name, function)
        place = target
        for part in function.python_fully_qualified_name.split(".")[1:-1]:
            if not hasattr(place, part):
                setattr(place, part, SimpleNamespace())
            place = getattr(place, part)
        setattr(place, name, function)
    return library.functions
