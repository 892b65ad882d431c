// SPDX-License-Identifier: Apache-2.0
// NoC and semaphore calls of the engine.
//
// A NoC address is laid out as on Wormhole: local address in bits 0..35, x in 36..41, y in 42..47.
// A multicast address holds the rectangle: x_end 36..41, y_end 42..47, x_start 48..53, y_start 54..59.
// Local L1 addresses may be offsets or full slot pointers; the engine masks them.
#pragma once

#include <cstdint>

namespace tw {

inline constexpr uint32_t kNocLocalBits = 36;
inline constexpr uint32_t kNocNodeBits = 6;

enum class Barrier : uint8_t {
    Read = 0,          // all reads have landed
    WriteAck = 1,      // all non-posted writes are acknowledged
    WriteSent = 2,     // all non-posted writes have left ("flushed")
    PostedSent = 3,    // all posted writes have left
    Atomic = 4,        // all non-posted atomics are acknowledged
    Full = 5,
};

enum NocFlag : uint32_t {
    kNocPosted = 1u << 0,
    kNocLinked = 1u << 1,
    kNocLoopback = 1u << 2,  // multicast includes the sender
};

inline constexpr uint32_t kNoTransactionId = 0xffffffffu;

}  // namespace tw

extern "C" {
void tw_noc_read(uint64_t source, uint32_t destination_l1, uint32_t bytes, uint32_t noc, uint32_t transaction_id);
void tw_noc_write(
    uint32_t source_l1, uint64_t destination, uint32_t bytes, uint32_t noc, uint32_t flags, uint32_t transaction_id);
void tw_noc_write_multicast(
    uint32_t source_l1,
    uint64_t destination_rectangle,
    uint32_t bytes,
    uint32_t num_destinations,
    uint32_t noc,
    uint32_t flags,
    uint32_t transaction_id);
// 4-byte value carried in the packet itself; byte_enable selects its bytes (0xF for all).
void tw_noc_inline_write(uint64_t destination, uint32_t value, uint32_t byte_enable, uint32_t noc, uint32_t flags);
void tw_noc_inline_write_multicast(
    uint64_t destination_rectangle, uint32_t value, uint32_t num_destinations, uint32_t noc, uint32_t flags);
void tw_noc_zero(uint64_t destination, uint32_t bytes, uint32_t noc);  // write zeros
void tw_noc_atomic_increment(uint64_t destination, uint32_t increment, uint32_t wrap, uint32_t noc, uint32_t flags);
void tw_noc_atomic_increment_multicast(
    uint64_t destination_rectangle, uint32_t increment, uint32_t num_destinations, uint32_t noc, uint32_t flags);
// Called for transfers that must fit one packet. A checked run reports those that do not.
void tw_noc_packet(uint32_t bytes, uint32_t most);
// Called in a checked run: the page of a buffer that an address is meant to be.
void tw_noc_page(uint32_t is_dram, uint32_t base, uint32_t page, uint32_t page_bytes, uint64_t address);
// transaction_id = kNoTransactionId waits for all of that kind.
void tw_noc_barrier(uint32_t kind, uint32_t noc, uint32_t transaction_id);
uint32_t tw_noc_barrier_done(uint32_t kind, uint32_t noc, uint32_t transaction_id);  // non-blocking form

void tw_semaphore_wait_equal(volatile uint32_t* address, uint32_t value);
void tw_semaphore_wait_at_least(volatile uint32_t* address, uint32_t value);
// A point in a polling loop where other kernels run (invalidate_l1_cache, riscv_wait, ...).
void tw_poll_yield();
void tw_invalidate_l1_cache();

// NoC coordinates of a DRAM bank / an L1 bank (= worker core), and the bank's base offset.
uint64_t tw_bank_noc_address(uint32_t is_dram, uint32_t bank, uint32_t local_address, uint32_t noc);
uint32_t tw_num_banks(uint32_t is_dram);
uint64_t tw_time_cycles();  // value of the wall clock
// The address of its low (0) or high (1) word. The words move on when the kernel goes on after a wait, and every 20 ms.
uintptr_t tw_wall_clock_word(uint32_t word);
}
