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
part_tiles          tiles of a row that one core has
line_parts          cores that have a part of a row each and exchange what they reduce; of a matmul, parts of the row
                    that is multiplied, which different cores compute
height              rows of a slab
width               columns of the rows
stick_bytes         bytes of a row of the first input
block_bytes         bytes of a row of a block of it
element_bytes       bytes of an element of it
NAME_stick_bytes    the same of another tensor, whose elements have another size; and so on
inverse_width_bits  1/W as the bits of a float32; inverse_height_bits and inverse_slab_bits along other lines
mean_factor_bits    what makes a mean of a sum where the mean is computed with (``line_plan.mean_factor``)
keeps_right         1 if the part of the matrix that a core multiplies by stays in L1, else 0
left_receivers      cores that get what is multiplied from another one; right_receivers, the matrix
inner_group_tiles   tile-rows of the matrix that are read and sent at a time
left_group_tiles    tiles of what is multiplied that are read and sent at a time
left_part_tiles     tiles of what is multiplied that a core computes for its group
all_tile_rows       tile-rows of all cores
==================  ==================================================================

Runtime: ``num_tile_rows``, ``first_tile_row``, ``first_stick``, ``num_sticks`` (of the core; ``num_tile_columns`` or
``num_slabs`` and so on along other lines), and the bits of the operation's numbers. In a matmul also ``first_block``
(of the core's part of a line), ``num_written_rows`` (tile-rows of the core that are no repetition), ``sends_left``
(whether the core reads for its group), ``left_first_x``, ``left_first_y``, ``left_last_x``, ``left_last_y`` (the first
and the last core of the group), ``left_sender_x``, ``left_sender_y`` (the one that reads), and the same of ``right``.
Where cores have a part of a row each, or compute one of a row that is multiplied, also ``own_part`` (its number),
``own_x``, ``own_y``, ``line_first_x``, ``line_first_y``, ``line_last_x`` and ``line_last_y`` (the core, and the first
and the last of those with a part). A ``TensorArg`` takes the tensor of its name; that of the result is ``output``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from tilewright._planner import exchange_kernels, line_plan
from tilewright._planner.kernel_names import of_tensor
from tilewright._planner.shared_kernels import NUM_SEMAPHORES
from tilewright._program.kernel_config import ComputeConfigDescriptor
from tilewright._program.program import ProgramDescriptor
from tilewright._program.semaphore import SemaphoreDescriptor
from tilewright._tensor.cores import CoreCoord
from tilewright._tensor.dtype import DataType
from tilewright._tensor.tensor import Tensor
from tilewright.kernels import Kernel
from tilewright.kernels._errors import KernelArgumentError

if TYPE_CHECKING:
    from tilewright._planner.plan import Plan
    from tilewright._planner.row_split import CoreWork

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
    plan: Plan,
    kernels: Kernels,
    tensors: Tensors,
    numbers: Mapping[str, int],
    config: ComputeConfigDescriptor | None = None,
) -> ProgramDescriptor:
    """The program that runs ``plan`` on ``tensors``; ``numbers`` has the bits of runtime arguments by name.

    ``config`` is used in the place of the plan's own.
    """
    compile_time = compile_time_values(plan, {name: each.dtype for name, each in tensors.items()})
    device = next(iter(tensors.values())).device()
    assert device is not None
    of_cores = values_of_cores(plan, lambda core: device.worker_core_from_logical_core(core))
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
                    core: {name: _argument(kernel, name, "runtime argument", {**values, **numbers}) for name in scalars}
                    for core, values in of_cores.items()
                },
                tensors={name: _argument(kernel, of_tensor(name), "tensor", tensors) for name in layout.tensors},
                config=plan.compute_config(config) if kernel is kernels.compute else None,
            )
        )
    return ProgramDescriptor(kernels=descriptors, cbs=plan.circular_buffers(), semaphores=semaphores_of(plan))


def values_of_cores(plan: Plan, place: Callable[[CoreCoord], CoreCoord]) -> dict[CoreCoord, Mapping[str, int]]:
    """Runtime arguments with each core's work, by name; groups of cores by the coordinates of the NoC.

    Args:
        place: coordinates of a core on the NoC.
    """
    if plan.schedule.exchanged:
        return {work.core: {**work.values, **_places_in_line(work, place, "line")} for work in plan.split.work}
    if plan.schedule.multiplication is None:
        return {work.core: work.values for work in plan.split.work}
    found: dict[CoreCoord, Mapping[str, int]] = {}
    for work in plan.split.work:
        values = {**work.values, **(_places_in_line(work, place, "computing") if plan.rows.left_parts > 1 else {})}
        for operand in ("left", "right"):
            group = work.groups.get(operand, (work.core,) * 3)
            for which, core in zip(("first", "last", "sender"), group, strict=True):
                there = place(core)
                values |= {f"{operand}_{which}_x": there.x, f"{operand}_{which}_y": there.y}
        alone = {"first_block": 0, "num_written_rows": work.num_lines, "sends_left": 1, "sends_right": 1}
        found[work.core] = {**alone, **values}
    return found


def _places_in_line(work: CoreWork, place: Callable[[CoreCoord], CoreCoord], group: str) -> dict[str, int]:
    """Where a core is that has a part of a line, and the first and the last of the cores of that line.

    In the order in which a multicast reaches them.
    """
    first, last = (place(each) for each in work.groups[group])
    named = {"own": place(work.core), "line_first": first, "line_last": last}
    return {f"{name}_{axis}": getattr(core, axis) for name, core in named.items() for axis in ("x", "y")}


def semaphores_of(plan: Plan) -> list[SemaphoreDescriptor]:
    count = exchange_kernels.NUM_SEMAPHORES * len(plan.schedule.combined)
    if plan.schedule.multiplication is not None:
        combined = () if plan.schedule.left is None else plan.schedule.left.combined
        count = NUM_SEMAPHORES + exchange_kernels.NUM_SEMAPHORES * len(combined)
    return [SemaphoreDescriptor(id=each, core_ranges=plan.split.cores, initial_value=0) for each in range(count)]


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
    grid = plan.split.grid
    receivers = {"left_receivers": 0, "right_receivers": 0} if grid is None else grid.receivers()
    values = line_plan.compile_time_values(plan.rows, plan.block_tiles, sizes)
    return {**values, **receivers, **plan.rows.more_compile_time_values(plan.block_tiles, sizes)}


def _has_elements(dtype: DataType) -> bool:
    return not dtype.is_block_float
