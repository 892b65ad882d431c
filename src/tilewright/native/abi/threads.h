// SPDX-License-Identifier: Apache-2.0
// The three threads of a compute kernel, as selected by its own statements (UNPACK, MATH, PACK), their mailboxes and
// semaphores, and halves of tile operations made by one thread alone.
#pragma once

#include <cstdint>

namespace tw {

enum class ThreadSemaphoreCall : uint32_t { Post, Get, WaitNonZero, WaitBelowMost };

}  // namespace tw

extern "C" {
// Selects the threads for what follows (bits: 1 unpack, 2 math, 4 pack), until tw_end_thread. 0: the caller runs none
// of them, and there is nothing to end.
uint32_t tw_begin_thread(uint32_t threads);
void tw_end_thread();

// Semaphores 0..7 of a core's compute threads. Semaphore 1 counts halves of DST between math and pack.
void tw_thread_semaphore_init(uint32_t index, uint32_t value, uint32_t most);
void tw_thread_semaphore(uint32_t call, uint32_t index);
uint32_t tw_thread_semaphore_value(uint32_t index);

// The mailboxes between the three threads and BRISC. Thread numbers as in ckernel::ThreadId: 0 BRISC, 1 unpack, 2 math,
// 3 pack. The reader or writer is the thread that the statement selects. Where none is selected and one fiber runs all
// three, a read takes the oldest word sent to the math thread if there is one, then to pack, then to unpack.
void tw_mailbox_write(uint32_t to_thread, uint32_t value);
uint32_t tw_mailbox_read(uint32_t from_thread);

// The unpack half of an operation by itself: `count` pairs of circular buffer and tile. The math half that takes them
// is the operation's own call with tw::kNoCb as circular buffers.
void tw_unpack_tiles(const uint32_t* pairs, uint32_t count, uint32_t whole_tiles);
// The same for a matrix product, tiles as tw_matmul_block names them.
void tw_unpack_product(
    uint32_t cb_a, uint32_t cb_b, uint32_t tile_a, uint32_t tile_b, uint32_t ct_dim, uint32_t rt_dim, uint32_t kt_dim);
}
