# SPDX-License-Identifier: Apache-2.0
"""Plan and tensors to a ``ProgramDescriptor``, with each kernel's arguments by name.

An operation's kernels take what they need by these names.

Compile-time:

==================  ==================================================================
width_tiles         Wt, the tiles of a row
height_tiles        Ht, the tile-rows of a slab of the last two dimensions
slab_tiles          tiles of a slab
block_tiles         tiles of a block
num_blocks          blocks of a row, or of another line of tiles
last_block_tiles    tiles of the last block that the tensor reaches into
last_tile_columns   columns of the last tile that belong to the tensor, 1 to 32
last_tile_rows      rows of the last tiles of a slab that belong to the tensor, 1 to 32
height              rows of a slab
width               columns of the rows
stick_bytes         bytes of a row of the first input
block_bytes         bytes of a row of a block of it
element_bytes       bytes of an element of it
NAME_stick_bytes    the same of another tensor, whose elements have another size; and so on
inverse_width_bits  1/W as the bits of a float32; inverse_height_bits and inverse_slab_bits along other lines
mean_factor_bits    what makes a mean of a sum where the mean is computed with (``line_plan.mean_factor``)
==================  ==================================================================

Runtime: ``num_tile_rows``, ``first_tile_row``, ``first_stick``, ``num_sticks`` (of the core; ``num_tile_columns`` or
``num_slabs`` and so on along other lines), and the bits of the operation's numbers. A ``TensorArg`` takes the tensor of
its name; the result's is ``output``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from tilewright._planner import line_plan
from tilewright._planner.kernel_names import of_tensor
from tilewright._program.kernel_config import ComputeConfigDescriptor
from tilewright._program.program import ProgramDescriptor
from tilewright._tensor.dtype import DataType
from tilewright._tensor.tensor import Tensor
from tilewright.kernels import Kernel
from tilewright.kernels._errors import KernelArgumentError

if TYPE_CHECKING:
    from tilewright._planner.plan import Plan

Tensors: TypeAlias = Mapping[str, Tensor]
Value = TypeVar("Value")


@dataclasses.dataclass(frozen=True)
class Kernels:
    """The three kernels a core runs."""

    reader: Kernel
    compute: Kernel
    writer: Kernel

    def __iter__(self) -> Iterator[Kernel]:
        return iter((self.reader, self.compute, self.writer))


def build_program(
    plan: Plan, kernels: Kernels, tensors: Tensors, numbers: Mapping[str, int], config: ComputeConfigDescriptor
) -> ProgramDescriptor:
    """The program that runs ``plan`` on ``tensors``; ``numbers`` has the bits of runtime arguments by name."""
    compile_time = compile_time_values(plan, {name: each.dtype for name, each in tensors.items()})
    descriptors = []
    for kernel in kernels:
        layout = kernel.arguments
        scalars = [name for name in layout.runtime if name not in layout.tensors]
        descriptors.append(
            kernel.descriptor(
                plan.split.cores,
                compile_time_args={
                    name: _argument(kernel, name, "compile-time argument", compile_time) for name in layout.scalars
                },
                runtime_args={
                    work.core: {
                        name: _argument(kernel, name, "runtime argument", {**work.values, **numbers})
                        for name in scalars
                    }
                    for work in plan.split.work
                },
                tensors={name: _argument(kernel, of_tensor(name), "tensor", tensors) for name in layout.tensors},
                config=plan.compute_config(config) if kernel is kernels.compute else None,
            )
        )
    return ProgramDescriptor(kernels=descriptors, cbs=plan.circular_buffers())


def _argument(kernel: Kernel, name: str, kind: str, known: Mapping[str, Value]) -> Value:
    """The value of a kernel's argument.

    Raises:
        KernelArgumentError: there is none of this name.
    """
    if name not in known:
        raise KernelArgumentError(f"{kernel.name}: there is no {kind} {name}; there are {', '.join(sorted(known))}")
    return known[name]


def compile_time_values(plan: Plan, dtypes: Mapping[str, DataType]) -> dict[str, int]:
    """Everything a kernel may take as a compile-time argument, by name; ``dtypes`` are those of the tensors."""
    sizes = {name: each.element_bytes for name, each in {"": plan.rows.dtype, **dtypes}.items() if _has_elements(each)}
    return line_plan.compile_time_values(plan.rows, plan.block_tiles, sizes)


def _has_elements(dtype: DataType) -> bool:
    return not dtype.is_block_float
