// SPDX-License-Identifier: Apache-2.0
// Prefetcher pipes as the host describes them in L1: a page of words for each on each of its cores, which outlives
// programs, and the program's table of those that its kernels name.
#pragma once

#include <cstdint>

#include "api/debug/assert.h"
#include "internal/circular_buffer_interface.h"

namespace tw::pipes {

constexpr uint32_t kUnit = 16;  // credits count bytes in these
constexpr uint32_t kNoRelay = 0xFF;

// Words of a pipe's page. The last four are offsets in the page: coordinates of the other side, then counters of pages
// sent and acknowledged, one every 16 bytes for each receiver, and where the other side counts its acknowledgements.
enum Config : uint32_t {
    kIsSender,
    kNumReceivers,
    kStart,
    kSize,
    kPointer,
    kEntrySize,
    kCoordinates,
    kSent,
    kAcked,
    kPeer,
};

inline volatile uint32_t* words(uint32_t address) {
    return reinterpret_cast<volatile uint32_t*>(static_cast<uintptr_t>(address));
}

// A row of the program's table: where the page is, the size of its entries, and the local buffer over the same ring.
struct Slot {
    uint32_t page, entry_size, relay;
};
// The program's table, which begins with the number of rows. Its offset counts from the launch's configuration.
inline volatile uint32_t* table_at(uint32_t offset) { return words(tw_context()->config_base + offset); }
inline Slot slot(uint32_t table, uint32_t index) {
    const uint32_t base = tw_context()->l1_base;
    ASSERT(index < table_at(table)[0]);
    volatile uint32_t* row = table_at(table) + 1 + 3 * index;
    return {base + row[0], row[1], row[2] & 0xFFu};
}

// The next boundary of entries behind an offset in the ring; 0 behind the last.
inline uint32_t next_entry(uint32_t offset, uint32_t entry_size, uint32_t ring_bytes) {
    const uint32_t next = (offset + entry_size - 1) / entry_size * entry_size;
    return next >= ring_bytes - ring_bytes % entry_size ? 0 : next;
}

// A local buffer over the ring of a pipe, from an offset on.
inline void align_relay(uint32_t relay, uint32_t start, uint32_t ring_bytes, uint32_t entry_size, uint32_t offset) {
    LocalCBInterface& local = get_local_cb_interface(relay);
    const uint32_t whole = ring_bytes - ring_bytes % entry_size;
    local.fifo_limit = (start + whole) >> cb_addr_shift;
    local.fifo_size = whole >> cb_addr_shift;
    ASSERT(local.fifo_size % local.fifo_page_size == 0);
    local.fifo_num_pages = local.fifo_size / local.fifo_page_size;
    local.fifo_rd_ptr = local.fifo_wr_ptr = (start + offset) >> cb_addr_shift;
}

// What a compute kernel's buffers over pipes begin with: where the pipe was left.
inline void align_relays(uint32_t table) {
    const uint32_t base = tw_context()->l1_base;
    for (uint32_t index = 0; index < table_at(table)[0]; index++) {
        const Slot of = slot(table, index);
        if (of.page == base || of.relay == kNoRelay) {
            continue;
        }
        volatile uint32_t* page = words(of.page);
        const uint32_t offset = next_entry(page[kPointer] - page[kStart], of.entry_size, page[kSize]);
        align_relay(of.relay, base + page[kStart], page[kSize], of.entry_size, offset);
    }
}

}  // namespace tw::pipes
