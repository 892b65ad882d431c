# SPDX-License-Identifier: Apache-2.0
"""Templates of a hardware package; ``host_code`` fills in ``$names``."""

from string import Template

PACKAGE = Template('''\
# SPDX-License-Identifier: Apache-2.0
"""$formula"""

from .op import $name

__all__ = ["$name"]
''')

# What op.py calls.
HELPERS = Template('''\
def _allocated(shape, dtype, like, memory_config):
    return ttnn.allocate_tensor_on_device(
        ttnn.Shape(shape), dtype, ttnn.ROW_MAJOR_LAYOUT, like.device(), memory_config or like.memory_config()
    )


def _refuse(is_wrong, text):
    if is_wrong:
        raise ValueError(text)


def _check_first(tensor):
    shape, layout, memory = tuple(tensor.shape), tensor.layout, tensor.memory_config().memory_layout
    is_interleaved = memory == ttnn.TensorMemoryLayout.INTERLEAVED
    _refuse(len(shape) < 2, f"$rank")
    _refuse(layout != ttnn.ROW_MAJOR_LAYOUT, f"$row_major")
    _refuse(not is_interleaved, f"$interleaved")
    _refuse(not ttnn.is_tensor_storage_on_device(tensor), "$on_device")
    _refuse(tensor.dtype not in DTYPES.values(), f"$dtype")
    _refuse(math.prod(shape) == 0, f"$main must not be empty, got shape {shape}")


def _check_other(name, tensor, shape, first):
    """A tensor of this shape, which may have more sides of 1 in front; otherwise as the first."""
    given, layout, memory = tuple(tensor.shape), tensor.layout, tensor.memory_config().memory_layout
    _refuse(not ttnn.is_tensor_storage_on_device(tensor), f"{name} must be allocated on device")
    _refuse(layout != ttnn.ROW_MAJOR_LAYOUT, f"{name} must be in ROW_MAJOR layout, got {layout}")
    _refuse(memory != ttnn.TensorMemoryLayout.INTERLEAVED, f"{name} must be in INTERLEAVED memory, got {memory}")
    wanted = first.dtype
    _refuse(tensor.dtype != wanted, f"{name} dtype must match input dtype, expected {wanted} got {tensor.dtype}")
    sides = [1] * (len(given) - len(shape)) + list(shape)
    _refuse(list(given) != sides, f"{name} must have shape {list(shape)}, got {list(given)}")
''')

OP = Template('''\
# SPDX-License-Identifier: Apache-2.0
"""$name through ttnn.generic_op.

    $formula
"""

import math

import ttnn

from .program import DTYPES, program


def $name($call_parameters):
    """$formula.

    Tensors are row-major, interleaved and on the device, of any shape and one dtype: $dtypes.
    The result goes where the first tensor is, unless memory_config says otherwise; core_grid is a ttnn.CoreGrid, all
    cores without.
    """
$checks
    shape = $rows_shape
$made
    ${returned}ttnn.generic_op([$tensors], program($program_parameters, core_grid))$several


$helpers''')

PROGRAM = Template('''\
# SPDX-License-Identifier: Apache-2.0
"""The program of $name: planned for the shape, the dtype and the cores of each call.

Written by tilewright $version for ttnn $ttnn_version.
"""

${imports}from pathlib import Path

import ttnn

from $plan_module import BufferSize, Lines, PageCount, candidates, compile_time_values
from $plan_module import core_values, float_bits, l1_bytes
$more_imports
KERNELS = Path(__file__).resolve().parent / "kernels"
DTYPES = {"bfloat16": ttnn.bfloat16, "float32": ttnn.float32}
ELEMENT_BYTES = {"bfloat16": 2, "float32": 4}
# Of tensors that have a dtype of their own in every call.
FIXED_BYTES = $fixed_bytes
# What tt-metal keeps of L1 for the configurations of kernels.
KERNEL_CONFIG_BYTES = 69 * 1024


class TensorLines(Lines):
    def __init__(self, shape, inner_width):
        self.shape = tuple(shape)
        self.inner_width = inner_width
        self.in_slabs = $in_slabs
        self.direction = "$direction"


# Circular buffers by dtype and strategy: index, format, size. Pages: for each tile of a line that stays, for each tile
# of a block, in all, more where the width ends inside a tile, for each tile of a row that is multiplied, for each of
# those and each of a block; then the bytes of a tile.
BUFFERS = {
$buffers
}
# Kernels in the same way: file, compile-time arguments, tensors, runtime arguments.
PROGRAMS = {
$programs
}
# Buffers of which a float32 keeps all its bits.
WHOLE_FLOAT32 = {
$whole
}


def program($program_parameters, core_grid=None, dtype=None):
    """What runs on the device for one call; dtype is that of the results, the first tensor's without."""
    tensors = {$tensor_items}
    numbers = {$number_items}
    lines = TensorLines($rows_shape, $inner_width)
    dtype = dtype or next(name for name, each in DTYPES.items() if each == $main.dtype)
    device = $main.device()
    grid = core_grid or device.compute_with_storage_grid_size()
    strategy, block_tiles, cores, work, values = placed(lines, dtype, device, ttnn.CoreCoord(grid.x, grid.y))
    sizes = {**dict.fromkeys(("", $size_names), ELEMENT_BYTES[dtype]), **FIXED_BYTES}
    values = {**compile_time_values(lines, block_tiles, sizes), **values}
    kernels = [
        kernel_descriptor(*each, tensors, numbers, values, cores, work, config)
        for each, config in zip(PROGRAMS[dtype, strategy], configs(WHOLE_FLOAT32[dtype, strategy]))
    ]
    cbs = [
        circular_buffer(index, ttnn_dtype, *size.of(lines, strategy, block_tiles), cores)
        for index, ttnn_dtype, size in BUFFERS[dtype, strategy]
    ]
    semaphores = [ttnn.SemaphoreDescriptor(id=n, core_ranges=cores, initial_value=0) for n in range($semaphores)]
    return ttnn.ProgramDescriptor(kernels=kernels, semaphores=semaphores, cbs=cbs)


def fitting(lines, dtype):
    """Strategies and blocks whose circular buffers fit L1, the best first. Tensors in L1 are not counted."""
    budget = ttnn.get_max_worker_l1_unreserved_size() - KERNEL_CONFIG_BYTES
    strategies = [strategy for name, strategy in BUFFERS if name == dtype]
    for strategy, block_tiles in candidates(lines, strategies):
        sizes = [size for _, _, size in BUFFERS[dtype, strategy]]
        if l1_bytes(sizes, lines, strategy, block_tiles) <= budget:
            yield strategy, block_tiles


$placement


def work_of_cores(lines, grid):
    """The cores, and what each of them works on."""
    _, cores, more, fewer, lines_more, lines_fewer = ttnn.split_work_to_cores(grid, lines.num_lines)
    work, first = [], 0
    for group, count in ((more, lines_more), (fewer, lines_fewer)):
        for core in ttnn.corerange_to_cores(group):
            work.append((core, core_values(lines, first, count)))
            first += count
    return cores, work


def kernel_descriptor(file, compile_time, accessed, runtime, tensors, numbers, values, cores, work, config):
    compile_time_args = [values[name] for name in compile_time]
    for name in accessed:
        compile_time_args += ttnn.TensorAccessorArgs(tensors[name]).get_compile_time_args()
    known = {**{name: tensors[name].buffer_address() for name in accessed}, **numbers}
    runtime_args = ttnn.RuntimeArgs()
    for core, of_core in work:
        runtime_args[core.x][core.y] = [known[name] if name in known else of_core[name] for name in runtime]
    return ttnn.KernelDescriptor(
        kernel_source=str(KERNELS / file),
        source_type=ttnn.KernelDescriptor.SourceType.FILE_PATH,
        core_ranges=cores,
        compile_time_args=compile_time_args,
        runtime_args=runtime_args,
        config=config,
    )


def circular_buffer(index, data_format, pages, page_bytes, cores):
    described = ttnn.CBFormatDescriptor(buffer_index=index, data_format=data_format, page_size=page_bytes)
    return ttnn.CBDescriptor(total_size=pages * page_bytes, core_ranges=cores, format_descriptors=[described])


def configs(whole_float32):
    """Of the reader, the compute kernel and the writer."""
    compute = ttnn.ComputeConfigDescriptor(
        math_fidelity=ttnn.MathFidelity.$fidelity,
        math_approx_mode=$approximate,
        fp32_dest_acc_en=$fp32_dest,
        dst_full_sync_en=$full_sync,
    )
    count, indices = whole_float32
    if indices:
        modes = [ttnn.UnpackToDestMode.Default] * count
        for index in indices:
            modes[index] = ttnn.UnpackToDestMode.UnpackToDestFp32
        compute.unpack_to_dest_mode = modes
    return ttnn.ReaderConfigDescriptor(), compute, ttnn.WriterConfigDescriptor()
''')

_GROUP_VALUES = """\
def group_values(device, name, group):
    \"""Of the cores that share an operand, the first and the last, and the one that reads, by NoC coordinates.\"""
    places = {}
    for which, core in zip(("first", "last", "sender"), group):
        there = device.worker_core_from_logical_core(ttnn.CoreCoord(*core))
        places |= {f"{name}_{which}_x": there.x, f"{name}_{which}_y": there.y}
    return places"""

# How the lines of an operation lie on cores: as they come, of a matmul with a matrix for each slab, of other matmuls.
LINES_PLACEMENT = """\
def placed(lines, dtype, device, grid):
    \"""Strategy, block, cores, what each of them works on, and more compile-time values.\"""
    for strategy, block_tiles in fitting(lines, dtype):
        return strategy, block_tiles, *work_of_cores(lines, grid), {}
    raise ValueError(f"{dtype} tensors of shape {lines.shape} do not fit L1")"""

SLABS_PLACEMENT = """\
def placed(lines, dtype, device, grid):
    \"""Strategy, block, cores, what each of them works on, and more compile-time values: no core shares operands.\"""
    for lines.keeps_right, lines.left_rows, lines.right_blocks in unshared_cuts(FREEDOM):
        for strategy, block_tiles in fitting(lines, dtype):
            if not lines.keeps_right or strategy in KEEPS_MATRIX:
                cores, work = work_of_cores(lines, grid)
                return strategy, block_tiles, cores, [alone(device, *each) for each in work], NO_RECEIVERS
    raise ValueError(f"{dtype} tensors of shape {lines.shape} do not fit L1")


def alone(device, core, values):
    places = {}
    for name in ("left", "right"):
        places |= group_values(device, name, [(core.x, core.y)] * 3)
    written = values["num_tile_rows"]
    values = {**values, "first_block": 0, "num_written_rows": written, "sends_left": 1, "sends_right": 1, **places}
    return core, values


$group_values""".replace("$group_values", _GROUP_VALUES)

PRODUCT_PLACEMENT = """\
def placed(lines, dtype, device, size):
    \"""Strategy, block, cores, what each of them works on, and more compile-time values.\"""
    for grid in work_grids(lines.num_tile_rows, lines.line_tiles, size.x, size.y, FREEDOM):
        lines.part_tiles, lines.keeps_right = grid.part_tiles, grid.keeps_right
        lines.left_rows, lines.right_blocks = grid.left_rows, grid.right_blocks
        for strategy, block_tiles in fitting(lines, dtype):
            blocks = num_blocks(lines, block_tiles)
            is_lost = grid.keeps_right and strategy not in KEEPS_MATRIX
            if not is_lost and fills_blocks(grid, lines.line_tiles, blocks, block_tiles):
                last = ttnn.CoreCoord(grid.width - 1, grid.height - 1)
                cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), last)])
                work = [part_of_core(lines, grid, device, core, blocks) for core in ttnn.corerange_to_cores(cores)]
                return strategy, block_tiles, cores, work, grid.receivers()
    raise ValueError(f"{dtype} tensors of shape {lines.shape} do not fit L1")


def part_of_core(lines, grid, device, core, blocks):
    values = part_values(grid, core.x, core.y, lines.num_tile_rows, lines.line_tiles, blocks)
    for name, group in grid.groups(core.x, core.y).items():
        values |= group_values(device, name, group)
    return core, values


$group_values""".replace("$group_values", _GROUP_VALUES)

OWN_PROGRAM = Template('''\
# SPDX-License-Identifier: Apache-2.0
"""The program of $name, for the shape it was exported for.

Written by tilewright $version for ttnn $ttnn_version.
"""

from pathlib import Path

import ttnn

KERNELS = Path(__file__).resolve().parent / "kernels"
DTYPES = {"bfloat16": ttnn.bfloat16, "float32": ttnn.float32}
FORMATS = {
    "Float16_b": ttnn.bfloat16,
    "Float32": ttnn.float32,
    "Bfp8_b": ttnn.bfloat8_b,
    "Int32": ttnn.int32,
    "UInt32": ttnn.uint32,
    "UInt16": ttnn.uint16,
}
# By dtype. Where an argument is a name, the address of that tensor stands in its place.
PROGRAMS = {
$programs
}


def program($program_parameters, core_grid=None):
    """What runs on the device for one call."""
    tensors = {$tensor_items}
    made = PROGRAMS[next(name for name, each in DTYPES.items() if each == $main.dtype)]
    addresses = {name: each.buffer_address() for name, each in tensors.items()}
    return ttnn.ProgramDescriptor(
        kernels=[kernel_descriptor(each, addresses) for each in made["kernels"]],
        semaphores=[
            ttnn.SemaphoreDescriptor(id=index, core_ranges=core_ranges(cores), initial_value=value)
            for index, value, cores in made["semaphores"]
        ],
        cbs=[
            ttnn.CBDescriptor(
                total_size=size,
                core_ranges=core_ranges(cores),
                format_descriptors=[
                    ttnn.CBFormatDescriptor(buffer_index=index, data_format=FORMATS[name], page_size=page)
                    for index, name, page in formats
                ],
            )
            for size, cores, formats in made["cbs"]
        ],
    )


def core_ranges(ranges):
    return ttnn.CoreRangeSet(
        [ttnn.CoreRange(ttnn.CoreCoord(a, b), ttnn.CoreCoord(c, d)) for a, b, c, d in ranges]
    )


def kernel_descriptor(kernel, addresses):
    runtime_args = ttnn.RuntimeArgs()
    for (x, y), words in kernel["runtime_args"].items():
        runtime_args[x][y] = [addresses.get(word, word) for word in words]
    return ttnn.KernelDescriptor(
        kernel_source=str(KERNELS / kernel["file"]),
        source_type=ttnn.KernelDescriptor.SourceType.FILE_PATH,
        core_ranges=core_ranges(kernel["cores"]),
        compile_time_args=kernel["compile_time_args"],
        named_compile_time_args=kernel["named_compile_time_args"],
        defines=kernel["defines"],
        runtime_args=runtime_args,
        common_runtime_args=[addresses.get(word, word) for word in kernel["common_runtime_args"]],
        config=config(*kernel["config"]),
    )


def config(kind, *settings):
    if kind == "reader":
        return ttnn.ReaderConfigDescriptor()
    if kind == "writer":
        return ttnn.WriterConfigDescriptor()
    if kind == "data movement":
        processor, noc = settings
        return ttnn.DataMovementConfigDescriptor(
            processor=getattr(ttnn.DataMovementProcessor, processor), noc=getattr(ttnn.NOC, noc)
        )
    fidelity, approximate, fp32_dest, full_sync, modes = settings
    compute = ttnn.ComputeConfigDescriptor(
        math_fidelity=getattr(ttnn.MathFidelity, fidelity),
        math_approx_mode=approximate,
        fp32_dest_acc_en=fp32_dest,
        dst_full_sync_en=full_sync,
    )
    if modes:
        compute.unpack_to_dest_mode = [getattr(ttnn.UnpackToDestMode, each) for each in modes]
    return compute
''')

TEST = Template('''\
# SPDX-License-Identifier: Apache-2.0
"""$name on a card, against torch in float64: ``pytest test_$name.py``."""

import pytest
import torch
import ttnn

from $name import $name

# Shapes, dtypes, and twice the largest bound of an error analysis, on such data, as a share of max(1, |result|).
CASES = [
$cases
]


@pytest.fixture(scope="module")
def device():
    device = ttnn.open_device(device_id=0)
    yield device
    ttnn.close_device(device)


def on_device(device, *tensors):
    return [ttnn.from_torch(each, layout=ttnn.ROW_MAJOR_LAYOUT, device=device) for each in tensors]


def reference($reference_parameters):
$reference


@pytest.mark.parametrize("shape, dtype, bound", CASES)
def test_$name(device, shape, dtype, bound):
    torch.manual_seed(0)
    # Of a float32 the matrix unit takes 10 mantissa bits; numbers of bfloat16 it takes whole.
$made
    results = $name($given)
    expected = reference($doubles)
    several = expected if isinstance(expected, tuple) else (expected,)
    for got, wanted in zip(results if isinstance(expected, tuple) else (results,), several):
        found = ttnn.to_torch(got).double()
        assert found.shape == wanted.shape
        error = (found - wanted).abs()
        assert torch.all(error <= bound * wanted.abs().clamp(min=1.0)), error.max()
        assert wanted.abs().max() > bound  # zeros would not pass
''')

README = Template("""\
# $name

$formula, through `ttnn.generic_op`.
Written by tilewright $version for ttnn $ttnn_version; it needs ttnn and nothing else. Shape and cores are free; dtypes
are $dtypes.

    pytest test_$name.py        # on a card, against torch

| file | what it is |
|---|---|
| `$name/op.py` | the call: checks its tensors, allocates the result, runs the program |
| `$name/program.py` | circular buffers and kernels of every dtype and strategy; the program of a call |
| `$name/plan.py` | blocks and pages for a shape, arguments of kernels |$grid_row
| `$name/kernels/*/*.cpp` | reader, compute kernel and writer of each |
| `test_$name.py` | the comparison with torch |

To write it again: `$command`
""")

SPLIT_OP = Template('''\
# SPDX-License-Identifier: Apache-2.0
"""$name through ttnn.generic_op: $count programs, with intermediates in DRAM between them.

    $formula
"""

import math

import ttnn

$imports

DTYPES = {"bfloat16": ttnn.bfloat16, "float32": ttnn.float32}


def $name($call_parameters):
    """$formula.

    Tensors are row-major, interleaved and on the device, of any shape and one dtype: $dtypes.
    The result goes where the first tensor is, unless memory_config says otherwise; core_grid is a ttnn.CoreGrid, all
    cores without.
    """
$checks
    dtype = next(name for name, each in DTYPES.items() if each == $main.dtype)
$steps
    return $outputs


$helpers''')

SPLIT_README = Template("""\
# $name

$formula, through `ttnn.generic_op`, as $count programs.
Written by tilewright $version for ttnn $ttnn_version; it needs ttnn and nothing else. Shape and cores are free; dtypes
are $dtypes.

    pytest test_$name.py        # on a card, against torch

| file | what it is |
|---|---|
| `$name/op.py` | the call: checks its tensors, allocates intermediates and results, runs the programs |
| `$name/plan.py` | blocks and pages for a shape, arguments of kernels |$grid_row
$parts
| `test_$name.py` | the comparison with torch |

To write it again: `$command`
""")
