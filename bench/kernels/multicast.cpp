// SPDX-License-Identifier: Apache-2.0
// Sends a page to one of two rectangles of cores by turns.
#include <cstdint>

void kernel_main() {
    const uint32_t count = get_arg_val<uint32_t>(0), num_receivers = get_arg_val<uint32_t>(1);
    const uint32_t page = get_write_ptr(0);
    uint64_t rectangles[2];
    for (uint32_t index = 0; index < 2; index++) {
        const uint32_t first = 2 + 4 * index;
        rectangles[index] = get_noc_multicast_addr(
            get_arg_val<uint32_t>(first),
            get_arg_val<uint32_t>(first + 1),
            get_arg_val<uint32_t>(first + 2),
            get_arg_val<uint32_t>(first + 3),
            page);
    }
    for (uint32_t each = 0; each < count; each++) {
        noc_async_write_multicast(page, rectangles[each % 2], get_tile_size(0), num_receivers);
    }
    noc_async_write_barrier();
}
