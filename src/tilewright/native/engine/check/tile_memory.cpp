// SPDX-License-Identifier: Apache-2.0
// Marks of bytes in L1 to marks of a tile's elements and back.
#include <algorithm>
#include <cstring>

#include "check/checks.h"
#include "check/values.h"
#include "core.h"
#include "scheduler.h"
#include "tile/dst.h"
#include "tile/formats.h"
#include "tile/pack.h"

namespace tw {

namespace {

constexpr uint32_t kRowData = 16;

KernelInstance& instance_of(const ComputeState& state) { return *state.checks->operands.instance; }

// Bytes of 16 data; formats that share exponents keep those elsewhere.
uint32_t bytes_of_row(DataFormat format) {
    switch (format) {
        case DataFormat::Bfp8:
        case DataFormat::Bfp8_b: return 16;
        case DataFormat::Bfp4:
        case DataFormat::Bfp4_b: return 8;
        case DataFormat::Bfp2:
        case DataFormat::Bfp2_b: return 4;
        default: return kRowData * datum_bytes(format, "tile operation");
    }
}

uint32_t exponent_bytes(DataFormat format, const TileGeometry& geometry) {
    return is_block_float(format) ? (geometry.num_faces * geometry.face_rows + 15u) & ~15u : 0;
}

uint64_t tile_bytes(DataFormat format, const TileGeometry& geometry) {
    return exponent_bytes(format, geometry) +
           static_cast<uint64_t>(geometry.num_faces) * geometry.face_rows * bytes_of_row(format);
}

// Marks of a row of data, one bit per byte.
struct RowMarks {
    uint64_t unwritten = 0, padding = 0, beside = 0;

    bool any() const { return (unwritten | padding | beside) != 0; }
};

RowMarks read_row(KernelInstance& instance, const uint8_t* bytes, uint32_t count) {
    const uint64_t undefined = instance.checks->memory.undefined_bits(bytes, count);
    const uint64_t padding = undefined != 0 ? instance.checks->memory.padding_bits(bytes, count) : 0;
    return {undefined & ~padding, padding, instance.checks->values.beside.undefined_bits(bytes, count)};
}

void write_row(KernelInstance& instance, const uint8_t* bytes, uint32_t count, const RowMarks& marks) {
    instance.checks->memory.set_bits(bytes, count, marks.unwritten | marks.padding, marks.padding);
    instance.checks->values.beside.set_bits(bytes, count, marks.beside, 0);
}

// `width` bytes hold `data` data.
void row_to_data(const RowMarks& marks, uint32_t data, uint32_t width, uint8_t* of) {
    for (uint32_t i = 0; i < data; i++) {
        const uint32_t first = i * width / data, last = ((i + 1) * width + data - 1) / data;
        const uint64_t mask = ((uint64_t{1} << (last - first)) - 1) << first;
        of[i] = static_cast<uint8_t>(
            ((marks.unwritten & mask) ? kUnwritten : 0) | ((marks.padding & mask) ? kPadding : 0) |
            ((marks.beside & mask) ? kBeside : 0));
    }
}

RowMarks data_to_row(const uint8_t* of, uint32_t data, uint32_t width) {
    RowMarks marks;
    for (uint32_t i = 0; i < data; i++) {
        if (of[i] == 0) {
            continue;
        }
        const uint32_t first = i * width / data, last = ((i + 1) * width + data - 1) / data;
        const uint64_t mask = ((uint64_t{1} << (last - first)) - 1) << first;
        marks.unwritten |= (of[i] & kUnwritten) ? mask : 0;
        marks.padding |= (of[i] & kPadding) && !(of[i] & kUnwritten) ? mask : 0;
        marks.beside |= (of[i] & kBeside) ? mask : 0;
    }
    return marks;
}

uint8_t kinds_in(const uint8_t* of, uint32_t count) {
    uint8_t kinds = 0;
    for (uint32_t i = 0; i < count; i++) {
        kinds |= of[i];
    }
    return kinds;
}

bool all_defined(KernelInstance& instance, const uint8_t* bytes, uint64_t count) {
    return !instance.checks->memory.any_undefined(bytes, count) &&
           !instance.checks->values.beside.any_undefined(bytes, count);
}

// A row of marked data on its way out; where a tensor lies there, the marks count at once.
void store_row(
    KernelInstance& instance, const uint8_t* of, uint32_t data, uint32_t width, uint32_t cb, const Origins& origins,
    const uint8_t* bytes) {
    const RowMarks marks = data_to_row(of, data, width);
    if (marks.any()) {
        check_tensor_bytes(instance, bytes, width, marks.unwritten, marks.padding, marks.beside, cb, origins);
    }
    write_row(instance, bytes, width, marks);
}

// What the packer's mask of a reduction cuts off is written as zero: it lies beside the result.
void apply_pack_mask(const ComputeState& state, const TileGeometry& geometry, uint32_t cb, TileTaint& taint) {
    const auto axis = static_cast<ReduceAxis>(state.scratch[kReduceMask] - 1);
    const uint32_t faces_per_row = geometry.tile_cols > 16 ? 2 : 1;
    taint.open();
    for (uint32_t face = 0; face < geometry.num_faces; face++) {
        for (uint32_t i = 0; i < kFaceElements; i++) {
            const bool first_column = face % faces_per_row == 0 && i % 16 == 0;
            const bool first_row = face < faces_per_row && i / 16 == 0;
            const bool keep = axis == ReduceAxis::Row   ? first_column
                              : axis == ReduceAxis::Col ? first_row
                                                        : first_column && first_row;
            if (!keep) {
                taint.of[face * kFaceElements + i] = kBeside;
            }
        }
    }
    taint.origins.of[2] = {Origin::Kind::Reduction, static_cast<uint8_t>(axis), cb, 0};
}

void store_exponents(
    KernelInstance& instance, const TileTaint& taint, const TileGeometry& geometry, const uint8_t* bytes) {
    // A shared exponent means something as soon as one of its data does.
    for (uint32_t row = 0; row < geometry.num_faces * geometry.face_rows; row++) {
        const uint32_t face = row / geometry.face_rows;
        const uint8_t* of = taint.of + face * kFaceElements + row % geometry.face_rows * kRowData;
        const bool all = std::all_of(of, of + kRowData, [](uint8_t each) { return each != 0; });
        const uint8_t kinds = all ? kinds_in(of, kRowData) : 0;
        write_row(instance, bytes + row, 1, data_to_row(&kinds, 1, 1));
    }
}

}  // namespace

TileTaint load_taint(const ComputeState& state, uint32_t cb, const uint8_t* bytes) {
    TileTaint taint;
    KernelInstance& instance = instance_of(state);
    const TileGeometry& geometry = tile_geometry(cb);
    if (geometry.format == DataFormat::Invalid || all_defined(instance, bytes, tile_bytes(geometry.format, geometry))) {
        return taint;
    }
    taint.open();
    const uint32_t width = bytes_of_row(geometry.format);
    const uint8_t* row = bytes + exponent_bytes(geometry.format, geometry);
    for (uint32_t face = 0; face < geometry.num_faces; face++) {
        for (uint32_t i = 0; i < geometry.face_rows; i++, row += width) {
            const RowMarks marks = read_row(instance, row, width);
            if (marks.any()) {
                row_to_data(marks, kRowData, width, taint.of + face * kFaceElements + i * kRowData);
            }
        }
    }
    taint.origins = origins_of_cb(instance, cb, bytes);
    return taint;
}

void taint_pack(
    const ComputeState& state, const TileTaint& from, uint32_t cb, const TileGeometry& geometry, DataFormat format,
    const uint8_t* bytes) {
    KernelInstance& instance = instance_of(state);
    const bool masked = state.scratch[kReduceMask] != kNoReduceMask;
    if (from.clean && !masked && !state.pack_l1_accumulate) {
        const uint64_t count = tile_bytes(format, geometry);
        instance.checks->memory.define(bytes, count);
        instance.checks->values.beside.define(bytes, count);
        return;
    }
    TileTaint taint = from;
    taint.open();
    if (masked) {
        apply_pack_mask(state, geometry, cb, taint);
    }
    const uint32_t width = bytes_of_row(format);
    const uint8_t* row = bytes + exponent_bytes(format, geometry);
    if (is_block_float(format)) {
        store_exponents(instance, taint, geometry, bytes);
    }
    uint8_t kinds = 0;
    for (uint32_t face = 0; face < geometry.num_faces; face++) {
        for (uint32_t i = 0; i < geometry.face_rows; i++, row += width) {
            uint8_t* of = taint.of + face * kFaceElements + i * kRowData;
            if (state.pack_l1_accumulate) {
                uint8_t held[kRowData];
                row_to_data(read_row(instance, row, width), kRowData, width, held);
                for (uint32_t datum = 0; datum < kRowData; datum++) {
                    of[datum] |= held[datum];
                }
            }
            kinds |= kinds_in(of, kRowData);
            store_row(instance, of, kRowData, width, cb, taint.origins, row);
        }
    }
    remember_origins(instance, cb, taint.origins, kinds);
}

void taint_pack_slot(
    const ComputeState& state, uint32_t slot, uint32_t cb, const TileGeometry& geometry, const uint8_t* bytes) {
    if (state.checks != nullptr) [[unlikely]] {
        taint_pack(state, state.checks->values.slot[slot], cb, geometry, state.pack.format, bytes);
    }
}

const TileTaint& slot_taint(const ComputeState& state, uint32_t slot) { return state.checks->values.slot[slot]; }

TileTaint gather_taint(const ComputeState& state, const FaceRows& image, uint32_t cb, const uint8_t* rows) {
    TileTaint taint;
    KernelInstance& instance = instance_of(state);
    const uint32_t width = kRowData * image.datum_bytes;
    for (uint32_t face = 0; face < image.num_faces; face++) {
        const uint32_t top = face / image.faces_per_row * image.face_rows;
        for (uint32_t row = 0; row < image.face_rows; row++) {
            const uint8_t* bytes = rows + (top + row) * image.row_bytes + face % image.faces_per_row * width;
            const RowMarks marks = read_row(instance, bytes, width);
            if (marks.any()) {
                taint.open();
                row_to_data(marks, kRowData, width, taint.of + face * kFaceElements + row * kRowData);
            }
        }
    }
    if (!taint.clean) {
        taint.origins = origins_of_cb(instance, cb, rows);
    }
    return taint;
}

void scatter_taint(
    const ComputeState& state, const TileTaint& taint, const FaceRows& image, uint32_t cb, const uint8_t* rows) {
    KernelInstance& instance = instance_of(state);
    const uint32_t width = kRowData * image.datum_bytes;
    uint8_t kinds = 0;
    for (uint32_t face = 0; face < image.num_faces; face++) {
        const uint32_t top = face / image.faces_per_row * image.face_rows;
        for (uint32_t row = 0; row < image.face_rows; row++) {
            const uint8_t* bytes = rows + (top + row) * image.row_bytes + face % image.faces_per_row * width;
            if (taint.clean) {
                write_row(instance, bytes, width, {});
                continue;
            }
            const uint8_t* of = taint.of + face * kFaceElements + row * kRowData;
            kinds |= kinds_in(of, kRowData);
            store_row(instance, of, kRowData, width, cb, taint.origins, bytes);
        }
    }
    remember_origins(instance, cb, taint.origins, kinds);
}

void taint_pack_data(
    const ComputeState& state, uint32_t slot, uint32_t first, uint32_t count, uint32_t datum_bytes, uint32_t cb,
    const uint8_t* bytes) {
    if (state.checks == nullptr) [[likely]] {
        return;
    }
    KernelInstance& instance = instance_of(state);
    const TileTaint& taint = state.checks->values.slot[slot];
    if (taint.clean) {
        taint_defined(instance, bytes, static_cast<uint64_t>(count) * datum_bytes);
        return;
    }
    for (uint32_t done = 0; done < count; done += kRowData) {
        const uint32_t part = std::min(kRowData, count - done);
        store_row(
            instance, taint.of + first + done, part, part * datum_bytes, cb, taint.origins, bytes + done * datum_bytes);
    }
    if (cb != kNoCb) {
        remember_origins(instance, cb, taint.origins, kinds_in(taint.of + first, count));
    }
}

}  // namespace tw
