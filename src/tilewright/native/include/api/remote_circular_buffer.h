// SPDX-License-Identifier: Apache-2.0
// Global circular buffers: a ring at the same place in the L1 of several receiving cores, which one sending core fills
// over the NoC. Bytes sent and given back are counted in L1 of both sides, in units of 16 bytes; the host describes each
// ring in L1, where its pointer also stays between programs. Nothing of it is the engine's: kernels keep their view of
// such a buffer in the place of a local one's, as on a card, and wait for words of L1.
#pragma once

#include <cstdint>

#include "../../abi/debug.h"
#include "api/debug/assert.h"
#include "internal/circular_buffer_interface.h"
#if !defined(COMPILE_FOR_TRISC)
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/noc.h"
#endif

constexpr uint32_t REMOTE_CIRCULAR_BUFFER_ALIGNED_PAGE_SIZE = 16;

// The fields kernels use have tt-metal's names; both sides have one structure here. Addresses are this core's.
struct __attribute__((may_alias)) RemoteCBInterface {
    uint32_t config_ptr;
    uint32_t fifo_start_addr;  // 0: there is no such buffer on this core
    uint32_t fifo_limit_page_aligned;
    uint32_t fifo_page_size;
    union {
        uint32_t fifo_wr_ptr;
        uint32_t fifo_rd_ptr;
    };
    uint32_t remote_noc_xy_ptr;  // coordinates of the other side: of each receiver, or of the sender
    uint32_t aligned_pages_sent_ptr;  // pairs of counters, sent and acknowledged, one for each receiver
    uint16_t num_receivers;  // 0 on a receiver
    uint16_t pages_skipped;  // to reach a page boundary when the kernel began; the other side is not told yet
};
using RemoteSenderCBInterface = RemoteCBInterface;
using RemoteReceiverCBInterface = RemoteCBInterface;
static_assert(sizeof(RemoteCBInterface) == sizeof(LocalCBInterface));

inline RemoteCBInterface& get_remote_sender_cb_interface(uint32_t cb_id) {
#if !defined(TW_REMOTE_CB_TABLE)  // the host defines it if a kernel's cores have any
    tw_not_modelled("a global circular buffer in a program that has none");
#endif
    return reinterpret_cast<RemoteCBInterface&>(tw_context()->cb[cb_id]);
}
inline RemoteCBInterface& get_remote_receiver_cb_interface(uint32_t cb_id) {
    return get_remote_sender_cb_interface(cb_id);
}

namespace tw::remote {

constexpr uint32_t kUnit = REMOTE_CIRCULAR_BUFFER_ALIGNED_PAGE_SIZE;
constexpr uint32_t kCounterStride = 16;  // a pair takes two

// The host's description of a buffer on a core, in words.
enum Config : uint32_t { kIsSender, kNumReceivers, kStart, kSize, kPointer, kRemoteCoordinates, kPagesSent };

inline volatile uint32_t* word(uint32_t address, uint32_t index = 0) {
    return reinterpret_cast<volatile uint32_t*>(static_cast<uintptr_t>(address)) + index;
}
inline uint32_t fifo_size(const RemoteCBInterface& cb) { return word(cb.config_ptr)[kSize]; }
inline uint32_t fifo_end(const RemoteCBInterface& cb) { return cb.fifo_start_addr + fifo_size(cb); }
inline volatile uint32_t* sent(const RemoteCBInterface& cb, uint32_t receiver = 0) {
    return word(cb.aligned_pages_sent_ptr + 2 * receiver * kCounterStride);
}
inline volatile uint32_t* acked(const RemoteCBInterface& cb, uint32_t receiver = 0) {
    return word(cb.aligned_pages_sent_ptr + (2 * receiver + 1) * kCounterStride);
}

// Units that pages take from the pointer on. Pages that reach the last whole one take what is left behind it too.
inline uint32_t units(const RemoteCBInterface& cb, uint32_t num_pages) {
    const uint32_t bytes = num_pages * cb.fifo_page_size;
    const bool wraps = cb.fifo_wr_ptr + bytes >= cb.fifo_limit_page_aligned;
    return (bytes + (wraps ? fifo_end(cb) - cb.fifo_limit_page_aligned : 0)) / kUnit;
}

// Moves the pointer to the next boundary of pages of this size. Returns the units this skips.
inline uint32_t resize(RemoteCBInterface& cb, uint32_t page_size) {
    ASSERT(page_size % kUnit == 0);
    const uint32_t size = fifo_size(cb), offset = cb.fifo_wr_ptr - cb.fifo_start_addr;
    const uint32_t whole_pages = size - size % page_size;
    const uint32_t next = (offset + page_size - 1) / page_size * page_size;
    const bool wraps = next >= whole_pages;
    cb.fifo_wr_ptr = cb.fifo_start_addr + (wraps ? 0 : next);
    cb.fifo_limit_page_aligned = cb.fifo_start_addr + whole_pages;
    cb.fifo_page_size = page_size;
    return ((wraps ? size : next) - offset) / kUnit;
}

// Firmware's part, from the host's table: of each buffer where it is described and the size of its pages, the last first.
// The table's offset counts from the launch's configuration.
inline void set_up(uint32_t offset, uint32_t first) {
    const uint32_t base = tw_context()->l1_base;
    uint32_t table = tw_context()->config_base + offset;
    for (uint32_t cb_id = NUM_CIRCULAR_BUFFERS; cb_id-- > first; table += 8) {
        RemoteCBInterface& cb = get_remote_sender_cb_interface(cb_id);
        cb = RemoteCBInterface{};
        if (word(table)[0] == 0) {
            continue;
        }
        cb.config_ptr = base + word(table)[0];
        volatile uint32_t* config = word(cb.config_ptr);
        cb.fifo_start_addr = base + config[kStart];
        cb.fifo_wr_ptr = base + config[kPointer];
        cb.remote_noc_xy_ptr = base + config[kRemoteCoordinates];
        cb.aligned_pages_sent_ptr = base + config[kPagesSent];
        cb.num_receivers = static_cast<uint16_t>(config[kIsSender] != 0 ? config[kNumReceivers] : 0);
        cb.pages_skipped = static_cast<uint16_t>(resize(cb, word(table)[1]));
    }
}

#if !defined(COMPILE_FOR_TRISC)
inline uint64_t remote_address(const RemoteCBInterface& cb, uint32_t receiver, uint32_t address, uint8_t noc) {
    volatile uint32_t* coordinates = word(cb.remote_noc_xy_ptr, 2 * receiver);
    return get_noc_addr(coordinates[0], coordinates[1], address - tw_context()->l1_base, noc);
}

inline void tell_sent(RemoteCBInterface& cb, uint32_t count, uint8_t noc) {
    for (uint32_t receiver = 0; receiver < cb.num_receivers && count != 0; receiver++) {
        *sent(cb, receiver) = *sent(cb, receiver) + count;
        const uint32_t counter = cb.aligned_pages_sent_ptr + 2 * receiver * kCounterStride;
        noc_semaphore_inc(remote_address(cb, receiver, counter, noc), count, noc);
    }
}

inline void tell_acked(RemoteCBInterface& cb, uint32_t count, uint8_t noc) {
    if (count != 0) {
        *acked(cb) = *acked(cb) + count;
        noc_semaphore_inc(remote_address(cb, 0, cb.aligned_pages_sent_ptr + kCounterStride, noc), count, noc);
    }
}

inline void wait_for_units(const RemoteCBInterface& cb, uint32_t count) {
    tw_semaphore_wait_at_least(sent(cb), *acked(cb) + count);
}

// A kernel that uses the buffer tells the other side what setting it up skipped; firmware has no turn of its own here.
inline RemoteCBInterface& sender(uint32_t cb_id, uint8_t noc) {
    RemoteCBInterface& cb = get_remote_sender_cb_interface(cb_id);
    ASSERT(cb.fifo_start_addr != 0);
    tell_sent(cb, cb.pages_skipped, noc);
    cb.pages_skipped = 0;
    return cb;
}
inline RemoteCBInterface& receiver(uint32_t cb_id, uint8_t noc) {
    RemoteCBInterface& cb = get_remote_receiver_cb_interface(cb_id);
    ASSERT(cb.fifo_start_addr != 0);
    if (cb.pages_skipped != 0) {
        wait_for_units(cb, cb.pages_skipped);
        tell_acked(cb, cb.pages_skipped, noc);
        cb.pages_skipped = 0;
    }
    return cb;
}
#endif

}  // namespace tw::remote

namespace experimental {

template <uint32_t num_local_cbs>
inline void align_local_cbs_to_remote_cb(uint32_t remote_cb_index, const uint32_t (&local_cb_indices)[num_local_cbs]) {
    const RemoteCBInterface& remote_cb = get_remote_receiver_cb_interface(remote_cb_index);
    if (remote_cb.fifo_start_addr == 0) {
        return;
    }
    for (const uint32_t index : local_cb_indices) {
        LocalCBInterface& local_cb = get_local_cb_interface(index);
        local_cb.fifo_limit = remote_cb.fifo_limit_page_aligned >> cb_addr_shift;
        local_cb.fifo_size = (remote_cb.fifo_limit_page_aligned - remote_cb.fifo_start_addr) >> cb_addr_shift;
        ASSERT(local_cb.fifo_size % local_cb.fifo_page_size == 0);
        local_cb.fifo_num_pages = local_cb.fifo_size / local_cb.fifo_page_size;
        local_cb.fifo_rd_ptr = local_cb.fifo_wr_ptr = remote_cb.fifo_rd_ptr >> cb_addr_shift;
    }
}

inline void update_remote_cb_config_in_l1(uint32_t remote_cb_index) {
    const RemoteCBInterface& cb = get_remote_receiver_cb_interface(remote_cb_index);
    tw::remote::word(cb.config_ptr)[tw::remote::kPointer] = cb.fifo_rd_ptr - tw_context()->l1_base;
}

#if !defined(COMPILE_FOR_TRISC)

template <bool update_remote_over_noc = false>
inline void resize_remote_sender_cb_interface(
    uint32_t cb_id, uint32_t page_size, uint8_t noc, uint8_t nm = noc_mode, bool posted = true, uint8_t cmd_buf = 0) {
    RemoteCBInterface& cb = tw::remote::sender(cb_id, noc);
    const uint32_t skipped = tw::remote::resize(cb, page_size);
    if constexpr (update_remote_over_noc) {
        tw::remote::tell_sent(cb, skipped, noc);
    }
}

template <bool update_remote_over_noc = false>
inline void resize_remote_receiver_cb_interface(
    uint32_t cb_id, uint32_t page_size, uint8_t noc, uint8_t nm = noc_mode, bool posted = true, uint8_t cmd_buf = 0) {
    RemoteCBInterface& cb = tw::remote::receiver(cb_id, noc);
    const uint32_t skipped = tw::remote::resize(cb, page_size);
    if constexpr (update_remote_over_noc) {
        tw::remote::wait_for_units(cb, skipped);
        tw::remote::tell_acked(cb, skipped, noc);
    }
}

inline void remote_cb_wait_front(uint32_t cb_id, uint32_t num_pages) {
    const RemoteCBInterface& cb = tw::remote::receiver(cb_id, noc_index);
    tw::remote::wait_for_units(cb, tw::remote::units(cb, num_pages));
}

inline void remote_cb_pop_front(uint32_t cb_id, uint32_t num_pages, uint8_t noc = noc_index) {
    RemoteCBInterface& cb = tw::remote::receiver(cb_id, noc);
    const uint32_t count = tw::remote::units(cb, num_pages);
    const uint32_t next = cb.fifo_rd_ptr + num_pages * cb.fifo_page_size;
    const bool wraps = next >= cb.fifo_limit_page_aligned;
    cb.fifo_rd_ptr = wraps ? cb.fifo_start_addr + (next - cb.fifo_limit_page_aligned) : next;
    tw::remote::tell_acked(cb, count, noc);
}

inline void remote_cb_reserve_back(uint32_t cb_id, uint32_t num_pages) {
    const RemoteCBInterface& cb = tw::remote::sender(cb_id, noc_index);
    const uint32_t needed = tw::remote::units(cb, num_pages), all = tw::remote::fifo_size(cb) / tw::remote::kUnit;
    for (uint32_t receiver = 0; receiver < cb.num_receivers; receiver++) {
        const uint32_t sent = *tw::remote::sent(cb, receiver);
        if (sent + needed > all) {
            tw_semaphore_wait_at_least(tw::remote::acked(cb, receiver), sent + needed - all);
        }
    }
}

inline void remote_cb_sender_barrier(uint32_t cb_id) {
    const RemoteCBInterface& cb = tw::remote::sender(cb_id, noc_index);
    for (uint32_t receiver = 0; receiver < cb.num_receivers; receiver++) {
        tw_semaphore_wait_equal(tw::remote::acked(cb, receiver), *tw::remote::sent(cb, receiver));
    }
}

// A block of rows in this core's L1, in each row one stretch for each receiver, goes to the receivers as one ring page
// each.
template <bool skip_ptr_update = true>
inline void remote_cb_push_back_and_write_pages(
    uint32_t cb_id,
    uint32_t local_cb_addr,
    uint32_t num_pages,
    uint32_t num_rows,
    uint32_t coalesced_num_pages_per_row,
    uint32_t coalesced_page_size,
    uint8_t noc = noc_index) {
    RemoteCBInterface& cb = tw::remote::sender(cb_id, noc);
    const uint32_t stretch = coalesced_num_pages_per_row * coalesced_page_size;
    uint32_t destination = cb.fifo_wr_ptr;
    for (uint32_t receiver = 0; receiver < cb.num_receivers; receiver++) {
        destination = cb.fifo_wr_ptr;
        for (uint32_t row = 0; row < num_rows; row++) {
            uint32_t source = local_cb_addr + (row * cb.num_receivers + receiver) * stretch;
            for (uint32_t page = 0; page < coalesced_num_pages_per_row; page++) {
                noc_async_write_one_packet<true, skip_ptr_update>(
                    source, tw::remote::remote_address(cb, receiver, destination, noc), coalesced_page_size, noc);
                source += coalesced_page_size;
                destination += coalesced_page_size;
            }
        }
    }
    // Data and credit travel on one virtual channel, which keeps their order; a checked run models none, so this call tells it.
    noc_async_writes_flushed(noc);
    tw::remote::tell_sent(cb, tw::remote::units(cb, num_pages), noc);
    cb.fifo_wr_ptr = destination == cb.fifo_limit_page_aligned ? cb.fifo_start_addr : destination;
}

class RemoteCircularBuffer {
public:
    enum class RemotePointerUpdate { SKIP, UPDATE_OVER_NOC };

    explicit RemoteCircularBuffer(uint32_t remote_cb_index) : remote_cb_index_(remote_cb_index) {}

    void reserve_back(uint32_t num_pages) { remote_cb_reserve_back(remote_cb_index_, num_pages); }
    void wait_front(uint32_t num_pages) { remote_cb_wait_front(remote_cb_index_, num_pages); }
    void pop_front(Noc& noc, uint32_t num_pages) { remote_cb_pop_front(remote_cb_index_, num_pages, noc.get_noc_id()); }
    void barrier() { remote_cb_sender_barrier(remote_cb_index_); }
    void commit() { update_remote_cb_config_in_l1(remote_cb_index_); }

    template <typename Src, RemotePointerUpdate update_remote_pointer = RemotePointerUpdate::UPDATE_OVER_NOC>
    void push_back(
        Noc& noc,
        const Src& src,
        uint32_t num_pages,
        uint32_t num_rows,
        uint32_t coalesced_num_pages_per_row,
        uint32_t coalesced_page_size,
        const typename noc_traits_t<Src>::src_args_type& src_args = typename noc_traits_t<Src>::src_args_type{}) {
        remote_cb_push_back_and_write_pages<update_remote_pointer == RemotePointerUpdate::UPDATE_OVER_NOC>(
            remote_cb_index_,
            noc_traits_t<Src>::template src_addr<Noc::AddressType::LOCAL_L1>(src, noc, src_args),
            num_pages,
            num_rows,
            coalesced_num_pages_per_row,
            coalesced_page_size,
            noc.get_noc_id());
    }
    // As on a card: each of the two resizes the other one's interface.
    template <RemotePointerUpdate update_remote_pointer = RemotePointerUpdate::UPDATE_OVER_NOC>
    void set_sender_page_size(
        Noc& noc, uint32_t page_size, uint8_t nm = noc_mode, bool posted = true, uint8_t cmd_buf = 0) {
        resize_remote_receiver_cb_interface<update_remote_pointer == RemotePointerUpdate::UPDATE_OVER_NOC>(
            remote_cb_index_, page_size, noc.get_noc_id());
    }
    template <RemotePointerUpdate update_remote_pointer = RemotePointerUpdate::UPDATE_OVER_NOC>
    void set_receiver_page_size(
        Noc& noc, uint32_t page_size, uint8_t nm = noc_mode, bool posted = true, uint8_t cmd_buf = 0) {
        resize_remote_sender_cb_interface<update_remote_pointer == RemotePointerUpdate::UPDATE_OVER_NOC>(
            remote_cb_index_, page_size, noc.get_noc_id());
    }

private:
    uint32_t remote_cb_index_;
};

#endif

}  // namespace experimental
