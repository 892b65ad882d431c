# SPDX-License-Identifier: Apache-2.0
"""Host side of programs with one input and one output of the same tiles: reader, compute, writer."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.conformance.programs import TILE, accessor, circular_buffer, kernel, output_like, runtime_args, split_work
from tilewright import ttnn
from tilewright._sfpu_functions import sfpu_headers

# Where the output circular buffer of the stock kernels is.
UNARY_OUTPUT = 2
COPY_OUTPUT = 16

Work = list[tuple[ttnn.CoreCoord, int, int]]
# Makes the compute kernel for these cores and their work.
ComputeKernel = Callable[[ttnn.CoreRangeSet, Work], ttnn.KernelDescriptor]


def float_bits(value: float) -> str:
    """A float argument as ttnn's host writes it into a chain.

    >>> float_bits(1.0)
    '0x3f800000u'
    """
    return f"{struct.unpack('<I', struct.pack('<f', value))[0]:#x}u"


# The headers a stock kernel takes functions from; ttnn's host defines those of the functions it hands over.
SFPU_INCLUDES = [(f"SFPU_OP_{name}_INCLUDE", "1") for name in sorted({each.include for each in sfpu_headers()} - {""})]


def sfpu_chain(init: str, call: str, *, float32: bool = False) -> list[tuple[str, str]]:
    """The defines with which ttnn's host hands one function to a stock kernel."""
    return [
        ("SFPU_OP_CHAIN_0", "SFPU_OP_CHAIN_0_INIT_0 SFPU_OP_CHAIN_0_FUNC_0"),
        ("SFPU_OP_CHAIN_0_INIT_0", init),
        ("SFPU_OP_CHAIN_0_FUNC_0", call),
        ("INP_FLOAT32" if float32 else "INP_FLOAT", "1"),
        *SFPU_INCLUDES,
    ]


def compute_config(
    *, wide_dst: bool = False, unpack_to_dest: Sequence[int] = (), fidelity: ttnn.MathFidelity = ttnn.MathFidelity.HiFi4
) -> ttnn.ComputeConfigDescriptor:
    """``wide_dst``: 32-bit DST; ``unpack_to_dest``: CBs whose float32 data skip the Src registers."""
    config = ttnn.ComputeConfigDescriptor(math_fidelity=fidelity, fp32_dest_acc_en=wide_dst)
    modes = [ttnn.UnpackToDestMode.Default] * 32
    for index in unpack_to_dest:
        modes[index] = ttnn.UnpackToDestMode.UnpackToDestFp32
    config.unpack_to_dest_mode = modes
    return config


def run_unary(
    operations: Path,
    source: ttnn.Tensor,
    output_dtype: ttnn.DataType,
    cores: ttnn.CoreRangeSet,
    compute: ComputeKernel,
    output_index: int = UNARY_OUTPUT,
    extra_buffers: Sequence[tuple[int, ttnn.DataType]] = (),
) -> ttnn.Tensor:
    """``source`` through ``compute`` with the stock interleaved reader and writer around it."""
    dataflow = operations / "eltwise/unary/device/kernels/dataflow"
    device = source.device()
    assert device is not None
    result = output_like(tuple(source.shape), output_dtype, device)
    used, work = split_work(cores, source.padded_shape.volume() // TILE**2)
    reader = kernel(
        dataflow / "reader_unary_interleaved_start_id.cpp",
        used,
        ttnn.ReaderConfigDescriptor(),
        runtime_args(work, lambda count, start: [source.buffer_address(), count, start]),
        compile_time_args=accessor(source),
    )
    writer = kernel(
        dataflow / "writer_unary_interleaved_start_id.cpp",
        used,
        ttnn.WriterConfigDescriptor(),
        runtime_args(work, lambda count, start: [result.buffer_address(), count, start]),
        compile_time_args=[output_index, *accessor(result)],
    )
    buffers = [(0, source.dtype), (output_index, output_dtype), *extra_buffers]
    program = ttnn.ProgramDescriptor(
        kernels=[reader, writer, compute(used, work)],
        cbs=[circular_buffer(index, dtype, 2, used) for index, dtype in buffers],
    )
    return ttnn.generic_op([source, result], program)


def sfpu_kernel(
    operations: Path, defines: Sequence[tuple[str, str]], config: ttnn.ComputeConfigDescriptor
) -> ComputeKernel:
    """The stock kernel that copies a tile to DST, runs a chain of functions on it and packs it."""
    path = operations / "eltwise/unary/device/kernels/compute/eltwise_sfpu.cpp"

    def build(cores: ttnn.CoreRangeSet, work: Work) -> ttnn.KernelDescriptor:
        return kernel(path, cores, config, runtime_args(work, lambda count, start: [count]), defines=defines)

    return build
