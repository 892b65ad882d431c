# SPDX-License-Identifier: Apache-2.0
"""Headers of the kernel API that are no files: those of the vector unit's functions, those that lead to another, the
names of recorded calls, and data formats.

They are written into the cache before a kernel is compiled, in a directory named by what they are written from.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

from tilewright import _cpp_declarations, _sfpu_functions
from tilewright._build import forwarding_headers, sfpu_headers
from tilewright._build.cache import cache_directory, digest, locked, note_use, read_entry, write_atomically
from tilewright._build.native_build import NATIVE
from tilewright._wire import data_formats

_RECORDED = [NATIVE / "abi" / name for name in ("circular_buffer.h", "recorded_calls.h")]


@functools.cache
def generated_headers() -> dict[str, str]:
    """The text of every generated header by its path."""
    forwarding = forwarding_headers.forwarding_headers()
    leading = {name: _leading_to(name, header) for name, header in forwarding.items()}
    own = {"tw/recorded_names.h": _recorded_names(), "wire/data_formats.h": data_formats.data_formats_header()}
    return {**sfpu_headers.generated_sfpu_headers(), **leading, **own}


def _recorded_names() -> str:
    """Macros with which a recorded kernel calls the recording form of an engine function."""
    names = [name for path in _RECORDED for name in re.findall(r"^TW_RECORDED_CALL\((\w+)", path.read_text(), re.M)]
    return "".join(f"#define tw_{name} tw::recorded::{name}\n" for name in names)


def _leading_to(name: str, header: str) -> str:
    text = f'#pragma once\n#include "{header}"\n'
    if header not in (forwarding_headers.FABRIC, forwarding_headers.FABRIC_TYPES):
        return text
    # With a fabric it is the header of that name of the installed ttnn (_card/systems/fabric_kernels.py).
    return f'#pragma once\n#ifdef TW_FABRIC\n#include_next <{name}>\n#else\n#include "{header}"\n#endif\n'


@functools.cache
def _name() -> str:
    """A name for everything the text depends on: cheaper than the text itself, which a launch may never need."""
    modules = (forwarding_headers, sfpu_headers, data_formats, _cpp_declarations, _sfpu_functions)
    files = [Path(__file__), _sfpu_functions.TABLE, *_RECORDED, *(Path(str(module.__file__)) for module in modules)]
    return digest(*(each.read_bytes() for each in files))


def generated_directory() -> Path:
    """Where the compiler looks for them. They are there once :func:`write_generated_headers` was called."""
    return cache_directory() / "headers" / _name()


def is_own_header(path: str) -> bool:
    """Whether a file belongs to the kernel API, not to a user's kernel."""
    return path.startswith((str(NATIVE), str(generated_directory())))


def write_generated_headers() -> None:
    """Write what is missing of them or is not as it should be."""
    directory = generated_directory()
    if directory in _written:
        return
    with locked(f"headers-{directory.name}"):
        for name, text in generated_headers().items():
            if read_entry(directory / name) != text.encode():
                write_atomically(directory / name, text.encode())
        note_use(directory)
    _written.add(directory)


_written: set[Path] = set()  # directories this process has looked through
