// SPDX-License-Identifier: Apache-2.0
// Prints pages of L1.
#pragma once

#include <cstdint>

#include "../../../abi/tile.h"
#include "api/debug/device_print.h"
#include "internal/circular_buffer_interface.h"

namespace tw {

template <typename T, typename Show>
inline void print_pages(uint32_t l1_addr, uint32_t elements_per_page, uint32_t npages, uint32_t start, Show show) {
    const volatile T* element = reinterpret_cast<const volatile T*>(uintptr_t(l1_addr)) + start * elements_per_page;
    for (uint32_t page = 0; page < npages; ++page) {
        device_print("{}: ", start + page);
        for (uint32_t i = 0; i < elements_per_page; ++i) {
            device_print("{} ", show(T(*element++)));
        }
        device_print("\n");
    }
}

}  // namespace tw

inline void print_cb_details(uint32_t cb_id) {
    const LocalCBInterface& cb = get_local_cb_interface(cb_id);
    tw::device_print(
        "cb_id {}: {{ size: {}, limit: {}, page_size: {}, num_pages: {}, rd_ptr: {}, wr_ptr: {}, wr_tile_ptr: {} }}\n",
        cb_id,
        cb.fifo_size,
        cb.fifo_limit,
        cb.fifo_page_size,
        cb.fifo_num_pages,
        cb.fifo_rd_ptr,
        cb.fifo_wr_ptr,
        cb.fifo_wr_tile_ptr);
}
inline void print_bf16_pages(uint32_t l1_addr, uint32_t elts_per_page, uint32_t npages, uint32_t start = 0) {
    tw::print_pages<uint16_t>(l1_addr, elts_per_page, npages, start, [](uint16_t v) { return bf16_t(v); });
}
inline void print_f32_pages(uint32_t l1_addr, uint32_t elts_per_page, uint32_t npages, uint32_t start = 0) {
    tw::print_pages<float>(l1_addr, elts_per_page, npages, start, [](float v) { return v; });
}
inline void print_u8_pages(uint32_t l1_addr, uint32_t bytes_per_page, uint32_t npages, uint32_t start = 0) {
    tw::print_pages<uint8_t>(l1_addr, bytes_per_page, npages, start, [](uint8_t v) { return v; });
}
inline void print_u16_pages(uint32_t l1_addr, uint32_t elts_per_page, uint32_t npages, uint32_t start = 0) {
    tw::print_pages<uint16_t>(l1_addr, elts_per_page, npages, start, [](uint16_t v) { return v; });
}
inline void print_u32_pages(uint32_t l1_addr, uint32_t elts_per_page, uint32_t npages, uint32_t start = 0) {
    tw::print_pages<uint32_t>(l1_addr, elts_per_page, npages, start, [](uint32_t v) { return v; });
}
// 32 values a line: the rows of the tile, or what follows each other in L1.
inline void print_full_tile(uint32_t cb_id, uint32_t tile_id = 0, bool untilize = false) {
    float values[1024];
    const tw::TileSize size =
        tw_tile_values(cb_id, tile_id, static_cast<uint32_t>(tw::TilePointer::Read), !untilize, values);
    const uint32_t count = size.rows * size.columns;
    for (uint32_t i = 0; i < count; ++i) {
        if (i % 32 == 0) {
            tw::device_print("{}: ", i / 32);
        }
        tw::device_print(i % 32 == 31 || i + 1 == count ? "{}\n" : "{} ", values[i]);
    }
}
