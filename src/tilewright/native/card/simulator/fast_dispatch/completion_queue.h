// SPDX-License-Identifier: Apache-2.0
// The completion queue: a ring in host memory to which the dispatcher writes read data and events, page by page. Its
// write pointer is written to host memory; the host writes its read pointer to the dispatch core's L1. Both
// count in units of 16 bytes and carry a bit that toggles with each turn of the ring.
#pragma once

#include <cstdint>

#include "card/simulator/memory.h"
#include "host_memory.h"
#include "noc_place.h"
#include "numbers.h"

namespace card {

class CompletionQueue {
public:
    CompletionQueue(Memory& memory, const HostMemory& host, const Numbers& defines, NocPlace core);

    // Writes as many of the bytes as there is room for, whole pages but for the last; how many.
    uint64_t write(const uint8_t* data, uint64_t bytes);

private:
    uint64_t free_bytes();
    void notify_host();

    Memory& memory_;
    const HostMemory& host_;
    NocPlace core_;
    uint64_t begin_, bytes_, page_bytes_, write_pointer_on_core_, read_pointer_on_core_, write_pointer_on_host_;
    uint64_t position_;  // from the start of host memory
    uint32_t toggle_;
};

}  // namespace card
