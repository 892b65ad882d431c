// SPDX-License-Identifier: Apache-2.0
// NoC reads, writes, multicasts and barriers as free functions.
#pragma once

#include <cstdint>

#include "../../abi/noc.h"
#include "../../abi/noc_state.h"
#include "internal/dataflow/dataflow_api_addrgen.h"
#include "tw/core.h"

constexpr uint32_t read_cmd_buf = 0;
constexpr uint32_t write_cmd_buf = 1;
constexpr uint32_t write_reg_cmd_buf = 2;
constexpr uint32_t write_at_cmd_buf = 3;

namespace tw {

constexpr uint32_t posted_flag(bool posted) { return posted ? uint32_t(kNocPosted) : 0u; }
constexpr uint32_t linked_flag(bool linked) { return linked ? uint32_t(kNocLinked) : 0u; }
inline void barrier(Barrier kind, uint32_t noc, uint32_t transaction_id = kNoTransactionId) {
    tw_noc_barrier(uint32_t(kind), noc, transaction_id);
}
inline bool barrier_done(Barrier kind, uint32_t noc, uint32_t transaction_id = kNoTransactionId) {
    return tw_noc_barrier_done(uint32_t(kind), noc, transaction_id);
}
// "with_state" calls name only the lower 32 bits of an address; the rest was set before.
inline uint64_t with_low_word(uint64_t address, uint32_t low) {
#if defined(TW_RECORDED)
    tw_record_with_state();
#endif
    return (address & ~uint64_t(0xffffffff)) | low;
}

// A call that sends one packet cannot send more.
inline void one_packet(uint32_t bytes) {
    if (bytes > NOC_MAX_BURST_SIZE) {
        tw_noc_packet(bytes, NOC_MAX_BURST_SIZE);
    }
}

template <typename AddrGen>
inline uint32_t page_bytes(const AddrGen& addrgen) {
    if constexpr (has_get_aligned_page_size_v<AddrGen>) {
        return addrgen.get_aligned_page_size();
    } else if constexpr (has_page_size_v<AddrGen>) {
        return addrgen.page_size;
    } else {
        return 1u << addrgen.log_base_2_of_page_size;
    }
}

}  // namespace tw

// --- reads ---

template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, bool enable_noc_tracing = true>
FORCE_INLINE void noc_async_read(
    uint64_t src_noc_addr,
    uint32_t dst_local_l1_addr,
    uint32_t size,
    uint8_t noc = noc_index,
    uint32_t read_req_vc = NOC_UNICAST_WRITE_VC) {
    if constexpr (max_page_size <= NOC_MAX_BURST_SIZE) {
        tw::one_packet(size);
    }
    tw_noc_read(src_noc_addr, dst_local_l1_addr, size, noc, tw_noc_state(noc)->read_transaction_id);
}
template <bool enable_noc_tracing = true>
FORCE_INLINE void noc_async_read_one_packet(
    uint64_t src_noc_addr,
    uint32_t dst_local_l1_addr,
    uint32_t size,
    uint8_t noc = noc_index,
    uint32_t read_req_vc = NOC_UNICAST_WRITE_VC) {
    noc_async_read<NOC_MAX_BURST_SIZE>(src_noc_addr, dst_local_l1_addr, size, noc);
}
template <bool use_vc = false>
FORCE_INLINE void noc_async_read_one_packet_set_state(
    uint64_t src_noc_addr, uint32_t size, uint32_t vc = 0, uint8_t noc = noc_index) {
    tw_noc_state(noc)->read_source = src_noc_addr;
    tw_noc_state(noc)->read_bytes = size;
}
template <bool inc_num_issued = true, bool use_vc = false>
FORCE_INLINE void noc_async_read_one_packet_with_state(
    uint32_t src_local_l1_addr, uint32_t dst_local_l1_addr, uint32_t vc = 0, uint8_t noc = noc_index) {
    tw::NocState* state = tw_noc_state(noc);
    noc_async_read<NOC_MAX_BURST_SIZE>(
        tw::with_low_word(state->read_source, src_local_l1_addr), dst_local_l1_addr, state->read_bytes, noc);
}
FORCE_INLINE void noc_async_read_set_state(uint64_t src_noc_addr, uint8_t noc = noc_index) {
    tw_noc_state(noc)->read_source = src_noc_addr;
}
template <bool inc_num_issued = true, bool skip_cmdbuf_chk = false>
FORCE_INLINE void noc_async_read_with_state(
    uint32_t src_local_l1_addr, uint32_t dst_local_l1_addr, uint32_t size, uint8_t noc = noc_index) {
    uint64_t source = tw::with_low_word(tw_noc_state(noc)->read_source, src_local_l1_addr);
    noc_async_read(source, dst_local_l1_addr, size, noc);
}
// Reads are counted when they are issued, by any call.
inline void noc_async_read_inc_num_issued(uint32_t, uint8_t = noc_index) {}

FORCE_INLINE void noc_async_read_set_trid(uint32_t trid = 0, uint8_t noc = noc_index) {
    tw_noc_state(noc)->read_transaction_id = trid;
}
template <bool skip_ptr_update = false, bool skip_cmdbuf_chk = false>
FORCE_INLINE void noc_async_read_one_packet_with_state_with_trid(
    uint32_t src_base_addr, uint32_t src_addr, uint32_t dest_addr, uint32_t trid = 0, uint8_t noc = noc_index) {
    tw::NocState* state = tw_noc_state(noc);
    state->read_transaction_id = trid;
    uint64_t source = tw::with_low_word(state->read_source, src_base_addr + src_addr);
    tw::one_packet(state->read_bytes);
    tw_noc_read(source, dest_addr, state->read_bytes, noc, trid);
}

// --- writes ---

template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, bool enable_noc_tracing = true, bool posted = false>
FORCE_INLINE void noc_async_write(
    uint32_t src_local_l1_addr,
    uint64_t dst_noc_addr,
    uint32_t size,
    uint8_t noc = noc_index,
    uint32_t vc = NOC_UNICAST_WRITE_VC) {
    if constexpr (max_page_size <= NOC_MAX_BURST_SIZE) {
        tw::one_packet(size);
    }
    tw_noc_write(
        src_local_l1_addr, dst_noc_addr, size, noc, tw::posted_flag(posted), tw_noc_state(noc)->write_transaction_id);
}
template <bool enable_noc_tracing = true, bool posted = false>
FORCE_INLINE void noc_async_write_one_packet(
    uint32_t src_local_l1_addr,
    uint64_t dst_noc_addr,
    uint32_t size,
    uint8_t noc = noc_index,
    uint32_t vc = NOC_UNICAST_WRITE_VC) {
    noc_async_write<NOC_MAX_BURST_SIZE, enable_noc_tracing, posted>(src_local_l1_addr, dst_noc_addr, size, noc, vc);
}
template <bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_set_state(
    uint64_t dst_noc_addr, uint32_t size, uint8_t noc = noc_index, uint8_t vc = NOC_UNICAST_WRITE_VC) {
    tw::NocState* state = tw_noc_state(noc);
    state->write_destination = dst_noc_addr;
    state->write_bytes = size;
    state->write_flags = tw::posted_flag(posted);
}
template <bool posted = false>
FORCE_INLINE void noc_async_write_set_state(
    uint64_t dst_noc_addr, uint8_t noc = noc_index, uint8_t vc = NOC_UNICAST_WRITE_VC) {
    noc_async_write_one_packet_set_state<posted>(dst_noc_addr, tw_noc_state(noc)->write_bytes, noc, vc);
}
template <bool posted = false, bool update_counter = true, bool skip_cmdbuf_chk = false>
FORCE_INLINE void noc_async_write_with_state(
    uint32_t src_local_l1_addr, uint32_t dst_local_l1_addr, uint32_t size, uint8_t noc = noc_index) {
    tw::NocState* state = tw_noc_state(noc);
    uint64_t destination = tw::with_low_word(state->write_destination, dst_local_l1_addr);
    tw_noc_write(src_local_l1_addr, destination, size, noc, tw::posted_flag(posted), state->write_transaction_id);
}
template <bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_with_state(
    uint32_t src_local_l1_addr, uint32_t dst_local_l1_addr, uint8_t noc = noc_index) {
    tw::one_packet(tw_noc_state(noc)->write_bytes);
    noc_async_write_with_state<posted>(src_local_l1_addr, dst_local_l1_addr, tw_noc_state(noc)->write_bytes, noc);
}

FORCE_INLINE void noc_async_write_set_trid(uint32_t trid = 0, uint8_t noc = noc_index) {
    tw_noc_state(noc)->write_transaction_id = trid;
}
template <bool update_counter = true, bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_with_trid(
    uint32_t src_local_l1_addr,
    uint64_t dst_noc_addr,
    uint32_t size,
    uint32_t trid,
    uint8_t cmd_buf = write_cmd_buf,
    uint8_t noc = noc_index,
    uint8_t vc = NOC_UNICAST_WRITE_VC) {
    tw::one_packet(size);
    tw_noc_write(src_local_l1_addr, dst_noc_addr, size, noc, tw::posted_flag(posted), trid);
}
template <bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_with_trid_set_state(
    uint64_t dst_noc_addr,
    uint8_t cmd_buf = write_cmd_buf,
    uint8_t noc = noc_index,
    uint8_t vc = NOC_UNICAST_WRITE_VC) {
    noc_async_write_set_state<posted>(dst_noc_addr, noc, vc);
}
template <bool update_counter = true, bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_with_trid_with_state(
    uint32_t src_local_l1_addr,
    uint32_t dst_local_l1_addr,
    uint32_t size,
    uint32_t trid,
    uint8_t cmd_buf = write_cmd_buf,
    uint8_t noc = noc_index) {
    uint64_t destination = tw::with_low_word(tw_noc_state(noc)->write_destination, dst_local_l1_addr);
    tw::one_packet(size);
    tw_noc_write(src_local_l1_addr, destination, size, noc, tw::posted_flag(posted), trid);
}

// --- multicasts ---

template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1>
FORCE_INLINE void noc_async_write_multicast(
    uint32_t src_local_l1_addr,
    uint64_t dst_noc_addr_multicast,
    uint32_t size,
    uint32_t num_dests,
    bool linked = false,
    uint8_t noc = noc_index,
    uint8_t vc = NOC_MULTICAST_WRITE_VC) {
    if constexpr (max_page_size <= NOC_MAX_BURST_SIZE) {
        tw::one_packet(size);
    }
    tw_noc_write_multicast(
        src_local_l1_addr, dst_noc_addr_multicast, size, num_dests, noc, tw::linked_flag(linked), tw::kNoTransactionId);
}
template <bool enable_noc_tracing = true>
FORCE_INLINE void noc_async_write_multicast_one_packet(
    uint32_t src_local_l1_addr,
    uint64_t dst_noc_addr_multicast,
    uint32_t size,
    uint32_t num_dests,
    bool linked = false,
    uint8_t noc = noc_index) {
    noc_async_write_multicast<NOC_MAX_BURST_SIZE>(
        src_local_l1_addr, dst_noc_addr_multicast, size, num_dests, linked, noc);
}
FORCE_INLINE void noc_async_write_multicast_loopback_src(
    uint32_t src_local_l1_addr,
    uint64_t dst_noc_addr_multicast,
    uint32_t size,
    uint32_t num_dests,
    bool linked = false,
    uint8_t noc = noc_index) {
    tw_noc_write_multicast(
        src_local_l1_addr,
        dst_noc_addr_multicast,
        size,
        num_dests,
        noc,
        tw::linked_flag(linked) | tw::kNocLoopback,
        tw::kNoTransactionId);
}

// --- barriers ---

FORCE_INLINE void noc_async_read_barrier(uint8_t noc = noc_index) { tw::barrier(tw::Barrier::Read, noc); }
FORCE_INLINE void noc_async_write_barrier(uint8_t noc = noc_index) { tw::barrier(tw::Barrier::WriteAck, noc); }
FORCE_INLINE void noc_async_writes_flushed(uint8_t noc = noc_index) { tw::barrier(tw::Barrier::WriteSent, noc); }
FORCE_INLINE void noc_async_posted_writes_flushed(uint8_t noc = noc_index) {
    tw::barrier(tw::Barrier::PostedSent, noc);
}
FORCE_INLINE void noc_async_atomic_barrier(uint8_t noc_idx = noc_index) { tw::barrier(tw::Barrier::Atomic, noc_idx); }
FORCE_INLINE void noc_async_full_barrier(uint8_t noc_idx = noc_index) { tw::barrier(tw::Barrier::Full, noc_idx); }
FORCE_INLINE void noc_async_read_barrier_with_trid(uint32_t trid, uint8_t noc = noc_index) {
    tw::barrier(tw::Barrier::Read, noc, trid);
}
FORCE_INLINE void noc_async_write_barrier_with_trid(uint32_t trid, uint8_t noc = noc_index) {
    tw::barrier(tw::Barrier::WriteAck, noc, trid);
}
FORCE_INLINE void noc_async_write_flushed_with_trid(uint32_t trid, uint8_t noc = noc_index) {
    tw::barrier(tw::Barrier::WriteSent, noc, trid);
}
// Counters of outstanding transactions are exact here: there is nothing to set back.
inline void reset_noc_trid_barrier_counter(
    uint32_t id_mask = NOC_CLEAR_OUTSTANDING_REQ_MASK, uint32_t noc = noc_index) {}

inline bool ncrisc_noc_reads_flushed(uint32_t noc) { return tw::barrier_done(tw::Barrier::Read, noc); }
inline bool ncrisc_noc_read_with_transaction_id_flushed(uint32_t noc, uint32_t trid) {
    return tw::barrier_done(tw::Barrier::Read, noc, trid);
}
inline bool ncrisc_noc_nonposted_writes_sent(uint32_t noc) { return tw::barrier_done(tw::Barrier::WriteSent, noc); }
inline bool ncrisc_noc_nonposted_writes_flushed(uint32_t noc) { return tw::barrier_done(tw::Barrier::WriteAck, noc); }
inline bool ncrisc_noc_posted_writes_sent(uint32_t noc) { return tw::barrier_done(tw::Barrier::PostedSent, noc); }
inline bool ncrisc_noc_nonposted_atomics_flushed(uint32_t noc) { return tw::barrier_done(tw::Barrier::Atomic, noc); }
inline bool ncrisc_noc_nonposted_write_with_transaction_id_sent(uint32_t noc, uint32_t trid) {
    return tw::barrier_done(tw::Barrier::WriteSent, noc, trid);
}
inline bool ncrisc_noc_nonposted_write_with_transaction_id_flushed(uint32_t noc, uint32_t trid) {
    return tw::barrier_done(tw::Barrier::WriteAck, noc, trid);
}

// --- pages and shards ---

template <typename AddrGen, bool enable_noc_tracing = true>
FORCE_INLINE void noc_async_read_page(
    uint32_t id, const AddrGen& addrgen, uint32_t dst_local_l1_addr, uint32_t offset = 0, uint8_t noc = noc_index) {
    static_assert(has_required_addrgen_traits_v<AddrGen>, "noc_async_read_page takes an address generator");
    noc_async_read(addrgen.get_noc_addr(id, offset, noc), dst_local_l1_addr, tw::page_bytes(addrgen), noc);
}
template <typename AddrGen>
inline void noc_async_read_tile(
    uint32_t id, const AddrGen& addrgen, uint32_t dst_local_l1_addr, uint32_t offset = 0, uint8_t noc = noc_index) {
    noc_async_read_page(id, addrgen, dst_local_l1_addr, offset, noc);
}
template <typename AddrGen, bool enable_noc_tracing = true, bool posted = false>
FORCE_INLINE void noc_async_write_page(
    uint32_t id,
    const AddrGen& addrgen,
    uint32_t src_local_l1_addr,
    uint32_t size = 0,
    uint32_t offset = 0,
    uint8_t noc = noc_index) {
    static_assert(has_required_addrgen_traits_v<AddrGen>, "noc_async_write_page takes an address generator");
    noc_async_write<NOC_MAX_BURST_SIZE + 1, enable_noc_tracing, posted>(
        src_local_l1_addr, addrgen.get_noc_addr(id, offset, noc), size ? size : tw::page_bytes(addrgen), noc);
}
template <typename AddrGen>
inline void noc_async_write_tile(
    uint32_t id, const AddrGen& addrgen, uint32_t src_local_l1_addr, uint8_t noc = noc_index) {
    noc_async_write_page(id, addrgen, src_local_l1_addr, 0, 0, noc);
}
template <typename Accessor>
inline void noc_async_read_shard(
    uint32_t shard_id, const Accessor& accessor, uint32_t dst_local_l1_addr, uint8_t noc = noc_index) {
    uint32_t bytes = accessor.get_aligned_page_size() * accessor.dspec().shard_volume();
    noc_async_read(accessor.get_shard_noc_addr(shard_id, 0, noc), dst_local_l1_addr, bytes, noc);
}
template <typename Accessor, bool posted = false>
inline void noc_async_write_shard(
    uint32_t shard_id, const Accessor& accessor, uint32_t src_local_l1_addr, uint8_t noc = noc_index) {
    uint32_t bytes = accessor.get_aligned_page_size() * accessor.dspec().shard_volume();
    noc_async_write<NOC_MAX_BURST_SIZE + 1, true, posted>(
        src_local_l1_addr, accessor.get_shard_noc_addr(shard_id, 0, noc), bytes, noc);
}
