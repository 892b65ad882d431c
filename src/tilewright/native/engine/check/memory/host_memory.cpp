// SPDX-License-Identifier: Apache-2.0
#include "check/memory/host_memory.h"

#include "check/memory/bits.h"

namespace tw {

HostMemory::HostMemory(const wire::HostBufferMessage& message, const uint8_t* outside, const uint32_t* places) :
    is_dram(message.is_dram != 0),
    address(message.address),
    page_bytes(message.page_bytes),
    stride(message.stride),
    num_pages(message.num_pages),
    layout(message.layout),
    format(static_cast<DataFormat>(message.data_format)),
    height(message.height),
    width(message.width),
    pages_per_shard(message.pages_per_shard),
    pages_per_bank(message.pages_per_bank),
    element_bytes(message.element_bytes),
    poison(message.poison),
    host_wrote(message.host_wrote != 0),
    poison_is_a_value(message.poison_is_a_value != 0),
    zeros_pad(message.zeros_pad != 0),
    outside(outside),
    places(places) {
    for (uint64_t page = 0; is_sharded() && page < num_pages; page++) {
        const uint64_t bank = places[page] / pages_per_bank;
        if (bank >= first_place_.size()) {
            first_place_.resize(bank + 1, kNoPage);
        }
        if (first_place_[bank] == kNoPage) {
            first_place_[bank] = page_of_.size();
            page_of_.resize(page_of_.size() + pages_per_bank, kNoPage);
        }
        page_of_[first_place_[bank] + places[page] % pages_per_bank] = page;
    }
}

namespace {

constexpr uint64_t kPart = 1024;  // tested as a whole first

// How much of `bytes` bytes is poison.
struct PoisonFound {
    bool any, all;
};

template <typename Element>
PoisonFound look(const uint8_t* memory, uint64_t bytes, Element poison) {
    uint32_t any = 0, all = 1;
    for (uint64_t at = 0; at < bytes; at += sizeof(Element)) {
        Element element;
        std::memcpy(&element, memory + at, sizeof element);
        any |= element == poison;
        all &= element == poison;
    }
    return {any != 0, all != 0};
}

// A result not written yet is all poison: the same eight bytes repeated.
bool is_all_poison(const HostMemory& memory, const uint8_t* bytes, uint64_t count) {
    uint8_t first[8];
    for (uint32_t at = 0; at < sizeof first; at += memory.element_bytes) {
        std::memcpy(first + at, &memory.poison, memory.element_bytes);
    }
    return count > sizeof first && std::memcmp(bytes, first, sizeof first) == 0 &&
           std::memcmp(bytes, bytes + sizeof first, count - sizeof first) == 0;
}

PoisonFound look(const HostMemory& memory, const uint8_t* bytes, uint64_t count) {
    if (is_all_poison(memory, bytes, count)) {
        return {true, true};
    }
    switch (memory.element_bytes) {
        case 1: return look(bytes, count, static_cast<uint8_t>(memory.poison));
        case 2: return look(bytes, count, static_cast<uint16_t>(memory.poison));
        default: return look(bytes, count, memory.poison);
    }
}

// Bytes of elements that hold `value`, of up to 64.
uint64_t bits_of(const HostMemory& memory, uint32_t value, const uint8_t* bytes, uint32_t count) {
    uint64_t bits = 0;
    for (uint32_t at = 0; at < count; at += memory.element_bytes) {
        if (std::memcmp(bytes + at, &value, memory.element_bytes) == 0) {
            bits |= low_bits(memory.element_bytes) << at;
        }
    }
    return bits;
}

}  // namespace

const uint8_t* HostMemory::page(const Chip& chip, uint64_t index) const {
    const uint64_t banks = chip.num_banks(is_dram);
    const uint64_t bank = is_sharded() ? places[index] / pages_per_bank : index % banks;
    const uint64_t in_bank = is_sharded() ? places[index] % pages_per_bank : index / banks;
    return chip.bank(is_dram, static_cast<uint32_t>(bank)).memory + address + in_bank * stride;
}

uint64_t HostMemory::page_at(uint64_t bank, uint64_t banks, uint64_t offset) const {
    const uint64_t in_bank = offset / stride;
    if (is_sharded()) {
        return has_shard_in(bank) && in_bank < pages_per_bank ? page_of_[first_place_[bank] + in_bank] : kNoPage;
    }
    const uint64_t page = in_bank * banks + bank;
    return page < num_pages ? page : kNoPage;
}

void for_each_mark(
    const Chip& chip, const HostMemory& memory, uint64_t page, const std::function<void(const PageMarks&)>& mark) {
    const uint8_t* bytes = memory.page(chip, page);
    const bool all_written =
        memory.host_wrote || (memory.poison_is_a_value && !look(memory, bytes, memory.page_bytes).all);
    if (!all_written && memory.outside == nullptr && memory.page_bytes > 64 &&
        is_all_poison(memory, bytes, memory.page_bytes)) {
        mark({0, static_cast<uint32_t>(memory.page_bytes), 0, 0});
        return;
    }
    for (uint64_t part = 0; part < memory.page_bytes; part += kPart) {
        const uint64_t end = std::min(part + kPart, memory.page_bytes);
        const PoisonFound found = look(memory, bytes + part, end - part);
        if (found.all && !all_written && memory.outside == nullptr && end - part > 64) {
            mark({part, static_cast<uint32_t>(end - part), 0, 0});
            continue;
        }
        const bool may_have_marks = found.any || (memory.zeros_pad && memory.outside != nullptr);
        for (uint64_t at = part; at < end && may_have_marks; at += 64) {
            const auto count = static_cast<uint32_t>(std::min<uint64_t>(64, end - at));
            const uint64_t poisoned = bits_of(memory, memory.poison, bytes + at, count);
            const uint64_t outside =
                memory.outside != nullptr ? get_bits(memory.outside, page * memory.page_bytes + at, count) : 0;
            const uint64_t zeros = memory.zeros_pad && outside != 0 ? bits_of(memory, 0, bytes + at, count) : 0;
            const uint64_t unwritten = all_written ? 0 : poisoned & ~outside;
            const uint64_t padding = (poisoned | zeros) & outside;
            if ((unwritten | padding) != 0) {
                mark({at, count, unwritten, padding});
            }
        }
    }
}

bool HostMemory::may_hold_poison() const { return element_bytes != 0 && (!host_wrote || outside != nullptr); }

UnwrittenPages unwritten_pages(const Chip& chip, const HostMemory& memory) {
    UnwrittenPages found;
    for (uint64_t page = 0; page < memory.num_pages && memory.may_hold_poison(); page++) {
        bool is_unwritten = false;
        for_each_mark(chip, memory, page, [&](const PageMarks& marks) {
            is_unwritten |= marks.bytes > 64 || marks.unwritten != 0;
        });
        if (is_unwritten && found.count++ == 0) {
            found.first = page;
        }
    }
    return found;
}

}  // namespace tw
