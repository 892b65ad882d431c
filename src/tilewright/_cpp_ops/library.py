# SPDX-License-Identifier: Apache-2.0
"""A built operation's library: its functions, called with ttnn's tensors."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tilewright._cpp_ops.bound_classes import bound_classes, bound_enum
from tilewright._cpp_ops.bridge import Bridge
from tilewright._cpp_ops.descriptions import keyword_values
from tilewright._cpp_ops.errors import CppOperationError
from tilewright._cpp_ops.message import decode, encode
from tilewright._cpp_ops.programs import FindKernel

_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_char), ctypes.c_uint64)
_RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_int64)
_BYTES = ctypes.POINTER(ctypes.c_char)
_HOST_MARK = "thrown_by_host_code"  # an attribute: the type stays that of ttnn's own errors


class CppFunction:
    """A bound function of a library: called like one of ttnn's operations."""

    def __init__(self, library: OperationLibrary, name: str, place: str, signatures: Sequence[str], doc: str) -> None:
        self._library = library
        self.__name__ = name
        self.__qualname__ = name
        self.python_fully_qualified_name = f"{place or 'ttnn.'}{name}"  # by which a launch on the card is named
        self.signatures = tuple(signatures)
        self.__doc__ = "\n".join([*signatures, "", doc]).strip()

    @property
    def library(self) -> OperationLibrary:
        return self._library

    def __call__(self, *function_args: Any, **function_kwargs: Any) -> Any:  # names that the card looks for
        return self._library.call(self.__name__, function_args, function_kwargs)

    def __repr__(self) -> str:
        return f"<C++ operation {self.signatures[0]}>"


class OperationLibrary:
    """One shared library, loaded and connected to a ttnn."""

    def __init__(self, path: Path, ttnn: Any, find_kernel: FindKernel) -> None:
        self.path = path
        self.bridge = Bridge(ttnn, find_kernel)
        self._pending: BaseException | None = None
        self._given_up: list[int] = []
        # PyDLL keeps the GIL: a library calls back into Python all the time.
        self._library = ctypes.PyDLL(str(path))
        self._callback, self._release = _CALLBACK(self._answer), _RELEASE(self._given_up.append)
        self._library.tw_host_connect(self._callback, self._release)
        self._library.tw_host_result.restype = _BYTES
        described = self._checked(self._library.tw_host_bind())
        self.functions = self._functions(each for each in described[0] if "." not in each[0])
        self.classes = self._classes([each[0] for each in described[0]], described[1])

    @property
    def ttnn(self) -> Any:
        return self.bridge.ttnn

    def _classes(self, names: list[str], enums: list[Any]) -> dict[str, type]:
        """Classes and enums that the library binds, which the conversions know from here on."""
        forget = self._library.tw_host_forget
        forget.argtypes, forget.restype = [ctypes.c_int64], None
        classes = bound_classes(names, self.call, forget)
        kinds = {kind: bound_enum(name, values) for name, kind, values in enums}
        self.bridge.to.bound_classes = classes
        self.bridge.to.bound_enums = kinds
        return {**classes, **{kind.__name__: kind for kind in kinds.values()}}

    def _functions(self, listed: Iterable[list[str]]) -> dict[str, CppFunction]:
        by_name: dict[str, list[list[str]]] = {}
        for entry in listed:
            by_name.setdefault(entry[0], []).append(entry)
        return {
            name: CppFunction(self, name, entries[0][1], [_plain(entry[2]) for entry in entries], entries[0][3])
            for name, entries in by_name.items()
        }

    def call(self, name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """Calls a bound function; its exceptions are Python's."""
        to = self.bridge.to
        message = encode([name, [to.value(each) for each in args], keyword_values(to, kwargs)])
        try:
            return to.thing(self._checked(self._library.tw_host_call(message, ctypes.c_uint64(len(message)))))
        finally:  # not earlier: the library gives up its result before it is read here
            while self._given_up:
                to.objects.release(self._given_up.pop())

    def compare_with_fresh(self, on: bool) -> None:
        """From here on, calls that find a cached program compare it with a fresh one."""
        self._library.tw_host_compare_with_fresh(int(on))

    def _answer(self, data: Any, size: int) -> int:
        try:
            reply = encode(self.bridge.call(decode(ctypes.string_at(data, size))))
        except BaseException as error:  # goes on in Python when the library has unwound
            self._pending = error
            return 1
        self._library.tw_host_reply(reply, ctypes.c_uint64(len(reply)))
        return 0

    def _checked(self, status: int) -> Any:
        size = ctypes.c_uint64()
        data = ctypes.string_at(self._library.tw_host_result(ctypes.byref(size)), size.value)
        if status == 0:
            return decode(data)
        if status == 1:
            error, self._pending = self._pending, None
            raise error if error is not None else CppOperationError(f"{self.path.name} lost an exception of Python")
        text = data.decode(errors="replace")
        if status == 2:
            raise TypeError(_plain(text))
        raised = {4: ValueError, 5: IndexError}.get(status, RuntimeError)(text)
        mark_host_error(raised)
        raise raised


def mark_host_error(error: Exception) -> None:
    """Notes that host code of an operation threw it."""
    setattr(error, _HOST_MARK, True)


def is_host_error(error: BaseException) -> bool:
    """Whether the operation's own host code threw it (``TT_FATAL``, ``TT_THROW``), and not a launch."""
    return hasattr(error, _HOST_MARK)


_loaded: dict[tuple[Path, int], OperationLibrary] = {}


def load_library(path: Path, ttnn: Any, find_kernel: FindKernel) -> OperationLibrary:
    """The library at ``path``: a process has one of each, as it has one of each library's variables.

    Raises:
        CppOperationError: it is loaded already, on another ttnn.
    """
    library = _loaded.get((path, id(ttnn)))
    if library is None:
        if any(other == path for other, _ in _loaded):
            raise CppOperationError(f"{path.name} is loaded on another ttnn; use one ttnn in a process")
        library = _loaded[path, id(ttnn)] = OperationLibrary(path, ttnn, find_kernel)
    return library


def _plain(text: str) -> str:
    """A signature with ttnn's names in the place of C++'s."""
    return re.sub(r"\b(?:tt::tt_metal::|ttnn::)(?:distributed::)?(\w+)\*?", r"ttnn.\1", text)
