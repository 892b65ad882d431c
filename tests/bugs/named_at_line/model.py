# SPDX-License-Identifier: Apache-2.0
"""Twins with one finding each. Kernels are written as in the corpus: ``// -`` and ``// +`` lines, ``// BUG``."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

from tests.bugs.corpus.host import READER, WRITER, Host
from tests.bugs.corpus.model import Build, Launch, title_of

# A reader and a writer that have one circular buffer between them.
READER_TO_16 = READER.replace("cb_in = 0", "cb_in = 16")
MARKED_READER = READER_TO_16.replace("get_write_ptr(cb_in));", "get_write_ptr(cb_in));  // BUG")
MARKED_WRITER = WRITER.replace("get_read_ptr(cb_out));", "get_read_ptr(cb_out));  // BUG")

_HEADERS = (
    "tile_move_copy eltwise_binary bcast reduce matmul tilize eltwise_binary_sfpu eltwise_unary/exp compute_kernel_api"
)


@dataclasses.dataclass(frozen=True)
class Twin:
    """A bug with its cure, and the rules one of which has to name it, alone, at a marked line."""

    kind: str
    build: Build
    rules: tuple[str, ...]
    in_kernel: bool

    @property
    def title(self) -> str:
        return title_of(self.build)

    def __str__(self) -> str:
        return f"{self.kind}-{self.build.__name__}"


TWINS: list[Twin] = []


def twin(kind: str, *rules: str, in_kernel: bool = True) -> Callable[[Build], Build]:
    """Registers the decorated builder; the first line of its docstring is the title."""

    def register(build: Build) -> Build:
        TWINS.append(Twin(kind, build, rules, in_kernel))
        return build

    return register


Launches = Iterator[Launch]


def dataflow(body: str, tensors: int = 0) -> str:
    """A data-movement kernel; ``tensor<n>`` are its tensors, ``semaphore(n)`` a semaphore as a pointer."""
    accessors = []
    for index in range(tensors):
        first = "0" if index == 0 else f"args{index - 1}.next_compile_time_args_offset()"
        accessors += [
            f"    constexpr auto args{index} = TensorAccessorArgs<{first}>();",
            f"    const auto tensor{index} = TensorAccessor(args{index}, get_common_arg_val<uint32_t>({index}));",
        ]
    return "\n".join(
        [
            '#include "api/dataflow/dataflow_api.h"',
            "using Word = volatile tt_l1_ptr uint32_t*;",
            "inline Word semaphore(uint32_t id) { return reinterpret_cast<Word>(get_semaphore(id)); }",
            "inline Word words(uint32_t address) { return reinterpret_cast<Word>(address); }",
            "inline uint32_t arg(uint32_t index) { return get_arg_val<uint32_t>(index); }",
            "void kernel_main() {",
            *accessors,
            body,
            "}",
        ]
    )


def compute(body: str) -> str:
    includes = [f'#include "api/compute/{name}.h"' for name in _HEADERS.split()]
    helpers = """
void pack_section(uint32_t cb) {
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, cb);
    tile_regs_release();
}
"""
    return "\n".join([*includes, helpers, "void kernel_main() {", body, "}"])


def copy_program(host: Host, reader: str, writer: str, pages: int, count: int = 3) -> Launch:
    """Tiles of one tensor to another through c_16."""
    source, values = host.tiles(count)
    output = host.output_tiles(count)
    return host.launch(
        [source, output],
        values,
        [
            host.kernel("reader", reader, [count, 0], [source]),
            host.kernel("writer", writer, [count, 0], [output]),
        ],
        [host.cb(16, "page", pages)],
    )
