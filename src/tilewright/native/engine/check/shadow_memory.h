// SPDX-License-Identifier: Apache-2.0
// Which bytes of the chip's memory hold something: one bit per byte of every L1 and DRAM bank, set where nobody has
// written. Memory is named by its host address. What was never marked is defined.
#pragma once

#include <cstdint>
#include <vector>

#include "chip.h"

namespace tw {

// A tensor's or buffer's memory as the host describes it to a checked run. Pages go round the banks.
struct HostMemory {
    bool is_dram = true;
    uint64_t address = 0;     // in each bank
    uint64_t page_bytes = 0;
    uint64_t stride = 0;      // from one page of a bank to the next
    uint64_t num_pages = 0;
    uint32_t layout = 0;      // MemoryLayout
    // One bit per byte, page after page without gaps, and 16 bytes more; null: none. They belong to the host, which
    // keeps them while the program runs.
    const uint8_t* unwritten = nullptr;
    const uint8_t* padding = nullptr;
    const uint8_t* outside = nullptr;  // padding by the tensor's shape, whatever it holds

    uint64_t bytes_per_bank(uint64_t banks) const { return (num_pages + banks - 1) / banks * stride; }
};

enum MemoryLayout : uint32_t { kLayoutUnknown = 0, kLayoutRowMajor = 1, kLayoutTile = 2 };

class ShadowMemory {
public:
    enum class Kind { Unwritten, Padding };

    explicit ShadowMemory(const Chip& chip);
    ~ShadowMemory();
    ShadowMemory(const ShadowMemory&) = delete;
    ShadowMemory& operator=(const ShadowMemory&) = delete;

    void define(const void* memory, uint64_t bytes);
    // Padding is what a tensor has beyond its shape; everything else nobody wrote is unwritten.
    void undefine(const void* memory, uint64_t bytes, Kind kind = Kind::Unwritten);
    // As the bytes themselves go from one place to another.
    void copy(const void* to, const void* from, uint64_t bytes);

    bool any_undefined(const void* memory, uint64_t bytes) const;
    bool all_undefined(const void* memory, uint64_t bytes) const;
    bool any_padding(const void* memory, uint64_t bytes) const;
    // Bit i stands for byte i; `bytes` is at most 64.
    uint64_t undefined_bits(const void* memory, uint32_t bytes) const;
    uint64_t padding_bits(const void* memory, uint32_t bytes) const;
    // Sets both kinds of bits of up to 64 bytes; padding bits count only where the byte is undefined.
    void set_bits(const void* memory, uint32_t bytes, uint64_t undefined, uint64_t padding);

    // Marks what the host knows to be unwritten or padding.
    void load(Chip& chip, const HostMemory& memory);

private:
    // Bits of one stretch of memory. Both planes exist from the first mark on; until then everything is defined.
    struct Region {
        uintptr_t begin = 0;
        uint64_t bytes = 0;
        uint8_t* undefined = nullptr;
        uint8_t* padding = nullptr;  // only with undefined
    };
    Region* find(const void* memory, uint64_t bytes) const;
    static void make_planes(Region& region);

    mutable std::vector<Region> regions_;
};

}  // namespace tw
