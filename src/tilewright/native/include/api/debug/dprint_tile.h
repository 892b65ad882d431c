// SPDX-License-Identifier: Apache-2.0
// Part of a tile as text: DPRINT("{}", TSLICE(cb, 0, SliceRange::hw0_32_16())). A card shows what fits the template's
// argument, this shows everything that was asked for.
#pragma once

#include <cstdint>

#include "../../../abi/tile.h"
#include "api/debug/device_print.h"

#define TSLICE_RD_PTR true
#define TSLICE_WR_PTR false
#define TSLICE_INPUT_CB true
#define TSLICE_OUTPUT_CB false
using dprint_tslice_ptr_t = bool;
using dprint_tslice_cb_t = bool;

// Rows h0 to h1 in steps of hs, columns w0 to w1 in steps of ws.
struct SliceRange {
    uint8_t h0, h1, hs, w0, w1, ws;

    static SliceRange hw0_32_16() { return {0, 32, 16, 0, 32, 16}; }
    static SliceRange hw0_32_8() { return {0, 32, 8, 0, 32, 8}; }
    static SliceRange hw0_32_4() { return {0, 32, 4, 0, 32, 4}; }
    static SliceRange h0_w0_32() { return {0, 1, 1, 0, 32, 1}; }
    static SliceRange h0_32_w0() { return {0, 32, 1, 0, 1, 1}; }
    static SliceRange h0_32_w1() { return {0, 32, 1, 1, 2, 1}; }
    static SliceRange hw041() { return {0, 4, 1, 0, 4, 1}; }
};

template <int MAX_BYTES = 64>
class TileSlice {
public:
#if defined(COMPILE_FOR_TRISC)
    TileSlice(uint8_t cb, int tile_idx, const SliceRange& range, bool endl_rows = true, bool print_untilized = true) :
        TileSlice(cb, tile_idx, range, tw::TilePointer::OfThread, endl_rows, print_untilized) {}
#else
    // NCRISC shows what it is about to push, BRISC what it has got.
    TileSlice(
        uint8_t cb,
        int tile_idx,
        const SliceRange& range,
        dprint_tslice_cb_t,
#if defined(COMPILE_FOR_NCRISC)
        dprint_tslice_ptr_t pointer = TSLICE_WR_PTR,
#else
        dprint_tslice_ptr_t pointer = TSLICE_RD_PTR,
#endif
        bool endl_rows = true,
        bool print_untilized = true) :
        TileSlice(
            cb,
            tile_idx,
            range,
            pointer == TSLICE_RD_PTR ? tw::TilePointer::Read : tw::TilePointer::Write,
            endl_rows,
            print_untilized) {
    }
#endif

    void show() const {
        float values[1024];
        const tw::TileSize size =
            tw_tile_values(cb_, tile_, static_cast<uint32_t>(pointer_), !print_untilized_, values);
        for (uint32_t row = range_.h0; row < range_.h1 && row < size.rows; row += range_.hs) {
            for (uint32_t column = range_.w0; column < range_.w1 && column < size.columns; column += range_.ws) {
                tw::device_print("{} ", values[row * size.columns + column]);
            }
            tw::device_print(endl_rows_ ? "\n" : "");
        }
    }

private:
    uint8_t cb_;
    uint32_t tile_;
    SliceRange range_;
    tw::TilePointer pointer_;
    bool endl_rows_, print_untilized_;

    TileSlice(
        uint8_t cb, int tile, const SliceRange& range, tw::TilePointer pointer, bool endl_rows, bool print_untilized) :
        cb_(cb),
        tile_(static_cast<uint32_t>(tile)),
        range_(range),
        pointer_(pointer),
        endl_rows_(endl_rows),
        print_untilized_(print_untilized) {}
};
using TSLICE = TileSlice<64>;
