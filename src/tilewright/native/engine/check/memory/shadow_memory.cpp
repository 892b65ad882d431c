// SPDX-License-Identifier: Apache-2.0
#include "check/memory/shadow_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "check/memory/bits.h"
#include "program.h"

namespace tw {

namespace {

constexpr uint64_t kBlock = 1024;

// Visits a range of bytes block by block: `visit(block, first, bytes, is_whole)`, until it returns false.
template <typename Visit>
bool for_each_block(uint64_t first, uint64_t bytes, Visit visit) {
    for (const uint64_t end = first + bytes; first < end;) {
        const uint64_t block = first / kBlock;
        const uint64_t part = std::min(end, (block + 1) * kBlock) - first;
        if (!visit(block, first, part, part == kBlock)) {
            return false;
        }
        first += part;
    }
    return true;
}

void move_bits(uint8_t* to_plane, uint64_t to, const uint8_t* from_plane, uint64_t from, uint64_t count) {
    if (to % 8 == 0 && from % 8 == 0 && count % 8 == 0) {
        std::memmove(to_plane + to / 8, from_plane + from / 8, count / 8);
        return;
    }
    std::vector<uint8_t> bits(count / 8 + 16);
    for (uint64_t done = 0; done < count; done += 64) {
        const auto part = static_cast<uint32_t>(std::min<uint64_t>(64, count - done));
        put_bits(bits.data(), done, part, get_bits(from_plane, from + done, part));
    }
    for (uint64_t done = 0; done < count; done += 64) {
        const auto part = static_cast<uint32_t>(std::min<uint64_t>(64, count - done));
        put_bits(to_plane, to + done, part, get_bits(bits.data(), done, part));
    }
}

size_t plane_bytes(uint64_t memory_bytes) { return memory_bytes / 8 + 16; }
size_t state_bytes(uint64_t memory_bytes) { return (memory_bytes + kBlock - 1) / kBlock; }

uint8_t* map_zeros(size_t bytes) {
    constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kFlags, -1, 0);
    if (memory == MAP_FAILED) {
        throw std::bad_alloc();
    }
    madvise(memory, bytes, MADV_NOHUGEPAGE);  // little of it is ever touched
    return static_cast<uint8_t*>(memory);
}

}  // namespace

ShadowMemory::ShadowMemory(const Chip& chip) {
    const size_t num_cores = size_t{chip.num_dies()} * chip.cores_per_die();
    const auto l1 = reinterpret_cast<uintptr_t>(chip.memory().l1());
    regions_.push_back({l1, static_cast<uint64_t>(num_cores) * kL1SlotBytes});
    for (uint32_t die = 0; die < chip.num_dies(); die++) {
        for (uint32_t bank = 0; bank < chip.num_banks(true); bank++) {
            const NocNode& node = chip.bank(die, true, bank);
            regions_.push_back({reinterpret_cast<uintptr_t>(node.memory), node.bytes});
        }
    }
}

ShadowMemory::~ShadowMemory() {
    for (const Region& region : regions_) {
        if (region.states != nullptr) {
            munmap(region.states, state_bytes(region.bytes));
            munmap(region.undefined, plane_bytes(region.bytes));
            munmap(region.padding, plane_bytes(region.bytes));
        }
    }
}

void ShadowMemory::clear() {
    for (Region& region : regions_) {
        if (region.first_marked < region.end_marked) {
            std::memset(region.states + region.first_marked, kDefined, region.end_marked - region.first_marked);
        }
        region.first_marked = ~uint64_t{0};
        region.end_marked = 0;
    }
}

void ShadowMemory::make_planes(Region& region) {
    if (region.states == nullptr) {
        uint8_t* states = map_zeros(state_bytes(region.bytes));
        region.undefined = map_zeros(plane_bytes(region.bytes));
        region.padding = map_zeros(plane_bytes(region.bytes));
        region.states = states;
    }
}

// Makes the block mixed: its bits count from here on.
inline void ShadowMemory::open_block(Region& region, uint64_t block) {
    if (region.states[block] != kMixed) {
        const bool is_unwritten = region.states[block] == kUnwritten;
        std::memset(region.undefined + block * kBlock / 8, is_unwritten ? 0xff : 0, kBlock / 8);
        std::memset(region.padding + block * kBlock / 8, 0, kBlock / 8);
        region.states[block] = kMixed;
        region.first_marked = std::min(region.first_marked, block);
        region.end_marked = std::max(region.end_marked, block + 1);
    }
}

void ShadowMemory::open(Region& region, uint64_t first, uint64_t bytes) {
    make_planes(region);
    for (uint64_t block = first / kBlock; block <= (first + bytes - 1) / kBlock; block++) {
        open_block(region, block);
    }
}

// By the states alone; a mixed block may still be all defined.
bool ShadowMemory::is_defined(const Region& region, uint64_t first, uint64_t bytes) {
    if (region.states == nullptr || bytes == 0) {
        return true;
    }
    uint8_t any = kDefined;
    for (uint64_t block = first / kBlock; block <= (first + bytes - 1) / kBlock; block++) {
        any |= region.states[block];
    }
    return any == kDefined;
}

// A part of a block. The one that ends it most often completes it: from then on its state says all.
inline void ShadowMemory::define_part(Region& region, uint64_t block, uint64_t first, uint64_t bytes) {
    if (region.states[block] == kDefined) {
        return;
    }
    open_block(region, block);
    fill_bits(region.undefined, first, bytes, false);
    fill_bits(region.padding, first, bytes, false);
    if ((first + bytes) % kBlock == 0 && !any_bit(region.undefined, block * kBlock, kBlock)) {
        region.states[block] = kDefined;
    }
}

inline void ShadowMemory::define(Region& region, uint64_t first, uint64_t bytes) {
    for_each_block(first, bytes, [&](uint64_t block, uint64_t from, uint64_t part, bool is_whole) {
        if (is_whole) {
            region.states[block] = kDefined;
        } else {
            define_part(region, block, from, part);
        }
        return true;
    });
}

void ShadowMemory::define(const void* memory, uint64_t bytes) {
    Region* region = find(memory, bytes);
    if (region != nullptr && region->states != nullptr) {
        define(*region, reinterpret_cast<uintptr_t>(memory) - region->begin, bytes);
    }
}

bool ShadowMemory::define_store(const void* memory, uint32_t bytes) {
    Region* region = find(memory, bytes);
    if (region == nullptr || region->states == nullptr) {
        return false;
    }
    const uint64_t first = reinterpret_cast<uintptr_t>(memory) - region->begin, block = first / kBlock;
    if (region->states[block] == kDefined && (first + bytes - 1) / kBlock == block) {
        return false;
    }
    const bool was_undefined = all_undefined(memory, bytes);
    define(*region, first, bytes);
    return was_undefined;
}

void ShadowMemory::define(const Rows& rows) {
    Region* region = rows.count == 0 ? nullptr : find(rows.first, rows.bytes + (rows.count - 1) * rows.stride);
    if (region != nullptr && region->states != nullptr) {
        const uint64_t first = reinterpret_cast<uintptr_t>(rows.first) - region->begin;
        for (uint32_t row = 0; row < rows.count; row++) {
            define(*region, first + row * rows.stride, rows.bytes);
        }
    }
}

void ShadowMemory::undefine(const void* memory, uint64_t bytes, Kind kind) {
    Region* region = find(memory, bytes);
    if (region == nullptr) {
        return;
    }
    make_planes(*region);
    const auto mark = [&](uint64_t block, uint64_t first, uint64_t part, bool) {
        open_block(*region, block);
        fill_bits(region->undefined, first, part, true);
        fill_bits(region->padding, first, part, kind == Kind::Padding);
        return true;
    };
    const uint64_t first = reinterpret_cast<uintptr_t>(memory) - region->begin, end = first + bytes;
    const uint64_t block = (first + kBlock - 1) / kBlock, end_block = end / kBlock;
    if (kind != Kind::Unwritten || block >= end_block) {
        for_each_block(first, bytes, mark);
        return;
    }
    for_each_block(first, block * kBlock - first, mark);
    std::memset(region->states + block, kUnwritten, end_block - block);
    region->first_marked = std::min(region->first_marked, block);
    region->end_marked = std::max(region->end_marked, end_block);
    for_each_block(end_block * kBlock, end - end_block * kBlock, mark);
}

void ShadowMemory::copy(const void* to, const void* from, uint64_t bytes) {
    Region* source = find(from, bytes);
    Region* target = find(to, bytes);
    if (target == nullptr || bytes == 0) {
        return;
    }
    const uint64_t from_bit = source == nullptr ? 0 : reinterpret_cast<uintptr_t>(from) - source->begin;
    if (source == nullptr || is_defined(*source, from_bit, bytes)) {
        define(to, bytes);
        return;
    }
    const uint64_t to_bit = reinterpret_cast<uintptr_t>(to) - target->begin;
    open(*source, from_bit, bytes);
    open(*target, to_bit, bytes);
    move_bits(target->undefined, to_bit, source->undefined, from_bit, bytes);
    move_bits(target->padding, to_bit, source->padding, from_bit, bytes);
}

inline bool ShadowMemory::any_undefined(Region& region, uint64_t first, uint64_t bytes) {
    return !for_each_block(first, bytes, [&](uint64_t block, uint64_t from, uint64_t part, bool is_whole) {
        if (region.states[block] != kMixed) {
            return region.states[block] == kDefined;
        }
        const bool is_defined = !any_bit(region.undefined, from, part);
        if (is_whole && is_defined) {
            region.states[block] = kDefined;
        }
        return is_defined;
    });
}

bool ShadowMemory::any_undefined(const void* memory, uint64_t bytes) const {
    Region* region = find(memory, bytes);
    return region != nullptr && region->states != nullptr &&
           any_undefined(*region, reinterpret_cast<uintptr_t>(memory) - region->begin, bytes);
}

bool ShadowMemory::any_undefined(const Rows& rows) const {
    Region* region = rows.count == 0 ? nullptr : find(rows.first, rows.bytes + (rows.count - 1) * rows.stride);
    if (region == nullptr || region->states == nullptr) {
        return false;
    }
    const uint64_t first = reinterpret_cast<uintptr_t>(rows.first) - region->begin;
    for (uint32_t row = 0; row < rows.count; row++) {
        if (any_undefined(*region, first + row * rows.stride, rows.bytes)) {
            return true;
        }
    }
    return false;
}

ShadowMemory::Marks ShadowMemory::marks(const void* memory, uint64_t bytes) const {
    if (!any_undefined(memory, bytes)) {
        return {};
    }
    Region* region = find(memory, bytes);
    const uint64_t first = reinterpret_cast<uintptr_t>(memory) - region->begin;
    open(*region, first, bytes);
    return {region->undefined, region->padding, first};
}

bool ShadowMemory::all_undefined(const void* memory, uint64_t bytes) const {
    const auto* at = static_cast<const uint8_t*>(memory);
    for (uint64_t done = 0; done < bytes; done += 64) {
        const auto part = static_cast<uint32_t>(std::min<uint64_t>(64, bytes - done));
        if (undefined_bits(at + done, part) != low_bits(part)) {
            return false;
        }
    }
    return true;
}

bool ShadowMemory::any_padding(const void* memory, uint64_t bytes) const {
    const Region* region = find(memory, bytes);
    if (region == nullptr || region->states == nullptr) {
        return false;
    }
    return !for_each_block(
        reinterpret_cast<uintptr_t>(memory) - region->begin,
        bytes,
        [&](uint64_t block, uint64_t first, uint64_t part, bool) {
            return region->states[block] != kMixed || !any_bit(region->padding, first, part);
        });
}

uint64_t ShadowMemory::undefined_bits(const void* memory, uint32_t bytes) const {
    Region* region = find(memory, bytes);
    const uint64_t first = region == nullptr ? 0 : reinterpret_cast<uintptr_t>(memory) - region->begin;
    if (region == nullptr || is_defined(*region, first, bytes)) {
        return 0;
    }
    open(*region, first, bytes);
    return get_bits(region->undefined, first, bytes);
}

uint64_t ShadowMemory::padding_bits(const void* memory, uint32_t bytes) const {
    Region* region = find(memory, bytes);
    const uint64_t first = region == nullptr ? 0 : reinterpret_cast<uintptr_t>(memory) - region->begin;
    if (region == nullptr || is_defined(*region, first, bytes)) {
        return 0;
    }
    open(*region, first, bytes);
    return get_bits(region->padding, first, bytes);
}

void ShadowMemory::set_bits(const void* memory, uint32_t bytes, uint64_t undefined, uint64_t padding) {
    Region* region = find(memory, bytes);
    if (region == nullptr || bytes == 0) {
        return;
    }
    const uint64_t first = reinterpret_cast<uintptr_t>(memory) - region->begin;
    if (undefined == 0 && is_defined(*region, first, bytes)) {
        return;
    }
    open(*region, first, bytes);
    put_bits(region->undefined, first, bytes, undefined);
    put_bits(region->padding, first, bytes, padding & undefined);
}

void ShadowMemory::load(Chip& chip, const HostMemory& memory) {
    for (uint64_t page = 0; page < memory.num_pages && memory.may_hold_poison(); page++) {
        const uint8_t* place = memory.page(chip, page);
        for_each_mark(chip, memory, page, [&](const PageMarks& marks) {
            if (marks.bytes > 64) {
                undefine(place + marks.offset, marks.bytes);
            } else {
                set_bits(place + marks.offset, marks.bytes, marks.unwritten | marks.padding, marks.padding);
            }
        });
    }
}

// In a core's L1, arguments, semaphores and the host's buffers are initialised; circular buffers are not.
void load_shadow_memory(Program& program) {
    Chip& chip = program.chip;
    ShadowMemory& memory = program.checks->memory;
    const ChipConfig& config = chip.config();
    for (const ProgramCircularBuffer& buffer : program.circular_buffers) {
        for (const CoreXY& at : buffer.cores) {
            if (!program.knows_every_buffer && !buffer.is_over_tensor) {  // any other L1 may be a tensor
                const uintptr_t begin = uintptr_t{chip.core(at.x, at.y).l1_base} + buffer.offset;
                memory.undefine(reinterpret_cast<const void*>(begin), buffer.total_bytes);
            }
        }
    }
    for (const Core& core : chip.cores()) {
        if (program.knows_every_buffer && !core.instances.empty()) {
            const auto begin = static_cast<uintptr_t>(core.l1_base) + config.unreserved_base;
            memory.undefine(reinterpret_cast<const void*>(begin), config.l1_bytes - config.unreserved_base);
        }
    }
    for (uint32_t die = 0; die < chip.num_dies(); die++) {
        const OnDie on(die);
        for (const HostMemory& buffer : program.host_memory) {
            for (uint64_t page = 0; page < buffer.num_pages && !buffer.is_dram; page++) {
                memory.define(buffer.page(chip, page), buffer.stride);
            }
            memory.load(chip, buffer);
        }
    }
}

}  // namespace tw
