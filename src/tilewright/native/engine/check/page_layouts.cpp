// SPDX-License-Identifier: Apache-2.0
#include "check/page_layouts.h"

#include <algorithm>
#include <cstdio>

#include "check/checks.h"
#include "program.h"

namespace tw {

// More than a row of a tile, so that putting a tile together piece by piece is not taken for something else.
static constexpr uint32_t kMoreThanTileRow = 32 * 4;

void PageLayouts::start(const Program& program) {
    pages_.clear();
    has_tiles_.clear();
    rows_taken_.clear();
    tensors_.clear();
    for (const HostMemory& memory : program.host_memory) {
        const uint32_t banks = program.chip.num_banks(memory.is_dram);
        for (uint32_t bank = 0; bank < banks && memory.layout != kLayoutUnknown; bank++) {
            const uint8_t* begin = program.chip.bank_memory(memory.is_dram, bank) + memory.address;
            tensors_.push_back({begin, begin + memory.bytes_per_bank(banks), memory.layout});
        }
    }
    std::sort(tensors_.begin(), tensors_.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
}

uint32_t PageLayouts::tensor_layout(const uint8_t* remote) const {
    auto after = std::upper_bound(
        tensors_.begin(), tensors_.end(), remote, [](const uint8_t* at, const auto& each) { return at < each.begin; });
    if (after == tensors_.begin() || remote >= std::prev(after)->end) {
        return kLayoutUnknown;
    }
    return std::prev(after)->layout;
}

void PageLayouts::mark(KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes, Layout layout) {
    written(*instance.core, address, bytes);  // other indices may lie over the same memory
    const CoreCircularBuffer& buffer = instance.core->cb[cb];
    Pages& pages = pages_[{instance.core, cb}];
    pages.resize(buffer.num_pages, kUnknown);
    const uint32_t first = (address - buffer.address) / buffer.page_bytes;
    const uint32_t last = (address + bytes - 1 - buffer.address) / buffer.page_bytes;
    for (uint32_t page = first; page <= last && page < buffer.num_pages; page++) {
        pages[page] = layout;
    }
}

PageLayouts::Layout PageLayouts::layout_of(
    const KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes) const {
    const auto found = pages_.find({instance.core, cb});
    const CoreCircularBuffer& buffer = instance.core->cb[cb];
    const uint32_t page = (address - buffer.address) / buffer.page_bytes;
    const uint32_t last = (address + bytes - 1 - buffer.address) / buffer.page_bytes;
    if (found == pages_.end() || last >= buffer.num_pages) {
        return kUnknown;
    }
    const auto layout = static_cast<Layout>(found->second[page]);
    const auto begin = found->second.begin();
    return std::all_of(begin + page, begin + last + 1, [=](uint8_t each) { return each == layout; }) ? layout : kUnknown;
}

void PageLayouts::wrote_tiles(KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes) {
    mark(instance, cb, address, bytes, kTiles);
}

void PageLayouts::wrote_rows(KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes) {
    has_tiles_[instance.core] = true;
    mark(instance, cb, address, bytes, kRows);
}

void PageLayouts::reads_tiles(KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes) {
    const Layout layout = layout_of(instance, cb, address, bytes);
    if (layout == kRows) {
        note_finding(
            instance, "cb-layout", cb, address, "reads a tile from c_%u, which holds rows that untilize wrote", cb);
    } else if (layout == kGivenRows && rows_taken_.count(instance.core) == 0) {
        rows_taken_[instance.core] = {call_place(instance), cb};
    }
}

void PageLayouts::reads_rows(KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes) {
    has_tiles_[instance.core] = true;
    if (layout_of(instance, cb, address, bytes) == kTiles) {
        note_finding(instance, "cb-layout", cb, address, "tilizes c_%u, which holds tiles already", cb);
    }
}

void PageLayouts::written(const Core& core, uint32_t address, uint32_t bytes) {
    for (auto found = pages_.lower_bound({&core, 0}); found != pages_.end() && found->first.first == &core; ++found) {
        const CoreCircularBuffer& buffer = core.cb[found->first.second];
        const uint32_t end = buffer.address + buffer.total_bytes;
        if (address + bytes <= buffer.address || address >= end) {
            continue;
        }
        const uint32_t first = (std::max(address, buffer.address) - buffer.address) / buffer.page_bytes;
        const uint32_t last = (std::min(address + bytes, end) - 1 - buffer.address) / buffer.page_bytes;
        std::fill(found->second.begin() + first, found->second.begin() + last + 1, kUnknown);
    }
}

void PageLayouts::read_from(KernelInstance& instance, uint32_t local, const uint8_t* remote, uint32_t bytes) {
    if (bytes <= kMoreThanTileRow) {
        return;
    }
    const uint32_t layout = tensor_layout(remote);
    if (layout == kLayoutTile) {
        has_tiles_[instance.core] = true;
    }
    if (layout != kLayoutRowMajor || has_tiles_[instance.core]) {
        return;
    }
    for (uint32_t cb = 0; cb < kMaxCircularBuffers; cb++) {
        const CoreCircularBuffer& buffer = instance.core->cb[cb];
        const bool is_here = buffer.num_pages != 0 && local >= buffer.address &&
                             local + bytes <= buffer.address + buffer.total_bytes;
        if (is_here) {
            mark(instance, cb, local, bytes, kGivenRows);
        }
    }
}

// Tiles of a program that never had any but the rows it was given (elementwise work on rows) may go back as rows.
void PageLayouts::drained(KernelInstance& instance, uint32_t local, const uint8_t* remote, uint32_t bytes) {
    if (bytes <= kMoreThanTileRow) {
        return;
    }
    const uint32_t layout = tensor_layout(remote);
    if (layout == kLayoutUnknown) {
        return;
    }
    for (auto found = pages_.lower_bound({instance.core, 0});
         found != pages_.end() && found->first.first == instance.core;
         ++found) {
        const uint32_t cb = found->first.second;
        const CoreCircularBuffer& buffer = instance.core->cb[cb];
        if (local < buffer.address || local + bytes > buffer.address + buffer.total_bytes) {
            continue;
        }
        const Layout pages = layout_of(instance, cb, local, bytes);
        if (pages == kRows && layout == kLayoutTile) {
            note_finding(
                instance, "cb-layout", cb, local, "writes rows that untilize made in c_%u to a tensor in TILE layout", cb);
        } else if (pages == kTiles && layout == kLayoutRowMajor && has_tiles_[instance.core]) {
            note_finding(
                instance, "cb-layout", cb, local, "writes tiles of c_%u to a tensor in ROW_MAJOR layout", cb);
        } else if (pages == kTiles && layout == kLayoutTile && !has_tiles_[instance.core]) {
            report_rows_taken(instance, cb);
        }
    }
}

// Rows that go through tile maths and come out as tiles were never tilized: the core has had no other tiles.
void PageLayouts::report_rows_taken(KernelInstance& writer, uint32_t from) const {
    const auto taken = rows_taken_.find(writer.core);
    if (taken == rows_taken_.end()) {
        return;
    }
    const auto& [place, cb] = taken->second;
    char text[224];
    std::snprintf(
        text,
        sizeof text,
        "takes rows of a tensor in ROW_MAJOR layout from c_%u as tiles, and %s writes c_%u to a tensor in TILE layout",
        cb,
        writer.kernel->name.c_str(),
        from);
    writer.checks->findings.add(
        *place.instance, "cb-layout", cb, 0, place.frames, place.num_frames, text, call_place(writer));
}

}  // namespace tw
