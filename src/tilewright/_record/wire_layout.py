# SPDX-License-Identifier: Apache-2.0
"""Structures of the engine and of the runner's messages as ctypes sees them.

They mirror native/engine/api.h, native/engine/signals/crash_record.h and native/runner/messages.h, which explain the
fields. Pointers are numbers here: Python never follows one.
"""

from __future__ import annotations

import ctypes
from ctypes import c_char, c_double, c_int32, c_uint32, c_uint64

MAX_FRAMES = 24
MAX_RELATED_FRAMES = 12


def padded(part: bytes) -> bytes:
    """A part of a message; the one behind it begins at a multiple of 8 bytes."""
    beyond = len(part) % 8
    return part + bytes(8 - beyond) if beyond else part


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
        ("writes_keep_order", c_uint32),
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


class KernelCode(ctypes.Structure):
    _fields_ = [
        ("entry", c_uint64),
        ("statics", c_uint64),
        ("statics_bytes", c_uint64),
        ("text_begin", c_uint64),
        ("text_end", c_uint64),
    ]


class KernelSpec(ctypes.Structure):
    _fields_ = [
        ("name", c_uint64),
        ("kind", c_uint32),
        ("processor", c_uint32),
        ("noc_index", c_uint32),
        ("noc_mode", c_uint32),
        ("fp32_dest", c_uint32),
        ("full_sync", c_uint32),
        ("fidelity", c_uint32),
        ("math_approx", c_uint32),
        ("cores", c_uint64),
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
        ("is_over_tensor", c_uint32),
        ("format", c_uint32),
        ("num_faces", c_uint32),
        ("face_rows", c_uint32),
        ("tile_rows", c_uint32),
        ("tile_cols", c_uint32),
        ("tile_bytes", c_uint32),
        ("unpack_to_dest_fp32", c_uint32),
        ("reserved", c_uint32),
        ("cores", c_uint64),
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
        ("zeros_pad", c_uint32),
        ("outside", c_uint64),
    ]


class InstanceReport(ctypes.Structure):
    _fields_ = [
        ("kernel", c_uint32),
        ("core_x", c_uint32),
        ("core_y", c_uint32),
        ("thread", c_uint32),
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


class RaiseReport(ctypes.Structure):
    _fields_ = [
        ("kernel", c_uint32),
        ("core_x", c_uint32),
        ("core_y", c_uint32),
        ("on_x", c_uint32),
        ("on_y", c_uint32),
        ("semaphore", c_uint32),
        ("count", c_uint32),
        ("later", c_uint32),
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
        ("l1_base", c_uint32),
        ("spent", c_uint32),
        ("error_text", c_uint64),
        ("error_rule", c_uint64),
    ]


class FindingReport(ctypes.Structure):
    _fields_ = [
        ("rule", c_uint64),
        ("text", c_uint64),
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
        ("data", c_uint64),
        ("num_frames", c_uint32),
        ("frames", c_uint64 * MAX_FRAMES),
    ]


class Place(ctypes.Structure):
    _fields_ = [("kernel", c_uint32), ("core_x", c_uint32), ("core_y", c_uint32)]


class Watch(ctypes.Structure):
    _fields_ = [
        ("doing", c_uint32),
        ("place", Place),
        ("beats", c_uint64),
        ("owner_processor", c_int32),
        ("said", c_int32),
        ("signal_number", c_int32),
        ("address", c_uint64),
        ("l1_base", c_uint64),
        ("who", Place),
        ("num_frames", c_uint32),
        ("frames", c_uint64 * MAX_FRAMES),
        ("text", c_char * 512),
    ]


class MessageHeader(ctypes.Structure):
    _fields_ = [("kind", c_uint32), ("reserved", c_uint32), ("bytes", c_uint64)]


class ChipRequest(ctypes.Structure):
    _fields_ = [("config", ChipConfig), ("num_nodes", c_uint64), ("num_l1_banks", c_uint64)]


class ReadyAnswer(ctypes.Structure):
    _fields_ = [("filter_error", c_int32), ("reserved", c_uint32)]


class LoadRequest(ctypes.Structure):
    _fields_ = [
        ("program", c_uint64),
        ("num_forgotten", c_uint32),
        ("num_kernels", c_uint32),
        ("num_circular_buffers", c_uint32),
        ("num_semaphores", c_uint32),
        ("num_scratchpads", c_uint32),
        ("num_semaphore_bases", c_uint32),
    ]


class KernelHeader(ctypes.Structure):
    _fields_ = [("name_bytes", c_uint32), ("num_libraries", c_uint32)]


class LibraryHeader(ctypes.Structure):
    _fields_ = [("path_bytes", c_uint64)]


class SemaphoreBase(ctypes.Structure):
    _fields_ = [("x", c_uint32), ("y", c_uint32), ("offset", c_uint32)]


class SemaphoreSpec(ctypes.Structure):
    _fields_ = [("id", c_uint32), ("initial", c_uint32), ("num_cores", c_uint64)]


class ScratchpadSpec(ctypes.Structure):
    _fields_ = [("offset", c_uint32), ("bytes", c_uint32), ("num_cores", c_uint64)]


class LoadedAnswer(ctypes.Structure):
    _fields_ = [("num_libraries", c_uint64)]


class RunRequest(ctypes.Structure):
    _fields_ = [
        ("program", c_uint64),
        ("time_limit", c_double),
        ("spin_limit", c_double),
        ("seed", c_uint64),
        ("recorded_circular_buffers", c_uint64),
        ("threads", c_uint32),
        ("checked", c_uint32),
        ("keep_l1", c_uint32),
        ("num_host_buffers", c_uint32),
        ("debugged", c_uint32),
        ("host_buffers_are_all", c_uint32),
    ]


class Breakpoint(ctypes.Structure):
    _fields_ = [
        ("kernel", c_uint32),
        ("core_x", c_uint32),
        ("core_y", c_uint32),
        ("reserved", c_uint32),
        ("address", c_uint64),
    ]


class CodeLine(ctypes.Structure):
    _fields_ = [("begin", c_uint64), ("end", c_uint64), ("line", c_uint32), ("reserved", c_uint32)]


class DebugRequest(ctypes.Structure):
    _fields_ = [("num_breakpoints", c_uint64), ("num_lines", c_uint64)]


class ResumeRequest(ctypes.Structure):
    _fields_ = [("how", c_uint32), ("reserved", c_uint32), ("num_breakpoints", c_uint64)]


class Stop(ctypes.Structure):
    _fields_ = [
        ("kernel", c_uint32),
        ("core_x", c_uint32),
        ("core_y", c_uint32),
        ("threads", c_uint32),
        ("reason", c_uint32),
        ("reserved", c_uint32),
    ]


class Stopped(ctypes.Structure):
    _fields_ = [
        ("stop", Stop),
        ("dst_tiles", c_uint32),
        ("dst_phase", c_uint32),
        ("dst_is_32_bit", c_uint32),
        ("unpack_format", c_uint32),
        ("num_instances", c_uint64),
        ("num_circular_buffers", c_uint64),
    ]


class Arguments(ctypes.Structure):
    _fields_ = [("num_offsets", c_uint32), ("num_words", c_uint32), ("num_common", c_uint32), ("reserved", c_uint32)]


class HostBuffer(ctypes.Structure):
    _fields_ = [("buffer", HostMemory), ("outside_bytes", c_uint64)]


class PrintedLine(ctypes.Structure):
    _fields_ = [("core_x", c_uint32), ("core_y", c_uint32), ("kernel_bytes", c_uint32), ("line_bytes", c_uint32)]


class RanAnswer(ctypes.Structure):
    _fields_ = [
        ("report", RunReport),
        ("text_bytes", c_uint64),
        ("rule_bytes", c_uint64),
        ("num_instances", c_uint64),
        ("num_raises", c_uint64),
        ("num_traffic", c_uint64),
        ("num_circular_buffers", c_uint64),
        ("num_findings", c_uint64),
        ("num_pushes", c_uint64),
        ("num_calls", c_uint64),
    ]


class FindingText(ctypes.Structure):
    _fields_ = [("rule_bytes", c_uint64), ("text_bytes", c_uint64)]


# By the names they have in C++, in the order the engine tells them.
_MIRRORED: dict[str, type[ctypes.Structure]] = {
    "ChipConfig": ChipConfig,
    "TwMemoryFiles": MemoryFiles,
    "TwKernelCode": KernelCode,
    "TwKernelSpec": KernelSpec,
    "TwCircularBufferSpec": CircularBufferSpec,
    "TwHostMemory": HostMemory,
    "TwInstanceReport": InstanceReport,
    "TwRaiseReport": RaiseReport,
    "TwTrafficReport": TrafficReport,
    "TwCircularBufferReport": CircularBufferReport,
    "TwRunReport": RunReport,
    "TwPushReport": PushReport,
    "TwFindingReport": FindingReport,
    "TwPlace": Place,
    "TwWatch": Watch,
    "TwMessageHeader": MessageHeader,
    "TwChipRequest": ChipRequest,
    "TwReadyAnswer": ReadyAnswer,
    "TwLoadRequest": LoadRequest,
    "TwKernelHeader": KernelHeader,
    "TwLibraryHeader": LibraryHeader,
    "TwSemaphoreBase": SemaphoreBase,
    "TwSemaphoreSpec": SemaphoreSpec,
    "TwScratchpadSpec": ScratchpadSpec,
    "TwLoadedAnswer": LoadedAnswer,
    "TwRunRequest": RunRequest,
    "TwBreakpoint": Breakpoint,
    "TwCodeLine": CodeLine,
    "TwDebugRequest": DebugRequest,
    "TwResumeRequest": ResumeRequest,
    "TwStop": Stop,
    "TwStopped": Stopped,
    "TwArguments": Arguments,
    "TwHostBuffer": HostBuffer,
    "TwPrintedLine": PrintedLine,
    "TwRanAnswer": RanAnswer,
    "TwFindingText": FindingText,
}


def mirrored_layout() -> str:
    """Every structure with its size, every field with its place and size, as ``tw_api_layout`` tells them."""
    lines = []
    for name, mirror in _MIRRORED.items():
        lines.append(f"{name} 0 {ctypes.sizeof(mirror)}\n")
        for field in mirror._fields_:
            place = getattr(mirror, field[0])
            lines.append(f"  {field[0]} {place.offset} {place.size}\n")
    return "".join(lines)
