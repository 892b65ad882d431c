// SPDX-License-Identifier: Apache-2.0
void kernel_main() {
    noc_semaphore_inc(get_noc_addr(get_semaphore(0)), 1);
    noc_async_atomic_barrier();
    const auto tensor = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0), 2048);
    cb_reserve_back(0, 1);
    noc_async_read_tile(0, tensor, get_write_ptr(0));
    noc_async_read_barrier();
    cb_push_back(0, 1);
}
