# SPDX-License-Identifier: Apache-2.0
"""A package with a few kernels of each sort, laid out as the published one."""

from __future__ import annotations

from pathlib import Path

import pytest

_READER = """
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    constexpr uint32_t cb_in = get_compile_time_arg_val(0);
    constexpr auto args = TensorAccessorArgs<1>();
    const auto accessor = TensorAccessor(args, get_arg_val<uint32_t>(0));
    cb_reserve_back(cb_in, 1);
    noc_async_read(accessor.get_noc_addr(0), get_write_ptr(cb_in), get_tile_size(cb_in));
    noc_async_read_barrier();
    cb_push_back(cb_in, get_named_compile_time_arg_val("pages"));
}
"""

_COMPUTE = """
#include "api/compute/eltwise_binary.h"
#include "ttnn/cpp/ttnn/kernel_lib/helper.hpp"
// void kernel_main() in a comment is no kernel, neither is api/fabric/
void kernel_main() {
    constexpr uint32_t tiles = get_compile_time_arg_val(0);
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        tile_regs_acquire();
        BINARY_OP(0, 1, 0, 0, helper(tile) % HOST_LIMIT);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 2);
        tile_regs_release();
    }
}
"""

_BROKEN = """
#include "api/dataflow/dataflow_api.h"
void kernel_main() { noc_async_read_from_the_moon(get_arg_val<uint32_t>(0)); }
"""

_USES_API_CONSTANT = """
#include "api/dataflow/dataflow_api.h"
void kernel_main() { volatile uint32_t size = API_CONSTANT_OF_THE_PACKAGE; }
"""

_NAMED_BINDINGS = """
#include "experimental/kernel_args.h"
#include "api/dataflow/dataflow_buffer.h"
template <uint32_t block>
TT_KERNEL void writer(uint32_t first) {
    DataflowBuffer buffer(dfb::out);
    const auto accessor = TensorAccessor(tensor::result);
    for (uint32_t page = first; page < first + get_arg(args::pages); page += block) {
        buffer.wait_front(1);
        buffer.pop_front(1);
    }
}
"""

_FILES = {
    "ttnn/cpp/ttnn/operations/copy/device/kernels/dataflow/reader_copy.cpp": _READER,
    "ttnn/cpp/ttnn/operations/copy/device/kernels/dataflow/writer_named.cpp": _NAMED_BINDINGS,
    "ttnn/cpp/ttnn/operations/copy/device/kernels/dataflow/reader_broken.cpp": _BROKEN,
    "ttnn/cpp/ttnn/operations/copy/device/kernels/dataflow/reader_api_constant.cpp": _USES_API_CONSTANT,
    "ttnn/cpp/ttnn/operations/eltwise/device/kernels/compute/add.cpp": _COMPUTE,
    "ttnn/cpp/ttnn/operations/experimental/quasar/copy/kernels/reader_copy.cpp": _READER,
    "ttnn/cpp/ttnn/operations/ccl/device/kernels/writer_ccl.cpp": _READER,
    "ttnn/cpp/ttnn/operations/move/device/kernels/dataflow/writer_remote.cpp": '#include "tt_metal/fabric/x.h"'
    + _READER,
    "ttnn/cpp/ttnn/operations/copy/device/copy_device_operation.cpp": "int host_code() { return 1; }\n",
    "ttnn/cpp/ttnn/kernel_lib/helper.hpp": "#pragma once\ninline uint32_t helper(uint32_t n) { return n + 1; }\n",
    "tt_metal/hw/inc/api/constants.h": "#define API_CONSTANT_OF_THE_PACKAGE 3\nenum Kind { KIND_FIRST, KIND_LAST };\n",
}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    for name, text in _FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path
