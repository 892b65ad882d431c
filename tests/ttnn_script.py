# SPDX-License-Identifier: Apache-2.0
"""A script as a user of ttnn writes it, and the surroundings it is run in."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from tilewright._build.cache import cache_directory

# A script for ttnn, with nothing in it that says tilewright: one kernel adds one to every element of a tensor.
ADD_ONE = '''
import sys
import numpy
import ttnn

KERNEL = """
void kernel_main() {
    const auto tensor = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0), 128);
    cb_reserve_back(0, 1);
    const uint32_t address = get_write_ptr(0);
    noc_async_read_page(0, tensor, address);
    noc_async_read_barrier();
    volatile uint32_t* words = reinterpret_cast<volatile uint32_t*>(address);
    for (uint32_t i = 0; i < 32; i++) {
        words[i] = words[i] + ADDEND;
    }
    noc_async_write_page(0, tensor, address);
    noc_async_write_barrier();
}
"""


def main():
    device = ttnn.open_device(device_id=0)
    tensor = ttnn.from_numpy(
        numpy.arange(32, dtype=numpy.uint32).reshape(1, 32),
        dtype=ttnn.uint32, layout=ttnn.ROW_MAJOR_LAYOUT, device=device,
    )
    core = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))])
    kernel = ttnn.KernelDescriptor(
        kernel_source=KERNEL,
        source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=core,
        compile_time_args=ttnn.TensorAccessorArgs(tensor).get_compile_time_args(),
        defines=[("ADDEND", sys.argv[1] if len(sys.argv) > 1 else "1")],
        runtime_args=[(ttnn.CoreCoord(0, 0), [tensor.buffer_address()])],
        config=ttnn.ReaderConfigDescriptor(),
    )
    buffer = ttnn.CBDescriptor(
        total_size=128, core_ranges=core, format_descriptors=[ttnn.CBFormatDescriptor(0, ttnn.uint32, 128)]
    )
    ttnn.generic_op([tensor, tensor], ttnn.ProgramDescriptor(kernels=[kernel], cbs=[buffer]))
    print("sum", int(ttnn.to_numpy(tensor).astype(int).sum()))
    ttnn.close_device(device)


if __name__ == "__main__":
    main()
'''

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def process_environment(cache: Path | None = None, **others: str) -> dict[str, str]:
    return os.environ | {"TILEWRIGHT_CACHE": str(cache or cache_directory()), "COLUMNS": "80"} | others
