// SPDX-License-Identifier: Apache-2.0
// Prefetcher pipes: a ring in the L1 of several receiving cores, which one sending core fills over the NoC, and which
// outlives programs. Senders are worker cores; a DRAM core as a sender does not exist here.
#pragma once

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/dataflow_buffer.h"
#include "api/dataflow/noc.h"
#include "api/dataflow/prefetcher_pipe_binding_token.h"
#include "tw/pipes.h"

#if !defined(TW_PREFETCHER_PIPES)  // the host defines it if a kernel's cores have any
#define TW_PREFETCHER_PIPES (tw_not_modelled("a prefetcher pipe in a program that has none"), 0u)
#endif

namespace experimental {

struct DramSenderConfigPage {
    uint32_t config_page_addr = 0;
};

class PrefetcherPipe {
public:
    explicit PrefetcherPipe(uint8_t prefetcher_pipe_id) :
        slot_(tw::pipes::slot(TW_PREFETCHER_PIPES, prefetcher_pipe_id)), page_(tw::pipes::words(slot_.page)) {
        start_ = tw_context()->l1_base + page_[tw::pipes::kStart];
        offset_ = page_[tw::pipes::kPointer] - page_[tw::pipes::kStart];
        if (page_[tw::pipes::kEntrySize] != slot_.entry_size) {
            resize(slot_.entry_size);
        }
    }
    explicit PrefetcherPipe(PrefetcherPipeBindingToken token) : PrefetcherPipe(token.prefetcher_pipe_id()) {}
    PrefetcherPipe(DramSenderConfigPage, uint32_t) : PrefetcherPipe(uint8_t{0}) {
        tw_not_modelled("a prefetcher pipe whose sender is a DRAM core");
    }
    ~PrefetcherPipe() { commit(); }
    PrefetcherPipe(const PrefetcherPipe&) = delete;
    PrefetcherPipe& operator=(const PrefetcherPipe&) = delete;

    void commit() {
        const uint32_t offset = is_sender() ? *write_offset(0) : offset_;
        page_[tw::pipes::kPointer] = page_[tw::pipes::kStart] + offset;
    }
    uint32_t num_receivers() const { return page_[tw::pipes::kNumReceivers]; }
    bool owns_receiver(uint32_t) const { return true; }
    uint32_t get_entry_size() const { return page_[tw::pipes::kEntrySize]; }

    // --- the sender
    void set_entry_size(uint32_t entry_size) {
        ASSERT(is_sender());
        resize(entry_size);
    }
    void reserve_back(uint32_t num_entries) {
        for (uint32_t receiver = 0; receiver < num_receivers(); receiver++) {
            reserve_back_for_receiver(receiver, num_entries);
        }
    }
    void reserve_back_for_receiver(uint32_t receiver, uint32_t num_entries) {
        wait_for_room(receiver, units(*write_offset(receiver), num_entries));
    }
    // A block of rows in this core's L1, in each row one stretch for each receiver.
    template <typename Src>
    void write_strided(
        const Noc& noc,
        const Src& src,
        uint32_t num_rows,
        uint32_t coalesced_num_pages_per_row,
        uint32_t coalesced_page_size,
        const typename noc_traits_t<Src>::src_args_type& src_args = {}) {
        const uint32_t stretch = coalesced_num_pages_per_row * coalesced_page_size;
        const uint32_t from = source(noc, src, src_args);
        for (uint32_t receiver = 0; receiver < num_receivers(); receiver++) {
            uint64_t to = ring_address(receiver, noc, num_rows * stretch);
            for (uint32_t row = 0; row < num_rows; row++) {
                const uint32_t begin = from + (row * num_receivers() + receiver) * stretch;
                for (uint32_t at = 0; at < stretch; at += coalesced_page_size, to += coalesced_page_size) {
                    noc_async_write(begin + at, to, coalesced_page_size, noc.get_noc_id());
                }
            }
        }
    }
    template <typename Src>
    void write_broadcast(
        const Noc& noc,
        const Src& src,
        uint32_t num_entries,
        const typename noc_traits_t<Src>::src_args_type& src_args = {}) {
        for (uint32_t receiver = 0; receiver < num_receivers(); receiver++) {
            write_to_receiver(noc, receiver, src, num_entries, src_args);
        }
    }
    template <typename Src>
    void write_to_receiver(
        const Noc& noc,
        uint32_t receiver,
        const Src& src,
        uint32_t num_entries,
        const typename noc_traits_t<Src>::src_args_type& src_args = {}) {
        const uint32_t bytes = num_entries * get_entry_size();
        noc_async_write(source(noc, src, src_args), ring_address(receiver, noc, bytes), bytes, noc.get_noc_id());
    }
    void flush_writes(const Noc& noc = Noc{}) { noc_async_writes_flushed(noc.get_noc_id()); }
    void push_back(uint32_t num_entries, const Noc& noc = Noc{}) {
        for (uint32_t receiver = 0; receiver < num_receivers(); receiver++) {
            push_back_to_receiver(receiver, num_entries, noc);
        }
    }
    void push_back_to_receiver(uint32_t receiver, uint32_t num_entries, const Noc& noc = Noc{}) {
        tell_sent(receiver, units(*write_offset(receiver), num_entries), noc.get_noc_id());
    }
    void barrier() {
        for (uint32_t receiver = 0; receiver < num_receivers(); receiver++) {
            tw_semaphore_wait_equal(counter(tw::pipes::kAcked, receiver), *counter(tw::pipes::kSent, receiver));
        }
    }

    // --- a receiver
    void set_receiver_entry_size(uint32_t entry_size) {
        ASSERT(!is_sender());
        resize(entry_size);
        if (relay_pages_ != 0) {
            tw::pipes::align_relay(slot_.relay, start_, ring_bytes(), entry_size, offset_);
        }
    }
    void wait_front(uint32_t num_entries) { wait_for_units(units(offset_, num_entries)); }
    void pop_front(uint32_t num_entries, const Noc& noc = Noc{}) {
        if (slot_.relay != tw::pipes::kNoRelay) {
            wait_for_relay(num_entries);
        }
        const uint32_t count = units(offset_, num_entries);
        offset_ = (offset_ + num_entries * get_entry_size()) % usable_bytes();
        tell_acked(count, noc.get_noc_id());
    }
    bool has_unconsumed_entries() { return *counter(tw::pipes::kSent, 0) != *counter(tw::pipes::kAcked, 0); }

    // The local buffer over the ring, through which the receiver hands entries to its compute kernel.
    class RelayView {
    public:
        void reserve_back(uint16_t num_entries) { tw_cb_reserve_back(pipe_.slot_.relay, num_entries); }
        void push_back(uint16_t num_entries) {
            tw_cb_push_back(pipe_.slot_.relay, num_entries);
            pipe_.relay_pushed_ += num_entries;
        }

    private:
        friend class PrefetcherPipe;
        explicit RelayView(PrefetcherPipe& pipe) : pipe_(pipe) {}
        PrefetcherPipe& pipe_;
    };
    RelayView bind_relay() {
        ASSERT(slot_.relay != tw::pipes::kNoRelay);
        relay_pages_ = get_entry_size() / (get_local_cb_interface(slot_.relay).fifo_page_size << cb_addr_shift);
        tw::pipes::align_relay(slot_.relay, start_, ring_bytes(), get_entry_size(), offset_);
        relay_room_ = tw_cb_pages_free(slot_.relay);
        return RelayView(*this);
    }

private:
    bool is_sender() const { return page_[tw::pipes::kIsSender] != 0; }
    uint32_t ring_bytes() const { return page_[tw::pipes::kSize]; }
    uint32_t usable_bytes() const { return ring_bytes() - ring_bytes() % get_entry_size(); }
    volatile uint32_t* counter(tw::pipes::Config which, uint32_t receiver) const {
        return tw::pipes::words(slot_.page + page_[which] + receiver * tw::pipes::kUnit);
    }
    // Where the sender writes next in a receiver's ring, beside its counter.
    volatile uint32_t* write_offset(uint32_t receiver) const { return counter(tw::pipes::kSent, receiver) + 1; }

    // Entries that reach the last whole one take what is left behind it too.
    uint32_t units(uint32_t offset, uint32_t num_entries) const {
        const uint32_t bytes = num_entries * get_entry_size();
        return (bytes + (offset + bytes >= usable_bytes() ? ring_bytes() - usable_bytes() : 0)) / tw::pipes::kUnit;
    }

    template <typename Src>
    static uint32_t source(const Noc& noc, const Src& src, const typename noc_traits_t<Src>::src_args_type& src_args) {
        return noc_traits_t<Src>::template src_addr<Noc::AddressType::LOCAL_L1>(src, noc, src_args);
    }
    uint64_t remote_address(uint32_t receiver, uint32_t address, uint8_t noc) const {
        volatile uint32_t* coordinates = tw::pipes::words(slot_.page + page_[tw::pipes::kCoordinates]) + 2 * receiver;
        return get_noc_addr(coordinates[0], coordinates[1], address - tw_context()->l1_base, noc);
    }
    uint64_t ring_address(uint32_t receiver, const Noc& noc, uint32_t bytes) const {
        ASSERT(*write_offset(receiver) + bytes <= usable_bytes());
        return remote_address(receiver, start_ + *write_offset(receiver), noc.get_noc_id());
    }
    uint32_t peer(uint32_t receiver) const {
        return slot_.page + page_[tw::pipes::kPeer] + receiver * tw::pipes::kUnit;
    }

    void wait_for_room(uint32_t receiver, uint32_t count) {
        const uint32_t sent = *counter(tw::pipes::kSent, receiver), all = ring_bytes() / tw::pipes::kUnit;
        if (sent + count > all) {
            tw_semaphore_wait_at_least(counter(tw::pipes::kAcked, receiver), sent + count - all);
        }
    }
    void tell_sent(uint32_t receiver, uint32_t count, uint8_t noc) {
        if (count != 0) {
            volatile uint32_t* sent = counter(tw::pipes::kSent, receiver);
            *sent = *sent + count;
            *write_offset(receiver) = (*write_offset(receiver) + count * tw::pipes::kUnit) % ring_bytes();
            noc_semaphore_inc(remote_address(receiver, peer(receiver), noc), count, noc);
        }
    }
    void wait_for_units(uint32_t count) {
        tw_semaphore_wait_at_least(counter(tw::pipes::kSent, 0), *counter(tw::pipes::kAcked, 0) + count);
    }
    void tell_acked(uint32_t count, uint8_t noc) {
        if (count != 0) {
            volatile uint32_t* acked = counter(tw::pipes::kAcked, 0);
            *acked = *acked + count;
            noc_semaphore_inc(remote_address(0, peer(0), noc), count, noc);
        }
    }

    // Both sides go on to the next boundary of entries of the new size; what that skips is sent and given back.
    void resize(uint32_t entry_size) {
        ASSERT(entry_size != 0 && entry_size % tw::pipes::kUnit == 0 && entry_size <= ring_bytes());
        const auto skipped = [&](uint32_t offset) {
            const uint32_t next = tw::pipes::next_entry(offset, entry_size, ring_bytes());
            return ((next == 0 && offset != 0 ? ring_bytes() : next) - offset) / tw::pipes::kUnit;
        };
        for (uint32_t receiver = 0; is_sender() && receiver < num_receivers(); receiver++) {
            const uint32_t count = skipped(*write_offset(receiver));
            wait_for_room(receiver, count);
            tell_sent(receiver, count, noc_index);
        }
        if (!is_sender()) {
            const uint32_t count = skipped(offset_);
            wait_for_units(count);
            tell_acked(count, noc_index);
            offset_ = tw::pipes::next_entry(offset_, entry_size, ring_bytes());
        }
        page_[tw::pipes::kEntrySize] = entry_size;
    }

    // Until the compute kernel has popped as many; each look gives others a turn.
    void wait_for_relay(uint32_t num_entries) {
        ASSERT(relay_pages_ != 0);
        relay_popped_ += num_entries * relay_pages_;
        while (relay_pushed_ - (relay_room_ - tw_cb_pages_free(slot_.relay)) < relay_popped_) {
        }
    }

    const tw::pipes::Slot slot_;
    volatile uint32_t* const page_;
    uint32_t start_;
    uint32_t offset_;  // of a receiver: where it reads next in its ring
    uint32_t relay_pages_ = 0;  // of the local buffer, for an entry
    uint32_t relay_room_ = 0;  // of the local buffer, in pages
    uint32_t relay_pushed_ = 0;
    uint32_t relay_popped_ = 0;
};

}  // namespace experimental
