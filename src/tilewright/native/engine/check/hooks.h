// SPDX-License-Identifier: Apache-2.0
// Where the engine tells a checked run what its kernels do with memory and credits. Callers ask first whether the run
// is a checked one.
#pragma once

#include <cstdint>

namespace tw {

class Program;
struct KernelInstance;

void start_memory_checks(Program& program);
void finish_memory_checks(Program& program);

// A kernel calls the engine: if the run has a seed, another may go first.
void on_call(KernelInstance& instance);

void on_reserved(KernelInstance& instance, uint32_t cb, uint32_t pages);
void on_push(KernelInstance& instance, uint32_t cb, uint32_t pages);
void on_waiting(KernelInstance& instance, uint32_t cb);  // it has to wait
void on_waited(KernelInstance& instance, uint32_t cb, uint32_t pages);
void on_pop(KernelInstance& instance, uint32_t cb, uint32_t pages);
// The kernel reads the credit counters itself.
void on_counters_read(KernelInstance& instance, uint32_t cb);

// A tile operation reads or writes a tile, or a block of rows, of a circular buffer.
void on_tile(KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes, bool is_write);
void on_rows(KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes, bool is_write);

// A semaphore, or another word of L1, had exactly the value a kernel waited for, or at least that.
void on_semaphore_met(KernelInstance& instance, uint32_t address, uint32_t value, bool equal);
void on_mailbox(KernelInstance& instance, bool is_write);
void on_cache_invalidated(KernelInstance& instance);

// What orders the threads of a compute kernel (thread_order.h): operands, blocks, sections of DST, and whatever else one
// of them learns from another.
enum class SectionStep : uint8_t { Acquired, Committed, Waited, Released, Started };
void on_operands(KernelInstance& instance, uint32_t lag);
void on_block(KernelInstance& instance);
void on_section(KernelInstance& instance, SectionStep step);
void on_learnt(KernelInstance& instance);

}  // namespace tw
