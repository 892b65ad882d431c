// SPDX-License-Identifier: Apache-2.0
// Interface between tile math and the core it runs on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "run/scheduler.h"
#include "wire/rules.h"

namespace tw {

// The compute state of the core whose kernel is running.
inline ComputeState& compute_state() { return *current_instance().core->compute; }
[[noreturn]] void missing_circular_buffer(const KernelInstance& instance, uint32_t cb, const char* call);
inline CoreCircularBuffer& configured_buffer(KernelInstance& instance, uint32_t cb, const char* call) {
    if (cb >= kMaxCircularBuffers || instance.core->cb[cb].num_pages == 0) [[unlikely]] {
        missing_circular_buffer(instance, cb, call);
    }
    return instance.core->cb[cb];
}
// The calling kernel's memory at an L1 address: a slot pointer, or a plain offset.
inline uint8_t* own_memory(const KernelInstance& instance, uint32_t address) {
    const Core& core = *instance.core;
    const uint32_t slot = address & ~kL1OffsetMask;
    if (slot == core.circular_base || slot == core.l1_base) {
        return reinterpret_cast<uint8_t*>(static_cast<uintptr_t>(address));
    }
    return l1_memory(core, instance.scheduler->program.shared_l1.range, address & kL1OffsetMask);
}
// Geometry that the host gave CB `cb` on this core.
inline const TileGeometry& tile_geometry(uint32_t cb) {
    return configured_buffer(current_instance(), cb, "tile operation").geometry;
}
// Host pointer to tile `index`, counted from the CB's read or write pointer. Ends the run with an error if the core has
// no such CB or the tile lies outside it. If the unpack thread has already unpacked the operands, they come from the
// source queue (tile/source.h); unpacked_tile always reads L1. any_front_tile is the slow path of front_tile.
const uint8_t* any_front_tile(uint32_t cb, uint32_t index);
inline const uint8_t* front_tile(uint32_t cb, uint32_t index) {
    KernelInstance& instance = current_instance();
    if (instance.sources == nullptr && instance.checks == nullptr) [[likely]] {
        const CoreCircularBuffer& buffer = configured_buffer(instance, cb, "tile operation");
        const LocalCBInterface& view = instance.context.cb[cb];
        const uint64_t words = view.fifo_rd_ptr + static_cast<uint64_t>(index) * view.fifo_page_size;
        const uint64_t address = words << (instance.context.compute_words ? 4 : 0);
        if (address - buffer.address < buffer.total_bytes) [[likely]] {
            return reinterpret_cast<const uint8_t*>(static_cast<uintptr_t>(address));
        }
    }
    return any_front_tile(cb, index);
}
const uint8_t* unpacked_tile(uint32_t cb, uint32_t index);
uint8_t* back_tile(uint32_t cb, uint32_t index);
// Start of a block of rows. check_rows checks its length before it is accessed.
uint8_t* front_rows(uint32_t cb);
uint8_t* back_rows(uint32_t cb, uint32_t index);
void check_rows(uint32_t cb, const uint8_t* rows, size_t bytes, bool is_write);
// Ends the run: of `bytes` bytes of rows only `left` lie before the end of the buffer.
void leaves_circular_buffer(uint32_t cb, uint64_t left, size_t bytes, bool is_write, const char* call);
// Ends the run with an error of the calling kernel. The text is one short sentence without a newline.
[[noreturn]] void kernel_error(const char* format, ...) __attribute__((format(printf, 1, 2)));
// Ends the run with an error that is a broken rule of the checker.
[[noreturn]] void rule_error(Rule rule, const char* format, ...) __attribute__((format(printf, 2, 3)));

}  // namespace tw
