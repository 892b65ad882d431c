// SPDX-License-Identifier: Apache-2.0
// Hooks by which the engine reports to a checked run what kernels do with memory, credits, the NoC and compute threads.
#pragma once

#include <cstdint>

#include "abi/noc.h"
#include "check/hook.h"
#include "run/scheduler.h"

namespace tw {

void start_memory_checks(Program& program);
void finish_memory_checks(Program& program);

// A kernel calls the engine: a randomised schedule may switch to another kernel.
TW_HOOK(instance, on_call, (KernelInstance & instance), (instance))
// A kernel is suspended, and others run.
TW_HOOK(instance, on_suspended, (KernelInstance & instance), (instance))
// A kernel's code has ended; each of a compute kernel's three threads calls it.
TW_HOOK(instance, on_end, (KernelInstance & instance), (instance))
// The program is stuck, and this kernel waits.
TW_HOOK(instance, on_stuck, (KernelInstance & instance), (instance))

// --- credits ---
TW_HOOK(instance, on_reserved, (KernelInstance & instance, uint32_t cb, uint32_t pages), (instance, cb, pages))
TW_HOOK(instance, on_push, (KernelInstance & instance, uint32_t cb, uint32_t pages), (instance, cb, pages))
TW_HOOK(instance, on_waiting, (KernelInstance & instance, uint32_t cb), (instance, cb))  // it has to wait
TW_HOOK(instance, on_waited, (KernelInstance & instance, uint32_t cb, uint32_t pages), (instance, cb, pages))
TW_HOOK(instance, on_pop, (KernelInstance & instance, uint32_t cb, uint32_t pages), (instance, cb, pages))
// The kernel reads the credit counters itself, now or later.
TW_HOOK(instance, on_counters_read, (KernelInstance & instance, uint32_t cb), (instance, cb))
bool reads_counters(const KernelInstance& instance, uint32_t cb);

// --- pages ---
// A tile operation reads or writes a tile, or a block of rows, of a circular buffer.
TW_HOOK(
    instance,
    on_tile,
    (KernelInstance & instance, uint32_t cb, uint32_t address, uint32_t bytes, bool is_write),
    (instance, cb, address, bytes, is_write))
TW_HOOK(
    instance,
    on_rows,
    (KernelInstance & instance, uint32_t cb, uint32_t address, uint32_t bytes, bool is_write),
    (instance, cb, address, bytes, is_write))
// A block of rows ends behind its circular buffer, which has `left` bytes for it.
TW_HOOK(
    instance,
    on_rows_past_end,
    (KernelInstance & instance, uint32_t cb, uint64_t left, uint64_t bytes, bool is_write, const char* call),
    (instance, cb, left, bytes, is_write, call))

// --- synchronisation ---
// A semaphore, or another word of L1, had exactly the value a kernel waited for, or at least that.
TW_HOOK(
    instance,
    on_semaphore_met,
    (KernelInstance & instance, const volatile uint32_t* word, uint32_t value, bool equal),
    (instance, word, value, equal))
TW_HOOK(instance, on_mailbox, (KernelInstance & instance, bool is_write), (instance, is_write))
TW_HOOK(instance, on_cache_invalidated, (KernelInstance & instance), (instance))

// --- the NoC; calls come before anything has moved ---
TW_HOOK(
    instance,
    on_noc_read,
    (KernelInstance & instance, uint64_t source, uint32_t local, uint32_t bytes, uint32_t noc, uint32_t transaction_id),
    (instance, source, local, bytes, noc, transaction_id))
TW_HOOK(
    instance,
    on_noc_write,
    (KernelInstance & instance,
     uint32_t local,
     uint64_t destination,
     uint32_t bytes,
     uint32_t noc,
     uint32_t flags,
     uint32_t transaction_id),
    (instance, local, destination, bytes, noc, flags, transaction_id))
TW_HOOK(
    instance,
    on_noc_write_multicast,
    (KernelInstance & instance,
     uint32_t local,
     uint64_t rectangle,
     uint32_t bytes,
     uint32_t num_destinations,
     uint32_t noc,
     uint32_t flags,
     uint32_t transaction_id),
    (instance, local, rectangle, bytes, num_destinations, noc, flags, transaction_id))
TW_HOOK(
    instance,
    on_noc_inline_write,
    (KernelInstance & instance, uint64_t destination, uint32_t value, uint32_t noc, uint32_t flags),
    (instance, destination, value, noc, flags))
TW_HOOK(
    instance,
    on_noc_inline_write_multicast,
    (KernelInstance & instance,
     uint64_t rectangle,
     uint32_t value,
     uint32_t num_destinations,
     uint32_t noc,
     uint32_t flags),
    (instance, rectangle, value, num_destinations, noc, flags))
TW_HOOK(
    instance,
    on_noc_zero,
    (KernelInstance & instance, uint64_t destination, uint32_t bytes, uint32_t noc),
    (instance, destination, bytes, noc))
TW_HOOK(
    instance,
    on_noc_atomic,
    (KernelInstance & instance, uint64_t destination, uint32_t amount, uint32_t noc, uint32_t flags),
    (instance, destination, amount, noc, flags))
TW_HOOK(
    instance,
    on_noc_atomic_multicast,
    (KernelInstance & instance,
     uint64_t rectangle,
     uint32_t amount,
     uint32_t num_destinations,
     uint32_t noc,
     uint32_t flags),
    (instance, rectangle, amount, num_destinations, noc, flags))
TW_HOOK(
    instance,
    on_noc_barrier,
    (KernelInstance & instance, Barrier kind, uint32_t noc, uint32_t transaction_id),
    (instance, kind, noc, transaction_id))
TW_HOOK(instance, on_noc_packet, (KernelInstance & instance, uint32_t bytes, uint32_t most), (instance, bytes, most))
TW_HOOK(
    instance,
    on_noc_page,
    (KernelInstance & instance, bool is_dram, uint32_t base, uint32_t page, uint32_t page_bytes, uint64_t address),
    (instance, is_dram, base, page, page_bytes, address))

// --- the threads of a compute kernel (thread_order.h) ---
// Events that order them: operands, blocks, sections of DST, and any other synchronisation.
enum class SectionStep : uint8_t { Acquired, Committed, Waited, Released, Started };
TW_HOOK(instance, on_operands, (KernelInstance & instance, uint32_t lag), (instance, lag))
TW_HOOK(instance, on_block, (KernelInstance & instance), (instance))
TW_HOOK(instance, on_section, (KernelInstance & instance, SectionStep step), (instance, step))
TW_HOOK(instance, on_synchronised, (KernelInstance & instance), (instance))
// The kernel's threads are split; a thread continues with another half of DST.
TW_HOOK(instance, on_split, (KernelInstance & instance), (instance))
TW_HOOK(instance, on_half, (KernelInstance & instance, uint32_t half), (instance, half))

}  // namespace tw
