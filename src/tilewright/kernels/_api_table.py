# SPDX-License-Identifier: Apache-2.0
"""The kernel API as a table: every function with its header, its arguments and who may call it.

The element-wise functions of the vector unit come from the rows of ``native/abi/sfpu_functions.inl``, the others stand
here. Names and arguments are those of the ttnn release that tests run with. The notation is that of
``_signatures.py``.
"""

from __future__ import annotations

import enum
from typing import Any

from tilewright.kernels._sfpu_api import sfpu_api
from tilewright.kernels._signatures import ApiConstant, ApiFunction, KernelEnum, Signature, functions, signature


class PoolType(KernelEnum):
    SUM = enum.auto()
    AVG = enum.auto()
    MAX = enum.auto()


class ReduceDim(KernelEnum):
    REDUCE_ROW = enum.auto()
    REDUCE_COL = enum.auto()
    REDUCE_SCALAR = enum.auto()


class BroadcastType(KernelEnum):
    NONE = enum.auto()
    COL = enum.auto()
    ROW = enum.auto()
    SCALAR = enum.auto()


class EltwiseBinaryType(KernelEnum):
    ELWMUL = enum.auto()
    ELWADD = enum.auto()
    ELWSUB = enum.auto()


class EltwiseBinaryReuseDestType(KernelEnum):
    NONE = enum.auto()
    DEST_TO_SRCA = enum.auto()
    DEST_TO_SRCB = enum.auto()


class VectorMode(KernelEnum):
    R = enum.auto()
    C = enum.auto()
    RC = enum.auto()


class SrcOrder(KernelEnum):
    Regular = enum.auto()
    Reverse = enum.auto()


class DataFormat(KernelEnum):
    Float32 = enum.auto()
    Float16_b = enum.auto()
    Bfp8_b = enum.auto()
    Bfp4_b = enum.auto()
    Int32 = enum.auto()
    UInt32 = enum.auto()
    UInt16 = enum.auto()
    UInt8 = enum.auto()


class ReciprocalDestAcc(KernelEnum):
    BF16 = enum.auto()
    FP32 = enum.auto()


class ReciprocalApproxMode(KernelEnum):
    Default = enum.auto()
    Precise = enum.auto()
    Approximate = enum.auto()


class RsqrtMode(KernelEnum):
    Default = enum.auto()
    Fast = enum.auto()


ENUMERATIONS: dict[str, type[KernelEnum]] = {each.__name__: each for each in KernelEnum.__subclasses__()}

DATAFLOW_BASE = "api/dataflow/dataflow_api.h"
COMPUTE_BASE = "api/compute/common.h"

_BOTH = """
cb_wait_front(cb cb, num_pages u)
cb_pop_front(cb cb, num_pages u)
cb_reserve_back(cb cb, num_pages u)
cb_push_back(cb cb, num_pages u)
get_absolute_logical_x() -> u
get_absolute_logical_y() -> u
get_relative_logical_x() -> u
get_relative_logical_y() -> u
"""

_DATAFLOW = """
cb_pages_available_at_front(cb cb, num_pages u) -> bool
cb_pages_reservable_at_back(cb cb, num_pages u) -> bool
get_write_ptr(cb cb) -> u
get_read_ptr(cb cb) -> u
constexpr get_tile_size(cb cb) -> i
constexpr get_tile_hw(cb cb) -> u
constexpr get_dataformat(cb cb) -> DataFormat
get_noc_addr(noc_x u, noc_y u, addr u, noc u?) -> uint64
get_noc_addr(addr u, noc u?) -> uint64
get_noc_multicast_addr(noc_x_start u, noc_y_start u, noc_x_end u, noc_y_end u, addr u, noc u?) -> uint64
noc_async_read[max_page_size u?](src_noc_addr uint64, dst_local_l1_addr u, size u, noc u=noc_index, read_req_vc u?)
noc_async_write[max_page_size u?](src_local_l1_addr u, dst_noc_addr uint64, size u, noc u=noc_index, vc u?)
noc_async_read_page(id u, addrgen tensor, dst_local_l1_addr u, offset u=0, noc u?)
noc_async_write_page(id u, addrgen tensor, src_local_l1_addr u, size u=0, offset u=0, noc u?)
noc_async_read_one_packet(src_noc_addr uint64, dst_local_l1_addr u, size u, noc u=noc_index, read_req_vc u?)
noc_async_read_one_packet_set_state[use_vc bool?](src_noc_addr uint64, size u, vc u=0, noc u?)
noc_async_read_one_packet_with_state(src_local_l1_addr u, dst_local_l1_addr u, vc u=0, noc u?)
noc_async_read_set_state(src_noc_addr uint64, noc u?)
noc_async_read_with_state(src_local_l1_addr u, dst_local_l1_addr u, size u, noc u?)
noc_async_write_one_packet(src_local_l1_addr u, dst_noc_addr uint64, size u, noc u=noc_index, vc u?)
noc_async_write_multicast(src_local_l1_addr u, dst_noc_addr_multicast uint64, size u, num_dests u, linked bool=false, \
noc u=noc_index, vc u?)
noc_async_write_multicast_one_packet(src_local_l1_addr u, dst_noc_addr_multicast uint64, size u, num_dests u, \
linked bool=false, noc u?)
noc_async_write_multicast_loopback_src(src_local_l1_addr u, dst_noc_addr_multicast uint64, size u, num_dests u, \
linked bool=false, noc u?)
noc_async_read_barrier(noc u?)
noc_async_write_barrier(noc u?)
noc_async_writes_flushed(noc u?)
noc_async_posted_writes_flushed(noc u?)
noc_async_atomic_barrier(noc_idx u?)
noc_async_full_barrier(noc_idx u?)
get_semaphore(semaphore_id u) -> u
noc_semaphore_wait(sem_addr pointer, val u)
noc_semaphore_wait_min(sem_addr pointer, val u)
noc_semaphore_set(sem_addr pointer, val u)
noc_semaphore_inc[posted bool?](addr uint64, incr u, noc_id u=noc_index, vc u?)
noc_semaphore_inc_multicast[posted bool?](addr uint64, incr u, num_dests u, noc_id u=noc_index, vc u?)
noc_semaphore_set_remote(src_local_l1_addr u, dst_noc_addr uint64, noc u?)
noc_semaphore_set_multicast(src_local_l1_addr u, dst_noc_addr_multicast uint64, num_dests u, linked bool=false, \
noc u=noc_index, vc u?)
noc_semaphore_set_multicast_loopback_src(src_local_l1_addr u, dst_noc_addr_multicast uint64, num_dests u, \
linked bool=false, noc u?)
noc_inline_dw_write(addr uint64, val u, be u=0xF, noc u=noc_index, vc u?)
"""

# A line without parentheses names the header of what follows.
_COMPUTE = """
api/compute/common.h
compute_kernel_hw_startup[src_order SrcOrder?](icb0 cb, icb1 cb, ocb cb)
compute_kernel_hw_startup(icb0 cb, ocb cb)
tile_regs_acquire()
tile_regs_commit()
tile_regs_wait()
tile_regs_release()
pack_init(ocb cb)
pack_tile[out_of_order_output bool?](ifrom_dst u, icb cb, output_tile_index u?)
pack_block(ifrom_dst u, icb cb, ntiles u)
get_tile_address(cb_id cb, tile_index u) -> u
read_tile_value(cb_id cb, tile_index u, element_offset u) -> u
pack_reconfig_l1_acc(l1_acc_en u)
reconfig_data_format[src_order SrcOrder?](icb0_new_operand cb, icb1_new_operand cb)
reconfig_data_format[src_order SrcOrder?](icb0_old_operand cb, icb0_new_operand cb, icb1_old_operand cb, \
icb1_new_operand cb)
reconfig_data_format_srca(srca_new_operand cb)
reconfig_data_format_srca(srca_old_operand cb, srca_new_operand cb)
reconfig_data_format_srcb(srcb_new_operand cb)
reconfig_data_format_srcb(srcb_old_operand cb, srcb_new_operand cb)
pack_reconfig_data_format[is_tile_dim_reconfig_en bool?](new_cb_id cb)
pack_reconfig_data_format[is_tile_dim_reconfig_en bool?](old_cb_id cb, new_cb_id cb)
api/compute/tile_move_copy.h
copy_init(cbid cb, transpose u?)
copy_tile(in_cb_id cb, in_tile_index u, dst_tile_index u)
copy_block(in_cb_id cb, start_in_tile_index u, start_dst_tile_index u, ntiles u)
api/compute/copy_dest_values.h
copy_dest_values_init()
copy_dest_values[data_format DataFormat](idst_in u, idst_out u)
api/compute/eltwise_binary.h
add_init(icb0 cb, icb1 cb, acc_to_dest bool?)
sub_init(icb0 cb, icb1 cb, acc_to_dest bool?)
mul_init(icb0 cb, icb1 cb, acc_to_dest bool?)
add_tiles(icb0 cb, icb1 cb, itile0 u, itile1 u, idst u)
add_block(icb0 cb, icb1 cb, start_itile0 u, start_itile1 u, start_idst u, ntiles u)
sub_tiles(icb0 cb, icb1 cb, itile0 u, itile1 u, idst u)
sub_block(icb0 cb, icb1 cb, start_itile0 u, start_itile1 u, start_idst u, ntiles u)
mul_tiles(icb0 cb, icb1 cb, itile0 u, itile1 u, idst u)
mul_block(icb0 cb, icb1 cb, start_itile0 u, start_itile1 u, start_idst u, ntiles u)
add_reuse_dest_init[reuse_dest EltwiseBinaryReuseDestType](icb cb)
sub_reuse_dest_init[reuse_dest EltwiseBinaryReuseDestType](icb cb)
mul_reuse_dest_init[reuse_dest EltwiseBinaryReuseDestType](icb cb)
add_reuse_dest_tiles[reuse_dest EltwiseBinaryReuseDestType](in_cb_id cb, in_tile_index u, dst_tile_index u)
sub_reuse_dest_tiles[reuse_dest EltwiseBinaryReuseDestType](in_cb_id cb, in_tile_index u, dst_tile_index u)
mul_reuse_dest_tiles[reuse_dest EltwiseBinaryReuseDestType](in_cb_id cb, in_tile_index u, dst_tile_index u)
api/compute/bcast.h
add_bcast_rows_init(icb0 cb, icb1 cb)
add_bcast_cols_init(icb0 cb, icb1 cb)
add_bcast_scalar_init(icb0 cb, icb1 cb)
sub_bcast_rows_init(icb0 cb, icb1 cb)
sub_bcast_cols_init(icb0 cb, icb1 cb)
sub_bcast_scalar_init(icb0 cb, icb1 cb)
mul_bcast_rows_init(icb0 cb, icb1 cb)
mul_bcast_cols_init(icb0 cb, icb1 cb)
mul_bcast_scalar_init(icb0 cb, icb1 cb)
add_tiles_bcast_rows(icb0 cb, icb1 cb, itile0 u, itile1 u, idst u, bcast_row_idx u?)
add_tiles_bcast_cols(icb0 cb, icb1 cb, itile0 u, itile1 u, idst u)
add_tiles_bcast_scalar(icb0 cb, icb1 cb, itile0 u, itile1 u, idst u)
sub_tiles_bcast_rows(icb0 cb, icb1 cb, itile0 u, itile1 u, idst u, bcast_row_idx u?)
sub_tiles_bcast_cols(icb0 cb, icb1 cb, itile0 u, itile1 u, idst u)
sub_tiles_bcast_scalar(icb0 cb, icb1 cb, itile0 u, itile1 u, idst u)
mul_tiles_bcast_rows(icb0 cb, icb1 cb, itile0 u, itile1 u, idst u, bcast_row_idx u?)
mul_tiles_bcast_cols(icb0 cb, icb1 cb, itile0 u, itile1 u, idst u)
mul_tiles_bcast_scalar(icb0 cb, icb1 cb, itile0 u, itile1 u, idst u)
bcast_init[op EltwiseBinaryType, dim BroadcastType](icb0 cb, icb1 cb)
any_tiles_bcast[op EltwiseBinaryType, dim BroadcastType](icb0 cb, icb1 cb, itile0 u, itile1 u, idst u, \
bcast_row_idx u?)
unary_bcast_init[bcast_type BroadcastType](icb cb)
unary_bcast[bcast_type BroadcastType](icb cb, in_tile_index u, dst_tile_index u)
unary_bcast_uninit[bcast_type BroadcastType](icb cb)
add_tiles_bcast[dim BroadcastType](icb0 cb, icb1 cb, itile0 u, itile1 u, idst u, bcast_row_idx u?)
sub_tiles_bcast[dim BroadcastType](icb0 cb, icb1 cb, itile0 u, itile1 u, idst u, bcast_row_idx u?)
mul_tiles_bcast[dim BroadcastType](icb0 cb, icb1 cb, itile0 u, itile1 u, idst u, bcast_row_idx u?)
api/compute/reduce.h
reduce_init[reduce_type PoolType, reduce_dim ReduceDim](icb cb, icb_scaler cb, ocb cb)
reduce_tile[reduce_type PoolType, reduce_dim ReduceDim](icb cb, icb_scaler cb, itile u, itile_scaler u, idst u)
reduce_block[reduce_type PoolType, reduce_dim ReduceDim](icb cb, icb_scaler cb, start_itile u, itile_scaler u, \
start_idst u, ntiles u)
reduce_uninit(icb cb?)
api/compute/tilize.h
tilize_init(icb cb, block u, ocb cb)
tilize_init_short_with_dt(old_icb cb, new_icb cb, block u, ocb cb)
tilize_block(icb cb, block u, ocb cb, input_tile_index u=0, output_tile_index u?)
tilize_uninit(icb cb, ocb cb)
fast_tilize_init(icb cb, full_dim u, ocb cb)
fast_tilize_block(icb cb, block u, ocb cb, input_tile_index u=0, output_tile_index u?)
fast_tilize_uninit(icb cb, ocb cb, full_dim u)
api/compute/pack_untilize.h
pack_untilize_init[block_ct_dim u?, full_ct_dim u?](icb cb, ocb cb)
pack_untilize_block[block_ct_dim u?, full_ct_dim u?](icb cb, block_rt_dim u, ocb cb, block_c_index u?)
pack_untilize_dest_init[block_ct_dim u?, full_ct_dim u?](ocb cb)
pack_untilize_dest[block_ct_dim u?, full_ct_dim u?](ocb cb, block_rt_dim u=1, block_c_index u?)
pack_untilize_uninit(ocb cb)
api/compute/matmul.h
matmul_init(in0_cb_id cb, in1_cb_id cb, transpose u?)
matmul_tiles(in0_cb_id cb, in1_cb_id cb, in0_tile_index u, in1_tile_index u, idst u)
matmul_block_init(in0_cb_id cb, in1_cb_id cb, transpose u=0, ct_dim u=1, rt_dim u=1, kt_dim u?)
matmul_block(in0 cb, in1 cb, in0_tile_index u, in1_tile_index u, idst u, transpose u, ct_dim u, rt_dim u, kt_dim u)
api/compute/transpose.h
transpose_init(icb cb)
transpose_tile(icb cb, itile u, idst u)
transpose_block(icb cb, start_itile u, start_idst u, ntiles u)
api/compute/mask.h
mask_tile_init()
mask_tile(idst_data u, idst2_mask u, data_format DataFormat?)
api/compute/eltwise_unary/typecast.h
typecast_tile_init[in_dtype format, out_dtype format]()
typecast_tile[in_dtype format, out_dtype format](idst u)
"""

FUNCTIONS: dict[str, ApiFunction] = {
    **functions(_BOTH, DATAFLOW_BASE, COMPUTE_BASE),
    **functions(_DATAFLOW, DATAFLOW_BASE, None),
    **functions(_COMPUTE, None, COMPUTE_BASE),
    **sfpu_api(ENUMERATIONS),
}


# Numbers the headers define, as the names they have there.
CONSTANTS: dict[str, ApiConstant] = {
    **{name: ApiConstant(name) for name in ("MEM_ZEROS_BASE", "MEM_ZEROS_SIZE")},
    # Of compute kernels: whether DST holds 32-bit values (fp32_dest_acc_en), and so half as many tiles.
    "DST_ACCUM_MODE": ApiConstant("DST_ACCUM_MODE", is_bool=True),
}

# Methods of a TensorAccessor.
TENSOR_METHODS: dict[str, Signature] = dict(
    found
    for line in ("get_noc_addr(page_id u, offset u=0, noc u?) -> uint64", "get_aligned_page_size() -> u")
    if (found := signature(line)) is not None
)

# How a kernel reads its arguments.
COMPILE_TIME_ARG = "get_compile_time_arg_val({index})"
RUNTIME_ARG = "get_arg_val<{type}>({index})"
COMMON_RUNTIME_ARG = "get_common_arg_val<{type}>({index})"
ACCESSOR_ARGS = "TensorAccessorArgs<{offset}>()"
NEXT_ACCESSOR_OFFSET = "{args}.next_compile_time_args_offset()"
ACCESSOR = "TensorAccessor({args}, {address})"
BIT_CAST = "__builtin_bit_cast({type}, {value})"
PRINT, PRINT_HEADER = "DPRINT", "api/debug/dprint.h"
ASSERT, ASSERT_HEADER = "ASSERT", "api/debug/assert.h"


def dprint(text: str, *values: Any) -> None:
    """Prints from a kernel: ``dprint("tile {} of {}", i, n)``, or ``dprint("tile", i)``."""
    raise TypeError("dprint can be called inside a kernel only")


def nearest_name(name: str) -> str | None:
    """A function of the API whose name looks like ``name``."""
    import difflib  # a slow import, for a mistake

    matches = difflib.get_close_matches(name, FUNCTIONS, 1, 0.7)
    return matches[0] if matches else None
