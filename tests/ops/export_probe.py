# SPDX-License-Identifier: Apache-2.0
"""A program in plain words, from whichever ttnn made it. Run as a script: the program an exported package builds.

    python export_probe.py DIRECTORY OPERATION TENSORS

There is no card, hence no tensors: stand-ins have the addresses 1000, 2000 ... in the order of TENSORS, and what
``TensorAccessorArgs`` would say of them is -1000, -2000 ...
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import sys
from pathlib import Path


class StandIn:
    """A tensor of which only the address matters."""

    def __init__(self, address):
        self.address = address

    def buffer_address(self):
        return self.address


class StandInAccessorArgs:
    def __init__(self, tensor):
        self.tensor = tensor

    def get_compile_time_args(self):
        return [self.tensor.address, 7]


def stand_ins(names):
    return {name: StandIn(1000 * (index + 1)) for index, name in enumerate(names)}


def describe(program, ttnn):
    """Every field of a program that an operation sets."""
    return {
        "kernels": [describe_kernel(kernel, ttnn) for kernel in program.kernels],
        "cbs": [describe_circular_buffer(cb) for cb in program.cbs],
        "semaphores": len(program.semaphores),
    }


def describe_kernel(kernel, ttnn):
    cores = ttnn.corerange_to_cores(kernel.core_ranges)
    return {
        "core_ranges": str(kernel.core_ranges),
        "compile_time_args": list(kernel.compile_time_args),
        "runtime_args": {f"{core.x},{core.y}": list(kernel.runtime_args[core.x][core.y]) for core in cores},
        "common_runtime_args": list(kernel.common_runtime_args),
        "defines": [list(define) for define in kernel.defines],
        "config": describe_config(kernel.config),
    }


def describe_config(config):
    names = ("math_fidelity", "math_approx_mode", "fp32_dest_acc_en", "dst_full_sync_en", "bfp8_pack_precise")
    fields = {name: str(getattr(config, name)) for name in names if hasattr(config, name)}
    if hasattr(config, "unpack_to_dest_mode"):
        fields["unpack_to_dest_mode"] = [str(mode) for mode in config.unpack_to_dest_mode]  # type: ignore[assignment]
    return {"type": type(config).__name__, **fields}


def describe_circular_buffer(cb):
    return {
        "total_size": cb.total_size,
        "core_ranges": str(cb.core_ranges),
        "formats": [[each.buffer_index, each.data_format_as_uint8, each.page_size] for each in cb.format_descriptors],
    }


def exported_program(directory, operation, names, ttnn):
    """The program a package builds, with the texts of its kernels."""
    sys.path.insert(0, directory)
    module = importlib.import_module(f"{operation}.program")
    tensors = stand_ins(names)
    parameters = inspect.signature(module.program).parameters
    program = module.program(**tensors, **{name: 0.25 for name in parameters if name not in tensors})
    sources = [Path(kernel.kernel_source).read_text(encoding="utf-8") for kernel in program.kernels]
    return {**describe(program, ttnn), "sources": sources}


if __name__ == "__main__":
    output = os.dup(1)
    os.dup2(2, 1)  # ttnn logs to standard output
    import ttnn

    ttnn.TensorAccessorArgs = StandInAccessorArgs
    answer = exported_program(sys.argv[1], sys.argv[2], sys.argv[3].split(","), ttnn)
    os.write(output, json.dumps(answer).encode())
