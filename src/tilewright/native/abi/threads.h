// SPDX-License-Identifier: Apache-2.0
// The three threads of a compute kernel, as the kernel's own statements name them (UNPACK, MATH, PACK), what they tell
// each other, and halves of tile operations made by one thread alone.
#pragma once

#include <cstdint>

namespace tw {

enum class ThreadSemaphoreCall : uint32_t { Post, Get, WaitNonZero, WaitBelowMost };

}  // namespace tw

extern "C" {
// What follows is for these threads only (bits: 1 unpack, 2 maths, 4 pack), until tw_end_thread. 0: none of them is the
// caller, and there is nothing to end.
uint32_t tw_begin_thread(uint32_t threads);
void tw_end_thread();

// Semaphores 0..7 of a core's compute threads. Semaphore 1 counts halves of DST between maths and pack.
void tw_thread_semaphore_init(uint32_t index, uint32_t value, uint32_t most);
void tw_thread_semaphore(uint32_t call, uint32_t index);
uint32_t tw_thread_semaphore_value(uint32_t index);

// The mailboxes between the three threads and BRISC. Thread numbers as in ckernel::ThreadId: 0 BRISC, 1 unpack, 2 math,
// 3 pack. Who reads and writes is the thread the statement names. Where none is named and all three go together, a read
// takes the oldest word sent to the math thread while there is one, then to pack, then to unpack.
void tw_mailbox_write(uint32_t to_thread, uint32_t value);
uint32_t tw_mailbox_read(uint32_t from_thread);

// The unpack half of an operation by itself: `count` pairs of circular buffer and tile. The maths half that takes them
// is the operation's own call with tw::kNoCb as circular buffers.
void tw_unpack_tiles(const uint32_t* pairs, uint32_t count, uint32_t whole_tiles);
// The same for a matrix product, tiles as tw_matmul_block names them.
void tw_unpack_product(
    uint32_t cb_a, uint32_t cb_b, uint32_t tile_a, uint32_t tile_b, uint32_t ct_dim, uint32_t rt_dim, uint32_t kt_dim);
}
