// SPDX-License-Identifier: Apache-2.0
// Semaphores and inline writes as free functions.
#pragma once

#include <cstdint>

#include "tw/noc_transfers.h"

template <ProgrammableCoreType type = ProgrammableCoreType::TENSIX>
FORCE_INLINE uintptr_t get_semaphore(uint32_t semaphore_id) {
    if constexpr (type != ProgrammableCoreType::TENSIX) {
        tw_not_modelled("get_semaphore of a core that is no Tensix core");
    }
    return tw_context()->semaphore_base + semaphore_id * L1_ALIGNMENT;
}

FORCE_INLINE void noc_semaphore_wait(volatile uint32_t* sem_addr, uint32_t val) {
    tw_semaphore_wait_equal(sem_addr, val);
}
FORCE_INLINE void noc_semaphore_wait_min(volatile uint32_t* sem_addr, uint32_t val) {
    tw_semaphore_wait_at_least(sem_addr, val);
}
FORCE_INLINE void noc_semaphore_set(volatile uint32_t* sem_addr, uint32_t val) {
#if defined(TW_RECORDED)
    tw::recorded::semaphore_set(sem_addr, val);
#endif
    *sem_addr = val;
}
inline void wait_for_sync_register_value(uintptr_t addr, int32_t val) {
    tw_semaphore_wait_equal(reinterpret_cast<volatile uint32_t*>(addr), uint32_t(val));
}

template <bool posted = false>
FORCE_INLINE void noc_semaphore_inc(
    uint64_t addr, uint32_t incr, uint8_t noc_id = noc_index, uint8_t vc = NOC_UNICAST_WRITE_VC) {
    tw_noc_atomic_increment(addr, incr, 31, noc_id, tw::posted_flag(posted));
}
template <bool posted = false>
FORCE_INLINE void noc_semaphore_inc_multicast(
    uint64_t addr, uint32_t incr, uint32_t num_dests, uint8_t noc_id = noc_index, uint8_t vc = NOC_MULTICAST_WRITE_VC) {
    tw_noc_atomic_increment_multicast(addr, incr, num_dests, noc_id, tw::posted_flag(posted));
}
FORCE_INLINE void noc_semaphore_set_remote(uint32_t src_local_l1_addr, uint64_t dst_noc_addr, uint8_t noc = noc_index) {
    noc_async_write(src_local_l1_addr, dst_noc_addr, 4, noc);
}
FORCE_INLINE void noc_semaphore_set_multicast(
    uint32_t src_local_l1_addr,
    uint64_t dst_noc_addr_multicast,
    uint32_t num_dests,
    bool linked = false,
    uint8_t noc = noc_index,
    uint8_t vc = NOC_MULTICAST_WRITE_VC) {
    noc_async_write_multicast(src_local_l1_addr, dst_noc_addr_multicast, 4, num_dests, linked, noc);
}
FORCE_INLINE void noc_semaphore_set_multicast_loopback_src(
    uint32_t src_local_l1_addr,
    uint64_t dst_noc_addr_multicast,
    uint32_t num_dests,
    bool linked = false,
    uint8_t noc = noc_index) {
    noc_async_write_multicast_loopback_src(src_local_l1_addr, dst_noc_addr_multicast, 4, num_dests, linked, noc);
}

// --- a value carried in the packet itself ---

template <InlineWriteDst dst_type = InlineWriteDst::DEFAULT, bool posted = false, bool flush = true>
FORCE_INLINE void noc_inline_dw_write(
    uint64_t addr,
    uint32_t val,
    uint8_t be = 0xF,
    uint8_t noc = noc_index,
    uint8_t vc = NOC_UNICAST_WRITE_VC,
    uint32_t customized_src_addr = 0) {
    tw_noc_inline_write(addr, val, be, noc, tw::posted_flag(posted));
}
template <InlineWriteDst dst_type = InlineWriteDst::DEFAULT, bool posted = false, bool flush = true>
FORCE_INLINE void noc_inline_mcast_dw_write(
    uint64_t addr,
    uint32_t val,
    uint8_t be = 0xF,
    uint8_t noc = noc_index,
    uint8_t vc = NOC_MULTICAST_WRITE_VC,
    uint32_t customized_src_addr = 0,
    uint32_t num_dest = 1) {
    if (be != 0xF) {
        tw_not_modelled("noc_inline_mcast_dw_write of some bytes only");
    }
    tw_noc_inline_write_multicast(addr, val, num_dest, noc, tw::posted_flag(posted));
}
template <bool posted = false, bool set_val = false>
FORCE_INLINE void noc_inline_dw_write_set_state(
    uint64_t addr,
    uint32_t val = 0,
    uint8_t be = 0xF,
    uint8_t cmd_buf = write_at_cmd_buf,
    uint8_t noc = noc_index,
    uint8_t vc = NOC_UNICAST_WRITE_VC) {
    tw::NocState* state = tw_noc_state(noc);
    state->inline_destination = addr;
    state->inline_byte_enable = be;
    state->inline_flags = tw::posted_flag(posted);
    if constexpr (set_val) {
        state->inline_value = val;
    }
}
template <
    bool update_addr_lo = false,
    bool update_counter = true,
    bool posted = false,
    bool update_addr_hi = false,
    bool update_val = false,
    InlineWriteDst dst_type = InlineWriteDst::DEFAULT>
inline void noc_inline_dw_write_with_state(
    uint32_t val, uint32_t addr = 0, uint8_t cmd_buf = write_at_cmd_buf, uint8_t noc = noc_index) {
    static_assert(!(update_addr_lo && update_addr_hi), "only one half of the address can be changed at a time");
    tw::NocState* state = tw_noc_state(noc);
    if constexpr (update_addr_lo) {
        state->inline_destination = tw::with_low_word(state->inline_destination, addr);
    } else if constexpr (update_addr_hi) {
        state->inline_destination = NOC_XY_ADDR2(addr, NOC_LOCAL_ADDR_OFFSET(state->inline_destination));
    }
    if constexpr (update_val) {
        state->inline_value = val;
    }
    tw_noc_inline_write(
        state->inline_destination, state->inline_value, state->inline_byte_enable, noc, tw::posted_flag(posted));
}
