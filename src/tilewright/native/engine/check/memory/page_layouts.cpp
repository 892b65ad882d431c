// SPDX-License-Identifier: Apache-2.0
#include "check/memory/page_layouts.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "check/checks.h"
#include "program.h"
#include "tile/formats.h"

namespace tw {

// More than a row of a tile, so that a tile assembled piece by piece is not taken for rows.
static constexpr uint32_t kMoreThanTileRow = 32 * 4;

void PageLayouts::start(const Program& program) {
    l1_begin_ = program.chip.cores().front().l1_base;
    cores_ = std::vector<OnCore>(program.chip.cores().size());
}

// A card's format registers have four bits: formats that differ only above them are equal. Raw formats fit all.
static bool fits_format(DataFormat one, DataFormat other) {
    const auto first = static_cast<uint32_t>(one), second = static_cast<uint32_t>(other);
    return first >= 0xf0 || second >= 0xf0 || (first & 0xf) == (second & 0xf);
}

void check_tile_format(KernelInstance& by, const TensorPlace& place, uint32_t cb, uint32_t bytes, bool is_read) {
    const CoreCircularBuffer& buffer = by.core->cb[cb];
    if (bytes != buffer.geometry.tile_bytes || bytes == buffer.page_bytes || bytes == place.memory->page_bytes ||
        buffer.page_bytes != place.memory->page_bytes || fits_format(place.memory->format, buffer.geometry.format)) {
        return;
    }
    note_finding(
        by,
        Rule::TensorFormat,
        cb,
        0,
        "%s %u bytes, a tile of %s, %s tensor %u, which is %s: c_%u has that format and pages of %u bytes",
        is_read ? "reads" : "writes",
        bytes,
        format_name(buffer.geometry.format),
        is_read ? "of" : "to",
        place.tensor,
        format_name(place.memory->format),
        cb,
        buffer.page_bytes);
}

void PageLayouts::mark(
    KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes, Layout layout, const Origin& origin) {
    written(*instance.core, address, bytes);  // other indices may use the same memory
    const CoreCircularBuffer& buffer = instance.core->cb[cb];
    std::vector<Pages>& buffers = on(*instance.core).buffers;
    auto pages = std::find_if(buffers.begin(), buffers.end(), [=](const Pages& each) { return each.cb == cb; });
    if (pages == buffers.end()) {
        pages = buffers.insert(
            pages,
            {cb,
             buffer.address,
             buffer.address + buffer.total_bytes,
             std::vector<uint8_t>(buffer.num_pages, kUnknown),
             std::vector<Origin>(buffer.num_pages)});
    }
    const uint32_t first = (address - buffer.address) / buffer.page_bytes;
    const uint32_t last = (address + bytes - 1 - buffer.address) / buffer.page_bytes;
    for (uint32_t page = first; page <= last && page < buffer.num_pages; page++) {
        pages->layouts[page] = layout;
        pages->origins[page] = origin;
    }
}

PageLayouts::Origin PageLayouts::origin_of(const KernelInstance& instance, uint32_t cb, uint32_t address) {
    const std::vector<Pages>& buffers = on(*instance.core).buffers;
    const auto pages = std::find_if(buffers.begin(), buffers.end(), [=](const Pages& each) { return each.cb == cb; });
    const CoreCircularBuffer& buffer = instance.core->cb[cb];
    const uint32_t page = (address - buffer.address) / buffer.page_bytes;
    return pages == buffers.end() || page >= buffer.num_pages ? Origin{} : pages->origins[page];
}

void PageLayouts::check_format_read(KernelInstance& instance, uint32_t cb, uint32_t address) {
    const Origin origin = origin_of(instance, cb, address);
    const CoreCircularBuffer& buffer = instance.core->cb[cb];
    if (origin.tensor == kPacked || fits_format(origin.format, buffer.geometry.format)) {
        return;
    }
    note_finding(
        instance,
        Rule::TensorFormat,
        cb,
        address,
        "reads c_%u, with pages of %u bytes, as %s, whose tiles have %u; its page comes from tensor %u, which is %s",
        cb,
        buffer.page_bytes,
        format_name(buffer.geometry.format),
        buffer.geometry.tile_bytes,
        origin.tensor,
        format_name(origin.format));
}

void PageLayouts::check_format_written(KernelInstance& instance, uint32_t cb, uint32_t local, const TensorPlace& to) {
    const Origin origin = origin_of(instance, cb, local);
    if (origin.tensor != kPacked || to.memory == nullptr || fits_format(origin.format, to.memory->format)) {
        return;
    }
    note_finding(
        instance,
        Rule::TensorFormat,
        cb,
        local,
        "writes a page of c_%u, which was packed as %s, to tensor %u, which is %s",
        cb,
        format_name(origin.format),
        to.tensor,
        format_name(to.memory->format));
}

PageLayouts::Layout PageLayouts::layout_of(
    const KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes) {
    const std::vector<Pages>& buffers = on(*instance.core).buffers;
    const auto pages = std::find_if(buffers.begin(), buffers.end(), [=](const Pages& each) { return each.cb == cb; });
    if (pages == buffers.end()) {
        return kUnknown;
    }
    const CoreCircularBuffer& buffer = instance.core->cb[cb];
    const uint32_t page = (address - buffer.address) / buffer.page_bytes;
    const uint32_t last = (address + bytes - 1 - buffer.address) / buffer.page_bytes;
    if (last >= buffer.num_pages) {
        return kUnknown;
    }
    const auto layout = static_cast<Layout>(pages->layouts[page]);
    const auto begin = pages->layouts.begin();
    return std::all_of(begin + page, begin + last + 1, [=](uint8_t each) { return each == layout; }) ? layout
                                                                                                     : kUnknown;
}

void PageLayouts::wrote_tiles(KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes) {
    OnCore& core = on(*instance.core);
    core.has_packed = true;
    const bool is_unknown = core.maths_on_unknown && !core.maths_on_tiles;
    const Layout layout = core.maths_on_rows ? kWorkedRows : is_unknown ? kUnknown : kTiles;
    mark(instance, cb, address, bytes, layout, {instance.core->cb[cb].geometry.format, kPacked});
}

void PageLayouts::wrote_rows(KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes) {
    on(*instance.core).has_tiles = true;
    mark(instance, cb, address, bytes, kRows, {instance.core->cb[cb].geometry.format, kPacked});
}

void PageLayouts::reads_tiles(KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes) {
    check_format_read(instance, cb, address);
    const Layout layout = layout_of(instance, cb, address, bytes);
    OnCore& core = on(*instance.core);
    core.maths_on_rows &= !core.has_packed;
    core.maths_on_tiles &= !core.has_packed;
    core.maths_on_unknown &= !core.has_packed;
    core.maths_on_rows |= layout == kRows || layout == kGivenRows || layout == kWorkedRows;
    core.maths_on_tiles |= layout == kTiles;
    core.maths_on_unknown |= layout == kUnknown;
    core.has_packed = false;
    if (layout == kRows) {
        take_untilized(core, instance, cb, address);
    } else if (layout == kGivenRows && !core.has_tiles && core.rows_taken_from == kNoCircularBuffer) {
        core.rows_taken = call_place(instance);
        core.rows_taken_from = cb;
    }
}

// Element-wise operations may work on rows if the result is tilized again, which is known at the end.
void PageLayouts::take_untilized(OnCore& core, const KernelInstance& instance, uint32_t cb, uint32_t address) {
    std::vector<TakenRows>& taken = core.untilized_taken;
    const auto known = std::find_if(taken.begin(), taken.end(), [&](const TakenRows& each) {
        return each.cb == cb && each.place.instance == &instance;
    });
    if (known == taken.end()) {
        taken.push_back({cb, address, call_place(instance), 1});
    } else {
        known->count++;
    }
}

void PageLayouts::finish(Findings& findings) const {
    for (const OnCore& core : cores_) {
        for (const TakenRows& taken : core.untilized_taken) {
            const CallPlace& place = taken.place;
            const std::string text =
                "reads a tile from c_" + std::to_string(taken.cb) + ", which holds rows that untilize wrote";
            findings.add(
                *place.instance,
                Rule::CbLayout,
                taken.cb,
                taken.address,
                place.frames,
                place.num_frames,
                text,
                {},
                taken.count);
        }
    }
}

void PageLayouts::reads_rows(KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes) {
    check_format_read(instance, cb, address);
    OnCore& core = on(*instance.core);
    core.has_tiles = true;
    core.maths_on_rows = core.maths_on_tiles = core.maths_on_unknown = core.has_packed = false;  // the result is tiles
    const Layout layout = layout_of(instance, cb, address, bytes);
    if (layout == kWorkedRows) {
        core.untilized_taken.clear();
    }
    if (layout == kTiles) {
        note_finding(instance, Rule::CbLayout, cb, address, "tilizes c_%u, which holds tiles already", cb);
    }
}

void PageLayouts::written(const Core& core, uint32_t address, uint32_t bytes) {
    for (Pages& pages : on(core).buffers) {
        if (address + bytes <= pages.begin || address >= pages.end) {
            continue;
        }
        const uint32_t page_bytes = core.cb[pages.cb].page_bytes;
        const uint32_t first = (std::max(address, pages.begin) - pages.begin) / page_bytes;
        const uint32_t last = (std::min(address + bytes, pages.end) - 1 - pages.begin) / page_bytes;
        std::fill(pages.layouts.begin() + first, pages.layouts.begin() + last + 1, kUnknown);
        std::fill(pages.origins.begin() + first, pages.origins.begin() + last + 1, Origin{});
    }
}

// A whole row at the start of a page that has the size of a tile: the reader took the row for a tile.
static bool is_row_for_tile(
    const CoreCircularBuffer& buffer, const TensorPlace& place, uint32_t local, uint32_t bytes) {
    return place.memory != nullptr && place.offset == 0 && bytes == place.memory->page_bytes &&
           buffer.page_bytes == buffer.geometry.tile_bytes && (local - buffer.address) % buffer.page_bytes == 0;
}

void PageLayouts::read_from(KernelInstance& instance, uint32_t local, const uint8_t* remote, uint32_t bytes) {
    const HostLayout layout = tensors_.layout(remote);
    if (layout == HostLayout::Unknown) {
        return;
    }
    const TensorPlace place = tensors_.find(remote);
    if (layout == HostLayout::Tile && bytes > kMoreThanTileRow) {
        on(*instance.core).has_tiles = true;
    }
    if (layout == HostLayout::Tile &&
        (place.memory == nullptr || place.offset != 0 || bytes != place.memory->page_bytes)) {
        return;  // a part of a tile, for another purpose
    }
    const Origin origin{place.memory == nullptr ? DataFormat::Invalid : place.memory->format, place.tensor};
    for (uint32_t cb = 0; cb < kMaxCircularBuffers; cb++) {
        const CoreCircularBuffer& buffer = instance.core->cb[cb];
        const bool is_here =
            buffer.num_pages != 0 && local >= buffer.address && local + bytes <= buffer.address + buffer.total_bytes;
        if (is_here && (bytes > kMoreThanTileRow || is_row_for_tile(buffer, place, local, bytes))) {
            mark(instance, cb, local, bytes, layout == HostLayout::Tile ? kTiles : kGivenRows, origin);
        }
    }
}

// Element-wise operations accept both layouts: given rows stay rows, and may be written back as such.
void PageLayouts::drained(KernelInstance& instance, uint32_t local, const uint8_t* remote, uint32_t bytes) {
    if (bytes <= kMoreThanTileRow) {
        return;
    }
    const HostLayout layout = tensors_.layout(remote);
    if (layout == HostLayout::Unknown) {
        return;
    }
    for (const Pages& each : on(*instance.core).buffers) {
        const uint32_t cb = each.cb;
        const CoreCircularBuffer& buffer = instance.core->cb[cb];
        if (local < buffer.address || local + bytes > buffer.address + buffer.total_bytes) {
            continue;
        }
        const Layout pages = layout_of(instance, cb, local, bytes);
        check_format_written(instance, cb, local, tensors_.find(remote));
        if (pages == kRows && layout == HostLayout::Tile) {
            note_finding(
                instance,
                Rule::CbLayout,
                cb,
                local,
                "writes rows that untilize made in c_%u to a tensor in TILE layout",
                cb);
        } else if (pages == kTiles && layout == HostLayout::RowMajor && on(*instance.core).has_tiles) {
            note_finding(
                instance, Rule::CbLayout, cb, local, "writes tiles of c_%u to a tensor in ROW_MAJOR layout", cb);
        } else if (pages == kWorkedRows && layout == HostLayout::Tile && !on(*instance.core).has_tiles) {
            report_rows_taken(instance, cb);
        }
    }
}

// Rows that went through tile math and come out as tiles were never tilized: the core has had no other tiles.
void PageLayouts::report_rows_taken(KernelInstance& writer, uint32_t from) {
    const OnCore& core = on(*writer.core);
    if (core.rows_taken_from == kNoCircularBuffer) {
        return;
    }
    char text[224];
    std::snprintf(
        text,
        sizeof text,
        "takes rows of a tensor in ROW_MAJOR layout from c_%u as tiles, and %s writes c_%u to a tensor in TILE layout",
        core.rows_taken_from,
        writer.kernel->name.c_str(),
        from);
    const CallPlace& place = core.rows_taken;
    writer.checks->findings.add(
        *place.instance,
        Rule::CbLayout,
        core.rows_taken_from,
        0,
        place.frames,
        place.num_frames,
        text,
        call_place(writer));
}

}  // namespace tw
