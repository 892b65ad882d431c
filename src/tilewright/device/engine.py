# SPDX-License-Identifier: Apache-2.0
"""The engine library as ctypes sees it. Structures mirror native/engine/api.h."""

from __future__ import annotations

import ctypes
import functools
from ctypes import POINTER, c_char_p, c_double, c_int32, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p

from tilewright.device.engine_build import engine_library
from tilewright.device.errors import TilewrightError

MAX_FRAMES = 24
MAX_RELATED_FRAMES = 12


class ChipConfig(ctypes.Structure):
    _fields_ = [
        ("grid_x", c_uint32),
        ("grid_y", c_uint32),
        ("l1_bytes", c_uint32),
        ("dram_banks", c_uint32),
        ("dram_bank_bytes", c_uint64),
        ("num_circular_buffers", c_uint32),
        ("config_base", c_uint32),
        ("config_bytes", c_uint32),
        ("unreserved_base", c_uint32),
        ("poison", c_uint32),
        ("has_l1_cache", c_uint32),
        ("brisc_local_bytes", c_uint32),
        ("trisc_local_bytes", c_uint32),
        ("dram_read_alignment", c_uint32),
        ("multicasts_keep_order", c_uint32),
    ]


class MemoryFiles(ctypes.Structure):
    _fields_ = [
        ("l1", c_int32),
        ("dram", c_int32),
        ("state", c_int32),
        ("reserved", c_int32),
        ("l1_slot_bytes", c_uint64),
        ("dram_bank_stride", c_uint64),
    ]


class KernelSpec(ctypes.Structure):
    _fields_ = [
        ("entry", c_void_p),
        ("name", c_char_p),
        ("kind", c_uint32),
        ("processor", c_uint32),
        ("noc_index", c_uint32),
        ("noc_mode", c_uint32),
        ("fp32_dest", c_uint32),
        ("full_sync", c_uint32),
        ("fidelity", c_uint32),
        ("math_approx", c_uint32),
        ("statics", c_void_p),
        ("statics_bytes", c_uint64),
        ("text_begin", c_uint64),
        ("text_end", c_uint64),
        ("cores", c_void_p),
        ("num_cores", c_uint64),
        ("has_arguments_in_l1", c_uint32),
        ("args_offset", c_uint32),
        ("num_args", c_uint32),
        ("common_args_offset", c_uint32),
        ("num_common_args", c_uint32),
        ("reserved", c_uint32),
    ]


class CircularBufferSpec(ctypes.Structure):
    _fields_ = [
        ("index", c_uint32),
        ("offset", c_uint32),
        ("total_bytes", c_uint32),
        ("page_bytes", c_uint32),
        ("owns_memory", c_uint32),
        ("format", c_uint32),
        ("num_faces", c_uint32),
        ("face_rows", c_uint32),
        ("tile_rows", c_uint32),
        ("tile_cols", c_uint32),
        ("tile_bytes", c_uint32),
        ("unpack_to_dest_fp32", c_uint32),
        ("cores", c_void_p),
        ("num_cores", c_uint64),
    ]


class HostMemory(ctypes.Structure):
    _fields_ = [
        ("is_dram", c_uint32),
        ("layout", c_uint32),
        ("address", c_uint64),
        ("page_bytes", c_uint64),
        ("stride", c_uint64),
        ("num_pages", c_uint64),
        ("element_bytes", c_uint32),
        ("poison", c_uint32),
        ("host_wrote", c_uint32),
        ("poison_is_a_value", c_uint32),
        ("outside", c_void_p),
    ]


class InstanceReport(ctypes.Structure):
    _fields_ = [
        ("kernel", c_uint32),
        ("core_x", c_uint32),
        ("core_y", c_uint32),
        ("state", c_uint32),
        ("wait_kind", c_uint32),
        ("wait_cb", c_uint32),
        ("wait_amount", c_uint32),
        ("wait_have", c_uint32),
        ("wait_address", c_uint64),
        ("would_push", c_uint64),
        ("would_pop", c_uint64),
        ("is_error", c_uint32),
        ("num_frames", c_uint32),
        ("frames", c_uint64 * MAX_FRAMES),
    ]


class TrafficReport(ctypes.Structure):
    _fields_ = [
        ("kernel", c_uint32),
        ("core_x", c_uint32),
        ("core_y", c_uint32),
        ("cb", c_uint32),
        ("push_calls", c_uint32),
        ("pop_calls", c_uint32),
        ("wait_calls", c_uint32),
        ("reserve_calls", c_uint32),
        ("pages_pushed", c_uint64),
        ("pages_popped", c_uint64),
        ("blocked_waits", c_uint32),
        ("blocked_reserves", c_uint32),
        ("largest_wait", c_uint32),
        ("largest_reserve", c_uint32),
    ]


class CircularBufferReport(ctypes.Structure):
    _fields_ = [
        ("core_x", c_uint32),
        ("core_y", c_uint32),
        ("index", c_uint32),
        ("num_pages", c_uint32),
        ("page_bytes", c_uint32),
        ("peak", c_uint32),
        ("pushed", c_uint64),
        ("popped", c_uint64),
    ]


class RunReport(ctypes.Structure):
    _fields_ = [
        ("status", c_int32),
        ("fault_signal", c_int32),
        ("fault_address", c_uint64),
        ("switches", c_uint64),
        ("error_text", c_char_p),
        ("error_rule", c_char_p),
    ]


class FindingReport(ctypes.Structure):
    _fields_ = [
        ("rule", c_char_p),
        ("text", c_char_p),
        ("kernel", c_uint32),
        ("core_x", c_uint32),
        ("core_y", c_uint32),
        ("cb", c_uint32),
        ("address", c_uint64),
        ("count", c_uint64),
        ("num_frames", c_uint32),
        ("frames", c_uint64 * MAX_FRAMES),
        ("related_kernel", c_uint32),
        ("related_x", c_uint32),
        ("related_y", c_uint32),
        ("related_num_frames", c_uint32),
        ("related_frames", c_uint64 * MAX_RELATED_FRAMES),
    ]


class PushReport(ctypes.Structure):
    _fields_ = [
        ("kernel", c_uint32),
        ("core_x", c_uint32),
        ("core_y", c_uint32),
        ("cb", c_uint32),
        ("pages", c_uint32),
        ("page_bytes", c_uint32),
        ("data", c_void_p),
        ("num_frames", c_uint32),
        ("frames", c_uint64 * MAX_FRAMES),
    ]


PrintFunction = ctypes.CFUNCTYPE(None, c_uint32, c_uint32, c_char_p, c_char_p)

_MIRRORED = (
    KernelSpec,
    CircularBufferSpec,
    InstanceReport,
    TrafficReport,
    CircularBufferReport,
    RunReport,
    FindingReport,
    PushReport,
    HostMemory,
    ChipConfig,
    MemoryFiles,
)

_SIGNATURES: dict[str, tuple[object, list[object]]] = {
    "tw_api_sizes": (None, [POINTER(c_uint32)]),
    "tw_last_error": (c_char_p, []),
    "tw_library_base": (c_uint64, [c_void_p]),
    "tw_chip_new": (c_void_p, [POINTER(ChipConfig), POINTER(c_uint8), POINTER(MemoryFiles)]),
    "tw_chip_files": (None, [c_void_p, POINTER(MemoryFiles)]),
    "tw_chip_free": (None, [c_void_p]),
    "tw_chip_settle": (None, [c_void_p]),
    "tw_chip_set_l1_banks": (None, [c_void_p, POINTER(c_uint16)]),
    "tw_core_l1": (c_uint64, [c_void_p, c_uint32, c_uint32]),
    "tw_core_kept_l1": (c_uint32, [c_void_p, c_uint32, c_uint32, c_uint32, c_uint32]),
    "tw_write_pages": (None, [c_void_p, c_uint32, c_uint64, c_uint64, c_uint64, c_uint64, c_void_p]),
    "tw_read_pages": (None, [c_void_p, c_uint32, c_uint64, c_uint64, c_uint64, c_uint64, c_void_p]),
    "tw_fill_pages": (None, [c_void_p, c_uint32, c_uint64, c_uint64, c_uint64, c_uint32]),
    "tw_program_new": (c_void_p, [c_void_p]),
    "tw_program_free": (None, [c_void_p]),
    "tw_program_set_print": (None, [c_void_p, PrintFunction]),
    "tw_program_add_kernel": (c_uint32, [c_void_p, POINTER(KernelSpec)]),
    "tw_program_add_circular_buffer": (None, [c_void_p, POINTER(CircularBufferSpec)]),
    "tw_program_set_semaphore_base": (None, [c_void_p, c_uint32]),
    "tw_program_add_semaphore": (None, [c_void_p, c_uint32, c_uint32, POINTER(c_uint16), c_uint64]),
    "tw_program_add_scratchpad": (None, [c_void_p, c_uint32, c_uint32, POINTER(c_uint16), c_uint64]),
    "tw_unwritten_pages": (c_uint64, [c_void_p, POINTER(HostMemory), POINTER(c_uint64)]),
    "tw_program_set_host_memory": (None, [c_void_p, POINTER(HostMemory), c_uint64]),
    "tw_program_set_args": (None, [c_void_p, c_uint32, c_void_p, c_void_p, c_uint64, c_void_p, c_uint64]),
    "tw_program_run": (
        None,
        [c_void_p, c_uint32, c_double, c_double, c_uint32, c_uint64, c_uint64, c_uint32, POINTER(RunReport)],
    ),
    "tw_program_pushes": (c_uint64, [c_void_p, POINTER(PushReport), c_uint64]),
    "tw_program_calls": (c_uint64, [c_void_p, c_void_p, c_uint64]),
    "tw_program_num_instances": (c_uint64, [c_void_p]),
    "tw_program_instances": (None, [c_void_p, POINTER(InstanceReport)]),
    "tw_program_traffic": (c_uint64, [c_void_p, POINTER(TrafficReport), c_uint64]),
    "tw_program_findings": (c_uint64, [c_void_p, POINTER(FindingReport), c_uint64]),
    "tw_program_circular_buffers": (c_uint64, [c_void_p, POINTER(CircularBufferReport), c_uint64]),
}


@functools.cache
def engine() -> ctypes.CDLL:
    """The engine, built if need be and loaded once. Kernels find its functions, so its symbols are global."""
    library = ctypes.CDLL(str(engine_library()), mode=ctypes.RTLD_GLOBAL)
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    sizes = (c_uint32 * len(_MIRRORED))()
    library.tw_api_sizes(sizes)
    if list(sizes) != [ctypes.sizeof(mirrored) for mirrored in _MIRRORED]:
        raise TilewrightError("the engine library does not fit this version of tilewright; remove the cache directory")
    return library
