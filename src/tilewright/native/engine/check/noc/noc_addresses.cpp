// SPDX-License-Identifier: Apache-2.0
#include "check/noc/noc_addresses.h"

#include <array>

#include "check/checks.h"
#include "check/memory/memory_names.h"
#include "core.h"
#include "dataflow/noc_address.h"
#include "run/scheduler.h"

namespace tw {

static constexpr uint32_t kL1Alignment = 16;
static constexpr uint32_t kDramWriteAlignment = 16;

static constexpr uint32_t kSmallestMissingTile = 307 * 64;
static constexpr uint32_t kMostTilesAtOnce = 16;

// Result of get_tile_size in a checked run, for a circular buffer that none of the kernel's cores has; as in
// _build/translation_unit.py.
static constexpr std::array<uint32_t, kMaxCircularBuffers> missing_tile_bytes() {
    std::array<uint32_t, kMaxCircularBuffers> sizes{};
    uint32_t units = kSmallestMissingTile / 64;
    for (uint32_t& size : sizes) {
        size = units * 64;
        do {
            units++;
        } while (units % 2 == 0 || units % 3 == 0 || units % 17 == 0);
    }
    return sizes;
}

void NocAddresses::start(Program& program) {
    program_ = &program;
    beyond_.clear();
    bank_.assign(64 * 64, kNoBank);
    for (const bool is_dram : {false, true}) {
        for (uint32_t bank = 0; bank < program.chip.num_banks(is_dram); bank++) {
            const NocAddress where = decode_noc_address(program.chip.bank_noc_address(is_dram, bank, 0));
            bank_[node_number(where.x, where.y)] = bank;
        }
    }
}

void NocAddresses::check_alignment(KernelInstance& by, uint64_t noc_address, uint32_t local, bool is_read) {
    const NocAddress where = decode_noc_address(noc_address);
    const NocNode& node = program_->chip.node(where.x, where.y);
    const bool is_dram = node.core == nullptr && node.router == nullptr;
    const uint32_t dram = is_read ? program_->chip.config().dram_read_alignment : kDramWriteAlignment;
    const uint32_t alignment = is_dram ? dram : kL1Alignment;
    if (((where.local ^ local) & (alignment - 1)) == 0) {
        return;
    }
    note_finding(
        by,
        Rule::NocUnaligned,
        kNoCircularBuffer,
        local,
        "%s %s 0x%llx %s L1 0x%x: the two must agree modulo %u bytes, they are %llu and %u",
        is_read ? "reads from" : "writes to",
        is_dram ? "DRAM" : "L1",
        static_cast<unsigned long long>(is_dram ? where.local : where.local & kL1OffsetMask),
        is_read ? "into" : "from",
        local & kL1OffsetMask,
        alignment,
        static_cast<unsigned long long>(where.local & (alignment - 1)),
        local & (alignment - 1));
}

// The missing circular buffer whose tile size this is, or a small multiple of it.
static uint32_t missing_buffer_of_size(const Program& program, const Core& core, uint32_t bytes) {
    for (uint32_t cb = 0; cb < kMaxCircularBuffers; cb++) {
        const uint32_t page_bytes = core.cb[cb].page_bytes;
        if (core.cb[cb].num_pages != 0 && bytes % page_bytes == 0) {
            return kNoCircularBuffer;
        }
    }
    for (const HostMemory& buffer : program.host_memory) {
        if (bytes % buffer.page_bytes == 0 && buffer.num_pages != 0) {
            return kNoCircularBuffer;
        }
    }
    constexpr auto kTileBytes = missing_tile_bytes();
    for (uint32_t cb = 0; cb < kMaxCircularBuffers; cb++) {
        if (core.cb[cb].num_pages == 0 && bytes % kTileBytes[cb] == 0 && bytes / kTileBytes[cb] <= kMostTilesAtOnce) {
            return cb;
        }
    }
    return kNoCircularBuffer;
}

void NocAddresses::check_size(const KernelInstance& by, uint32_t bytes, const char* verb) {
    if (bytes < kSmallestMissingTile) {
        return;
    }
    const uint32_t cb = missing_buffer_of_size(*program_, *by.core, bytes);
    if (cb != kNoCircularBuffer) {
        rule_error(
            Rule::CbNotConfigured,
            "%s as many bytes as get_tile_size says of c_%u, which is not configured on core (%u,%u)",
            verb,
            cb,
            by.core->x,
            by.core->y);
    }
}

void NocAddresses::check_word(KernelInstance& by, uint64_t noc_address, const char* call) {
    if ((noc_address & 3u) != 0) {
        note_finding(
            by,
            Rule::NocUnaligned,
            kNoCircularBuffer,
            noc_address & kNocLocalMask,
            "%s of the word at 0x%llx, which is not a multiple of 4",
            call,
            static_cast<unsigned long long>(noc_address & kNocLocalMask));
    }
}

bool check_rectangle(KernelInstance& by, uint64_t address, uint32_t num_destinations, uint32_t noc, bool loopback) {
    const NocRectangle rectangle(address);
    // NoC 0 runs right and down, NoC 1 left and up; from a start it reaches the end only in that direction.
    const bool in_order = noc == 0 ? rectangle.x_start <= rectangle.x_end && rectangle.y_start <= rectangle.y_end
                                   : rectangle.x_start >= rectangle.x_end && rectangle.y_start >= rectangle.y_end;
    if (!in_order) {
        note_finding(
            by,
            Rule::NocMulticastRectangle,
            kNoCircularBuffer,
            address & kNocLocalMask,
            "multicast on NoC %u from (%u,%u) to (%u,%u): NoC %u needs the start at the %s corner",
            noc,
            rectangle.x_start,
            rectangle.y_start,
            rectangle.x_end,
            rectangle.y_end,
            noc,
            noc == 0 ? "upper left" : "lower right");
    }
    uint32_t cores = 0, outside = 0;
    const Core* first_outside = nullptr;
    bool has_self = false;
    rectangle.for_each_core(by.scheduler->program.chip, [&](const Core& core, uint32_t, uint32_t) {
        cores++;
        has_self |= &core == by.core;
        if (!core.is_in_use && outside++ == 0) {
            first_outside = &core;
        }
    });
    const uint32_t receivers = cores - (has_self && !loopback ? 1u : 0u);
    if (cores == (has_self ? 1u : 0u) || num_destinations == 0) {
        note_finding(
            by,
            Rule::NocMulticastNoReceiver,
            kNoCircularBuffer,
            address & kNocLocalMask,
            num_destinations == 0 ? "multicast says 0 receivers; the rectangle (%u,%u)-(%u,%u) has %u core%s%s"
                                  : "multicast to the rectangle (%u,%u)-(%u,%u), which has %u core%s%s",
            rectangle.left(),
            rectangle.top(),
            rectangle.right(),
            rectangle.bottom(),
            cores,
            cores == 1 ? "" : "s",
            has_self ? ", the sender included" : "");
        return false;
    }
    if (num_destinations != receivers) {
        note_finding(
            by,
            Rule::NocMulticastCount,
            kNoCircularBuffer,
            address & kNocLocalMask,
            "multicast says %u receivers, the rectangle (%u,%u)-(%u,%u) has %u cores%s",
            num_destinations,
            rectangle.left(),
            rectangle.top(),
            rectangle.right(),
            rectangle.bottom(),
            cores,
            !has_self  ? ""
            : loopback ? ", the sender included"
                       : ", of which the sender does not receive");
    } else if (first_outside != nullptr) {
        note_finding(
            by,
            Rule::NocMulticastOutside,
            kNoCircularBuffer,
            address & kNocLocalMask,
            "multicast to the rectangle (%u,%u)-(%u,%u), where the program has nothing on %u of %u cores, first on "
            "core "
            "(%u,%u): no kernel, no circular buffer, no semaphore",
            rectangle.left(),
            rectangle.top(),
            rectangle.right(),
            rectangle.bottom(),
            outside,
            cores,
            first_outside->x,
            first_outside->y);
    }
    return in_order && num_destinations == receivers;
}

static std::string argument_holding(const KernelInstance& instance, uint32_t value) {
    const KernelContext& context = instance.context;
    for (uint32_t index = 0; index < context.num_runtime_args; index++) {
        if (context.runtime_args[index] == value) {
            return "argument " + std::to_string(index);
        }
    }
    for (uint32_t index = 0; index < context.num_common_runtime_args; index++) {
        if (context.common_runtime_args[index] == value) {
            return "common argument " + std::to_string(index);
        }
    }
    return "";
}

// Whether a base address is a tensor's, and whether the tensor's page size is the one the kernel uses.
void NocAddresses::check_base(KernelInstance& by, bool is_dram, uint32_t base, uint32_t page_bytes, uint32_t page) {
    const uint32_t banks = program_->chip.num_banks(is_dram);
    for (size_t index = 0; index < program_->host_memory.size(); index++) {
        const HostMemory& buffer = program_->host_memory[index];
        if (buffer.is_dram == is_dram && base >= buffer.address &&
            base - buffer.address < buffer.bytes_per_bank(banks)) {
            const uint64_t offset = uint64_t{page} / banks * page_bytes;
            if (base == buffer.address && buffer.is_sharded() && buffer.page_at(page % banks, banks, offset) != page) {
                note_finding(
                    by,
                    Rule::TensorPageSize,
                    kNoCircularBuffer,
                    base,
                    "addresses page %u of tensor %zu as if pages went round the banks; the tensor is sharded",
                    page,
                    index);
            } else if (base == buffer.address && !buffer.is_sharded() && buffer.stride != page_bytes && page >= banks) {
                note_finding(
                    by,
                    Rule::TensorPageSize,
                    kNoCircularBuffer,
                    base,
                    "addresses tensor %zu in pages of %u bytes; its pages have %llu",
                    index,
                    page_bytes,
                    static_cast<unsigned long long>(buffer.page_bytes));
            }
            return;
        }
    }
    const std::string from = program_->knows_every_buffer ? argument_holding(by, base) : "";
    if (from.empty()) {
        return;  // computed: checked where it is used, or of a buffer that was not reported
    }
    std::string addresses;
    for (size_t index = 0; index < program_->host_memory.size(); index++) {
        const HostMemory& buffer = program_->host_memory[index];
        const std::string argument = argument_holding(by, static_cast<uint32_t>(buffer.address));
        if (buffer.layout != HostLayout::Unknown && !argument.empty()) {
            addresses +=
                (addresses.empty() ? "; " : ", ") + argument + " holds that of tensor " + std::to_string(index);
        }
    }
    note_finding(
        by,
        Rule::ArgNoAddress,
        kNoCircularBuffer,
        base,
        "takes %s, which is %u, for the address of a tensor in %s%s",
        from.c_str(),
        base,
        is_dram ? "DRAM" : "L1",
        addresses.c_str());
}

// A tile of one row of faces is the upper half of a whole one.
static bool is_upper_half(const CoreCircularBuffer& buffer, uint64_t page_bytes, uint32_t bytes) {
    return buffer.geometry.tile_rows == 16 && bytes == buffer.page_bytes &&
           2 * uint64_t{buffer.page_bytes} == page_bytes;
}

void NocAddresses::check_tile_sizes(
    KernelInstance& by, const uint8_t* tensor_end, uint32_t local, uint32_t bytes, bool is_read) {
    const uint32_t cb = circular_buffer_at(*by.core, local);
    if (cb == kNoCircularBuffer) {
        return;
    }
    const CoreCircularBuffer& buffer = by.core->cb[cb];
    const TensorPlace place = by.checks->tensors.find(tensor_end);
    if (place.memory == nullptr || place.memory->layout != HostLayout::Tile || place.offset != 0) {
        return;
    }
    check_tile_format(by, place, cb, bytes, is_read);
    if (buffer.page_bytes != buffer.geometry.tile_bytes || buffer.page_bytes == place.memory->page_bytes ||
        (bytes != buffer.page_bytes && bytes != place.memory->page_bytes) ||
        is_upper_half(buffer, place.memory->page_bytes, bytes)) {
        return;
    }
    note_finding(
        by,
        Rule::TensorPageSize,
        cb,
        0,
        "%s %u bytes %s tile %llu of tensor %u, whose tiles have %llu bytes, %s c_%u, "
        "whose tiles have %u",
        is_read ? "reads" : "writes",
        bytes,
        is_read ? "of" : "to",
        static_cast<unsigned long long>(place.page),
        place.tensor,
        static_cast<unsigned long long>(place.memory->page_bytes),
        is_read ? "into" : "from",
        cb,
        buffer.page_bytes);
}

}  // namespace tw
