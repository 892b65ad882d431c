# SPDX-License-Identifier: Apache-2.0
"""The texts of a package for hardware; ``$names`` are filled in by ``host_code``."""

from string import Template

PACKAGE = Template('''\
# SPDX-License-Identifier: Apache-2.0
"""$formula"""

from .op import $name

__all__ = ["$name"]
''')

OP = Template('''\
# SPDX-License-Identifier: Apache-2.0
"""$name through ttnn.generic_op, for $purpose.

    $formula
"""

import math

import ttnn

from .program import DTYPE, program


def $name($call_parameters):
    """$formula.

    Tensors are row-major, interleaved and on the device.
    """
$checks
$made
    ${returned}ttnn.generic_op([$tensors], program($program_parameters))$several


def _allocated(shape, like, memory_config):
    return ttnn.allocate_tensor_on_device(
        ttnn.Shape(shape), DTYPE, ttnn.ROW_MAJOR_LAYOUT, like.device(), memory_config or like.memory_config()
    )


def _check(name, tensor, shape):
    given = tuple(tensor.shape)
    if given[-1:] != shape[-1:] or math.prod(given) != math.prod(shape):
        raise ValueError(f"{name} must have shape {shape}, got {given}")
    if tensor.dtype != DTYPE:
        raise ValueError(f"{name} must be {DTYPE}, got {tensor.dtype}")
    if tensor.layout != ttnn.ROW_MAJOR_LAYOUT:
        raise ValueError(f"{name} must be in ROW_MAJOR layout, got {tensor.layout}")
    if tensor.memory_config().memory_layout != ttnn.TensorMemoryLayout.INTERLEAVED:
        raise ValueError(f"{name} must be interleaved, got {tensor.memory_config().memory_layout}")
''')

PROGRAM = Template('''\
# SPDX-License-Identifier: Apache-2.0
"""The program of $name for $purpose.

Plan: $plan; $split.
Written by tilewright $version for ttnn $ttnn_version.
"""

${imports}from pathlib import Path

import ttnn

KERNELS = Path(__file__).resolve().parent / "kernels"
DTYPE = ttnn.$dtype
CORES = ttnn.CoreRangeSet(
    [
$core_ranges
    ]
)

# index, pages, bytes of a page, format
CIRCULAR_BUFFERS = [
$circular_buffers
]

# core, $work_names
WORK = [
$work
]


def program($program_parameters):
    """What runs on the device for one call."""
    return ttnn.ProgramDescriptor(
        kernels=[
$kernel_calls
        ],
        semaphores=[],
        cbs=[_circular_buffer(*each) for each in CIRCULAR_BUFFERS],
    )


def _circular_buffer(index, pages, page_bytes, data_format):
    format_descriptor = ttnn.CBFormatDescriptor(buffer_index=index, data_format=data_format, page_size=page_bytes)
    return ttnn.CBDescriptor(
        total_size=pages * page_bytes, core_ranges=CORES, format_descriptors=[format_descriptor]
    )
$kernels''')

KERNEL = Template('''

def _$name($parameters):
    """$purpose"""
    compile_time_args = [
$compile_time_args
    ]$accessors
    runtime_args = ttnn.RuntimeArgs()
    for (core_x, core_y), $work_names in WORK:
        runtime_args[core_x][core_y] = [
$runtime_args
        ]
$config    return ttnn.KernelDescriptor(
        kernel_source=str(KERNELS / "$name.cpp"),
        source_type=ttnn.KernelDescriptor.SourceType.FILE_PATH,
        core_ranges=CORES,
        compile_time_args=compile_time_args,
        runtime_args=runtime_args,
        config=$config_name,
    )
''')

COMPUTE_CONFIG = Template("""\
    config = ttnn.ComputeConfigDescriptor(
        math_fidelity=ttnn.MathFidelity.$fidelity,
        math_approx_mode=$approximate,
        fp32_dest_acc_en=$fp32_dest,
        dst_full_sync_en=$full_sync,
    )
""")

UNPACK_TO_DEST = Template("""\
    modes = [ttnn.UnpackToDestMode.Default] * $count
    for index in $indices:
        modes[index] = ttnn.UnpackToDestMode.UnpackToDestFp32
    config.unpack_to_dest_mode = modes
""")

FLOAT_BITS = """

def _float_bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]
"""

TEST = Template('''\
# SPDX-License-Identifier: Apache-2.0
"""$name on a card, against torch in float64: ``pytest test_$name.py``."""

import pytest
import torch
import ttnn

from $name import $name

# Twice the largest bound of an error analysis of the plan, on such data, as a share of max(1, |result|).
BOUND = $bound


@pytest.fixture(scope="module")
def device():
    device = ttnn.open_device(device_id=0)
    yield device
    ttnn.close_device(device)


def on_device(device, *tensors):
    return [ttnn.from_torch(each, layout=ttnn.ROW_MAJOR_LAYOUT, device=device) for each in tensors]


def reference($reference_parameters):
$reference


def test_$name(device):
    torch.manual_seed(0)
$made
    results = $name($given)
    expected = reference($doubles)
    several = expected if isinstance(expected, tuple) else (expected,)
    for got, wanted in zip(results if isinstance(expected, tuple) else (results,), several):
        found = ttnn.to_torch(got).double()
        assert found.shape == wanted.shape
        error = (found - wanted).abs()
        assert torch.all(error <= BOUND * wanted.abs().clamp(min=1.0)), error.max()
        assert wanted.abs().max() > BOUND  # zeros would not pass
''')

README = Template("""\
# $name

$formula, for $purpose, through `ttnn.generic_op`.
Written by tilewright $version for ttnn $ttnn_version; it needs ttnn and nothing else.

    pytest test_$name.py        # on a card, against torch

| file | what it is |
|---|---|
| `$name/op.py` | the call: checks its tensors, allocates the result, runs the program |
| `$name/program.py` | circular buffers, work of each core, arguments of each kernel |
| `$name/kernels/*.cpp` | $kernels |
| `test_$name.py` | the comparison with torch |

Shape, dtype and cores are fixed in `program.py`. For others: `$command`
""")
