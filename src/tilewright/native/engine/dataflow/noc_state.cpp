// SPDX-License-Identifier: Apache-2.0
// Calls that move no data: the NoC's registers and barriers, L1's cache, banks, and the clock.
#include "abi/noc.h"
#include "check/hooks.h"
#include "core.h"
#include "fabric/fabric.h"
#include "run/scheduler.h"

using namespace tw;

extern "C" {

tw::NocState* tw_noc_state(uint32_t noc) { return &current_instance().noc_state[noc & 1u]; }

void tw_noc_barrier(uint32_t kind, uint32_t noc, uint32_t transaction_id) {
    KernelInstance& instance = current_instance();
    on_noc_barrier(instance, static_cast<Barrier>(kind), noc, transaction_id);
    // A randomised schedule also explores that no poller looks between two flags.
    const bool waits = static_cast<Barrier>(kind) == Barrier::WriteAck || static_cast<Barrier>(kind) == Barrier::Full;
    if (waits && instance.scheduler->options.seed == 0) {
        instance.scheduler->acknowledged++;
    }
}

uint32_t tw_noc_barrier_done(uint32_t kind, uint32_t noc, uint32_t transaction_id) {
    tw_noc_barrier(kind, noc, transaction_id);
    return 1;
}

void tw_noc_packet(uint32_t bytes, uint32_t most) { on_noc_packet(current_instance(), bytes, most); }

void tw_noc_page(uint32_t is_dram, uint32_t base, uint32_t page, uint32_t page_bytes, uint64_t address) {
    on_noc_page(current_instance(), is_dram != 0, base, page, page_bytes, address);
}

void tw_invalidate_l1_cache() {
    KernelInstance& instance = current_instance();
    on_cache_invalidated(instance);
    if (Fabric* fabric = instance.scheduler->program.chip.fabric()) {
        tw_poll_yield();  // kernels of the fabric poll credits in their L1
        if (!instance.scheduler->looking_ahead) {
            fabric->return_credits(*instance.core);
        }
    }
}

void tw_poll_yield() { this_scheduler()->suspend(InstanceState::Yielded, WaitKind::None, 0, 0); }

uint64_t tw_bank_noc_address(uint32_t is_dram, uint32_t bank, uint32_t local_address, uint32_t) {
    const Chip& chip = this_scheduler()->program.chip;
    if (bank >= chip.num_banks(is_dram != 0)) {
        const char* memory = is_dram ? "DRAM" : "L1";
        kernel_error("%s bank %u does not exist: there are %u", memory, bank, chip.num_banks(is_dram != 0));
    }
    return chip.bank_noc_address(is_dram != 0, bank, local_address);
}

uint32_t tw_num_banks(uint32_t is_dram) { return this_scheduler()->program.chip.num_banks(is_dram != 0); }

// Advances at every call, so that polling loops with a deadline end.
uint64_t tw_time_cycles() {
    tw_poll_yield();
    return wall_clock_cycles(this_scheduler()->program.chip);
}

uintptr_t tw_wall_clock_word(uint32_t word) {
    KernelInstance& instance = current_instance();
    instance.reads_wall_clock = true;
    update_wall_clock(instance);
    return reinterpret_cast<uintptr_t>(&instance.wall_clock[word]);
}
}
