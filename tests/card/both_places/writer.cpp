// SPDX-License-Identifier: Apache-2.0
void kernel_main() {
    const auto tensor = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0), 2048);
    if (*reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0)) == 1) {
        cb_wait_front(1, 1);
    }
    cb_wait_front(0, 1);
    noc_async_write_tile(0, tensor, get_read_ptr(0));
    noc_async_write_barrier();
    cb_pop_front(0, 1);
}
