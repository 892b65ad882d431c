// SPDX-License-Identifier: Apache-2.0
// Row-major data to tiles and back.
#include "abi/context.h"
#include "abi/tile.h"

#include <algorithm>
#include <cstring>

#include "check/compute/operands.h"
#include "check/values/values.h"
#include "deferred_dst.h"
#include "formats.h"
#include "pack.h"
#include "source.h"
#include "unpack.h"

namespace tw {

namespace {

// The faces of a tile and where each of their rows lies in a row-major image of the tile.
struct Image {
    uint32_t num_faces, faces_per_row, face_rows;
    uint32_t segment_bytes;  // 16 data
    uint32_t row_bytes;      // from one row to the next
};

// Neighbouring tiles are moved together, row by row. Rows often lie a power of two apart, so a row's cache line would
// be evicted before the next tile, or the face to the right, needs it again.
constexpr uint32_t kGroup = 8;

template <uint32_t Bytes, class Move, class EachRow>
void for_each_segment(const Image& image, uint32_t num_tiles, Move move, EachRow each_row) {
    const uint32_t face_bytes = image.face_rows * Bytes;
    const uint32_t face_row_count = image.num_faces / image.faces_per_row;
    size_t row_start = 0;
    for (uint32_t face_row = 0; face_row < face_row_count; face_row++) {
        uint32_t in_tile = face_row * image.faces_per_row * face_bytes;
        for (uint32_t row = 0; row < image.face_rows; row++, in_tile += Bytes, row_start += image.row_bytes) {
            each_row(in_tile);
            size_t in_rows = row_start;
            for (uint32_t tile = 0; tile < num_tiles; tile++, in_rows += image.faces_per_row * Bytes) {
                move(tile, in_tile, in_rows);
                if (image.faces_per_row == 2) {
                    move(tile, in_tile + face_bytes, in_rows + Bytes);
                }
            }
        }
    }
}

template <class Body>
void with_segment_bytes(const Image& image, Body body) {
    switch (image.segment_bytes) {
        case 16: return body(std::integral_constant<uint32_t, 16>{});
        case 32: return body(std::integral_constant<uint32_t, 32>{});
        default: return body(std::integral_constant<uint32_t, 64>{});
    }
}

// Tiles are written in small scattered pieces, which no hardware prefetcher follows, and a core that has not run for
// long finds its L1 in no cache. So the tiles behind the ones being written, most likely the next ones, are prefetched.
template <uint32_t Bytes>
void prefetch_row(const Image& image, const uint8_t* tiles, uint32_t num_tiles, uint32_t in_tile) {
    constexpr uint32_t kLine = 64;
    const uint32_t face_bytes = image.face_rows * Bytes;
    const uint8_t* row = tiles + in_tile;
    for (uint32_t tile = 0; in_tile % kLine == 0 && tile < num_tiles; tile++, row += image.num_faces * face_bytes) {
        __builtin_prefetch(row, 1);
        if (image.faces_per_row == 2) {
            __builtin_prefetch(row + face_bytes, 1);
        }
    }
}

#if defined(__AVX512F__)
// The same for bfloat16s of whole tiles, two rows at a time: a cache line of each becomes one of the left face and one
// of the right.
constexpr uint32_t kPairedBytes = 32;

inline bool goes_in_pairs(const Image& image) {
    return image.segment_bytes == kPairedBytes && image.faces_per_row == 2 && image.face_rows % 2 == 0;
}

void gather_in_pairs(const Image& image, const uint8_t* rows, uint8_t* const* tiles, uint32_t num_tiles) {
    constexpr uint32_t kLine = 64;
    const uint32_t face_bytes = image.face_rows * kPairedBytes;
    for (uint32_t face = 0; face < image.num_faces; face += 2) {
        for (uint32_t row = 0; row < image.face_rows; row += 2, rows += 2 * static_cast<size_t>(image.row_bytes)) {
            const uint32_t in_tile = face * face_bytes + row * kPairedBytes;
            for (uint32_t tile = 0; tile < num_tiles; tile++) {
                const __m512i upper = _mm512_loadu_si512(rows + tile * kLine);
                const __m512i lower = _mm512_loadu_si512(rows + image.row_bytes + tile * kLine);
                _mm512_storeu_si512(tiles[tile] + in_tile, _mm512_shuffle_i64x2(upper, lower, 0x44));
                _mm512_storeu_si512(tiles[tile] + in_tile + face_bytes, _mm512_shuffle_i64x2(upper, lower, 0xee));
            }
        }
    }
}
#endif

void gather(const Image& image, const uint8_t* rows, uint8_t* const* tiles, uint32_t num_tiles) {
#if defined(__AVX512F__)
    if (goes_in_pairs(image)) {
        gather_in_pairs(image, rows, tiles, num_tiles);
        return;
    }
#endif
    with_segment_bytes(image, [&]<uint32_t Bytes>(std::integral_constant<uint32_t, Bytes>) {
        const uint8_t* next = tiles[num_tiles - 1] + image.num_faces * image.face_rows * Bytes;
        for_each_segment<Bytes>(
            image,
            num_tiles,
            [&](uint32_t tile, uint32_t in_tile, size_t in_rows) {
                std::memcpy(tiles[tile] + in_tile, rows + in_rows, Bytes);
            },
            [&](uint32_t in_tile) { prefetch_row<Bytes>(image, next, num_tiles, in_tile); });
    });
}

void scatter(const Image& image, const uint8_t* const* tiles, uint32_t num_tiles, uint8_t* rows) {
    with_segment_bytes(image, [&]<uint32_t Bytes>(std::integral_constant<uint32_t, Bytes>) {
        for_each_segment<Bytes>(
            image,
            num_tiles,
            [&](uint32_t tile, uint32_t in_tile, size_t in_rows) {
                std::memcpy(rows + in_rows, tiles[tile] + in_tile, Bytes);
            },
            [](uint32_t) {});
    });
}

Image image_of(const TileGeometry& geometry, uint32_t bytes_per_datum, uint32_t row_data) {
    return {
        geometry.num_faces,
        geometry.tile_cols > 16 ? 2u : 1u,
        geometry.face_rows,
        16 * bytes_per_datum,
        row_data * bytes_per_datum};
}

FaceRows face_rows_of(const Image& image) {
    return {image.num_faces, image.faces_per_row, image.face_rows, image.segment_bytes / 16, image.row_bytes};
}

// Whether bytes pass through DST unchanged.
bool passes_unchanged(const ComputeState& state, uint32_t cb_in) {
    const DataFormat format = state.src_a.format;
    return format == state.pack.format && packs_plainly(state) &&
           (format == DataFormat::Float16_b || is_integer(format) ||
            (format == DataFormat::Float32 && copy_mask(state, state.src_a, cb_in) == ~0u));
}

// Row-major blocks are read and written as one range. A card does not wrap it at the end of the circular buffer but
// continues into the memory behind. Unused rows may do so (where a block has fewer rows than a face).
void check_stretch(uint32_t cb, const uint8_t* start, size_t bytes, bool is_write, const char* call) {
    const KernelContext& context = *tw_context();
    const uint64_t limit = static_cast<uint64_t>(context.cb[cb].fifo_limit) << (context.compute_words ? 4 : 0);
    const uint64_t first = reinterpret_cast<uintptr_t>(start);
    if (first + bytes > limit) [[unlikely]] {
        materialize(compute_state());
        leaves_circular_buffer(cb, limit - first, bytes, is_write, call);
        bytes = limit - first;
    }
    check_rows(cb, start, bytes, is_write);
}

// One tile of DST words to rows in L1.
void pack_untilized(
    const ComputeState& state,
    const uint32_t* words,
    const Image& image,
    DataFormat format,
    uint8_t* rows,
    const char* call) {
    alignas(64) static constexpr uint32_t kZeros[kTileElements] = {};
    alignas(64) uint8_t tile[kTileElements * 4];
    if (!words) {
        words = kZeros;
    }
    const bool changes = state.pack_relu_mode != 0 || state.pack_l1_accumulate;
    if (format == DataFormat::Float16_b && image.faces_per_row == 2 && !changes) [[likely]] {
        for (uint32_t face = 0; face < image.num_faces; face += 2) {
            const uint32_t* left = words + face * kFaceElements;
            uint8_t* to = rows + static_cast<size_t>(face / 2) * image.face_rows * image.row_bytes;
            encode_bfloat16_rows(left, left + kFaceElements, image.face_rows, state.fp32_dest, to, image.row_bytes);
        }
        return;
    }
    uint8_t* const tiles[] = {tile};
    if (state.pack_l1_accumulate) {
        gather(image, rows, tiles, 1);
    }
    const uint32_t face_data = image.face_rows * 16;
    for (uint32_t face = 0; face < image.num_faces; face++) {
        uint8_t* bytes = tile + face * image.face_rows * image.segment_bytes;
        pack_row(state, words + face * kFaceElements, face_data, format, bytes, call);
    }
    scatter(image, tiles, 1, rows);
}

// One row of tiles from the front of cb_in to rows of row_data elements.
void untilize_tiles(
    const ComputeState& state,
    uint32_t cb_in,
    uint32_t first_tile,
    uint32_t num_tiles,
    uint32_t cb_out,
    uint32_t row_data,
    uint8_t* rows,
    const char* call) {
    check_source(state, state.src_a, cb_in, call);
    const TileGeometry& geometry = tile_geometry(cb_in);
    const DataFormat format = pack_format(state, call);
    const uint32_t bytes = datum_bytes(format, call);
    const Image image = image_of(geometry, bytes, row_data);
    const bool unchanged = passes_unchanged(state, cb_in);
    const auto follow = [&](const uint8_t* tile, const uint8_t* to) {
        if (state.taints) [[unlikely]] {
            scatter_taint(state, load_taint(state, cb_in, tile), face_rows_of(image), cb_out, to);
        }
    };
    for (uint32_t tile = 0; unchanged && tile < num_tiles; tile += kGroup) {
        const uint32_t count = std::min(kGroup, num_tiles - tile);
        const uint8_t* tiles[kGroup];
        for (uint32_t i = 0; i < count; i++) {
            tiles[i] = front_tile(cb_in, first_tile + tile + i);
            follow(tiles[i], rows + i * geometry.tile_cols * bytes);
        }
        scatter(image, tiles, count, rows);
        rows += count * geometry.tile_cols * bytes;
    }
    for (uint32_t tile = 0; !unchanged && tile < num_tiles; tile++, rows += geometry.tile_cols * bytes) {
        alignas(64) uint32_t words[kTileElements];
        follow(unpack_words(state, state.src_a, cb_in, first_tile + tile, words, call), rows);
        pack_untilized(state, words, image, format, rows, call);
    }
}

TileGeometry dst_geometry(uint32_t cb_out, uint32_t face_rows, uint32_t num_faces, const char* call) {
    TileGeometry geometry = tile_geometry(cb_out);
    if (face_rows != 0) {
        geometry.face_rows = static_cast<uint8_t>(face_rows);
    }
    if (num_faces != 0) {
        if (num_faces != 1 && num_faces != 2 && num_faces != 4) {
            kernel_error("%s: %u faces, allowed are 1, 2 and 4", call, num_faces);
        }
        if (num_faces != geometry.num_faces) {
            geometry.tile_cols = num_faces == 1 ? 16 : 32;
        }
        geometry.num_faces = static_cast<uint8_t>(num_faces);
    }
    return geometry;
}

uint32_t rows_of(const TileGeometry& geometry) {
    return geometry.num_faces / (geometry.tile_cols > 16 ? 2u : 1u) * geometry.face_rows;
}

}  // namespace

}  // namespace tw

using namespace tw;

extern "C" {

void tw_tilize_block(uint32_t cb_in, uint32_t num_tiles, uint32_t cb_out, uint32_t in_tile, uint32_t out_tile) {
    constexpr const char* kCall = "tilize_block";
    const BlockSection section(cb_in, kCall);
    if (!section) {
        return;
    }
    ComputeState& state = compute_state();
    check_loops(state, {UnpackLoop::Tilize, num_tiles, MathLoop::Copy, kAnyDetail}, cb_in, kCall);
    check_source(state, state.src_a, cb_in, kCall);
    check_pack(state, cb_out, PackLoop::Default, kCall);
    const TileGeometry& geometry = tile_geometry(cb_in);
    const DataFormat format = state.src_a.format;
    const uint32_t bytes = datum_bytes(format, kCall);
    const uint32_t row_data = num_tiles * geometry.tile_cols;
    const Image image = image_of(geometry, bytes, row_data);
    // in_tile counts tiles of blocks that lie one below the other.
    const size_t block_bytes = static_cast<size_t>(row_data) * geometry.tile_rows * bytes;
    const uint8_t* rows = front_rows(cb_in);
    if (num_tiles == 0) {
        return;
    }
    check_stretch(cb_in, rows, block_bytes * (in_tile / num_tiles + 1), false, kCall);
    rows += block_bytes * (in_tile / num_tiles) + in_tile % num_tiles * geometry.tile_cols * bytes;
    const bool unchanged = passes_unchanged(state, cb_in);
    const uint32_t mask = copy_mask(state, state.src_a, cb_in);
    const auto follow = [&](const uint8_t* from, const uint8_t* out) {
        if (state.taints) [[unlikely]] {
            const TileTaint taint = gather_taint(state, face_rows_of(image), cb_in, from);
            taint_pack(state, taint, cb_out, tile_geometry(cb_out), pack_format(state, kCall), out);
        }
    };
    for (uint32_t tile = 0; unchanged && tile < num_tiles; tile += kGroup) {
        const uint32_t count = std::min(kGroup, num_tiles - tile);
        uint8_t* tiles[kGroup];
        for (uint32_t i = 0; i < count; i++) {
            tiles[i] = back_tile(cb_out, out_tile + tile + i);
            follow(rows + i * geometry.tile_cols * bytes, tiles[i]);
        }
        gather(image, rows, tiles, count);
        rows += count * geometry.tile_cols * bytes;
    }
    for (uint32_t tile = 0; !unchanged && tile < num_tiles; tile++, rows += geometry.tile_cols * bytes) {
        uint8_t* out = back_tile(cb_out, out_tile + tile);
        follow(rows, out);
        alignas(64) uint8_t gathered[kTileElements * 4];
        alignas(64) uint32_t words[kTileElements];
        uint8_t* const tiles[] = {gathered};
        gather(image, rows, tiles, 1);
        decode_tile(gathered, format, geometry, words);
        for (uint32_t i = 0; i < kTileElements && mask != ~0u; i++) {
            words[i] &= mask;
        }
        pack_words(state, words, tile_geometry(cb_out), out, kCall);
    }
}

void tw_untilize_block(uint32_t cb_in, uint32_t num_tiles, uint32_t cb_out) {
    constexpr const char* kCall = "untilize_block";
    const BlockSection section(cb_in, kCall);
    if (!section) {
        return;
    }
    ComputeState& state = compute_state();
    check_loops(state, {UnpackLoop::Untilize, 0, MathLoop::Copy, kAnyDetail}, cb_in, kCall);
    check_pack(state, cb_out, PackLoop::Default, kCall);
    const TileGeometry& geometry = tile_geometry(cb_in);
    const uint32_t row_data = num_tiles * geometry.tile_cols;
    uint32_t& packed_pages = tw_context()->cb[cb_out].fifo_wr_tile_ptr;
    uint8_t* rows = back_rows(cb_out, packed_pages);
    const uint32_t datum = datum_bytes(pack_format(state, kCall), kCall);
    check_stretch(cb_out, rows, static_cast<size_t>(row_data) * geometry.tile_rows * datum, true, kCall);
    untilize_tiles(state, cb_in, 0, num_tiles, cb_out, row_data, rows, kCall);
    packed_pages += num_tiles;
}

void tw_fast_untilize_row(uint32_t cb_in, uint32_t num_tiles, uint32_t cb_out, uint32_t in_tile, uint32_t out_tile) {
    constexpr const char* kCall = "fast_untilize";
    const BlockSection section(cb_in, kCall);
    if (!section) {
        return;
    }
    ComputeState& state = compute_state();
    check_loops(state, {UnpackLoop::Copy, 0, MathLoop::Copy, kAnyDetail}, cb_in, kCall);
    check_pack(state, cb_out, PackLoop::Untilize, kCall);
    const TileGeometry& geometry = tile_geometry(cb_in);
    const uint32_t row_data = num_tiles * geometry.tile_cols;
    uint8_t* rows = back_rows(cb_out, out_tile);
    const uint32_t datum = datum_bytes(pack_format(state, kCall), kCall);
    check_stretch(cb_out, rows, static_cast<size_t>(row_data) * geometry.tile_rows * datum, true, kCall);
    untilize_tiles(state, cb_in, in_tile, num_tiles, cb_out, row_data, rows, kCall);
}

void tw_pack_untilize_block(
    uint32_t cb_in, uint32_t block_ct, uint32_t block_rt, uint32_t cb_out, uint32_t full_ct, uint32_t block_c) {
    constexpr const char* kCall = "pack_untilize_block";
    const BlockSection section(cb_in, kCall);
    if (!section) {
        return;
    }
    ComputeState& state = compute_state();
    check_pack(state, cb_out, PackLoop::Untilize, kCall);  // only this check names the call's own init
    check_loops(state, {UnpackLoop::Copy, 0, MathLoop::Copy, kAnyDetail}, cb_in, kCall);
    if (block_rt != 1) {
        kernel_error(
            "%s: block_rt_dim %u, but a card reads the same %u tiles and writes the same rows each time; call it once "
            "per row of tiles",
            kCall,
            block_rt,
            block_ct);
    }
    check_slot(state, block_ct - 1, kCall);
    const TileGeometry& geometry = tile_geometry(cb_in);
    const uint32_t row_data = full_ct * geometry.tile_cols;
    const uint32_t bytes = datum_bytes(pack_format(state, kCall), kCall);
    uint8_t* rows = back_rows(cb_out, 0);
    check_stretch(cb_out, rows, static_cast<size_t>(row_data) * geometry.tile_rows * bytes, true, kCall);
    rows += static_cast<size_t>(block_c) * block_ct * geometry.tile_cols * bytes;
    untilize_tiles(state, cb_in, 0, block_ct, cb_out, row_data, rows, kCall);
}

void tw_pack_untilize_dest(
    uint32_t cb_out,
    uint32_t block_ct,
    uint32_t block_rt,
    uint32_t full_ct,
    uint32_t block_c,
    uint32_t face_rows,
    uint32_t num_faces,
    uint32_t first_dst) {
    constexpr const char* kCall = "pack_untilize_dest";
    if (!runs_on(current_instance(), kPackThread)) {
        return;
    }
    ComputeState& state = pack_state(kCall);
    check_pack(state, cb_out, PackLoop::Untilize, kCall);
    const TileGeometry geometry = dst_geometry(cb_out, face_rows, num_faces, kCall);
    const DataFormat format = pack_format(state, kCall);
    const uint32_t bytes = datum_bytes(format, kCall);
    const Image image = image_of(geometry, bytes, full_ct * geometry.tile_cols);
    const bool packs_deferred = is_square_tile(geometry) && format == DataFormat::Float16_b && packs_plainly(state);
    for (uint32_t row = 0; row < block_rt; row++) {
        uint8_t* rows = back_rows(cb_out, row * full_ct);
        check_stretch(cb_out, rows, static_cast<size_t>(image.row_bytes) * rows_of(geometry), true, kCall);
        rows += static_cast<size_t>(block_c) * block_ct * geometry.tile_cols * bytes;
        for (uint32_t column = 0; column < block_ct; column++, rows += geometry.tile_cols * bytes) {
            const uint32_t slot = first_dst + row * block_ct + column;
            dst_begin_pack(state, slot, kCall);
            const uint32_t deferred = packs_deferred ? deferred_run(state, slot, block_ct - column) : 0;
            if (deferred != 0) {
                for (uint32_t i = 1; i < deferred; i++) {
                    dst_begin_pack(state, slot + i, kCall);
                }
                pack_deferred_rows(state.deferred + slot, deferred, rows, image.row_bytes);
                column += deferred - 1;
                rows += (deferred - 1) * geometry.tile_cols * bytes;
                continue;
            }
            if (state.taints) [[unlikely]] {
                scatter_taint(state, slot_taint(state, slot), face_rows_of(image), cb_out, rows);
            }
            pack_untilized(state, dst_packed_words(state, slot), image, format, rows, kCall);
        }
    }
}

void tw_pack_untilize_dest_narrow(
    uint32_t cb_out, uint32_t block_ct, uint32_t block_rt, uint32_t full_ct, uint32_t row_datums, uint32_t first_dst) {
    constexpr const char* kCall = "pack_untilize_dest with narrow rows";
    if (!runs_on(current_instance(), kPackThread)) {
        return;
    }
    ComputeState& state = pack_state(kCall);
    if (block_ct != 1 || full_ct != 1 || row_datums == 0 || row_datums > 16) {
        kernel_error(
            "%s: block_ct_dim %u, full_ct_dim %u, row_num_datums %u; only one column of tiles with 1 to 16 data per "
            "row is modelled",
            kCall,
            block_ct,
            full_ct,
            row_datums);
    }
    const TileGeometry& geometry = tile_geometry(cb_out);
    const DataFormat format = pack_format(state, kCall);
    const uint32_t bytes = datum_bytes(format, kCall);
    const uint32_t faces_per_row = geometry.tile_cols > 16 ? 2 : 1;
    for (uint32_t tile = 0; tile < block_rt; tile++) {
        const uint32_t* words = dst_read(state, first_dst + tile, kCall);
        alignas(64) static constexpr uint32_t kZeros[kTileElements] = {};
        uint8_t* rows = back_rows(cb_out, tile);
        check_stretch(cb_out, rows, static_cast<size_t>(rows_of(geometry)) * row_datums * bytes, true, kCall);
        for (uint32_t row = 0; row < rows_of(geometry); row++) {
            const uint32_t face = row / geometry.face_rows * faces_per_row;
            const uint32_t from = face * kFaceElements + row % geometry.face_rows * 16;
            uint8_t* out = rows + row * row_datums * bytes;
            taint_pack_data(state, first_dst + tile, from, row_datums, bytes, cb_out, out);
            pack_row(state, (words ? words : kZeros) + from, row_datums, format, out, kCall);
        }
    }
}
}
