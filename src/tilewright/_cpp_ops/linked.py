# SPDX-License-Identifier: Apache-2.0
"""Operations linked against the libraries of the installed ttnn: its tensors, its programs, its command queues.

Headers with the layouts of those libraries (``native/host/linked``) stand before the others, and nanobind itself binds.
Before an operation is used, symbols are compared when it is linked, sizes of types when it is loaded. Types that ttnn
does not bind cannot be measured, so only releases that the headers were written for are taken.
"""

from __future__ import annotations

import functools
import importlib.machinery
import importlib.util
import re
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tilewright._build.compiler import find_compiler
from tilewright._card.package import installed_ttnn
from tilewright._cpp_ops.bridge import write_log
from tilewright._cpp_ops.errors import CppOperationError
from tilewright._cpp_ops.headers import HOST, INCLUDE, headers_directory
from tilewright._cpp_ops.host_build import Headers, HostObject, compile_sources, kept_source
from tilewright._cpp_ops.library import mark_host_error
from tilewright._cpp_ops.programs import FindKernel

RELEASES = ("0.81.1",)  # whose layouts native/host/linked has
LIBRARIES = ("_ttnncpp.so", "libtt_metal.so", "libtt_stl.so", "libtt-umd.so")
_LINKED = HOST / "linked"
# Sources of the recording route that need nothing of Python.
_SHARED = ("asserts", "descriptor_parts", "factories", "format", "formats")
_MODULE = "tw_linked"


@dataclass(frozen=True)
class LinkedRoute:
    """An installed ttnn that operations can be linked against, and nanobind's sources."""

    libraries: Path
    nanobind: Path

    @property
    def headers(self) -> Headers:
        python = Path(sysconfig.get_paths()["include"])
        places = (self.nanobind / "include", headers_directory(), _LINKED, INCLUDE, python)
        return Headers(places, ("-fno-strict-aliasing", "-DNDEBUG"))

    @property
    def link_options(self) -> list[str]:
        bundled = self.libraries.parents[2] / "ttnn.libs"
        return [
            f"-L{self.libraries}",
            *(f"-l:{each}" for each in LIBRARIES),
            f"-Wl,-rpath,{self.libraries}",
            f"-Wl,-rpath-link,{bundled}",
            "-Wl,--allow-shlib-undefined",
        ]

    def support(self) -> list[HostObject]:
        """nanobind, and what stands behind the headers."""
        parts = [*(HOST / "source" / f"{name}.cpp" for name in _SHARED), _LINKED / "source" / "linked.cpp"]
        text = "".join(f'#include "{source}"\n' for source in parts).encode()
        nanobind = self.nanobind / "src" / "nb_combined.cpp"
        robin_map = self.nanobind / "ext" / "robin_map" / "include"
        return [
            *compile_sources([kept_source("linked-library", text)], [], self.headers),
            *compile_sources([nanobind], [robin_map], self.headers),
        ]


@functools.cache
def linked_route() -> LinkedRoute:
    """The libraries that an operation is linked with.

    Raises:
        CppOperationError: no ttnn, another release than the headers are for, no nanobind, no headers of Python.
    """
    ttnn = installed_ttnn()
    if ttnn is None:
        raise CppOperationError("--link: no ttnn is installed for this Python; build without --link, or install it")
    if ttnn.version not in RELEASES:
        raise CppOperationError(
            f"--link: {ttnn} is installed, and the layouts of its types are known for {', '.join(RELEASES)} only; "
            "build without --link"
        )
    libraries = ttnn.root / "build" / "lib"
    missing = [name for name in LIBRARIES if not (libraries / name).is_file()]
    if missing:
        raise CppOperationError(f"--link: {libraries} has no {', '.join(missing)}; build without --link")
    found = importlib.util.find_spec("nanobind")
    if found is None or found.origin is None:
        raise CppOperationError('--link needs nanobind for this Python: pip install "tilewright[link]"')
    if not (Path(sysconfig.get_paths()["include"]) / "Python.h").is_file():
        raise CppOperationError(
            f"--link needs the headers of this Python ({sys.executable}), and Python.h is not there"
        )
    if find_compiler().family == "zig":
        raise CppOperationError(
            "--link needs g++ or clang++ with libstdc++, as ttnn has it; zig brings another library"
        )
    return LinkedRoute(libraries, Path(found.origin).parent)


def module_text(bindings: list[str]) -> str:
    """A source of an extension module that calls the functions with these symbols to bind."""
    lines = ['#include "tw_linked.hpp"']
    lines += [f'void bind_{number}(nb::module_&) __asm__("{name}");' for number, name in enumerate(bindings)]
    calls = " ".join(f"bind_{number}(operations);" for number in range(len(bindings)))
    lines += [
        f"NB_MODULE({_MODULE}, module) {{",
        '  nb::module_::import_("ttnn");',
        '  tw_linked_module(module); nb::module_ operations = module.def_submodule("operations");',
        f'  if (nb::len(module.attr("types_that_differ")()) == 0) {{ {calls} }}',
        "}",
    ]
    return "\n".join(lines) + "\n"


class LinkedFunction:
    """A function of a linked library: nanobind's, with signatures in ttnn's names."""

    def __init__(self, library: LinkedLibrary, name: str, function: Any) -> None:
        self._library, self._function = library, function
        self.__name__ = self.__qualname__ = name
        self.python_fully_qualified_name = f"ttnn.{name}"  # by which a launch on the card is named
        self.__doc__ = str(function.__doc__ or "")
        self.signatures = tuple(_signatures(name, self.__doc__))

    @property
    def library(self) -> LinkedLibrary:
        return self._library

    def __call__(self, *function_args: Any, **function_kwargs: Any) -> Any:  # names that the card looks for
        try:
            return self._function(*function_args, **function_kwargs)
        except RuntimeError as error:
            if str(self._library.root) in str(error).partition("\n")[0]:  # TT_FATAL names file and line
                mark_host_error(error)
            raise

    def __repr__(self) -> str:
        return f"<C++ operation {self.signatures[0]}, linked>"


class LinkedLibrary:
    """An extension module that is linked against ttnn, loaded beside it."""

    def __init__(self, path: Path, root: Path, ttnn: Any, find_kernel: FindKernel) -> None:
        if not hasattr(ttnn, "_ttnn"):
            raise CppOperationError(f"{root.name} is linked against the installed ttnn, and this process has another")
        self.path, self.root, self.ttnn = path, root, ttnn
        name = f"tilewright_linked.{path.stem}.{_MODULE}"
        loader = importlib.machinery.ExtensionFileLoader(name, str(path))
        spec = importlib.util.spec_from_file_location(name, path, loader=loader)
        assert spec is not None
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
        differ = list(module.types_that_differ())
        if differ:
            raise CppOperationError(
                "the installed ttnn has other types than tilewright's headers for linking:"
                + "".join(f"\n  {each}" for each in differ)
                + "\nbuild without --link"
            )
        module.connect(find_kernel, write_log)
        bound = {name: value for name, value in vars(module.operations).items() if not name.startswith("_")}
        self.classes = {name: value for name, value in bound.items() if isinstance(value, type)}
        self.functions = {
            name: LinkedFunction(self, name, value)
            for name, value in bound.items()
            if callable(value) and name not in self.classes
        }


_loaded: dict[Path, LinkedLibrary] = {}


def load_linked(path: Path, root: Path, ttnn: Any, find_kernel: FindKernel) -> LinkedLibrary:
    """The library at ``path``; a process has one of each."""
    if path not in _loaded:
        _loaded[path] = LinkedLibrary(path, root, ttnn, find_kernel)
    return _loaded[path]


def _signatures(name: str, doc: str) -> list[str]:
    """Signatures as nanobind writes them into a docstring, with ttnn's names.

    >>> _signatures("f", "f(x: ttnn._ttnn.tensor.Tensor) -> ttnn._ttnn.tensor.Tensor\\n\\nText.")
    ['f(x: ttnn.Tensor)']
    """
    lines = re.findall(rf"^(?:\d+\. ``)?({re.escape(name)}\(.*\))(?: -> .*)?$", doc, re.MULTILINE)
    return [re.sub(r"\bttnn\._ttnn\.(?:\w+\.)*(\w+)", r"ttnn.\1", line) for line in lines] or [f"{name}(...)"]
