// SPDX-License-Identifier: Apache-2.0
// The context of a running kernel. The engine owns it; the kernel API headers read it.
#pragma once

#include <cstdint>

namespace tw {

inline constexpr uint32_t kMaxCircularBuffers = 64;
// Every core's L1 lies in its own 2 MiB slot below 4 GiB: `address & kL1OffsetMask` is the offset a
// card would use, the whole 32-bit address is a host pointer.
inline constexpr uint32_t kL1SlotBytes = 2u << 20;
inline constexpr uint32_t kCreditRegisters = kL1SlotBytes - 0x1000;  // two words for each circular buffer
inline constexpr uint32_t kStreamCounts = kCreditRegisters + 0x800;  // a word for each stream
inline constexpr uint32_t kStreamRegisterStride = 0x1000;  // NoC address space of one stream's registers
inline constexpr uint32_t kL1OffsetMask = kL1SlotBytes - 1;

enum class KernelKind : uint8_t { DataMovement = 0, Compute = 1 };

}  // namespace tw

// Same fields and units as on a card: bytes for data-movement kernels, 16-byte words for compute.
struct LocalCBInterface {
    uint32_t fifo_size;
    uint32_t fifo_limit;
    uint32_t fifo_page_size;
    uint32_t fifo_num_pages;
    uint32_t fifo_rd_ptr;
    uint32_t fifo_wr_ptr;
    union {
        uint32_t tiles_acked_received_init;
        struct {
            uint16_t tiles_acked;
            uint16_t tiles_received;
        };
    };
    uint32_t fifo_wr_tile_ptr;  // pages packed in order since the last push
};

namespace tw {

struct KernelContext {
    LocalCBInterface cb[kMaxCircularBuffers];
    uint32_t* runtime_args;         // in this core's L1
    uint32_t* common_runtime_args;  // in this core's L1
    uint32_t num_runtime_args;
    uint32_t num_common_runtime_args;
    uint32_t l1_base;         // address of this core's L1 slot
    uint32_t l1_size;         // bytes of it that exist
    uint32_t config_base;     // address of the configuration that the host made for the launch
    uint32_t semaphore_base;  // address of semaphore 0; one every 16 bytes
    uint8_t kind;             // KernelKind
    uint8_t processor;        // 0 BRISC, 1 NCRISC, 2 TRISC
    uint8_t noc_index;  // NoC of calls that name none
    uint8_t noc_mode;
    uint8_t noc_x[2], noc_y[2];  // this core's coordinates on each NoC
    uint8_t logical_x, logical_y;
    uint8_t relative_x, relative_y;  // within the kernel's core range
    uint8_t compute_words;           // 1: cb[] is in 16-byte words
};

}  // namespace tw

extern "C" tw::KernelContext* tw_context();
