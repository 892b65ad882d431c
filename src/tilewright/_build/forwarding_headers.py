# SPDX-License-Identifier: Apache-2.0
"""Headers of the kernel API that only lead to another: older names, and names whose content lies elsewhere here.

tt-metal has moved its headers more than once, and kernels of every age name them by the path of their time. Half of all
headers would be files of one line; they stand in this table instead, and are written with the other generated headers
(``generated_headers.py``). Our own headers include what is meant, never these. The headers of the vector unit's
functions (``native/abi/sfpu_functions.inl``) all have an older path.
"""

from __future__ import annotations

import functools
from pathlib import Path

from tilewright._sfpu_functions import sfpu_headers

# Folders whose headers have the same names below another folder: (older, today's) and the names, without ".h".
_MOVED_FOLDERS = {
    ("accessor/", "api/tensor/"): "tensor_accessor tensor_accessor_args",
    ("compute_kernel_api/eltwise_unary/", "api/compute/eltwise_unary/"): "eltwise_unary reverseops sfpu_split_includes",
    ("compute_kernel_api/", "api/compute/"): """
        bcast blank cb_api common common_globals compute_kernel_hw_startup cumsum eltwise_binary ema layernorm matmul
        pack pack_untilize reconfig_data_format reduce reduce_custom reg_api softmax tile_move_copy tilize transpose_wh
        transpose_wh_dest untilize welford
    """,
    ("debug/", "api/debug/"): "assert device_print dprint dprint_pages pause ring_buffer waypoint",
    ("experimental/", "api/dataflow/"): "circular_buffer dataflow_buffer endpoints noc",
    ("tensor/", "api/tensor/"): "tensor_accessor tensor_accessor_args",
    ("utils/", "api/numeric/"): "bfloat16 float32 int32",
}

FABRIC, FABRIC_TYPES = "tw/fabric.h", "tw/fabric_types.h"

# Single headers: where they lead, and the names that do, without the suffix where it is the same.
_OTHER_NAMES = {
    "api/compute/common_globals.h": "api/compute/blank",
    "api/compute/compute_kernel_api.h": "compute_kernel_api",
    "api/compute/eltwise_unary/bitwise.h": """
        api/compute/eltwise_unary/bitwise_and api/compute/eltwise_unary/bitwise_or api/compute/eltwise_unary/bitwise_xor
        compute_kernel_api/eltwise_unary/bitwise_and compute_kernel_api/eltwise_unary/bitwise_or
        compute_kernel_api/eltwise_unary/bitwise_xor
    """,
    "api/compute/eltwise_unary/logical_not.h": "compute_kernel_api/eltwise_unary/logical_not_noti",
    "api/compute/eltwise_unary/rsub.h": "api/compute/eltwise_unary/reverseops",
    "api/compute/eltwise_unary/shift.h": """
        api/compute/eltwise_unary/left_shift api/compute/eltwise_unary/right_shift
        compute_kernel_api/eltwise_unary/left_shift compute_kernel_api/eltwise_unary/right_shift
    """,
    "api/compute/mul_int_sfpu.h": "compute_kernel_api/mul_int32_sfpu",
    "api/compute/sentinel/compute_kernel_sentinel.h": "api/compute/sentinel/sentinel_core",
    "api/compute/transpose.h": "api/compute/transpose_wh",
    "api/compute/transpose_dest.h": "api/compute/transpose_wh_dest",
    "api/core_local_mem.h": "experimental/core_local_mem",
    "api/dataflow/dataflow_api.h": "dataflow_api",
    "api/debug/assert.h": "internal/debug/assert_common",
    "api/debug/dprint.h": "dprint",
    "api/debug/dprint_tile.h": "debug/dprint_tile",
    "api/debug/kernel_profiler.hpp": "tools/profiler/kernel_profiler",
    "api/remote_circular_buffer.h": "remote_circular_buffer_api",
    "api/semaphore.h": "api/dataflow/noc_semaphore experimental/noc_semaphore",
    "api/tensor/noc_traits.h": "experimental/tensor",
    "ckernel.h": "ckernel_globals ckernel_include ckernel_template cmath_common cpack_common cunpack_common",
    "internal/circular_buffer_interface.h": "circular_buffer_interface",
    "internal/dataflow/dataflow_api_addrgen.h": "dataflow_api_addrgen noc_address_backend",
    "internal/ethernet/tunneling.h": "internal/ethernet/dataflow_api",
    "internal/mod_div_lib.h": "mod_div_lib",
    "internal/risc_attribs.h": "risc_attribs",
    "noc/noc_parameters.h": "noc_parameters",
    "tt-metalium/constants.hpp": "constants",
    "tw/arguments.h": "api/compile_time_args compile_time_args",
    "tw/core.h": """
        internal/dataflow/dataflow_api_common internal/tt-1xx/cache internal/tt-1xx/risc_common risc_common
    """,
    FABRIC: """
        hostdev/fabric_edm_packet_header.hpp hostdevcommon/fabric_common
        tt_metal/fabric/hw/inc/edm_fabric/fabric_connection_manager.hpp tt_metal/fabric/hw/inc/fabric_routing_mode
        tt_metal/fabric/hw/inc/linear/addrgen_api tt_metal/fabric/hw/inc/linear/api tt_metal/fabric/hw/inc/noc_addr
        tt_metal/fabric/hw/inc/tt_fabric_api tt_metal/fabric/hw/inc/tt_fabric_mux_interface.hpp
    """,
    FABRIC_TYPES: "tt-metalium/experimental/fabric/fabric_edm_types.hpp",
    "tw/llk/math.h": """
        llk_math_binary_api llk_math_common llk_math_common_api llk_math_eltwise_binary llk_math_matmul_api
        llk_math_reduce_api llk_math_transpose_dest_api llk_math_unary_datacopy_api
    """,
    "tw/llk/pack.h": """
        llk_io_pack llk_pack llk_pack_common llk_pack_common_api llk_pack_reduce_api llk_pack_tile_api
        llk_pack_untilize_api
    """,
    "tw/llk/sfpu_programs.h": """
        ckernel_addrmod ckernel_sfpu ckernel_sfpu_binary ckernel_sfpu_copy_dest_values ckernel_sfpu_exp
        ckernel_sfpu_gelu ckernel_sfpu_recip ckernel_sfpu_sigmoid ckernel_sfpu_silu
        llk_math_eltwise_binary_sfpu_macros llk_math_eltwise_binary_sfpu_params llk_math_eltwise_unary_sfpu_macros
        llk_math_eltwise_unary_sfpu_params lltt
    """,
    "tw/llk/unpack.h": """
        llk_io_unpack llk_unpack_A llk_unpack_AB llk_unpack_AB_api llk_unpack_AB_matmul_api llk_unpack_AB_reduce_api
        llk_unpack_A_api llk_unpack_common llk_unpack_common_api llk_unpack_tilize_api llk_unpack_untilize_api
    """,
    "tw/memory_map.h": "dev_mem_map",
    "tw/noc_transfers.h": "noc_nonblocking_api",
}


@functools.cache
def forwarding_headers() -> dict[str, str]:
    """Every such header by its path, and the header it includes.

    >>> forwarding_headers()["compute_kernel_api/matmul.h"]
    'api/compute/matmul.h'
    """
    table = {
        f"{older}{name}.h": f"{today}{name}.h"
        for (older, today), names in _MOVED_FOLDERS.items()
        for name in names.split()
    }
    table.update({header.path.replace("api/compute/", "compute_kernel_api/"): header.path for header in sfpu_headers()})
    for header, names in _OTHER_NAMES.items():
        suffix = Path(header).suffix
        table.update({name if Path(name).suffix else name + suffix: header for name in names.split()})
    return table
