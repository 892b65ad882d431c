# SPDX-License-Identifier: Apache-2.0
"""Programs that host code recorded, as ttnn's descriptors.

A recorded program is a list of kernels, circular buffers and semaphores
(``ProgramRecord::to_value`` in ``native/host/source/program.cpp``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tilewright._cpp_ops.descriptions import Descriptions
from tilewright._cpp_ops.errors import CppOperationError

FindKernel = Callable[[str], str]


def program_descriptor(program: list[Any], io: Sequence[Any], to: Descriptions, find_kernel: FindKernel) -> Any:
    """The ``ProgramDescriptor`` of a recorded program; ``io`` are the tensors of the call."""
    kernels, cbs, semaphores = program
    ttnn = to.ttnn
    return ttnn.ProgramDescriptor(
        kernels=[_kernel(kernel, to, find_kernel) for kernel in kernels],
        semaphores=[_semaphore(semaphore, to) for semaphore in semaphores],
        cbs=[_circular_buffer(cb, io, to) for cb in cbs],
    )


def _semaphore(semaphore: list[Any], to: Descriptions) -> Any:
    number, cores, initial = semaphore
    return to.ttnn.SemaphoreDescriptor(id=number, core_ranges=to.core_ranges(cores), initial_value=initial)


def _kernel(kernel: list[Any], to: Descriptions, find_kernel: FindKernel) -> Any:
    source, is_code, cores, compile_args, named, defines, _opt_level, _paths, config, args, common = kernel
    ttnn = to.ttnn
    runtime_args = ttnn.RuntimeArgs()
    for x, y, values in args:
        runtime_args[x][y] = values
    kinds = ttnn.KernelDescriptor.SourceType
    return ttnn.KernelDescriptor(
        kernel_source=source if is_code else find_kernel(source),
        source_type=kinds.SOURCE_CODE if is_code else kinds.FILE_PATH,
        core_ranges=to.core_ranges(cores),
        compile_time_args=compile_args,
        named_compile_time_args=[(name, value) for name, value in named],
        defines=[(name, value) for name, value in defines],
        runtime_args=runtime_args,
        common_runtime_args=common,
        config=_config(config, ttnn),
    )


def _config(config: list[Any], ttnn: Any) -> Any:
    kind = config[0]
    if kind == "reader":
        return ttnn.ReaderConfigDescriptor()
    if kind == "writer":
        return ttnn.WriterConfigDescriptor()
    if kind == "data_movement":
        _, processor, noc, mode = config
        return ttnn.DataMovementConfigDescriptor(
            getattr(ttnn.DataMovementProcessor, processor), getattr(ttnn.NOC, noc), getattr(ttnn.NOC_MODE, mode)
        )
    _, fidelity, fp32, full_sync, precise, approx, modes = config
    descriptor = ttnn.ComputeConfigDescriptor(
        math_fidelity=getattr(ttnn.MathFidelity, fidelity),
        math_approx_mode=approx,
        fp32_dest_acc_en=fp32,
        dst_full_sync_en=full_sync,
        bfp8_pack_precise=precise,
    )
    if any(mode != "Default" for mode in modes):
        descriptor.unpack_to_dest_mode = [getattr(ttnn.UnpackToDestMode, mode) for mode in modes]
    return descriptor


def _circular_buffer(cb: list[Any], io: Sequence[Any], to: Descriptions) -> Any:
    cores, total_size, formats, place = cb
    ttnn = to.ttnn
    descriptor = ttnn.CBDescriptor(
        total_size=total_size,
        core_ranges=to.core_ranges(cores),
        format_descriptors=[_format(each, ttnn) for each in formats],
    )
    if place is not None:
        number, address, offset = place
        _lay_over(descriptor, _placed(number, address, formats, io, to), formats[0][0], ttnn)
        if offset:
            descriptor.address_offset = offset
    return descriptor


def _lay_over(descriptor: Any, tensor: Any, index: int, ttnn: Any) -> None:
    """Puts a circular buffer where a tensor's L1 memory is; the published ttnn takes it from another descriptor."""
    if hasattr(descriptor, "set_buffer_from_tensor"):
        descriptor.set_buffer_from_tensor(tensor)
    else:
        descriptor.set_buffer_from_cb(ttnn.cb_descriptor_from_sharded_tensor(index, tensor))


def _placed(number: int, address: int, formats: list[Any], io: Sequence[Any], to: Descriptions) -> Any:
    """The tensor a circular buffer lies in: of this call, or of an earlier one at the same address."""
    known = to.objects.find(number)
    tensors = [known] if known is not None else list(io)
    for tensor in tensors:
        if tensor.is_allocated() and tensor.buffer_address() == address:
            return tensor
    raise CppOperationError(
        f"circular buffer {formats[0][0]} lies at {address:#x}, in a tensor of an earlier call that no longer exists: "
        "override_runtime_arguments must call UpdateDynamicCircularBufferAddress for it"
    )


# Formats that are those of a data type: others the published ttnn does not take from Python.
_DATA_TYPES = {
    "Float16_b": "bfloat16",
    "Float32": "float32",
    "UInt32": "uint32",
    "Bfp8_b": "bfloat8_b",
    "Bfp4_b": "bfloat4_b",
    "UInt8": "uint8",
    "UInt16": "uint16",
    "Int32": "int32",
    "Invalid": "uint8",  # a program spec named none: no kernel reads the format
}


def _format(form: list[Any], ttnn: Any) -> Any:
    index, name, _number, page_size, tile = form
    if name not in _DATA_TYPES:
        raise CppOperationError(
            f"circular buffer {index} has the format {name}; ttnn takes formats of data types from Python only: "
            f"{', '.join(_DATA_TYPES)}"
        )
    shape = None if tile is None else ttnn.TileDescriptor(tile[1], tile[2])
    return ttnn.CBFormatDescriptor(index, getattr(ttnn, _DATA_TYPES[name]), page_size, shape)
