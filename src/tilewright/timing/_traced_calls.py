# SPDX-License-Identifier: Apache-2.0
"""Recorded calls of each function of the kernel API, without an engine.

A recorded run writes an entry for every engine call that takes time (``native/abi/record.h``). Here each function of
the kernel API that planned kernels use appends the same entries to a list. Entries of set-up calls are read from the
headers (``_engine_calls.py``); a test compares all of them for whole operations.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilewright._record.l1_layout import semaphore_offset
from tilewright._sfpu_functions import sfpu_functions
from tilewright._tensor.arch import describe_arch
from tilewright._wire.data_formats import DataFormat
from tilewright.timing import _replay_library as native
from tilewright.timing._engine_calls import recorded_calls, vector_operations

# A function of the kernel API: given its template arguments, what a call does.
Traced: TypeAlias = Callable[[tuple[Any, ...]], Callable[..., Any]]

# Set-up calls: their cost depends on no argument. The number of arguments that their entries stand for.
_SET_UP: dict[str, int] = {
    "compute_kernel_hw_startup": 3,
    "reconfig_data_format": 2,
    "reconfig_data_format_srca": 1,
    "reconfig_data_format_srcb": 1,
    "pack_reconfig_data_format": 1,
    "pack_reconfig_l1_acc": 1,
    "copy_init": 1,
    "unary_bcast_init": 1,
    "bcast_init": 2,
    **{
        f"{op}{kind}_init": 2
        for op in ("add", "sub", "mul")
        for kind in ("", "_bcast_rows", "_bcast_cols", "_bcast_scalar")
    },
    "reduce_init": 3,
    "reduce_uninit": 0,
    "matmul_init": 3,
    "matmul_block_init": 6,
    "tilize_init": 3,
    "tilize_uninit": 2,
    "pack_untilize_init": 2,
    "pack_untilize_dest_init": 1,
    "pack_untilize_uninit": 1,
    "tile_regs_acquire": 0,
    "tile_regs_commit": 0,
    "tile_regs_wait": 0,
    "tile_regs_release": 0,
}
_CREDITS = ("cb_wait_front", "cb_reserve_back", "cb_push_back", "cb_pop_front")
# Kinds of barriers (native/abi/noc.h).
_BARRIERS = {
    "noc_async_read_barrier": 0,
    "noc_async_write_barrier": 1,
    "noc_async_writes_flushed": 2,
    "noc_async_atomic_barrier": 4,
}
_BINARY_OPS = {"add": 0, "sub": 1, "mul": 2, "ELWADD": 0, "ELWSUB": 1, "ELWMUL": 2}
_POOLS = {"SUM": 0, "AVG": 1, "MAX": 2, "MIN": 3}
_AXES = {"REDUCE_ROW": 0, "REDUCE_COL": 1, "REDUCE_SCALAR": 2}
_ALL_FACES, _VECTORS_PER_FACE = 4, 8
_FACES = {"R": 1, "C": 2, "RC": _ALL_FACES}  # modes of calls that may leave faces out
# Functions of the vector unit whose headers are written by hand.
_UNARY_BY_HAND = ("recip_tile", "rsqrt_tile", "fill_tile", "fill_tile_bitcast", "fill_tile_int")
_INITS_BY_HAND = (
    "exp_tile_init",
    "recip_tile_init",
    "rsqrt_tile_init",
    "fill_tile_init",
    "typecast_tile_init",
    "copy_dest_values_init",
)
# Basic blocks between calls that the engine does not write down, and those of a call (engine/debug/call_record.cpp).
_FEW_BLOCKS, _BLOCKS_OF_A_CALL = 16, 9
_WORD_BYTES = 4
_DIVIDED_PAGE, _SHIFTED_PAGE = 1 << 8, 1 << 4
_NOC_LOCAL_BITS, _NOC_NODE_BITS = 36, 6


class CallList:
    """Entries of one kernel on one core, in the making.

    Attributes:
        words: the entries.
        blocks: basic blocks since the last call, in a list of one.
        tile_bytes: size of a tile by circular buffer.
        noc: the NoC that the kernel uses.
    """

    def __init__(self, arch: str) -> None:
        description = describe_arch(arch)
        self.words: list[int] = []
        self.blocks = [0]
        self.tile_bytes: Mapping[int, int] = {}
        self.noc = 0
        self.bank_addresses = np.array(
            [(x | y << _NOC_NODE_BITS) << _NOC_LOCAL_BITS for x, y in description.dram_coords], np.uint64
        )
        num_banks = description.num_dram_banks
        self._page_cost = _SHIFTED_PAGE if num_banks & (num_banks - 1) == 0 else _DIVIDED_PAGE
        self._places: list[int] = []
        self._pages: list[int] = []
        self._own: list[int] = []

    def begin(self, noc: int, tile_bytes: Mapping[int, int], blocks: int) -> None:
        for each in (self.words, self._places, self._pages, self._own):
            each.clear()
        self.noc, self.tile_bytes, self.blocks[0] = noc, tile_bytes, blocks

    def paged(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Places of addresses among the entries, and the pages that they are of."""
        return np.array(self._places, np.int64), np.array(self._pages, np.int64)

    def own(self) -> NDArray[np.int64]:
        """Places of addresses in the core's own L1 among the entries."""
        return np.array(self._own, np.int64)

    def count_block(self) -> bool:
        """One more basic block; true, so that it can stand in a condition."""
        self.blocks[0] += 1
        return True

    def settle_blocks(self) -> None:
        """The entry of the basic blocks before a call, if there are more than a call has anyway."""
        blocks = self.blocks
        if blocks[0] + _BLOCKS_OF_A_CALL > _FEW_BLOCKS:
            self.words.append(_call("Blocks") | (blocks[0] + _BLOCKS_OF_A_CALL) << 32)
        blocks[0] = 0

    def entry(self, name: str, low: int, high: int, address: int | None = None) -> None:
        """An entry of a data-movement kernel with or without an address of its own."""
        if self.blocks[0]:
            self.settle_blocks()
        self.words.append(_call(name) | low << 8 | high << 32)
        self.words += [] if address is None else [address]

    def transfer(self, call: int, num_bytes: int, page: int) -> None:
        """A transfer of a page or a part of it; its address is filled in later."""
        if self.blocks[0]:
            self.settle_blocks()
        words = self.words
        words.append(call | self.noc << 8 | self._page_cost << 16 | num_bytes << 32)
        self._places.append(len(words))
        self._pages.append(page)
        words.append(0)

    def own_read(self, num_bytes: int, address: int) -> None:
        """A read of the core's own L1; which core that is, is filled in later."""
        self.entry("NocRead", self.noc, num_bytes, address)
        self._own.append(len(self.words) - 1)


class NocAddress(int):
    """An address in the L1 of one core or of a rectangle of cores, as the NoC has it; any other is of a page."""

    @classmethod
    def of(cls, nodes: tuple[int, ...], address: int) -> NocAddress:
        places = sum(each << index * _NOC_NODE_BITS for index, each in enumerate(nodes))
        return cls(places << _NOC_LOCAL_BITS | address)


class OwnAddress(int):
    """An address in the core's own L1, as the NoC has it."""


class InterleavedPages:
    """A tensor in DRAM as kernels address it: pages go round the banks. The number of a page stands for its address."""

    def __init__(self, page_bytes: int) -> None:
        self.page_bytes = page_bytes

    def get_noc_addr(self, page: int, offset: int = 0) -> int:
        return page

    def get_aligned_page_size(self) -> int:
        return self.page_bytes


@functools.cache
def _call(name: str) -> int:
    return native.names("call").index(name)


def traced_functions(calls: CallList) -> dict[str, Traced]:
    """The functions by name, each of which appends to ``calls``."""
    made: dict[str, Traced] = {}
    for name, count in _SET_UP.items():
        made[name] = _plain(_set_up(calls, name, count, recorded_calls(name)))
    for name in (*_INITS_BY_HAND, *_sfpu_inits()):
        made[name] = _plain(_set_up(calls, name, 0, ("SfpuInit",)))
    return {**made, **_credits(calls), **_transfers(calls), **_tiles(calls), **_vector_unit(calls)}


def _plain(function: Callable[..., Any]) -> Traced:
    """A function whose template arguments do not change its cost."""
    return lambda template: function


def _set_up(calls: CallList, name: str, count: int, entries: tuple[str, ...]) -> Callable[..., None]:
    words = [_call(each) for each in entries]

    def set_up(*arguments: Any) -> None:
        if len(arguments) > count:
            raise NotTracedError(f"{name} with {len(arguments)} arguments")
        calls.words.extend(words)

    return set_up


class NotTracedError(Exception):
    """A kernel does what has no entry here."""


def _credits(calls: CallList) -> dict[str, Traced]:
    def credit(name: str) -> Callable[[int, int], None]:
        call = _call(name)

        def made(cb: int, pages: int) -> None:
            if calls.blocks[0]:
                calls.settle_blocks()
            calls.words.append(call | cb << 8 | pages << 32)

        return made

    return {name: _plain(credit(*recorded_calls(name))) for name in _CREDITS}


def _transfers(calls: CallList) -> dict[str, Traced]:
    reads, writes, words = _call("NocRead"), _call("NocWrite"), _call("NocWriteWord")

    def read(page: int, to: int, num_bytes: int) -> None:
        if isinstance(page, OwnAddress):
            calls.own_read(num_bytes, page)
            return
        calls.transfer(reads, num_bytes, page)

    def write(source: int, page: int, num_bytes: int) -> None:
        if isinstance(page, NocAddress):
            calls.entry("NocWrite", calls.noc, num_bytes, page)
            return
        calls.transfer(words if num_bytes == _WORD_BYTES else writes, num_bytes, page)

    def read_page(page: int, tensor: InterleavedPages, to: int) -> None:
        read(page, to, tensor.page_bytes)

    def write_page(page: int, tensor: InterleavedPages, source: int) -> None:
        write(source, page, tensor.page_bytes)

    def barrier(kind: int) -> Callable[[], None]:
        def made() -> None:
            if calls.blocks[0]:
                calls.settle_blocks()
            calls.words.append(_call("NocBarrier") | calls.noc << 8 | kind << 16)

        return made

    found: dict[str, Callable[..., Any]] = {
        "noc_async_read": read,
        "noc_async_write": write,
        "noc_async_read_page": read_page,
        "noc_async_write_page": write_page,
        "get_write_ptr": lambda cb: 0,
        "get_read_ptr": lambda cb: 0,
        "get_tile_size": lambda cb: calls.tile_bytes[cb],
        **{name: barrier(kind) for name, kind in _BARRIERS.items()},
        **_between_cores(calls),
    }
    return {name: _plain(function) for name, function in found.items()}


def _between_cores(calls: CallList) -> dict[str, Callable[..., Any]]:
    """Writes to other cores, and semaphores."""

    def write_multicast(source: int, there: int, num_bytes: int, receivers: int) -> None:
        calls.entry("NocWriteMulticast", calls.noc, num_bytes, there)

    def increment_multicast(there: int, by: int, receivers: int) -> None:
        calls.entry("NocIncrementMulticast", calls.noc, by, there)

    return {
        "get_noc_addr": lambda *given: NocAddress.of(given[:2], given[2]) if given[1:] else OwnAddress(given[0]),
        # The last core's place comes first.
        "get_noc_multicast_addr": lambda *given: NocAddress.of((*given[2:4], *given[:2]), given[4]),
        "get_semaphore": semaphore_offset,
        "noc_async_write_multicast": write_multicast,
        "noc_semaphore_inc_multicast": increment_multicast,
        "noc_semaphore_wait": lambda word, value: calls.entry("SemaphoreEqual", 0, value, word.address),
        "noc_semaphore_set": lambda word, value: calls.entry("SemaphoreSet", 0, value, word.address),
    }


def _tiles(calls: CallList) -> dict[str, Traced]:
    words = calls.words
    copy, broadcast, binary = _call("CopyTile"), _call("UnaryBroadcast"), _call("BinaryTiles")
    reduce_, product, block = _call("ReduceTile"), _call("MatmulTiles"), _call("MatmulBlock")
    pack, tilize = _call("PackTile"), _call("TilizeBlock")
    untilize, untilize_dest = _call("PackUntilizeBlock"), _call("PackUntilizeDest")

    def two_tiles(op: int) -> Callable[..., None]:
        return lambda a, b, *rest: words.append(binary | a << 8 | op << 16 | b << 32)

    def reduction(template: tuple[Any, ...]) -> Callable[..., None]:
        word = reduce_ | (_POOLS[template[0].value] | _AXES[template[1].value] << 4) << 16
        return lambda cb, *rest: words.append(word | cb << 8)

    def matmul_block(a: int, b: int, i: int, j: int, dst: int, transpose: int, columns: int, rows: int, k: int) -> None:
        words.append(block | a << 8 | b << 16 | (columns | rows << 16) << 32)

    def blocks(call: int) -> Traced:
        return lambda template: (
            lambda cb, rows=1, *rest: words.append(call | cb << 8 | (template[0] | rows << 16) << 32)
        )

    found: dict[str, Callable[..., Any]] = {
        "copy_tile": lambda cb, *rest: words.append(copy | cb << 8),
        "unary_bcast": lambda cb, *rest: words.append(broadcast | cb << 8),
        "matmul_tiles": lambda a, b, *rest: words.append(product | a << 8 | b << 16),
        "matmul_block": matmul_block,
        "pack_tile": lambda slot, cb, *rest: words.append(pack | cb << 8),
        "tilize_block": lambda cb, tiles, out, *rest: words.append(tilize | cb << 8 | out << 16 | tiles << 32),
    }
    for op in ("add", "sub", "mul"):
        for kind in ("", "_bcast_rows", "_bcast_cols", "_bcast_scalar"):
            found[f"{op}_tiles{kind}"] = two_tiles(_BINARY_OPS[op])
    return {
        **{name: _plain(function) for name, function in found.items()},
        "any_tiles_bcast": lambda template: two_tiles(_BINARY_OPS[template[0].value]),
        "reduce_tile": reduction,
        "pack_untilize_block": blocks(untilize),
        "pack_untilize_dest": blocks(untilize_dest),
    }


def _vector_unit(calls: CallList) -> dict[str, Traced]:
    words = calls.words

    def of(word: int) -> Traced:
        return _plain(lambda *arguments: words.append(word))

    def exponential(template: tuple[Any, ...]) -> Callable[..., None]:
        is_approximate, is_scaled = (*template, False, False)[:2]
        operation = "ExpApproximate" if is_approximate else "ExpScaled" if is_scaled else "Exp"
        vectors = template[3] if len(template) > 3 and not is_approximate else _VECTORS_PER_FACE
        usual = _unary_word(operation, _ALL_FACES, vectors)

        def call(_slot: Any, mode: Any = None, *_: Any) -> None:
            words.append(usual if mode is None else _unary_word(operation, _FACES[mode.name], vectors))

        return call

    def typecast(template: tuple[Any, ...]) -> Callable[..., None]:
        before, after = (DataFormat[each.value].value for each in template[:2])
        word = _call("SfpuTypecast") | (before | after << 8) << 16
        return lambda *arguments: words.append(word)

    made = {name: of(word) for name, word in _sfpu_words().items()}
    made |= {name: of(_unary_word(dict(vector_operations(name))["unary"])) for name in _UNARY_BY_HAND}
    return {
        **made,
        "exp_tile": exponential,
        "typecast_tile": typecast,
        "copy_dest_values": of(_call("SfpuOther")),
    }


def _unary_word(operation: str, faces: int = _ALL_FACES, vectors: int = _VECTORS_PER_FACE) -> int:
    """The entry of a call that works on so many vectors of the faces of a mode."""
    number = native.names("sfpu_unary").index(operation)
    return _call("SfpuUnary") | faces << 8 | number << 16 | vectors << 32


@functools.cache
def _sfpu_inits() -> tuple[str, ...]:
    return tuple(init.name for row in sfpu_functions() for init in row.inits)


@functools.cache
def _sfpu_words() -> dict[str, int]:
    """Entries of the functions that have rows in the table of the vector unit."""
    found: dict[str, int] = {}
    for row in sfpu_functions():
        if row.arity == "unary":
            word = _unary_word(row.operation)
        else:
            number = native.names(f"sfpu_{row.arity}").index(row.operation)
            word = _call(f"Sfpu{row.arity.capitalize()}") | _ALL_FACES << 8 | number << 16
        for each in row.calls:
            found.setdefault(each.name, word)
    return found
