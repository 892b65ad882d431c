# SPDX-License-Identifier: Apache-2.0
"""Operations with a part that their author wrote: a kernel in C++, a phase, a requirement, a whole program."""

from __future__ import annotations

from collections.abc import Mapping

from tilewright import Requirement, Rows, operation, ttnn
from tilewright.formula import Value, mean, own_phase
from tilewright.kernels import CB, CompileTimeArg, RuntimeArg, cpp_kernel, uint32
from tilewright.kernels.api import (
    cb_push_back,
    cb_reserve_back,
    cb_wait_front,
    copy_init,
    copy_tile,
    pack_reconfig_data_format,
    pack_tile,
    reconfig_data_format_srca,
    square_tile,
    square_tile_init,
    tile_regs_acquire,
    tile_regs_commit,
    tile_regs_release,
    tile_regs_wait,
)
from tilewright.kernels.phases import Region, phase


@cpp_kernel("ops/doubled.cpp", "compute")
def doubled_in_cpp(num_tile_rows: RuntimeArg, block_tiles: CompileTimeArg) -> None:
    """2 * x."""


@operation(kernels={"blocked": {"compute": doubled_in_cpp}}, buffers={"in_rm": 0, "in_tiled": 1, "out_rm": 16})
def doubled(x: Rows) -> Value:
    """2 * x, with a compute kernel in C++."""
    return x * 2.0


@phase(
    waits={"cb_in": "num_tiles"},
    pops={"cb_in": "0"},
    pushes={"cb_out": "num_tiles"},
    needs={"cb_in": Region.TILE},
    gives={"cb_out": Region.TILE},
)
def squared(cb_in: CB, cb_out: CB, num_tiles: uint32) -> None:
    """out = in * in."""
    cb_wait_front(cb_in, num_tiles)
    cb_reserve_back(cb_out, num_tiles)
    reconfig_data_format_srca(cb_in)
    pack_reconfig_data_format(cb_out)
    for tile in range(num_tiles):
        tile_regs_acquire()
        copy_init(cb_in)
        copy_tile(cb_in, tile, 0)
        square_tile_init()
        square_tile(0)
        tile_regs_commit()
        tile_regs_wait()
        pack_tile(0, cb_out)
        tile_regs_release()
    cb_push_back(cb_out, num_tiles)


@operation(requires=[Requirement("x.shape[-1] >= 2", "x must have two columns or more")])
def centred_squares(x: Rows) -> Value:
    """x * x minus its mean, the square by a phase of its own."""
    squares = own_phase(squared, x, means=lambda a: a * a)
    return squares - mean(squares)


@operation
def planned(x: Rows, *, factor: float = 3.0) -> Value:
    """factor * x."""
    return x * factor


def made_by_hand(tensors: Mapping[str, ttnn.Tensor], numbers: Mapping[str, float]) -> ttnn.ProgramDescriptor:
    """What the plan of another operation would run; a person would write it out."""
    x = tensors["x"]
    plan = planned.plan(tuple(x.shape), x.dtype, x.device(), layout=x.layout)
    return planned.program(plan, tensors, parameters=numbers)


@operation(program=made_by_hand)
def scaled(x: Rows, *, factor: float = 3.0) -> Value:
    """factor * x, with a program of its own."""
    return x * factor
