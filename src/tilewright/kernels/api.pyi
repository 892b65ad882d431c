# SPDX-License-Identifier: Apache-2.0
# Written by api_stub.py out of api_table.py; do not change it by hand.
from typing import Any, overload

from tilewright.kernels._api_table import BroadcastType as BroadcastType, DataFormat as DataFormat, EltwiseBinaryReuseDestType as EltwiseBinaryReuseDestType, EltwiseBinaryType as EltwiseBinaryType, PoolType as PoolType, ReciprocalApproxMode as ReciprocalApproxMode, ReciprocalDestAcc as ReciprocalDestAcc, ReduceDim as ReduceDim, RsqrtMode as RsqrtMode, SrcOrder as SrcOrder, VectorMode as VectorMode
from tilewright.kernels._parameters import TensorArg
from tilewright.kernels._types import l1_ptr, uint32

def dprint(text: str, *values: Any) -> None:
    """Prints from a kernel: ``dprint("tile {} of {}", i, n)``, or ``dprint("tile", i)``."""

MEM_ZEROS_BASE: int
MEM_ZEROS_SIZE: int
DST_ACCUM_MODE: bool

def cb_wait_front(cb: int, num_pages: int) -> None:
    """``cb_wait_front(cb, num_pages)``, of any kernel. C++: ``api/compute/common.h``."""

def cb_pop_front(cb: int, num_pages: int) -> None:
    """``cb_pop_front(cb, num_pages)``, of any kernel. C++: ``api/compute/common.h``."""

def cb_reserve_back(cb: int, num_pages: int) -> None:
    """``cb_reserve_back(cb, num_pages)``, of any kernel. C++: ``api/compute/common.h``."""

def cb_push_back(cb: int, num_pages: int) -> None:
    """``cb_push_back(cb, num_pages)``, of any kernel. C++: ``api/compute/common.h``."""

def get_absolute_logical_x() -> int:
    """``get_absolute_logical_x()``, of any kernel. C++: ``api/compute/common.h``."""

def get_absolute_logical_y() -> int:
    """``get_absolute_logical_y()``, of any kernel. C++: ``api/compute/common.h``."""

def get_relative_logical_x() -> int:
    """``get_relative_logical_x()``, of any kernel. C++: ``api/compute/common.h``."""

def get_relative_logical_y() -> int:
    """``get_relative_logical_y()``, of any kernel. C++: ``api/compute/common.h``."""

def cb_pages_available_at_front(cb: int, num_pages: int) -> bool:
    """``cb_pages_available_at_front(cb, num_pages)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""

def cb_pages_reservable_at_back(cb: int, num_pages: int) -> bool:
    """``cb_pages_reservable_at_back(cb, num_pages)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""

def get_write_ptr(cb: int) -> int:
    """``get_write_ptr(cb)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""

def get_read_ptr(cb: int) -> int:
    """``get_read_ptr(cb)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""

def get_tile_size(cb: int) -> int:
    """``get_tile_size(cb)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""

def get_tile_hw(cb: int) -> int:
    """``get_tile_hw(cb)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""

def get_dataformat(cb: int) -> DataFormat:
    """``get_dataformat(cb)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""

@overload
def get_noc_addr(noc_x: int, noc_y: int, addr: int, noc: int = ...) -> int:
    """``get_noc_addr(noc_x, noc_y, addr, noc)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""

@overload
def get_noc_addr(addr: int, noc: int = ...) -> int:
    """``get_noc_addr(noc_x, noc_y, addr, noc)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""

def get_noc_multicast_addr(noc_x_start: int, noc_y_start: int, noc_x_end: int, noc_y_end: int, addr: int, noc: int = ...) -> int:
    """``get_noc_multicast_addr(noc_x_start, noc_y_start, noc_x_end, noc_y_end, addr, noc)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""

class _noc_async_read:
    """``noc_async_read[max_page_size](src_noc_addr, dst_local_l1_addr, size, noc, read_req_vc)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""
    def __getitem__(self, template: int, /) -> _noc_async_read: ...
    def __call__(self, src_noc_addr: int, dst_local_l1_addr: int, size: int, noc: int = ..., read_req_vc: int = ...) -> None: ...

noc_async_read: _noc_async_read

class _noc_async_write:
    """``noc_async_write[max_page_size](src_local_l1_addr, dst_noc_addr, size, noc, vc)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""
    def __getitem__(self, template: int, /) -> _noc_async_write: ...
    def __call__(self, src_local_l1_addr: int, dst_noc_addr: int, size: int, noc: int = ..., vc: int = ...) -> None: ...

noc_async_write: _noc_async_write

def noc_async_read_page(id: int, addrgen: TensorArg, dst_local_l1_addr: int, offset: int = ..., noc: int = ...) -> None:
    """``noc_async_read_page(id, addrgen, dst_local_l1_addr, offset, noc)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""

def noc_async_write_page(id: int, addrgen: TensorArg, src_local_l1_addr: int, size: int = ..., offset: int = ..., noc: int = ...) -> None:
    """``noc_async_write_page(id, addrgen, src_local_l1_addr, size, offset, noc)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""

def noc_async_read_one_packet(src_noc_addr: int, dst_local_l1_addr: int, size: int, noc: int = ..., read_req_vc: int = ...) -> None:
    """``noc_async_read_one_packet(src_noc_addr, dst_local_l1_addr, size, noc, read_req_vc)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""

class _noc_async_read_one_packet_set_state:
    """``noc_async_read_one_packet_set_state[use_vc](src_noc_addr, size, vc, noc)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""
    def __getitem__(self, template: bool, /) -> _noc_async_read_one_packet_set_state: ...
    def __call__(self, src_noc_addr: int, size: int, vc: int = ..., noc: int = ...) -> None: ...

noc_async_read_one_packet_set_state: _noc_async_read_one_packet_set_state

def noc_async_read_one_packet_with_state(src_local_l1_addr: int, dst_local_l1_addr: int, vc: int = ..., noc: int = ...) -> None:
    """``noc_async_read_one_packet_with_state(src_local_l1_addr, dst_local_l1_addr, vc, noc)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""

def noc_async_read_set_state(src_noc_addr: int, noc: int = ...) -> None:
    """``noc_async_read_set_state(src_noc_addr, noc)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""

def noc_async_read_with_state(src_local_l1_addr: int, dst_local_l1_addr: int, size: int, noc: int = ...) -> None:
    """``noc_async_read_with_state(src_local_l1_addr, dst_local_l1_addr, size, noc)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""

def noc_async_write_one_packet(src_local_l1_addr: int, dst_noc_addr: int, size: int, noc: int = ..., vc: int = ...) -> None:
    """``noc_async_write_one_packet(src_local_l1_addr, dst_noc_addr, size, noc, vc)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""

def noc_async_write_multicast(src_local_l1_addr: int, dst_noc_addr_multicast: int, size: int, num_dests: int, linked: bool = ..., noc: int = ..., vc: int = ...) -> None:
    """``noc_async_write_multicast(src_local_l1_addr, dst_noc_addr_multicast, size, num_dests, linked, noc, vc)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""

def noc_async_write_multicast_one_packet(src_local_l1_addr: int, dst_noc_addr_multicast: int, size: int, num_dests: int, linked: bool = ..., noc: int = ...) -> None:
    """``noc_async_write_multicast_one_packet(src_local_l1_addr, dst_noc_addr_multicast, size, num_dests, linked, noc)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""

def noc_async_write_multicast_loopback_src(src_local_l1_addr: int, dst_noc_addr_multicast: int, size: int, num_dests: int, linked: bool = ..., noc: int = ...) -> None:
    """``noc_async_write_multicast_loopback_src(src_local_l1_addr, dst_noc_addr_multicast, size, num_dests, linked, noc)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""

def noc_async_read_barrier(noc: int = ...) -> None:
    """``noc_async_read_barrier(noc)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""

def noc_async_write_barrier(noc: int = ...) -> None:
    """``noc_async_write_barrier(noc)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""

def noc_async_writes_flushed(noc: int = ...) -> None:
    """``noc_async_writes_flushed(noc)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""

def noc_async_posted_writes_flushed(noc: int = ...) -> None:
    """``noc_async_posted_writes_flushed(noc)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""

def noc_async_atomic_barrier(noc_idx: int = ...) -> None:
    """``noc_async_atomic_barrier(noc_idx)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""

def noc_async_full_barrier(noc_idx: int = ...) -> None:
    """``noc_async_full_barrier(noc_idx)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""

def get_semaphore(semaphore_id: int) -> int:
    """``get_semaphore(semaphore_id)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""

def noc_semaphore_wait(sem_addr: l1_ptr[uint32], val: int) -> None:
    """``noc_semaphore_wait(sem_addr, val)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""

def noc_semaphore_wait_min(sem_addr: l1_ptr[uint32], val: int) -> None:
    """``noc_semaphore_wait_min(sem_addr, val)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""

def noc_semaphore_set(sem_addr: l1_ptr[uint32], val: int) -> None:
    """``noc_semaphore_set(sem_addr, val)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""

class _noc_semaphore_inc:
    """``noc_semaphore_inc[posted](addr, incr, noc_id, vc)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""
    def __getitem__(self, template: bool, /) -> _noc_semaphore_inc: ...
    def __call__(self, addr: int, incr: int, noc_id: int = ..., vc: int = ...) -> None: ...

noc_semaphore_inc: _noc_semaphore_inc

class _noc_semaphore_inc_multicast:
    """``noc_semaphore_inc_multicast[posted](addr, incr, num_dests, noc_id, vc)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""
    def __getitem__(self, template: bool, /) -> _noc_semaphore_inc_multicast: ...
    def __call__(self, addr: int, incr: int, num_dests: int, noc_id: int = ..., vc: int = ...) -> None: ...

noc_semaphore_inc_multicast: _noc_semaphore_inc_multicast

def noc_semaphore_set_remote(src_local_l1_addr: int, dst_noc_addr: int, noc: int = ...) -> None:
    """``noc_semaphore_set_remote(src_local_l1_addr, dst_noc_addr, noc)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""

def noc_semaphore_set_multicast(src_local_l1_addr: int, dst_noc_addr_multicast: int, num_dests: int, linked: bool = ..., noc: int = ..., vc: int = ...) -> None:
    """``noc_semaphore_set_multicast(src_local_l1_addr, dst_noc_addr_multicast, num_dests, linked, noc, vc)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""

def noc_semaphore_set_multicast_loopback_src(src_local_l1_addr: int, dst_noc_addr_multicast: int, num_dests: int, linked: bool = ..., noc: int = ...) -> None:
    """``noc_semaphore_set_multicast_loopback_src(src_local_l1_addr, dst_noc_addr_multicast, num_dests, linked, noc)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""

def noc_inline_dw_write(addr: int, val: int, be: int = ..., noc: int = ..., vc: int = ...) -> None:
    """``noc_inline_dw_write(addr, val, be, noc, vc)``, of data-movement kernels. C++: ``api/dataflow/dataflow_api.h``."""

class _compute_kernel_hw_startup:
    """``compute_kernel_hw_startup[src_order](icb0, icb1, ocb)``, of compute kernels. C++: ``api/compute/common.h``."""
    def __getitem__(self, template: SrcOrder, /) -> _compute_kernel_hw_startup: ...
    @overload
    def __call__(self, icb0: int, icb1: int, ocb: int) -> None: ...
    @overload
    def __call__(self, icb0: int, ocb: int) -> None: ...

compute_kernel_hw_startup: _compute_kernel_hw_startup

def tile_regs_acquire() -> None:
    """``tile_regs_acquire()``, of compute kernels. C++: ``api/compute/common.h``."""

def tile_regs_commit() -> None:
    """``tile_regs_commit()``, of compute kernels. C++: ``api/compute/common.h``."""

def tile_regs_wait() -> None:
    """``tile_regs_wait()``, of compute kernels. C++: ``api/compute/common.h``."""

def tile_regs_release() -> None:
    """``tile_regs_release()``, of compute kernels. C++: ``api/compute/common.h``."""

def pack_init(ocb: int) -> None:
    """``pack_init(ocb)``, of compute kernels. C++: ``api/compute/common.h``."""

class _pack_tile:
    """``pack_tile[out_of_order_output](ifrom_dst, icb, output_tile_index)``, of compute kernels. C++: ``api/compute/common.h``."""
    def __getitem__(self, template: bool, /) -> _pack_tile: ...
    def __call__(self, ifrom_dst: int, icb: int, output_tile_index: int = ...) -> None: ...

pack_tile: _pack_tile

def pack_block(ifrom_dst: int, icb: int, ntiles: int) -> None:
    """``pack_block(ifrom_dst, icb, ntiles)``, of compute kernels. C++: ``api/compute/common.h``."""

def get_tile_address(cb_id: int, tile_index: int) -> int:
    """``get_tile_address(cb_id, tile_index)``, of compute kernels. C++: ``api/compute/common.h``."""

def read_tile_value(cb_id: int, tile_index: int, element_offset: int) -> int:
    """``read_tile_value(cb_id, tile_index, element_offset)``, of compute kernels. C++: ``api/compute/common.h``."""

def pack_reconfig_l1_acc(l1_acc_en: int) -> None:
    """``pack_reconfig_l1_acc(l1_acc_en)``, of compute kernels. C++: ``api/compute/common.h``."""

class _reconfig_data_format:
    """``reconfig_data_format[src_order](icb0_new_operand, icb1_new_operand)``, of compute kernels. C++: ``api/compute/common.h``."""
    def __getitem__(self, template: SrcOrder, /) -> _reconfig_data_format: ...
    @overload
    def __call__(self, icb0_new_operand: int, icb1_new_operand: int) -> None: ...
    @overload
    def __call__(self, icb0_old_operand: int, icb0_new_operand: int, icb1_old_operand: int, icb1_new_operand: int) -> None: ...

reconfig_data_format: _reconfig_data_format

@overload
def reconfig_data_format_srca(srca_new_operand: int) -> None:
    """``reconfig_data_format_srca(srca_new_operand)``, of compute kernels. C++: ``api/compute/common.h``."""

@overload
def reconfig_data_format_srca(srca_old_operand: int, srca_new_operand: int) -> None:
    """``reconfig_data_format_srca(srca_new_operand)``, of compute kernels. C++: ``api/compute/common.h``."""

@overload
def reconfig_data_format_srcb(srcb_new_operand: int) -> None:
    """``reconfig_data_format_srcb(srcb_new_operand)``, of compute kernels. C++: ``api/compute/common.h``."""

@overload
def reconfig_data_format_srcb(srcb_old_operand: int, srcb_new_operand: int) -> None:
    """``reconfig_data_format_srcb(srcb_new_operand)``, of compute kernels. C++: ``api/compute/common.h``."""

class _pack_reconfig_data_format:
    """``pack_reconfig_data_format[is_tile_dim_reconfig_en](new_cb_id)``, of compute kernels. C++: ``api/compute/common.h``."""
    def __getitem__(self, template: bool, /) -> _pack_reconfig_data_format: ...
    @overload
    def __call__(self, new_cb_id: int) -> None: ...
    @overload
    def __call__(self, old_cb_id: int, new_cb_id: int) -> None: ...

pack_reconfig_data_format: _pack_reconfig_data_format

def copy_init(cbid: int, transpose: int = ...) -> None:
    """``copy_init(cbid, transpose)``, of compute kernels. C++: ``api/compute/tile_move_copy.h``."""

def copy_tile(in_cb_id: int, in_tile_index: int, dst_tile_index: int) -> None:
    """``copy_tile(in_cb_id, in_tile_index, dst_tile_index)``, of compute kernels. C++: ``api/compute/tile_move_copy.h``."""

def copy_block(in_cb_id: int, start_in_tile_index: int, start_dst_tile_index: int, ntiles: int) -> None:
    """``copy_block(in_cb_id, start_in_tile_index, start_dst_tile_index, ntiles)``, of compute kernels. C++: ``api/compute/tile_move_copy.h``."""

def copy_dest_values_init() -> None:
    """``copy_dest_values_init()``, of compute kernels. C++: ``api/compute/copy_dest_values.h``."""

class _copy_dest_values:
    """``copy_dest_values[data_format](idst_in, idst_out)``, of compute kernels. C++: ``api/compute/copy_dest_values.h``."""
    def __getitem__(self, template: DataFormat, /) -> _copy_dest_values_call: ...

class _copy_dest_values_call:
    def __call__(self, idst_in: int, idst_out: int) -> None: ...

copy_dest_values: _copy_dest_values

def add_init(icb0: int, icb1: int, acc_to_dest: bool = ...) -> None:
    """``add_init(icb0, icb1, acc_to_dest)``, of compute kernels. C++: ``api/compute/eltwise_binary.h``."""

def sub_init(icb0: int, icb1: int, acc_to_dest: bool = ...) -> None:
    """``sub_init(icb0, icb1, acc_to_dest)``, of compute kernels. C++: ``api/compute/eltwise_binary.h``."""

def mul_init(icb0: int, icb1: int, acc_to_dest: bool = ...) -> None:
    """``mul_init(icb0, icb1, acc_to_dest)``, of compute kernels. C++: ``api/compute/eltwise_binary.h``."""

def add_tiles(icb0: int, icb1: int, itile0: int, itile1: int, idst: int) -> None:
    """``add_tiles(icb0, icb1, itile0, itile1, idst)``, of compute kernels. C++: ``api/compute/eltwise_binary.h``."""

def add_block(icb0: int, icb1: int, start_itile0: int, start_itile1: int, start_idst: int, ntiles: int) -> None:
    """``add_block(icb0, icb1, start_itile0, start_itile1, start_idst, ntiles)``, of compute kernels. C++: ``api/compute/eltwise_binary.h``."""

def sub_tiles(icb0: int, icb1: int, itile0: int, itile1: int, idst: int) -> None:
    """``sub_tiles(icb0, icb1, itile0, itile1, idst)``, of compute kernels. C++: ``api/compute/eltwise_binary.h``."""

def sub_block(icb0: int, icb1: int, start_itile0: int, start_itile1: int, start_idst: int, ntiles: int) -> None:
    """``sub_block(icb0, icb1, start_itile0, start_itile1, start_idst, ntiles)``, of compute kernels. C++: ``api/compute/eltwise_binary.h``."""

def mul_tiles(icb0: int, icb1: int, itile0: int, itile1: int, idst: int) -> None:
    """``mul_tiles(icb0, icb1, itile0, itile1, idst)``, of compute kernels. C++: ``api/compute/eltwise_binary.h``."""

def mul_block(icb0: int, icb1: int, start_itile0: int, start_itile1: int, start_idst: int, ntiles: int) -> None:
    """``mul_block(icb0, icb1, start_itile0, start_itile1, start_idst, ntiles)``, of compute kernels. C++: ``api/compute/eltwise_binary.h``."""

class _add_reuse_dest_init:
    """``add_reuse_dest_init[reuse_dest](icb)``, of compute kernels. C++: ``api/compute/eltwise_binary.h``."""
    def __getitem__(self, template: EltwiseBinaryReuseDestType, /) -> _add_reuse_dest_init_call: ...

class _add_reuse_dest_init_call:
    def __call__(self, icb: int) -> None: ...

add_reuse_dest_init: _add_reuse_dest_init

class _sub_reuse_dest_init:
    """``sub_reuse_dest_init[reuse_dest](icb)``, of compute kernels. C++: ``api/compute/eltwise_binary.h``."""
    def __getitem__(self, template: EltwiseBinaryReuseDestType, /) -> _sub_reuse_dest_init_call: ...

class _sub_reuse_dest_init_call:
    def __call__(self, icb: int) -> None: ...

sub_reuse_dest_init: _sub_reuse_dest_init

class _mul_reuse_dest_init:
    """``mul_reuse_dest_init[reuse_dest](icb)``, of compute kernels. C++: ``api/compute/eltwise_binary.h``."""
    def __getitem__(self, template: EltwiseBinaryReuseDestType, /) -> _mul_reuse_dest_init_call: ...

class _mul_reuse_dest_init_call:
    def __call__(self, icb: int) -> None: ...

mul_reuse_dest_init: _mul_reuse_dest_init

class _add_reuse_dest_tiles:
    """``add_reuse_dest_tiles[reuse_dest](in_cb_id, in_tile_index, dst_tile_index)``, of compute kernels. C++: ``api/compute/eltwise_binary.h``."""
    def __getitem__(self, template: EltwiseBinaryReuseDestType, /) -> _add_reuse_dest_tiles_call: ...

class _add_reuse_dest_tiles_call:
    def __call__(self, in_cb_id: int, in_tile_index: int, dst_tile_index: int) -> None: ...

add_reuse_dest_tiles: _add_reuse_dest_tiles

class _sub_reuse_dest_tiles:
    """``sub_reuse_dest_tiles[reuse_dest](in_cb_id, in_tile_index, dst_tile_index)``, of compute kernels. C++: ``api/compute/eltwise_binary.h``."""
    def __getitem__(self, template: EltwiseBinaryReuseDestType, /) -> _sub_reuse_dest_tiles_call: ...

class _sub_reuse_dest_tiles_call:
    def __call__(self, in_cb_id: int, in_tile_index: int, dst_tile_index: int) -> None: ...

sub_reuse_dest_tiles: _sub_reuse_dest_tiles

class _mul_reuse_dest_tiles:
    """``mul_reuse_dest_tiles[reuse_dest](in_cb_id, in_tile_index, dst_tile_index)``, of compute kernels. C++: ``api/compute/eltwise_binary.h``."""
    def __getitem__(self, template: EltwiseBinaryReuseDestType, /) -> _mul_reuse_dest_tiles_call: ...

class _mul_reuse_dest_tiles_call:
    def __call__(self, in_cb_id: int, in_tile_index: int, dst_tile_index: int) -> None: ...

mul_reuse_dest_tiles: _mul_reuse_dest_tiles

def add_bcast_rows_init(icb0: int, icb1: int) -> None:
    """``add_bcast_rows_init(icb0, icb1)``, of compute kernels. C++: ``api/compute/bcast.h``."""

def add_bcast_cols_init(icb0: int, icb1: int) -> None:
    """``add_bcast_cols_init(icb0, icb1)``, of compute kernels. C++: ``api/compute/bcast.h``."""

def add_bcast_scalar_init(icb0: int, icb1: int) -> None:
    """``add_bcast_scalar_init(icb0, icb1)``, of compute kernels. C++: ``api/compute/bcast.h``."""

def sub_bcast_rows_init(icb0: int, icb1: int) -> None:
    """``sub_bcast_rows_init(icb0, icb1)``, of compute kernels. C++: ``api/compute/bcast.h``."""

def sub_bcast_cols_init(icb0: int, icb1: int) -> None:
    """``sub_bcast_cols_init(icb0, icb1)``, of compute kernels. C++: ``api/compute/bcast.h``."""

def sub_bcast_scalar_init(icb0: int, icb1: int) -> None:
    """``sub_bcast_scalar_init(icb0, icb1)``, of compute kernels. C++: ``api/compute/bcast.h``."""

def mul_bcast_rows_init(icb0: int, icb1: int) -> None:
    """``mul_bcast_rows_init(icb0, icb1)``, of compute kernels. C++: ``api/compute/bcast.h``."""

def mul_bcast_cols_init(icb0: int, icb1: int) -> None:
    """``mul_bcast_cols_init(icb0, icb1)``, of compute kernels. C++: ``api/compute/bcast.h``."""

def mul_bcast_scalar_init(icb0: int, icb1: int) -> None:
    """``mul_bcast_scalar_init(icb0, icb1)``, of compute kernels. C++: ``api/compute/bcast.h``."""

def add_tiles_bcast_rows(icb0: int, icb1: int, itile0: int, itile1: int, idst: int, bcast_row_idx: int = ...) -> None:
    """``add_tiles_bcast_rows(icb0, icb1, itile0, itile1, idst, bcast_row_idx)``, of compute kernels. C++: ``api/compute/bcast.h``."""

def add_tiles_bcast_cols(icb0: int, icb1: int, itile0: int, itile1: int, idst: int) -> None:
    """``add_tiles_bcast_cols(icb0, icb1, itile0, itile1, idst)``, of compute kernels. C++: ``api/compute/bcast.h``."""

def add_tiles_bcast_scalar(icb0: int, icb1: int, itile0: int, itile1: int, idst: int) -> None:
    """``add_tiles_bcast_scalar(icb0, icb1, itile0, itile1, idst)``, of compute kernels. C++: ``api/compute/bcast.h``."""

def sub_tiles_bcast_rows(icb0: int, icb1: int, itile0: int, itile1: int, idst: int, bcast_row_idx: int = ...) -> None:
    """``sub_tiles_bcast_rows(icb0, icb1, itile0, itile1, idst, bcast_row_idx)``, of compute kernels. C++: ``api/compute/bcast.h``."""

def sub_tiles_bcast_cols(icb0: int, icb1: int, itile0: int, itile1: int, idst: int) -> None:
    """``sub_tiles_bcast_cols(icb0, icb1, itile0, itile1, idst)``, of compute kernels. C++: ``api/compute/bcast.h``."""

def sub_tiles_bcast_scalar(icb0: int, icb1: int, itile0: int, itile1: int, idst: int) -> None:
    """``sub_tiles_bcast_scalar(icb0, icb1, itile0, itile1, idst)``, of compute kernels. C++: ``api/compute/bcast.h``."""

def mul_tiles_bcast_rows(icb0: int, icb1: int, itile0: int, itile1: int, idst: int, bcast_row_idx: int = ...) -> None:
    """``mul_tiles_bcast_rows(icb0, icb1, itile0, itile1, idst, bcast_row_idx)``, of compute kernels. C++: ``api/compute/bcast.h``."""

def mul_tiles_bcast_cols(icb0: int, icb1: int, itile0: int, itile1: int, idst: int) -> None:
    """``mul_tiles_bcast_cols(icb0, icb1, itile0, itile1, idst)``, of compute kernels. C++: ``api/compute/bcast.h``."""

def mul_tiles_bcast_scalar(icb0: int, icb1: int, itile0: int, itile1: int, idst: int) -> None:
    """``mul_tiles_bcast_scalar(icb0, icb1, itile0, itile1, idst)``, of compute kernels. C++: ``api/compute/bcast.h``."""

class _bcast_init:
    """``bcast_init[op, dim](icb0, icb1)``, of compute kernels. C++: ``api/compute/bcast.h``."""
    def __getitem__(self, template: tuple[EltwiseBinaryType, BroadcastType], /) -> _bcast_init_call: ...

class _bcast_init_call:
    def __call__(self, icb0: int, icb1: int) -> None: ...

bcast_init: _bcast_init

class _any_tiles_bcast:
    """``any_tiles_bcast[op, dim](icb0, icb1, itile0, itile1, idst, bcast_row_idx)``, of compute kernels. C++: ``api/compute/bcast.h``."""
    def __getitem__(self, template: tuple[EltwiseBinaryType, BroadcastType], /) -> _any_tiles_bcast_call: ...

class _any_tiles_bcast_call:
    def __call__(self, icb0: int, icb1: int, itile0: int, itile1: int, idst: int, bcast_row_idx: int = ...) -> None: ...

any_tiles_bcast: _any_tiles_bcast

class _unary_bcast_init:
    """``unary_bcast_init[bcast_type](icb)``, of compute kernels. C++: ``api/compute/bcast.h``."""
    def __getitem__(self, template: BroadcastType, /) -> _unary_bcast_init_call: ...

class _unary_bcast_init_call:
    def __call__(self, icb: int) -> None: ...

unary_bcast_init: _unary_bcast_init

class _unary_bcast:
    """``unary_bcast[bcast_type](icb, in_tile_index, dst_tile_index)``, of compute kernels. C++: ``api/compute/bcast.h``."""
    def __getitem__(self, template: BroadcastType, /) -> _unary_bcast_call: ...

class _unary_bcast_call:
    def __call__(self, icb: int, in_tile_index: int, dst_tile_index: int) -> None: ...

unary_bcast: _unary_bcast

class _unary_bcast_uninit:
    """``unary_bcast_uninit[bcast_type](icb)``, of compute kernels. C++: ``api/compute/bcast.h``."""
    def __getitem__(self, template: BroadcastType, /) -> _unary_bcast_uninit_call: ...

class _unary_bcast_uninit_call:
    def __call__(self, icb: int) -> None: ...

unary_bcast_uninit: _unary_bcast_uninit

class _add_tiles_bcast:
    """``add_tiles_bcast[dim](icb0, icb1, itile0, itile1, idst, bcast_row_idx)``, of compute kernels. C++: ``api/compute/bcast.h``."""
    def __getitem__(self, template: BroadcastType, /) -> _add_tiles_bcast_call: ...

class _add_tiles_bcast_call:
    def __call__(self, icb0: int, icb1: int, itile0: int, itile1: int, idst: int, bcast_row_idx: int = ...) -> None: ...

add_tiles_bcast: _add_tiles_bcast

class _sub_tiles_bcast:
    """``sub_tiles_bcast[dim](icb0, icb1, itile0, itile1, idst, bcast_row_idx)``, of compute kernels. C++: ``api/compute/bcast.h``."""
    def __getitem__(self, template: BroadcastType, /) -> _sub_tiles_bcast_call: ...

class _sub_tiles_bcast_call:
    def __call__(self, icb0: int, icb1: int, itile0: int, itile1: int, idst: int, bcast_row_idx: int = ...) -> None: ...

sub_tiles_bcast: _sub_tiles_bcast

class _mul_tiles_bcast:
    """``mul_tiles_bcast[dim](icb0, icb1, itile0, itile1, idst, bcast_row_idx)``, of compute kernels. C++: ``api/compute/bcast.h``."""
    def __getitem__(self, template: BroadcastType, /) -> _mul_tiles_bcast_call: ...

class _mul_tiles_bcast_call:
    def __call__(self, icb0: int, icb1: int, itile0: int, itile1: int, idst: int, bcast_row_idx: int = ...) -> None: ...

mul_tiles_bcast: _mul_tiles_bcast

class _reduce_init:
    """``reduce_init[reduce_type, reduce_dim](icb, icb_scaler, ocb)``, of compute kernels. C++: ``api/compute/reduce.h``."""
    def __getitem__(self, template: tuple[PoolType, ReduceDim], /) -> _reduce_init_call: ...

class _reduce_init_call:
    def __call__(self, icb: int, icb_scaler: int, ocb: int) -> None: ...

reduce_init: _reduce_init

class _reduce_tile:
    """``reduce_tile[reduce_type, reduce_dim](icb, icb_scaler, itile, itile_scaler, idst)``, of compute kernels. C++: ``api/compute/reduce.h``."""
    def __getitem__(self, template: tuple[PoolType, ReduceDim], /) -> _reduce_tile_call: ...

class _reduce_tile_call:
    def __call__(self, icb: int, icb_scaler: int, itile: int, itile_scaler: int, idst: int) -> None: ...

reduce_tile: _reduce_tile

class _reduce_block:
    """``reduce_block[reduce_type, reduce_dim](icb, icb_scaler, start_itile, itile_scaler, start_idst, ntiles)``, of compute kernels. C++: ``api/compute/reduce.h``."""
    def __getitem__(self, template: tuple[PoolType, ReduceDim], /) -> _reduce_block_call: ...

class _reduce_block_call:
    def __call__(self, icb: int, icb_scaler: int, start_itile: int, itile_scaler: int, start_idst: int, ntiles: int) -> None: ...

reduce_block: _reduce_block

def reduce_uninit(icb: int = ...) -> None:
    """``reduce_uninit(icb)``, of compute kernels. C++: ``api/compute/reduce.h``."""

def tilize_init(icb: int, block: int, ocb: int) -> None:
    """``tilize_init(icb, block, ocb)``, of compute kernels. C++: ``api/compute/tilize.h``."""

def tilize_init_short_with_dt(old_icb: int, new_icb: int, block: int, ocb: int) -> None:
    """``tilize_init_short_with_dt(old_icb, new_icb, block, ocb)``, of compute kernels. C++: ``api/compute/tilize.h``."""

def tilize_block(icb: int, block: int, ocb: int, input_tile_index: int = ..., output_tile_index: int = ...) -> None:
    """``tilize_block(icb, block, ocb, input_tile_index, output_tile_index)``, of compute kernels. C++: ``api/compute/tilize.h``."""

def tilize_uninit(icb: int, ocb: int) -> None:
    """``tilize_uninit(icb, ocb)``, of compute kernels. C++: ``api/compute/tilize.h``."""

def fast_tilize_init(icb: int, full_dim: int, ocb: int) -> None:
    """``fast_tilize_init(icb, full_dim, ocb)``, of compute kernels. C++: ``api/compute/tilize.h``."""

def fast_tilize_block(icb: int, block: int, ocb: int, input_tile_index: int = ..., output_tile_index: int = ...) -> None:
    """``fast_tilize_block(icb, block, ocb, input_tile_index, output_tile_index)``, of compute kernels. C++: ``api/compute/tilize.h``."""

def fast_tilize_uninit(icb: int, ocb: int, full_dim: int) -> None:
    """``fast_tilize_uninit(icb, ocb, full_dim)``, of compute kernels. C++: ``api/compute/tilize.h``."""

class _pack_untilize_init:
    """``pack_untilize_init[block_ct_dim, full_ct_dim](icb, ocb)``, of compute kernels. C++: ``api/compute/pack_untilize.h``."""
    def __getitem__(self, template: int | tuple[int, int], /) -> _pack_untilize_init: ...
    def __call__(self, icb: int, ocb: int) -> None: ...

pack_untilize_init: _pack_untilize_init

class _pack_untilize_block:
    """``pack_untilize_block[block_ct_dim, full_ct_dim](icb, block_rt_dim, ocb, block_c_index)``, of compute kernels. C++: ``api/compute/pack_untilize.h``."""
    def __getitem__(self, template: int | tuple[int, int], /) -> _pack_untilize_block: ...
    def __call__(self, icb: int, block_rt_dim: int, ocb: int, block_c_index: int = ...) -> None: ...

pack_untilize_block: _pack_untilize_block

class _pack_untilize_dest_init:
    """``pack_untilize_dest_init[block_ct_dim, full_ct_dim](ocb)``, of compute kernels. C++: ``api/compute/pack_untilize.h``."""
    def __getitem__(self, template: int | tuple[int, int], /) -> _pack_untilize_dest_init: ...
    def __call__(self, ocb: int) -> None: ...

pack_untilize_dest_init: _pack_untilize_dest_init

class _pack_untilize_dest:
    """``pack_untilize_dest[block_ct_dim, full_ct_dim](ocb, block_rt_dim, block_c_index)``, of compute kernels. C++: ``api/compute/pack_untilize.h``."""
    def __getitem__(self, template: int | tuple[int, int], /) -> _pack_untilize_dest: ...
    def __call__(self, ocb: int, block_rt_dim: int = ..., block_c_index: int = ...) -> None: ...

pack_untilize_dest: _pack_untilize_dest

def pack_untilize_uninit(ocb: int) -> None:
    """``pack_untilize_uninit(ocb)``, of compute kernels. C++: ``api/compute/pack_untilize.h``."""

def matmul_init(in0_cb_id: int, in1_cb_id: int, transpose: int = ...) -> None:
    """``matmul_init(in0_cb_id, in1_cb_id, transpose)``, of compute kernels. C++: ``api/compute/matmul.h``."""

def matmul_tiles(in0_cb_id: int, in1_cb_id: int, in0_tile_index: int, in1_tile_index: int, idst: int) -> None:
    """``matmul_tiles(in0_cb_id, in1_cb_id, in0_tile_index, in1_tile_index, idst)``, of compute kernels. C++: ``api/compute/matmul.h``."""

def matmul_block_init(in0_cb_id: int, in1_cb_id: int, transpose: int = ..., ct_dim: int = ..., rt_dim: int = ..., kt_dim: int = ...) -> None:
    """``matmul_block_init(in0_cb_id, in1_cb_id, transpose, ct_dim, rt_dim, kt_dim)``, of compute kernels. C++: ``api/compute/matmul.h``."""

def matmul_block(in0: int, in1: int, in0_tile_index: int, in1_tile_index: int, idst: int, transpose: int, ct_dim: int, rt_dim: int, kt_dim: int) -> None:
    """``matmul_block(in0, in1, in0_tile_index, in1_tile_index, idst, transpose, ct_dim, rt_dim, kt_dim)``, of compute kernels. C++: ``api/compute/matmul.h``."""

def transpose_init(icb: int) -> None:
    """``transpose_init(icb)``, of compute kernels. C++: ``api/compute/transpose.h``."""

def transpose_tile(icb: int, itile: int, idst: int) -> None:
    """``transpose_tile(icb, itile, idst)``, of compute kernels. C++: ``api/compute/transpose.h``."""

def transpose_block(icb: int, start_itile: int, start_idst: int, ntiles: int) -> None:
    """``transpose_block(icb, start_itile, start_idst, ntiles)``, of compute kernels. C++: ``api/compute/transpose.h``."""

def mask_tile_init() -> None:
    """``mask_tile_init()``, of compute kernels. C++: ``api/compute/mask.h``."""

def mask_tile(idst_data: int, idst2_mask: int, data_format: DataFormat = ...) -> None:
    """``mask_tile(idst_data, idst2_mask, data_format)``, of compute kernels. C++: ``api/compute/mask.h``."""

class _exp_tile_init:
    """``exp_tile_init[approx]()``, of compute kernels. C++: ``api/compute/eltwise_unary/exp.h``."""
    def __getitem__(self, template: bool, /) -> _exp_tile_init: ...
    def __call__(self) -> None: ...

exp_tile_init: _exp_tile_init

class _exp_tile:
    """``exp_tile[approx](idst, vector_mode)``, of compute kernels. C++: ``api/compute/eltwise_unary/exp.h``."""
    def __getitem__(self, template: bool, /) -> _exp_tile: ...
    def __call__(self, idst: int, vector_mode: VectorMode = ...) -> None: ...

exp_tile: _exp_tile

class _recip_tile_init:
    """``recip_tile_init[dest_acc, approximation]()``, of compute kernels. C++: ``api/compute/eltwise_unary/recip.h``."""
    def __getitem__(self, template: ReciprocalDestAcc | tuple[ReciprocalDestAcc, ReciprocalApproxMode], /) -> _recip_tile_init: ...
    def __call__(self) -> None: ...

recip_tile_init: _recip_tile_init

class _recip_tile:
    """``recip_tile[dest_acc, approximation](idst, vector_mode)``, of compute kernels. C++: ``api/compute/eltwise_unary/recip.h``."""
    def __getitem__(self, template: ReciprocalDestAcc | tuple[ReciprocalDestAcc, ReciprocalApproxMode], /) -> _recip_tile: ...
    def __call__(self, idst: int, vector_mode: VectorMode = ...) -> None: ...

recip_tile: _recip_tile

def rsqrt_tile_init() -> None:
    """``rsqrt_tile_init()``, of compute kernels. C++: ``api/compute/eltwise_unary/rsqrt.h``."""

class _rsqrt_tile:
    """``rsqrt_tile[mode](idst)``, of compute kernels. C++: ``api/compute/eltwise_unary/rsqrt.h``."""
    def __getitem__(self, template: RsqrtMode, /) -> _rsqrt_tile: ...
    def __call__(self, idst: int) -> None: ...

rsqrt_tile: _rsqrt_tile

def sqrt_tile_init() -> None:
    """``sqrt_tile_init()``, of compute kernels. C++: ``api/compute/eltwise_unary/sqrt.h``."""

class _sqrt_tile:
    """``sqrt_tile[fast_approx](idst)``, of compute kernels. C++: ``api/compute/eltwise_unary/sqrt.h``."""
    def __getitem__(self, template: bool, /) -> _sqrt_tile: ...
    def __call__(self, idst: int) -> None: ...

sqrt_tile: _sqrt_tile

def binop_with_scalar_tile_init() -> None:
    """``binop_with_scalar_tile_init()``, of compute kernels. C++: ``api/compute/eltwise_unary/binop_with_scalar.h``."""

def add_unary_tile(idst: int, param1: int) -> None:
    """``add_unary_tile(idst, param1)``, of compute kernels. C++: ``api/compute/eltwise_unary/binop_with_scalar.h``."""

def sub_unary_tile(idst: int, param1: int) -> None:
    """``sub_unary_tile(idst, param1)``, of compute kernels. C++: ``api/compute/eltwise_unary/binop_with_scalar.h``."""

def mul_unary_tile(idst: int, param1: int) -> None:
    """``mul_unary_tile(idst, param1)``, of compute kernels. C++: ``api/compute/eltwise_unary/binop_with_scalar.h``."""

def div_unary_tile(idst: int, param1: int) -> None:
    """``div_unary_tile(idst, param1)``, of compute kernels. C++: ``api/compute/eltwise_unary/binop_with_scalar.h``."""

def rsub_unary_tile(idst: int, param1: int) -> None:
    """``rsub_unary_tile(idst, param1)``, of compute kernels. C++: ``api/compute/eltwise_unary/binop_with_scalar.h``."""

def add_unary_tile_int32(idst: int, param1: int) -> None:
    """``add_unary_tile_int32(idst, param1)``, of compute kernels. C++: ``api/compute/eltwise_unary/binop_with_scalar.h``."""

def sub_unary_tile_int32(idst: int, param1: int) -> None:
    """``sub_unary_tile_int32(idst, param1)``, of compute kernels. C++: ``api/compute/eltwise_unary/binop_with_scalar.h``."""

def fill_tile_init() -> None:
    """``fill_tile_init()``, of compute kernels. C++: ``api/compute/eltwise_unary/fill.h``."""

def fill_tile(idst: int, param0: float) -> None:
    """``fill_tile(idst, param0)``, of compute kernels. C++: ``api/compute/eltwise_unary/fill.h``."""

def fill_tile_bitcast(idst: int, param0: int) -> None:
    """``fill_tile_bitcast(idst, param0)``, of compute kernels. C++: ``api/compute/eltwise_unary/fill.h``."""

class _fill_tile_int:
    """``fill_tile_int[data_format](idst, param0)``, of compute kernels. C++: ``api/compute/eltwise_unary/fill.h``."""
    def __getitem__(self, template: DataFormat, /) -> _fill_tile_int_call: ...

class _fill_tile_int_call:
    def __call__(self, idst: int, param0: int) -> None: ...

fill_tile_int: _fill_tile_int

def relu_tile_init() -> None:
    """``relu_tile_init()``, of compute kernels. C++: ``api/compute/eltwise_unary/relu.h``."""

def relu_tile(idst: int) -> None:
    """``relu_tile(idst)``, of compute kernels. C++: ``api/compute/eltwise_unary/relu.h``."""

def relu_max_tile_init() -> None:
    """``relu_max_tile_init()``, of compute kernels. C++: ``api/compute/eltwise_unary/relu.h``."""

def relu_max_tile(idst: int, param0: int) -> None:
    """``relu_max_tile(idst, param0)``, of compute kernels. C++: ``api/compute/eltwise_unary/relu.h``."""

def relu_min_tile_init() -> None:
    """``relu_min_tile_init()``, of compute kernels. C++: ``api/compute/eltwise_unary/relu.h``."""

def relu_min_tile(idst: int, param0: int) -> None:
    """``relu_min_tile(idst, param0)``, of compute kernels. C++: ``api/compute/eltwise_unary/relu.h``."""

def leaky_relu_tile_init() -> None:
    """``leaky_relu_tile_init()``, of compute kernels. C++: ``api/compute/eltwise_unary/relu.h``."""

def leaky_relu_tile(idst: int, slope: int) -> None:
    """``leaky_relu_tile(idst, slope)``, of compute kernels. C++: ``api/compute/eltwise_unary/relu.h``."""

class _gelu_tile_init:
    """``gelu_tile_init[fast_and_approx]()``, of compute kernels. C++: ``api/compute/eltwise_unary/gelu.h``."""
    def __getitem__(self, template: bool, /) -> _gelu_tile_init: ...
    def __call__(self) -> None: ...

gelu_tile_init: _gelu_tile_init

class _gelu_tile:
    """``gelu_tile[fast_and_approx](idst)``, of compute kernels. C++: ``api/compute/eltwise_unary/gelu.h``."""
    def __getitem__(self, template: bool, /) -> _gelu_tile: ...
    def __call__(self, idst: int) -> None: ...

gelu_tile: _gelu_tile

def negative_tile_init() -> None:
    """``negative_tile_init()``, of compute kernels. C++: ``api/compute/eltwise_unary/negative.h``."""

def negative_tile(idst: int) -> None:
    """``negative_tile(idst)``, of compute kernels. C++: ``api/compute/eltwise_unary/negative.h``."""

def negative_tile_int32(idst: int) -> None:
    """``negative_tile_int32(idst)``, of compute kernels. C++: ``api/compute/eltwise_unary/negative.h``."""

class _typecast_tile_init:
    """``typecast_tile_init[in_dtype, out_dtype]()``, of compute kernels. C++: ``api/compute/eltwise_unary/typecast.h``."""
    def __getitem__(self, template: tuple[DataFormat | int, DataFormat | int], /) -> _typecast_tile_init_call: ...

class _typecast_tile_init_call:
    def __call__(self) -> None: ...

typecast_tile_init: _typecast_tile_init

class _typecast_tile:
    """``typecast_tile[in_dtype, out_dtype](idst)``, of compute kernels. C++: ``api/compute/eltwise_unary/typecast.h``."""
    def __getitem__(self, template: tuple[DataFormat | int, DataFormat | int], /) -> _typecast_tile_call: ...

class _typecast_tile_call:
    def __call__(self, idst: int) -> None: ...

typecast_tile: _typecast_tile

def clamp_tile_init() -> None:
    """``clamp_tile_init()``, of compute kernels. C++: ``api/compute/eltwise_unary/clamp.h``."""

def clamp_tile(idst: int, param0: int, param1: int) -> None:
    """``clamp_tile(idst, param0, param1)``, of compute kernels. C++: ``api/compute/eltwise_unary/clamp.h``."""

def log1p_tile_init() -> None:
    """``log1p_tile_init()``, of compute kernels. C++: ``api/compute/eltwise_unary/log1p.h``."""

def log1p_tile(idst: int) -> None:
    """``log1p_tile(idst)``, of compute kernels. C++: ``api/compute/eltwise_unary/log1p.h``."""

def sin_tile_init() -> None:
    """``sin_tile_init()``, of compute kernels. C++: ``api/compute/eltwise_unary/trigonometry.h``."""

def sin_tile(idst: int) -> None:
    """``sin_tile(idst)``, of compute kernels. C++: ``api/compute/eltwise_unary/trigonometry.h``."""

def cos_tile_init() -> None:
    """``cos_tile_init()``, of compute kernels. C++: ``api/compute/eltwise_unary/trigonometry.h``."""

def cos_tile(idst: int) -> None:
    """``cos_tile(idst)``, of compute kernels. C++: ``api/compute/eltwise_unary/trigonometry.h``."""

def tan_tile_init() -> None:
    """``tan_tile_init()``, of compute kernels. C++: ``api/compute/eltwise_unary/trigonometry.h``."""

def tan_tile(idst: int) -> None:
    """``tan_tile(idst)``, of compute kernels. C++: ``api/compute/eltwise_unary/trigonometry.h``."""

def erf_tile_init() -> None:
    """``erf_tile_init()``, of compute kernels. C++: ``api/compute/eltwise_unary/erf_erfc.h``."""

def erf_tile(idst: int) -> None:
    """``erf_tile(idst)``, of compute kernels. C++: ``api/compute/eltwise_unary/erf_erfc.h``."""

def erfc_tile_init() -> None:
    """``erfc_tile_init()``, of compute kernels. C++: ``api/compute/eltwise_unary/erf_erfc.h``."""

def erfc_tile(idst: int) -> None:
    """``erfc_tile(idst)``, of compute kernels. C++: ``api/compute/eltwise_unary/erf_erfc.h``."""

def identity_tile_init() -> None:
    """``identity_tile_init()``, of compute kernels. C++: ``api/compute/eltwise_unary/identity.h``."""

def identity_tile(idst: int) -> None:
    """``identity_tile(idst)``, of compute kernels. C++: ``api/compute/eltwise_unary/identity.h``."""

def where_tile_init() -> None:
    """``where_tile_init()``, of compute kernels. C++: ``api/compute/eltwise_unary/where.h``."""

class _where_tile:
    """``where_tile[data_format](idst0, idst1, idst2, odst)``, of compute kernels. C++: ``api/compute/eltwise_unary/where.h``."""
    def __getitem__(self, template: DataFormat, /) -> _where_tile_call: ...

class _where_tile_call:
    def __call__(self, idst0: int, idst1: int, idst2: int, odst: int) -> None: ...

where_tile: _where_tile

def addcmul_tile_init() -> None:
    """``addcmul_tile_init()``, of compute kernels. C++: ``api/compute/eltwise_unary/addcmul.h``."""

class _addcmul_tile:
    """``addcmul_tile[data_format](idst0, idst1, idst2, odst, value)``, of compute kernels. C++: ``api/compute/eltwise_unary/addcmul.h``."""
    def __getitem__(self, template: DataFormat, /) -> _addcmul_tile_call: ...

class _addcmul_tile_call:
    def __call__(self, idst0: int, idst1: int, idst2: int, odst: int, value: int) -> None: ...

addcmul_tile: _addcmul_tile

def gez_tile_init() -> None:
    """``gez_tile_init()``, of compute kernels. C++: ``api/compute/eltwise_unary/comp.h``."""

def gez_tile(idst: int) -> None:
    """``gez_tile(idst)``, of compute kernels. C++: ``api/compute/eltwise_unary/comp.h``."""

def lez_tile_init() -> None:
    """``lez_tile_init()``, of compute kernels. C++: ``api/compute/eltwise_unary/comp.h``."""

def lez_tile(idst: int) -> None:
    """``lez_tile(idst)``, of compute kernels. C++: ``api/compute/eltwise_unary/comp.h``."""

def gtz_tile_init() -> None:
    """``gtz_tile_init()``, of compute kernels. C++: ``api/compute/eltwise_unary/comp.h``."""

def gtz_tile(idst: int) -> None:
    """``gtz_tile(idst)``, of compute kernels. C++: ``api/compute/eltwise_unary/comp.h``."""

def ltz_tile_init() -> None:
    """``ltz_tile_init()``, of compute kernels. C++: ``api/compute/eltwise_unary/comp.h``."""

def ltz_tile(idst: int) -> None:
    """``ltz_tile(idst)``, of compute kernels. C++: ``api/compute/eltwise_unary/comp.h``."""

def eqz_tile_init() -> None:
    """``eqz_tile_init()``, of compute kernels. C++: ``api/compute/eltwise_unary/comp.h``."""

def eqz_tile(idst: int) -> None:
    """``eqz_tile(idst)``, of compute kernels. C++: ``api/compute/eltwise_unary/comp.h``."""

def nez_tile_init() -> None:
    """``nez_tile_init()``, of compute kernels. C++: ``api/compute/eltwise_unary/comp.h``."""

def nez_tile(idst: int) -> None:
    """``nez_tile(idst)``, of compute kernels. C++: ``api/compute/eltwise_unary/comp.h``."""

def rounding_op_tile_init() -> None:
    """``rounding_op_tile_init()``, of compute kernels. C++: ``api/compute/eltwise_unary/rounding.h``."""

def floor_tile(idst: int) -> None:
    """``floor_tile(idst)``, of compute kernels. C++: ``api/compute/eltwise_unary/rounding.h``."""

def ceil_tile(idst: int) -> None:
    """``ceil_tile(idst)``, of compute kernels. C++: ``api/compute/eltwise_unary/rounding.h``."""

def trunc_tile(idst: int) -> None:
    """``trunc_tile(idst)``, of compute kernels. C++: ``api/compute/eltwise_unary/rounding.h``."""

def frac_tile(idst: int) -> None:
    """``frac_tile(idst)``, of compute kernels. C++: ``api/compute/eltwise_unary/rounding.h``."""

def elu_tile_init() -> None:
    """``elu_tile_init()``, of compute kernels. C++: ``api/compute/eltwise_unary/elu.h``."""

def elu_tile(idst: int, param0: int) -> None:
    """``elu_tile(idst, param0)``, of compute kernels. C++: ``api/compute/eltwise_unary/elu.h``."""

def sigmoid_tile_init() -> None:
    """``sigmoid_tile_init()``, of compute kernels. C++: ``api/compute/compute_kernel_api.h``."""

def sigmoid_tile(idst: int) -> None:
    """``sigmoid_tile(idst)``, of compute kernels. C++: ``api/compute/compute_kernel_api.h``."""

def silu_tile_init() -> None:
    """``silu_tile_init()``, of compute kernels. C++: ``api/compute/compute_kernel_api.h``."""

def silu_tile(idst: int) -> None:
    """``silu_tile(idst)``, of compute kernels. C++: ``api/compute/compute_kernel_api.h``."""

def tanh_tile_init() -> None:
    """``tanh_tile_init()``, of compute kernels. C++: ``api/compute/compute_kernel_api.h``."""

def tanh_tile(idst: int) -> None:
    """``tanh_tile(idst)``, of compute kernels. C++: ``api/compute/compute_kernel_api.h``."""

def square_tile_init() -> None:
    """``square_tile_init()``, of compute kernels. C++: ``api/compute/compute_kernel_api.h``."""

def square_tile(idst: int) -> None:
    """``square_tile(idst)``, of compute kernels. C++: ``api/compute/compute_kernel_api.h``."""

def log_tile_init() -> None:
    """``log_tile_init()``, of compute kernels. C++: ``api/compute/compute_kernel_api.h``."""

def log_tile(idst: int) -> None:
    """``log_tile(idst)``, of compute kernels. C++: ``api/compute/compute_kernel_api.h``."""

def abs_tile_init() -> None:
    """``abs_tile_init()``, of compute kernels. C++: ``api/compute/compute_kernel_api.h``."""

def abs_tile(idst: int) -> None:
    """``abs_tile(idst)``, of compute kernels. C++: ``api/compute/compute_kernel_api.h``."""

def sign_tile_init() -> None:
    """``sign_tile_init()``, of compute kernels. C++: ``api/compute/compute_kernel_api.h``."""

def sign_tile(idst: int) -> None:
    """``sign_tile(idst)``, of compute kernels. C++: ``api/compute/compute_kernel_api.h``."""

def power_tile_init() -> None:
    """``power_tile_init()``, of compute kernels. C++: ``api/compute/compute_kernel_api.h``."""

def power_tile(idst: int, param0: int) -> None:
    """``power_tile(idst, param0)``, of compute kernels. C++: ``api/compute/compute_kernel_api.h``."""

def exp2_tile_init() -> None:
    """``exp2_tile_init()``, of compute kernels. C++: ``api/compute/compute_kernel_api.h``."""

def exp2_tile(idst: int) -> None:
    """``exp2_tile(idst)``, of compute kernels. C++: ``api/compute/compute_kernel_api.h``."""

def expm1_tile_init() -> None:
    """``expm1_tile_init()``, of compute kernels. C++: ``api/compute/compute_kernel_api.h``."""

def expm1_tile(idst: int) -> None:
    """``expm1_tile(idst)``, of compute kernels. C++: ``api/compute/compute_kernel_api.h``."""

def unary_max_tile_init() -> None:
    """``unary_max_tile_init()``, of compute kernels. C++: ``api/compute/compute_kernel_api.h``."""

def unary_max_tile(idst: int, param0: int) -> None:
    """``unary_max_tile(idst, param0)``, of compute kernels. C++: ``api/compute/compute_kernel_api.h``."""

def unary_min_tile_init() -> None:
    """``unary_min_tile_init()``, of compute kernels. C++: ``api/compute/compute_kernel_api.h``."""

def unary_min_tile(idst: int, param0: int) -> None:
    """``unary_min_tile(idst, param0)``, of compute kernels. C++: ``api/compute/compute_kernel_api.h``."""

def add_binary_tile_init() -> None:
    """``add_binary_tile_init()``, of compute kernels. C++: ``api/compute/eltwise_binary_sfpu.h``."""

def add_binary_tile(idst0: int, idst1: int, odst: int) -> None:
    """``add_binary_tile(idst0, idst1, odst)``, of compute kernels. C++: ``api/compute/eltwise_binary_sfpu.h``."""

def sub_binary_tile_init() -> None:
    """``sub_binary_tile_init()``, of compute kernels. C++: ``api/compute/eltwise_binary_sfpu.h``."""

def sub_binary_tile(idst0: int, idst1: int, odst: int) -> None:
    """``sub_binary_tile(idst0, idst1, odst)``, of compute kernels. C++: ``api/compute/eltwise_binary_sfpu.h``."""

def mul_binary_tile_init() -> None:
    """``mul_binary_tile_init()``, of compute kernels. C++: ``api/compute/eltwise_binary_sfpu.h``."""

def mul_binary_tile(idst0: int, idst1: int, odst: int) -> None:
    """``mul_binary_tile(idst0, idst1, odst)``, of compute kernels. C++: ``api/compute/eltwise_binary_sfpu.h``."""

def div_binary_tile_init() -> None:
    """``div_binary_tile_init()``, of compute kernels. C++: ``api/compute/eltwise_binary_sfpu.h``."""

def div_binary_tile(idst0: int, idst1: int, odst: int) -> None:
    """``div_binary_tile(idst0, idst1, odst)``, of compute kernels. C++: ``api/compute/eltwise_binary_sfpu.h``."""

def rsub_binary_tile_init() -> None:
    """``rsub_binary_tile_init()``, of compute kernels. C++: ``api/compute/eltwise_binary_sfpu.h``."""

def rsub_binary_tile(idst0: int, idst1: int, odst: int) -> None:
    """``rsub_binary_tile(idst0, idst1, odst)``, of compute kernels. C++: ``api/compute/eltwise_binary_sfpu.h``."""

def power_binary_tile_init() -> None:
    """``power_binary_tile_init()``, of compute kernels. C++: ``api/compute/eltwise_binary_sfpu.h``."""

def power_binary_tile(idst0: int, idst1: int, odst: int) -> None:
    """``power_binary_tile(idst0, idst1, odst)``, of compute kernels. C++: ``api/compute/eltwise_binary_sfpu.h``."""

def binary_max_tile_init() -> None:
    """``binary_max_tile_init()``, of compute kernels. C++: ``api/compute/binary_max_min.h``."""

def binary_max_tile(idst0: int, idst1: int, odst: int, vector_mode: VectorMode = ...) -> None:
    """``binary_max_tile(idst0, idst1, odst, vector_mode)``, of compute kernels. C++: ``api/compute/binary_max_min.h``."""

def binary_min_tile_init() -> None:
    """``binary_min_tile_init()``, of compute kernels. C++: ``api/compute/binary_max_min.h``."""

def binary_min_tile(idst0: int, idst1: int, odst: int, vector_mode: VectorMode = ...) -> None:
    """``binary_min_tile(idst0, idst1, odst, vector_mode)``, of compute kernels. C++: ``api/compute/binary_max_min.h``."""

def binary_max_int32_tile_init() -> None:
    """``binary_max_int32_tile_init()``, of compute kernels. C++: ``api/compute/binary_max_min.h``."""

def binary_max_int32_tile(idst0: int, idst1: int, odst: int) -> None:
    """``binary_max_int32_tile(idst0, idst1, odst)``, of compute kernels. C++: ``api/compute/binary_max_min.h``."""

def binary_min_int32_tile_init() -> None:
    """``binary_min_int32_tile_init()``, of compute kernels. C++: ``api/compute/binary_max_min.h``."""

def binary_min_int32_tile(idst0: int, idst1: int, odst: int) -> None:
    """``binary_min_int32_tile(idst0, idst1, odst)``, of compute kernels. C++: ``api/compute/binary_max_min.h``."""

def add_int_tile_init() -> None:
    """``add_int_tile_init()``, of compute kernels. C++: ``api/compute/add_int_sfpu.h``."""

class _add_int_tile:
    """``add_int_tile[data_format](idst0, idst1, odst)``, of compute kernels. C++: ``api/compute/add_int_sfpu.h``."""
    def __getitem__(self, template: DataFormat, /) -> _add_int_tile_call: ...

class _add_int_tile_call:
    def __call__(self, idst0: int, idst1: int, odst: int) -> None: ...

add_int_tile: _add_int_tile

def sub_int_tile_init() -> None:
    """``sub_int_tile_init()``, of compute kernels. C++: ``api/compute/sub_int_sfpu.h``."""

class _sub_int_tile:
    """``sub_int_tile[data_format](idst0, idst1, odst)``, of compute kernels. C++: ``api/compute/sub_int_sfpu.h``."""
    def __getitem__(self, template: DataFormat, /) -> _sub_int_tile_call: ...

class _sub_int_tile_call:
    def __call__(self, idst0: int, idst1: int, odst: int) -> None: ...

sub_int_tile: _sub_int_tile

class _mul_int_tile_init:
    """``mul_int_tile_init[data_format]()``, of compute kernels. C++: ``api/compute/mul_int_sfpu.h``."""
    def __getitem__(self, template: DataFormat, /) -> _mul_int_tile_init_call: ...

class _mul_int_tile_init_call:
    def __call__(self) -> None: ...

mul_int_tile_init: _mul_int_tile_init

class _mul_int_tile:
    """``mul_int_tile[data_format](idst0, idst1, odst)``, of compute kernels. C++: ``api/compute/mul_int_sfpu.h``."""
    def __getitem__(self, template: DataFormat, /) -> _mul_int_tile_call: ...

class _mul_int_tile_call:
    def __call__(self, idst0: int, idst1: int, odst: int) -> None: ...

mul_int_tile: _mul_int_tile

