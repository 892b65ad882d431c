# SPDX-License-Identifier: Apache-2.0
"""A program in plain words, from whichever ttnn made it. Run as a script: the program an exported package builds.

    python export_probe.py DIRECTORY OPERATION TENSORS SHAPE DTYPE

There is no card, hence no tensors: stand-ins have the addresses 1000, 2000 ... in the order of TENSORS, what
``TensorAccessorArgs`` would say of them is 1000, 2000 ..., and each has SHAPE and DTYPE and lies on an 8x8 grid.
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import sys
from pathlib import Path


class StandIn:
    """A tensor of which only the address, the shape and the dtype matter."""

    def __init__(self, address, shape=(), dtype=None, ttnn=None):
        self.address = address
        self.shape = shape
        self.dtype = dtype
        self._ttnn = ttnn

    def buffer_address(self):
        return self.address

    def device(self):
        return self

    def compute_with_storage_grid_size(self):
        return self._ttnn.CoreCoord(8, 8)


class StandInAccessorArgs:
    def __init__(self, tensor):
        self.tensor = tensor

    def get_compile_time_args(self):
        return [self.tensor.address, 7]


def stand_ins(names, shape=(), dtype=None, ttnn=None):
    return {name: StandIn(1000 * (index + 1), shape, dtype, ttnn) for index, name in enumerate(names)}


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


def exported_program(directory, operation, names, shape, dtype, ttnn):
    """The program a package builds, with the texts of its kernels."""
    sys.path.insert(0, directory)
    module = importlib.import_module(f"{operation}.program")
    tensors = stand_ins(names, shape, getattr(ttnn, dtype), ttnn)
    parameters = inspect.signature(module.program).parameters
    program = module.program(
        **tensors, **{name: 0.25 for name in parameters if name not in (*tensors, "core_grid", "dtype")}
    )
    sources = [Path(kernel.kernel_source).read_text(encoding="utf-8") for kernel in program.kernels]
    return {**describe(program, ttnn), "sources": sources}


if __name__ == "__main__":
    output = os.dup(1)
    os.dup2(2, 1)  # ttnn logs to standard output
    import ttnn

    ttnn.TensorAccessorArgs = StandInAccessorArgs
    # Without a device ttnn does not know its chip: what it says of a Wormhole.
    ttnn.get_max_worker_l1_unreserved_size = lambda: 1463968
    shape = tuple(map(int, sys.argv[4].split("x")))
    answer = exported_program(sys.argv[1], sys.argv[2], sys.argv[3].split(","), shape, sys.argv[5], ttnn)
    os.write(output, json.dumps(answer).encode())
