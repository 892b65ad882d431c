// SPDX-License-Identifier: Apache-2.0
// Every call of a kernel that touches the NoC, a semaphore or a circular buffer's credits, as a checked run sees it.
// The calls happen after these, so nothing here has moved yet.
#pragma once

#include <cstdint>

#include "abi/noc.h"
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
    void atomic_multicast(
        uint64_t rectangle, uint32_t amount, uint32_t num_destinations, uint32_t noc, uint32_t flags);
    void barrier(Barrier kind, uint32_t noc, uint32_t transaction_id);
    void oversized(uint32_t bytes, uint32_t most);
    void page(bool is_dram, uint32_t base, uint32_t page, uint32_t page_bytes, uint64_t address);

    void waited(KernelInstance& instance, uint32_t address, uint32_t value, bool equal);
    void push(KernelInstance& instance, uint32_t cb, uint32_t pages);
    void pop(KernelInstance& instance, uint32_t cb, uint32_t pages);
    // A load or store of a kernel, or of the unpacker or packer.
    void access(KernelInstance& instance, uint32_t address, uint32_t bytes, bool is_write);
    void exit(KernelInstance& instance);
    // Nothing can run any more.
    void stuck(Program& program);

private:
    uint32_t slot_pointer(const KernelInstance& instance, uint32_t local) const;
    uint32_t own_address(const KernelInstance& instance, uint64_t noc_address) const;
    void judge_load(KernelInstance& instance, uint32_t address, uint32_t bytes, const char* what);
    void judge_store(
        KernelInstance& instance, const Core& core, uint32_t address, uint32_t bytes, const char* what);
    void judge_order(KernelInstance& instance, const Core& core, uint32_t noc, bool multicast, const char* what);
    void signal(
        KernelInstance& instance, Core& core, uint32_t address, uint32_t value, uint32_t noc, bool multicast);

    Program* program_ = nullptr;
    Ordering& ordering_;
    Transfers transfers_;
    Semaphores semaphores_;
    NocAddresses addresses_;
};

}  // namespace tw
