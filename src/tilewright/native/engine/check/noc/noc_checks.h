// SPDX-License-Identifier: Apache-2.0
// Calls of kernels that use the NoC, a semaphore or a circular buffer's credits, in a checked run. These functions are
// called before the call takes effect.
#pragma once

#include <cstdint>
#include <string>

#include "abi/noc.h"
#include "check/noc/multicast_receivers.h"
#include "check/noc/noc_addresses.h"
#include "check/noc/semaphores.h"
#include "check/noc/transfers.h"
#include "check/ordering.h"

namespace tw {

class NocChecks {
public:
    explicit NocChecks(Ordering& ordering) : ordering_(ordering) {}

    // Once the program is on the chip.
    void start(Program& program);

    void read(uint64_t source, uint32_t local, uint32_t bytes, uint32_t noc, uint32_t transaction_id);
    void write(
        uint32_t local, uint64_t destination, uint32_t bytes, uint32_t noc, uint32_t flags, uint32_t transaction_id);
    void write_multicast(
        uint32_t local,
        uint64_t rectangle,
        uint32_t bytes,
        uint32_t num_destinations,
        uint32_t noc,
        uint32_t flags,
        uint32_t transaction_id);
    void inline_write(uint64_t destination, uint32_t value, uint32_t noc, uint32_t flags);
    void inline_write_multicast(
        uint64_t rectangle, uint32_t value, uint32_t num_destinations, uint32_t noc, uint32_t flags);
    void zero(uint64_t destination, uint32_t bytes, uint32_t noc);
    void atomic(uint64_t destination, uint32_t amount, uint32_t noc, uint32_t flags);
    void atomic_multicast(uint64_t rectangle, uint32_t amount, uint32_t num_destinations, uint32_t noc, uint32_t flags);
    // A packet of the kernel, on the die it has arrived at (check/fabric/packet_checks.h).
    void packet_write(KernelInstance& instance, uint64_t address, uint32_t bytes, const uint8_t* values);
    void packet_increment(KernelInstance& instance, uint64_t address, uint32_t amount);
    void barrier(Barrier kind, uint32_t noc, uint32_t transaction_id);
    void oversized(uint32_t bytes, uint32_t most);
    void tensor_transfer(
        KernelInstance& instance, const uint8_t* tensor_end, uint32_t local, uint32_t bytes, bool is_read) {
        addresses_.check_tile_sizes(instance, tensor_end, local, bytes, is_read);
    }
    void page(bool is_dram, uint32_t base, uint32_t page, uint32_t page_bytes, uint64_t address);

    void waited(KernelInstance& instance, uint32_t address, uint32_t value, bool equal);
    void push(KernelInstance& instance, uint32_t cb, uint32_t pages);
    void pop(KernelInstance& instance, uint32_t cb, uint32_t pages);
    // Whether a transfer arrives in the bytes or reads from them, or kernels synchronise by them.
    bool holds(const Core& core, uint32_t address, uint32_t bytes) const {
        return transfers_.holds(core, address, bytes) != 0;
    }
    // A load or store of a kernel, or of the unpacker or packer.
    void access(KernelInstance& instance, uint32_t address, uint32_t bytes, bool is_write);
    // Whether kernels raise or wait for this word of a core's L1.
    bool is_sync_word(const Core& core, uint32_t address) const {
        return (transfers_.holds(core, address, 1) & kSyncWord) != 0 && semaphores_.is_sync_word(address);
    }
    // Text about the last wait of a kernel and the kernels that raised the word; empty: it never waited.
    std::string last_wait(const KernelInstance& instance) const;
    void exit(KernelInstance& instance);
    // Makes the findings that need the end of the run.
    void finish(Findings& findings) {
        semaphores_.finish();
        receivers_.finish(semaphores_, findings);
    }
    // The program is stuck.
    void stuck(Program& program);

private:
    uint32_t slot_pointer(const KernelInstance& instance, uint32_t local) const;
    uint32_t own_address(const KernelInstance& instance, uint64_t noc_address) const;
    void check_load(KernelInstance& instance, uint32_t address, uint32_t bytes, const char* what);
    void store_flag(KernelInstance& instance, uint32_t address, uint32_t bytes);
    void check_store(KernelInstance& instance, const Core& core, uint32_t address, uint32_t bytes, const char* what);
    void check_order(
        KernelInstance& instance, const Core& core, uint32_t noc, bool multicast, bool adds, const char* what);
    void packet_signal(KernelInstance& instance, Core& core, uint32_t address, uint32_t value, bool adds);
    void signalled_by_multicast(KernelInstance& instance, uint64_t rectangle, bool loopback);
    void source_freed(KernelInstance& instance, const Transfer& transfer);
    void signal(
        KernelInstance& instance,
        Core& core,
        uint32_t address,
        uint32_t value,
        uint32_t noc,
        bool multicast,
        bool adds);

    Program* program_ = nullptr;
    Ordering& ordering_;
    Transfers transfers_;
    Semaphores semaphores_;
    NocAddresses addresses_;
    MulticastReceivers receivers_;
};

}  // namespace tw
