# SPDX-License-Identifier: Apache-2.0
"""Stock kernels that find their arguments by name (``args::``, ``dfb::``, ``tensor::``) among kernels that count.

A program of such kernels only is better written as a program spec; stock operations mix both kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from tests.conformance.programs import accessor, kernel, runtime_args
from tilewright import ttnn
from tilewright._program.bindings import BufferName, KernelBindings, TensorName, TileFormat

Work = Iterable[tuple[ttnn.CoreCoord, int, int]]


def named_kernel(
    path: Path,
    cores: ttnn.CoreRangeSet,
    config: object,
    work: Work,
    *,
    compile_time: Mapping[str, int] | None = None,
    runtime: Mapping[str, Callable[[int, int], int]] | None = None,
    buffers: Mapping[str, int] | None = None,
    tensors: Mapping[str, ttnn.Tensor] | None = None,
    defines: Sequence[tuple[str, str]] = (),
) -> ttnn.KernelDescriptor:
    """A kernel with named bindings.

    ``runtime`` gives each name a function of (units, first unit) of a core; ``buffers`` the CB behind each ``dfb::``
    name. A tensor takes its accessor's compile-time words and one common runtime word, its address.
    """
    runtime, tensors = runtime or {}, tensors or {}
    values = list(runtime.values())
    args = runtime_args(work, lambda count, start: [value(count, start) for value in values]) if values else ()
    words: list[int] = []
    names = []
    for position, (name, tensor) in enumerate(tensors.items()):
        names.append(TensorName(name, len(words), position, TileFormat()))
        words += accessor(tensor)
    descriptor = kernel(
        path,
        cores,
        config,
        args,
        compile_time_args=words,
        common_runtime_args=[tensor.buffer_address() for tensor in tensors.values()],
        defines=defines,
    )
    descriptor.bindings = KernelBindings(
        runtime_args=list(runtime),
        compile_time_args=list((compile_time or {}).items()),
        dfbs=[BufferName(name, index, TileFormat()) for name, index in (buffers or {}).items()],
        tensors=names,
    ).declarations()
    return descriptor
