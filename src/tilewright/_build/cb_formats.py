# SPDX-License-Identifier: Apache-2.0
"""Formats of circular buffers as kernels and the engine see them."""

from __future__ import annotations

from tilewright._build.translation_unit import BufferFormat
from tilewright._program.circular_buffer import CBFormatDescriptor
from tilewright._program.kernel import KernelDescriptor
from tilewright._program.kernel_config import ComputeConfigDescriptor, UnpackToDestMode
from tilewright._program.program import ProgramDescriptor
from tilewright._tensor.dtype import exponent_bytes
from tilewright._wire.data_formats import DataFormat

# Bits per element; block floats add a shared exponent per 16 elements.
_ELEMENT_BITS = {
    DataFormat.Float32: 32,
    DataFormat.Tf32: 32,
    DataFormat.Int32: 32,
    DataFormat.UInt32: 32,
    DataFormat.RawUInt32: 32,
    DataFormat.Float16: 16,
    DataFormat.Float16_b: 16,
    DataFormat.UInt16: 16,
    DataFormat.RawUInt16: 16,
    DataFormat.UInt8: 8,
    DataFormat.Int8: 8,
    DataFormat.RawUInt8: 8,
    DataFormat.Lf8: 8,
    DataFormat.Fp8_e4m3: 8,
    DataFormat.Bfp8: 8,
    DataFormat.Bfp8_b: 8,
    DataFormat.Bfp4: 4,
    DataFormat.Bfp4_b: 4,
    DataFormat.Bfp2: 2,
    DataFormat.Bfp2_b: 2,
}


def tile_bytes(data_format: DataFormat, height: int = 32, width: int = 32) -> int:
    """Bytes of one tile.

    >>> tile_bytes(DataFormat.Bfp8_b)
    1088
    """
    size = height * width * _ELEMENT_BITS.get(data_format, 16) // 8
    return size + (exponent_bytes(height, width) if data_format.is_block_float else 0)


def buffer_format(descriptor: CBFormatDescriptor, unpack_to_dest_fp32: bool = False) -> BufferFormat:
    """Format of one CB index."""
    height, width = (descriptor.tile.height, descriptor.tile.width) if descriptor.tile else (32, 32)
    face_rows = min(height, 16)
    num_faces, face_rows = descriptor.faces or ((height // face_rows) * (width // 16), face_rows)
    return BufferFormat(
        data_format=descriptor.data_format_as_uint8,
        tile_bytes=tile_bytes(descriptor.data_format, height, width),
        num_faces=num_faces,
        face_rows=face_rows,
        tile_rows=height,
        tile_cols=width,
        unpack_to_dest_fp32=unpack_to_dest_fp32,
    )


def unpacks_to_dest(config: object, cb_index: int) -> bool:
    """Whether a compute kernel unpacks this CB straight into 32-bit DST."""
    if not isinstance(config, ComputeConfigDescriptor):
        return False
    modes = config.unpack_to_dest_mode
    return cb_index < len(modes) and modes[cb_index] is UnpackToDestMode.UnpackToDestFp32


def kernel_formats(program: ProgramDescriptor, kernel: KernelDescriptor) -> tuple[tuple[int, BufferFormat], ...]:
    """Formats of the CBs that exist on any of the kernel's cores, by index."""
    found: dict[int, BufferFormat] = {}
    for cb in program.cbs:
        if kernel.core_ranges.intersects(cb.core_ranges):
            for descriptor in cb.format_descriptors:
                index = descriptor.buffer_index
                found.setdefault(index, buffer_format(descriptor, unpacks_to_dest(kernel.config, index)))
    return tuple(sorted(found.items()))
