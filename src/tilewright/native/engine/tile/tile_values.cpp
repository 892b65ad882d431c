// SPDX-License-Identifier: Apache-2.0
// Values of a tile in L1, for kernels that print it.
#include <bit>

#include "abi/tile.h"
#include "core.h"
#include "formats.h"
#include "run/threads.h"

using namespace tw;

extern "C" {

TileSize tw_tile_values(uint32_t cb, uint32_t tile, uint32_t pointer, uint32_t as_stored, float* values) {
    const TileGeometry& geometry = tile_geometry(cb);
    const auto wanted = static_cast<TilePointer>(pointer);
    const KernelInstance& instance = current_instance();
    const bool is_packer = (named_threads(instance) & instance.threads) == kPackThread;
    const bool at_back = wanted == TilePointer::Write || (wanted == TilePointer::OfThread && is_packer);
    const uint8_t* bytes = at_back ? back_tile(cb, tile) : unpacked_tile(cb, tile);
    alignas(64) uint32_t words[kTileElements];
    decode_tile(bytes, geometry.format, geometry, words);
    const uint32_t faces_per_row = geometry.tile_cols > 16 ? 2 : 1;
    const uint32_t rows = geometry.num_faces / faces_per_row * geometry.face_rows, columns = faces_per_row * 16;
    const auto value_of = [&](uint32_t word) {
        return is_integer(geometry.format) ? static_cast<float>(static_cast<int32_t>(word))
                                           : std::bit_cast<float>(word);
    };
    for (uint32_t i = 0; i < rows * columns; i++) {
        const uint32_t row = i / columns, column = i % columns;
        const uint32_t face = row / geometry.face_rows * faces_per_row + column / 16;
        const uint32_t in_faces = face * kFaceElements + row % geometry.face_rows * 16 + column % 16;
        const uint32_t face_data = geometry.face_rows * 16u;
        values[i] = value_of(words[as_stored ? i / face_data * kFaceElements + i % face_data : in_faces]);
    }
    return {rows, columns};
}
}
