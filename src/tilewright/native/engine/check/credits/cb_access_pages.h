// SPDX-License-Identifier: Apache-2.0
// Pages of a circular buffer by address.
#pragma once

#include <cstdint>

#include "program.h"

namespace tw {

inline uint32_t pointer_of(const KernelInstance& instance, uint32_t cb, bool write) {
    const LocalCBInterface& view = instance.context.cb[cb];
    return (write ? view.fifo_wr_ptr : view.fifo_rd_ptr) << (instance.context.compute_words ? 4 : 0);
}

inline uint32_t page_of(const CoreCircularBuffer& buffer, uint32_t address) {
    return (address - buffer.address) / buffer.page_bytes;
}

}  // namespace tw
