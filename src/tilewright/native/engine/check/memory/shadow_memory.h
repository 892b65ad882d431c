// SPDX-License-Identifier: Apache-2.0
// Shadow memory: which bytes of the chip's memory are initialised. One bit per byte of every L1 and DRAM bank, set
// where the byte is not written. Memory is addressed by its host address. Memory that was never marked counts as
// defined.
//
// Most memory is uniform, so each block has a state, and bits count only in mixed blocks. The chip keeps the planes
// from run to run: fresh memory costs more than all the marks of a small program.
#pragma once

#include <cstdint>
#include <vector>

#include "check/memory/host_memory.h"
#include "chip/chip.h"

namespace tw {

class ShadowMemory {
public:
    enum class Kind { Unwritten, Padding };

    explicit ShadowMemory(const Chip& chip);
    ~ShadowMemory();
    ShadowMemory(const ShadowMemory&) = delete;
    ShadowMemory& operator=(const ShadowMemory&) = delete;

    // Marks everything as defined.
    void clear();

    void define(const void* memory, uint64_t bytes);
    // The same of up to 64 bytes; whether all of them were undefined.
    bool define_store(const void* memory, uint32_t bytes);
    // Padding lies outside a tensor's shape; everything else not written is unwritten.
    void undefine(const void* memory, uint64_t bytes, Kind kind = Kind::Unwritten);
    // Copies the marks along with the bytes.
    void copy(const void* to, const void* from, uint64_t bytes);

    bool any_undefined(const void* memory, uint64_t bytes) const;
    bool all_undefined(const void* memory, uint64_t bytes) const;
    bool any_padding(const void* memory, uint64_t bytes) const;
    // Bit i stands for byte i; `bytes` is at most 64.
    uint64_t undefined_bits(const void* memory, uint32_t bytes) const;
    uint64_t padding_bits(const void* memory, uint32_t bytes) const;
    // Sets both kinds of bits of up to 64 bytes; padding bits count only where the byte is undefined.
    void set_bits(const void* memory, uint32_t bytes, uint64_t undefined, uint64_t padding);

    // `count` ranges of `bytes` bytes, `stride` apart.
    struct Rows {
        const uint8_t* first;
        uint32_t bytes, count;
        uint64_t stride;
    };
    void define(const Rows& rows);
    bool any_undefined(const Rows& rows) const;

    // All marks of a range, to be read piece by piece. Valid until the next change.
    struct Marks {
        const uint8_t* undefined = nullptr;  // null: all of it is defined
        const uint8_t* padding = nullptr;
        uint64_t first = 0;
    };
    Marks marks(const void* memory, uint64_t bytes) const;

    // Marks the bytes that the host knows to be unwritten or padding.
    void load(Chip& chip, const HostMemory& memory);

private:
    enum State : uint8_t { kDefined, kUnwritten, kMixed };  // of a block; bits count in a mixed one

    // One range of memory.
    struct Region {
        uintptr_t begin = 0;
        uint64_t bytes = 0;
        uint8_t* states = nullptr;  // all three exist from the first mark on; before that everything is defined
        uint8_t* undefined = nullptr;
        uint8_t* padding = nullptr;  // only with undefined
        uint64_t first_marked = ~uint64_t{0}, end_marked = 0;  // blocks that are or were marked
    };
    Region* find(const void* memory, uint64_t bytes) const {
        const auto address = reinterpret_cast<uintptr_t>(memory);
        for (Region& region : regions_) {  // L1 comes first: it is looked up most often
            if (address - region.begin < region.bytes && bytes <= region.bytes - (address - region.begin)) {
                return &region;
            }
        }
        return nullptr;
    }
    static void define(Region& region, uint64_t first, uint64_t bytes);
    static void define_part(Region& region, uint64_t block, uint64_t first, uint64_t bytes);
    static bool any_undefined(Region& region, uint64_t first, uint64_t bytes);
    static void make_planes(Region& region);
    static void open(Region& region, uint64_t first, uint64_t bytes);
    static void open_block(Region& region, uint64_t block);
    static bool is_defined(const Region& region, uint64_t first, uint64_t bytes);

    mutable std::vector<Region> regions_;
};

}  // namespace tw
