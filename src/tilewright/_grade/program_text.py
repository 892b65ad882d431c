# SPDX-License-Identifier: Apache-2.0
"""Programs as JSON, between the process that runs a candidate's host code and the one that runs its kernels.

What is read comes from a candidate: every value is checked by the constructors of the descriptors, and nothing in it is
executed.
"""

from __future__ import annotations

from typing import Any

from tilewright._program.circular_buffer import CBDescriptor, CBFormatDescriptor, TileDescriptor
from tilewright._program.kernel import KernelDescriptor, SourceType
from tilewright._program.kernel_config import (
    NOC,
    NOC_MODE,
    ComputeConfigDescriptor,
    DataMovementConfigDescriptor,
    DataMovementProcessor,
    KernelConfig,
    MathFidelity,
    ReaderConfigDescriptor,
    UnpackToDestMode,
    WriterConfigDescriptor,
)
from tilewright._program.program import ProgramDescriptor
from tilewright._program.semaphore import SemaphoreDescriptor
from tilewright._tensor.cores import CoreCoord, CoreRange, CoreRangeSet
from tilewright._wire.data_formats import DataFormat

Json = dict[str, Any]
MOST_KERNELS = 64


class ProgramTextError(ValueError):
    """A program that this form has no words for, or a text that is no program."""


def program_json(program: ProgramDescriptor, buffers: dict[int, int]) -> Json:
    """A program as JSON.

    Args:
        buffers: number of each tensor by the identity of its buffer, for circular buffers over tensors.
    """
    if program.semaphore_bases:
        raise ProgramTextError("a program whose host places semaphores itself")
    return {
        "kernels": [_kernel_json(each) for each in program.kernels],
        "cbs": [_cb_json(each, buffers) for each in program.cbs],
        "semaphores": [
            {"id": each.id, "cores": _cores_json(each.core_ranges), "initial_value": each.initial_value}
            for each in program.semaphores
        ],
    }


def _cores_json(cores: CoreRangeSet) -> list[list[int]]:
    return [[each.start.x, each.start.y, each.end.x, each.end.y] for each in cores.ranges()]


def _kernel_json(kernel: KernelDescriptor) -> Json:
    if kernel.arguments_in_l1 is not None:
        raise ProgramTextError("a kernel whose host writes arguments into L1 itself")
    return {
        "name": kernel.name,
        "source": kernel.kernel_source,
        "is_file": kernel.source_type is SourceType.FILE_PATH,
        "cores": _cores_json(kernel.core_ranges),
        "compile_time_args": list(kernel.compile_time_args),
        "named_compile_time_args": [list(each) for each in kernel.named_compile_time_args],
        "defines": [list(each) for each in kernel.defines],
        "runtime_args": [[core.x, core.y, list(values)] for core, values in kernel.runtime_args],
        "common_runtime_args": list(kernel.common_runtime_args),
        "config": _config_json(kernel.config),
        "circular_buffers": sorted(kernel.circular_buffers),
        "bindings": kernel.bindings,
        "entry": kernel.entry,
    }


def _config_json(config: KernelConfig) -> Json:
    if isinstance(config, ComputeConfigDescriptor):
        return {
            "kind": "compute",
            "math_fidelity": config.math_fidelity.name,
            "fp32_dest_acc_en": config.fp32_dest_acc_en,
            "dst_full_sync_en": config.dst_full_sync_en,
            "math_approx_mode": config.math_approx_mode,
            "bfp8_pack_precise": config.bfp8_pack_precise,
            "unpack_to_dest_mode": [each.name for each in config.unpack_to_dest_mode],
        }
    if isinstance(config, ReaderConfigDescriptor):
        return {"kind": "reader"}
    if isinstance(config, WriterConfigDescriptor):
        return {"kind": "writer"}
    return {
        "kind": "data_movement",
        "processor": config.processor.name,
        "noc": config.noc.value,
        "noc_mode": config.noc_mode.name,
    }


def _cb_json(cb: CBDescriptor, buffers: dict[int, int]) -> Json:
    if cb.has_global_circular_buffer() or cb.remote_format_descriptors:
        raise ProgramTextError("a global circular buffer")
    over = None
    if cb.buffer is not None:
        over = buffers.get(id(cb.buffer))
        if over is None:
            raise ProgramTextError(f"circular buffer {cb.label} over a tensor that is not on the device")
    return {
        "total_size": cb.total_size,
        "cores": _cores_json(cb.core_ranges),
        "address_offset": cb.address_offset,
        "tensor": over,
        "formats": [
            {
                "index": each.buffer_index,
                "format": each.data_format.name,
                "page_size": each.page_size,
                "tile": None if each.tile is None else [each.tile.height, each.tile.width, each.tile.transpose],
                "name": each.name,
            }
            for each in cb.format_descriptors
        ],
    }


def program_of(text: Json, tensors: list[Any]) -> ProgramDescriptor:
    """The program that a JSON object describes.

    Args:
        tensors: by number, for circular buffers over tensors.

    Raises:
        ValueError, TypeError, KeyError, IndexError: it describes none.
    """
    if not 1 <= len(text["kernels"]) <= MOST_KERNELS:
        raise ProgramTextError(f"{len(text['kernels'])} kernels; allowed: 1 to {MOST_KERNELS}")
    return ProgramDescriptor(
        kernels=[_kernel_of(each) for each in text["kernels"]],
        cbs=[_cb_of(each, tensors) for each in text["cbs"]],
        semaphores=[
            SemaphoreDescriptor(
                id=each["id"], core_ranges=_cores_of(each["cores"]), initial_value=each["initial_value"]
            )
            for each in text["semaphores"]
        ],
    )


def _cores_of(ranges: list[list[int]]) -> CoreRangeSet:
    return CoreRangeSet(
        [CoreRange(CoreCoord(x_begin, y_begin), CoreCoord(x_end, y_end)) for x_begin, y_begin, x_end, y_end in ranges]
    )


def _kernel_of(text: Json) -> KernelDescriptor:
    kernel = KernelDescriptor(
        kernel_source=text["source"],
        source_type=SourceType.FILE_PATH if text["is_file"] else SourceType.SOURCE_CODE,
        core_ranges=_cores_of(text["cores"]),
        compile_time_args=text["compile_time_args"],
        named_compile_time_args=[(name, value) for name, value in text["named_compile_time_args"]],
        defines=[(name, value) for name, value in text["defines"]],
        runtime_args=[(CoreCoord(x, y), values) for x, y, values in text["runtime_args"]],
        common_runtime_args=text["common_runtime_args"],
        config=_config_of(text["config"]),
        name=text["name"],
    )
    kernel.circular_buffers = frozenset(map(int, text["circular_buffers"]))
    kernel.bindings, kernel.entry = str(text["bindings"]), str(text["entry"])
    return kernel


def _config_of(text: Json) -> KernelConfig:
    kind = text["kind"]
    if kind == "reader":
        return ReaderConfigDescriptor()
    if kind == "writer":
        return WriterConfigDescriptor()
    if kind == "data_movement":
        return DataMovementConfigDescriptor(
            DataMovementProcessor[text["processor"]], NOC(text["noc"]), NOC_MODE[text["noc_mode"]]
        )
    if kind != "compute":
        raise ProgramTextError(f"a kernel of kind {kind!r}")
    config = ComputeConfigDescriptor(
        math_fidelity=MathFidelity[text["math_fidelity"]],
        fp32_dest_acc_en=text["fp32_dest_acc_en"],
        dst_full_sync_en=text["dst_full_sync_en"],
        math_approx_mode=text["math_approx_mode"],
        bfp8_pack_precise=text["bfp8_pack_precise"],
    )
    config.unpack_to_dest_mode = [UnpackToDestMode[each] for each in text["unpack_to_dest_mode"]]
    return config


def _cb_of(text: Json, tensors: list[Any]) -> CBDescriptor:
    formats = [
        CBFormatDescriptor(
            each["index"],
            DataFormat[each["format"]],
            each["page_size"],
            None if each["tile"] is None else TileDescriptor(*each["tile"]),
            name=each["name"],
        )
        for each in text["formats"]
    ]
    cb = CBDescriptor(text["total_size"], _cores_of(text["cores"]), formats)
    if text["tensor"] is not None:
        cb.set_buffer_from_tensor(tensors[text["tensor"]])
    cb.address_offset = text["address_offset"]
    return cb
