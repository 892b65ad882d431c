// SPDX-License-Identifier: Apache-2.0
// Semaphore: a counter in L1 at the same place of every core of the program.
#pragma once

#include <cstdint>

#include "api/dataflow/semaphore_binding_token.h"
#include "tw/core.h"

#if defined(COMPILE_FOR_TRISC)

// Compute kernels can only look at and change their own core's counter.
template <ProgrammableCoreType core_type = ProgrammableCoreType::TENSIX>
class Semaphore {
public:
    explicit Semaphore(SemaphoreBindingToken token) :
        address_(tw_context()->semaphore_base + token.id * L1_ALIGNMENT) {}

    void up(std::uint32_t value) { *pointer() = *pointer() + value; }
    void down(std::uint32_t value) {
        wait_min(value);
        *pointer() = *pointer() - value;
    }
    void wait(std::uint32_t value) const { tw_semaphore_wait_equal(pointer(), value); }
    void wait_min(std::uint32_t value) const { tw_semaphore_wait_at_least(pointer(), value); }
    void set(std::uint32_t value) { *pointer() = value; }
    std::uint32_t value() const { return *pointer(); }
    void wait_not_full(std::uint32_t = 1) const { tw_not_modelled("Semaphore::wait_not_full"); }

private:
    volatile uint32_t* pointer() const { return reinterpret_cast<volatile uint32_t*>(uintptr_t(address_)); }

    uint32_t address_;
};

#else

#include "api/dataflow/noc.h"

template <ProgrammableCoreType core_type = ProgrammableCoreType::TENSIX>
class Semaphore {
    template <ProgrammableCoreType>
    friend class Semaphore;

public:
    explicit Semaphore(std::uint32_t semaphore_id) : address_(get_semaphore<core_type>(semaphore_id)) {}
    explicit Semaphore(SemaphoreBindingToken token) : Semaphore(token.id) {}

    void up(std::uint32_t value) { *pointer() = *pointer() + value; }
    void down(std::uint32_t value) {
        wait_min(value);
        *pointer() = *pointer() - value;
    }
    void wait(std::uint32_t value) const { noc_semaphore_wait(pointer(), value); }
    void wait_min(std::uint32_t value) const { noc_semaphore_wait_min(pointer(), value); }
    void set(std::uint32_t value) { noc_semaphore_set(pointer(), value); }
    std::uint32_t value() const {
        invalidate_l1_cache();
        return *pointer();
    }

    // The same semaphore of another core.
    void up(
        const Noc& noc,
        std::uint32_t noc_x,
        std::uint32_t noc_y,
        std::uint32_t value,
        std::uint8_t vc = NOC_UNICAST_WRITE_VC) {
        noc_semaphore_inc(get_noc_addr(noc_x, noc_y, address_, noc.get_noc_id()), value, noc.get_noc_id(), vc);
    }
    template <ProgrammableCoreType dst_core_type = core_type>
    void relay_unicast(
        const Noc& noc, const Semaphore<dst_core_type>& dst_sem, std::uint32_t noc_x, std::uint32_t noc_y) {
        uint64_t to = get_noc_addr(noc_x, noc_y, dst_sem.address_, noc.get_noc_id());
        noc_semaphore_set_remote(address_, to, noc.get_noc_id());
    }
    template <NocOptions opts = NocOptions::DEFAULT>
    void set_multicast(
        const Noc& noc,
        std::uint32_t noc_x_start,
        std::uint32_t noc_y_start,
        std::uint32_t noc_x_end,
        std::uint32_t noc_y_end,
        std::uint32_t num_dests,
        bool linked = false) {
        relay_multicast<opts>(noc, *this, noc_x_start, noc_y_start, noc_x_end, noc_y_end, num_dests, linked);
    }
    template <NocOptions opts = NocOptions::DEFAULT, ProgrammableCoreType dst_core_type = core_type>
    void relay_multicast(
        const Noc& noc,
        const Semaphore<dst_core_type>& dst_sem,
        std::uint32_t noc_x_start,
        std::uint32_t noc_y_start,
        std::uint32_t noc_x_end,
        std::uint32_t noc_y_end,
        std::uint32_t num_dests,
        bool linked = false) {
        uint8_t id = noc.get_noc_id();
        uint64_t to = get_noc_multicast_addr(noc_x_start, noc_y_start, noc_x_end, noc_y_end, dst_sem.address_, id);
        if constexpr (has_flag(opts, NocOptions::MCAST_INCL_SRC)) {
            noc_semaphore_set_multicast_loopback_src(address_, to, num_dests, linked, id);
        } else {
            noc_semaphore_set_multicast(address_, to, num_dests, linked, id);
        }
    }
    void inc_multicast(
        const Noc& noc,
        std::uint32_t noc_x_start,
        std::uint32_t noc_y_start,
        std::uint32_t noc_x_end,
        std::uint32_t noc_y_end,
        std::uint32_t value,
        std::uint32_t num_dests) {
        uint8_t id = noc.get_noc_id();
        uint64_t to = get_noc_multicast_addr(noc_x_start, noc_y_start, noc_x_end, noc_y_end, address_, id);
        noc_semaphore_inc_multicast(to, value, num_dests, id);
    }

private:
    volatile uint32_t* pointer() const { return reinterpret_cast<volatile uint32_t*>(uintptr_t(address_)); }

    uint32_t address_;
};

#endif

// Where releases before 0.75 had them.
namespace experimental {
using ::Semaphore;
}  // namespace experimental
