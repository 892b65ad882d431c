// SPDX-License-Identifier: Apache-2.0
#include "check/shadow_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "program.h"

namespace tw {

namespace {

uint64_t low_bits(uint32_t count) { return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1; }

// Up to 64 bits from bit `first` on. Planes are padded, so reading nine bytes is always allowed.
uint64_t get_bits(const uint8_t* plane, uint64_t first, uint32_t count) {
    const uint8_t* bytes = plane + first / 8;
    const uint32_t shift = first % 8;
    uint64_t low;
    std::memcpy(&low, bytes, 8);
    uint64_t bits = low >> shift;
    if (shift != 0) {
        bits |= static_cast<uint64_t>(bytes[8]) << (64 - shift);
    }
    return bits & low_bits(count);
}

void put_bits(uint8_t* plane, uint64_t first, uint32_t count, uint64_t bits) {
    uint8_t* bytes = plane + first / 8;
    const uint32_t shift = first % 8;
    const uint64_t mask = low_bits(count);
    uint64_t low;
    std::memcpy(&low, bytes, 8);
    low = (low & ~(mask << shift)) | ((bits & mask) << shift);
    std::memcpy(bytes, &low, 8);
    if (shift + count > 64) {
        const auto high_mask = static_cast<uint8_t>(mask >> (64 - shift));
        bytes[8] = static_cast<uint8_t>((bytes[8] & ~high_mask) | ((bits >> (64 - shift)) & high_mask));
    }
}

void fill_bits(uint8_t* plane, uint64_t first, uint64_t count, bool value) {
    const uint64_t pattern = value ? ~uint64_t{0} : 0;
    const auto head = static_cast<uint32_t>(std::min<uint64_t>(count, (8 - first % 8) % 8));
    put_bits(plane, first, head, pattern);
    first += head;
    count -= head;
    std::memset(plane + first / 8, value ? 0xff : 0, count / 8);
    first += count / 8 * 8;
    put_bits(plane, first, count % 8, pattern);
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

bool any_bit(const uint8_t* plane, uint64_t first, uint64_t count) {
    for (uint64_t done = 0; done < count; done += 64) {
        const auto part = static_cast<uint32_t>(std::min<uint64_t>(64, count - done));
        if (get_bits(plane, first + done, part) != 0) {
            return true;
        }
    }
    return false;
}

size_t plane_bytes(uint64_t memory_bytes) { return memory_bytes / 8 + 16; }

uint8_t* map_plane(uint64_t memory_bytes) {
    constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* plane = mmap(nullptr, plane_bytes(memory_bytes), PROT_READ | PROT_WRITE, kFlags, -1, 0);
    if (plane == MAP_FAILED) {
        throw std::bad_alloc();
    }
    return static_cast<uint8_t*>(plane);
}

}  // namespace

ShadowMemory::ShadowMemory(const Chip& chip) {
    const uint32_t num_cores = chip.num_banks(false);
    const auto l1 = reinterpret_cast<uintptr_t>(chip.bank(false, 0).memory);
    regions_.push_back({l1, static_cast<uint64_t>(num_cores) * kL1SlotBytes});
    for (uint32_t bank = 0; bank < chip.num_banks(true); bank++) {
        const NocNode& node = chip.bank(true, bank);
        regions_.push_back({reinterpret_cast<uintptr_t>(node.memory), node.bytes});
    }
}

ShadowMemory::~ShadowMemory() {
    for (const Region& region : regions_) {
        if (region.undefined != nullptr) {
            munmap(region.undefined, plane_bytes(region.bytes));
            munmap(region.padding, plane_bytes(region.bytes));
        }
    }
}

ShadowMemory::Region* ShadowMemory::find(const void* memory, uint64_t bytes) const {
    const auto address = reinterpret_cast<uintptr_t>(memory);
    for (Region& region : regions_) {
        if (address - region.begin < region.bytes && bytes <= region.bytes - (address - region.begin)) {
            return &region;
        }
    }
    return nullptr;
}

void ShadowMemory::make_planes(Region& region) {
    if (region.undefined == nullptr) {
        uint8_t* undefined = map_plane(region.bytes);
        region.padding = map_plane(region.bytes);
        region.undefined = undefined;
    }
}

void ShadowMemory::define(const void* memory, uint64_t bytes) {
    const Region* region = find(memory, bytes);
    if (region != nullptr && region->undefined != nullptr) {
        const uint64_t first = reinterpret_cast<uintptr_t>(memory) - region->begin;
        fill_bits(region->undefined, first, bytes, false);
        fill_bits(region->padding, first, bytes, false);
    }
}

void ShadowMemory::undefine(const void* memory, uint64_t bytes, Kind kind) {
    Region* region = find(memory, bytes);
    if (region != nullptr) {
        make_planes(*region);
        const uint64_t first = reinterpret_cast<uintptr_t>(memory) - region->begin;
        fill_bits(region->undefined, first, bytes, true);
        fill_bits(region->padding, first, bytes, kind == Kind::Padding);
    }
}

void ShadowMemory::copy(const void* to, const void* from, uint64_t bytes) {
    const Region* source = find(from, bytes);
    Region* target = find(to, bytes);
    if (target == nullptr) {
        return;
    }
    if (source == nullptr || source->undefined == nullptr) {
        define(to, bytes);
        return;
    }
    const uint64_t from_bit = reinterpret_cast<uintptr_t>(from) - source->begin;
    if (target->undefined == nullptr) {
        if (!any_bit(source->undefined, from_bit, bytes)) {
            return;
        }
        make_planes(*target);
    }
    const uint64_t to_bit = reinterpret_cast<uintptr_t>(to) - target->begin;
    move_bits(target->undefined, to_bit, source->undefined, from_bit, bytes);
    move_bits(target->padding, to_bit, source->padding, from_bit, bytes);
}

bool ShadowMemory::any_undefined(const void* memory, uint64_t bytes) const {
    const Region* region = find(memory, bytes);
    return region != nullptr && region->undefined != nullptr &&
           any_bit(region->undefined, reinterpret_cast<uintptr_t>(memory) - region->begin, bytes);
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
    return region != nullptr && region->padding != nullptr &&
           any_bit(region->padding, reinterpret_cast<uintptr_t>(memory) - region->begin, bytes);
}

uint64_t ShadowMemory::undefined_bits(const void* memory, uint32_t bytes) const {
    const Region* region = find(memory, bytes);
    if (region == nullptr || region->undefined == nullptr) {
        return 0;
    }
    return get_bits(region->undefined, reinterpret_cast<uintptr_t>(memory) - region->begin, bytes);
}

uint64_t ShadowMemory::padding_bits(const void* memory, uint32_t bytes) const {
    const Region* region = find(memory, bytes);
    if (region == nullptr || region->padding == nullptr) {
        return 0;
    }
    return get_bits(region->padding, reinterpret_cast<uintptr_t>(memory) - region->begin, bytes);
}

void ShadowMemory::set_bits(const void* memory, uint32_t bytes, uint64_t undefined, uint64_t padding) {
    Region* region = find(memory, bytes);
    if (region == nullptr || (region->undefined == nullptr && undefined == 0)) {
        return;
    }
    make_planes(*region);
    const uint64_t first = reinterpret_cast<uintptr_t>(memory) - region->begin;
    put_bits(region->undefined, first, bytes, undefined);
    put_bits(region->padding, first, bytes, padding & undefined);
}

void ShadowMemory::load(Chip& chip, const HostMemory& memory) {
    if (memory.unwritten == nullptr && memory.padding == nullptr) {
        return;
    }
    const uint32_t banks = chip.num_banks(memory.is_dram);
    for (uint64_t page = 0; page < memory.num_pages; page++) {
        const uint8_t* place =
            chip.bank_memory(memory.is_dram, static_cast<uint32_t>(page % banks)) + memory.address +
            page / banks * memory.stride;
        for (uint64_t done = 0; done < memory.page_bytes; done += 64) {
            const auto part = static_cast<uint32_t>(std::min<uint64_t>(64, memory.page_bytes - done));
            const uint64_t first = page * memory.page_bytes + done;
            const uint64_t padding = memory.padding != nullptr ? get_bits(memory.padding, first, part) : 0;
            const uint64_t unwritten = memory.unwritten != nullptr ? get_bits(memory.unwritten, first, part) : 0;
            if ((padding | unwritten) != 0) {
                set_bits(place + done, part, padding | unwritten, padding);
            }
        }
    }
}

// Of a core's L1, arguments, semaphores and the host's buffers hold something; circular buffers do not.
void load_shadow_memory(Program& program) {
    Chip& chip = program.chip;
    ShadowMemory& memory = program.checks->memory;
    const ChipConfig& config = chip.config();
    for (const Core& core : chip.cores()) {
        if (!core.instances.empty()) {
            const auto begin = static_cast<uintptr_t>(core.l1_base) + config.unreserved_base;
            memory.undefine(reinterpret_cast<const void*>(begin), config.l1_bytes - config.unreserved_base);
        }
    }
    for (const HostMemory& buffer : program.host_memory) {
        const uint32_t banks = chip.num_banks(buffer.is_dram);
        for (uint64_t page = 0; page < buffer.num_pages && !buffer.is_dram; page++) {
            const uint8_t* bank = chip.bank_memory(false, static_cast<uint32_t>(page % banks));
            memory.define(bank + buffer.address + page / banks * buffer.stride, buffer.stride);
        }
        memory.load(chip, buffer);
    }
}

}  // namespace tw
