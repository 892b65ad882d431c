// SPDX-License-Identifier: Apache-2.0
// Marks of bytes in L1 to marks of a tile's elements and back.
#include <algorithm>
#include <cstring>

#include "check/checks.h"
#include "check/memory/bits.h"
#include "check/values/row_marks.h"
#include "check/values/values.h"
#include "core.h"
#include "run/scheduler.h"
#include "tile/dst.h"
#include "tile/formats.h"
#include "tile/pack.h"

namespace tw {

namespace {

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

// Marks of a range of L1, of both planes.
struct StretchMarks {
    ShadowMemory::Marks written, beside;

    StretchMarks(const KernelInstance& instance, const uint8_t* bytes, uint64_t count) :
        written(instance.checks->memory.marks(bytes, count)),
        beside(instance.checks->values.beside.marks(bytes, count)) {}
    bool any() const { return written.undefined != nullptr || beside.undefined != nullptr; }
    RowMarks row(uint64_t offset, uint32_t count) const {
        RowMarks marks;
        if (written.undefined != nullptr) {
            const uint64_t undefined = get_bits(written.undefined, written.first + offset, count);
            marks.padding = undefined != 0 ? get_bits(written.padding, written.first + offset, count) : 0;
            marks.unwritten = undefined & ~marks.padding;
        }
        if (beside.undefined != nullptr) {
            marks.beside = get_bits(beside.undefined, beside.first + offset, count);
        }
        return marks;
    }
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

uint8_t kinds_in(const uint8_t* of, uint32_t count) {
    uint8_t kinds = 0;
    for (uint32_t i = 0; i < count; i++) {
        kinds |= of[i];
    }
    return kinds;
}

// Stores a row of marked data; in a tensor the marks are reported at once.
void store_row(
    KernelInstance& instance,
    const uint8_t* of,
    uint32_t data,
    uint32_t width,
    uint32_t cb,
    const Origins& origins,
    const uint8_t* bytes) {
    const RowMarks marks = data_to_row(of, data, width);
    if (marks.any()) {
        check_tensor_bytes(instance, bytes, width, marks.unwritten, marks.padding, marks.beside, cb, origins);
    }
    write_row(instance, bytes, width, marks);
}

// Positions of the face rows in a tile.
struct RowsInTile {
    uint32_t begin, row_bytes, face_rows;

    uint64_t offset(uint32_t face, uint32_t row) const {
        return begin + static_cast<uint64_t>(face * face_rows + row) * row_bytes;
    }
};

// The packer's reduce mask writes zeros beside the result.
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
    // A shared exponent is defined as soon as one of its data is.
    for (uint32_t row = 0; row < geometry.num_faces * geometry.face_rows; row++) {
        const uint32_t face = row / geometry.face_rows;
        const uint8_t* of = taint.of + face * kFaceElements + row % geometry.face_rows * kRowData;
        const bool all = std::all_of(of, of + kRowData, [](uint8_t each) { return each != 0; });
        const uint8_t kinds = all ? kinds_in(of, kRowData) : 0;
        write_row(instance, bytes + row, 1, data_to_row(&kinds, 1, 1));
    }
}

// The tile's rows, each of one or two faces.
ShadowMemory::Rows rows_of(const FaceRows& image, const uint8_t* rows) {
    const uint32_t count = image.num_faces / image.faces_per_row * image.face_rows;
    return {rows, image.faces_per_row * kRowData * image.datum_bytes, count, image.row_bytes};
}

}  // namespace

// Adds the marks of the first `data` data of a face's row.
static void load_row(
    const StretchMarks& marks, const RowsInTile& rows, uint32_t face, uint32_t row, uint32_t data, TileTaint& taint) {
    const uint32_t bytes = std::max(rows.row_bytes * data / kRowData, 1u);
    const RowMarks found = marks.row(rows.offset(face, row), bytes);
    if (found.any()) {
        taint.open();
        row_to_data(found, data, bytes, taint.of + face * kFaceElements + row * kRowData);
    }
}

TileTaint load_taint(const ComputeState& state, uint32_t cb, const uint8_t* bytes, TileReads reads, uint32_t row) {
    TileTaint taint;
    KernelInstance& instance = instance_of(state);
    const TileGeometry& geometry = tile_geometry(cb);
    if (geometry.format == DataFormat::Invalid) {
        return taint;
    }
    const StretchMarks marks(instance, bytes, tile_bytes(geometry.format, geometry));
    if (!marks.any()) {
        return taint;
    }
    const RowsInTile rows{exponent_bytes(geometry.format, geometry), bytes_of_row(geometry.format), geometry.face_rows};
    const uint32_t faces_per_row = geometry.tile_cols > 16 ? 2 : 1;
    const uint32_t only_row = reads == TileReads::Row ? row % 16 : 0;
    const bool one_row = reads == TileReads::Row || reads == TileReads::Scalar;
    const uint32_t first_face = reads == TileReads::Row ? row / 16 * faces_per_row : 0;
    const uint32_t num_faces = reads == TileReads::Row      ? faces_per_row
                               : reads == TileReads::Scalar ? 1
                                                            : geometry.num_faces;
    const uint32_t data = reads == TileReads::All || reads == TileReads::Row ? kRowData : 1;
    const uint32_t face_step = reads == TileReads::LeftColumn ? faces_per_row : 1;
    for (uint32_t face = first_face; face < first_face + num_faces; face += face_step) {
        for (uint32_t i = only_row; i < (one_row ? only_row + 1 : geometry.face_rows); i++) {
            load_row(marks, rows, face, i, data, taint);
        }
    }
    if (!taint.clean) {
        taint.origins = origins_of_cb(instance, cb, bytes);
        mixed_in(state, taint, taint.of[0] & kUnwritten);
    }
    return taint;
}

void taint_pack(
    const ComputeState& state,
    const TileTaint& from,
    uint32_t cb,
    const TileGeometry& geometry,
    DataFormat format,
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

void checked::taint_pack_slot(
    const ComputeState& state, uint32_t slot, uint32_t cb, const TileGeometry& geometry, const uint8_t* bytes) {
    if (dst_reads_zero(state, slot)) {
        note_finding(
            instance_of(state),
            Rule::DstUnwritten,
            cb,
            0,
            "packs DST register %u to c_%u, and no operation has written it since tile_regs_acquire",
            slot,
            cb);
    }
    if (state.taints) {
        taint_pack(state, state.checks->values->slot[slot], cb, geometry, state.pack.format, bytes);
    }
}

const TileTaint& slot_taint(const ComputeState& state, uint32_t slot) { return state.checks->values->slot[slot]; }

TileTaint gather_taint(const ComputeState& state, const FaceRows& image, uint32_t cb, const uint8_t* rows) {
    TileTaint taint;
    KernelInstance& instance = instance_of(state);
    const uint32_t width = kRowData * image.datum_bytes;
    const ShadowMemory::Rows whole = rows_of(image, rows);
    if (!instance.checks->memory.any_undefined(whole) && !instance.checks->values.beside.any_undefined(whole)) {
        return taint;
    }
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
        mixed_in(state, taint, taint.of[0] & kUnwritten);
    }
    return taint;
}

void scatter_taint(
    const ComputeState& state, const TileTaint& taint, const FaceRows& image, uint32_t cb, const uint8_t* rows) {
    KernelInstance& instance = instance_of(state);
    const uint32_t width = kRowData * image.datum_bytes;
    uint8_t kinds = 0;
    if (taint.clean) {
        instance.checks->memory.define(rows_of(image, rows));
        instance.checks->values.beside.define(rows_of(image, rows));
        return;
    }
    for (uint32_t face = 0; face < image.num_faces; face++) {
        const uint32_t top = face / image.faces_per_row * image.face_rows;
        for (uint32_t row = 0; row < image.face_rows; row++) {
            const uint8_t* bytes = rows + (top + row) * image.row_bytes + face % image.faces_per_row * width;
            const uint8_t* of = taint.of + face * kFaceElements + row * kRowData;
            kinds |= kinds_in(of, kRowData);
            store_row(instance, of, kRowData, width, cb, taint.origins, bytes);
        }
    }
    remember_origins(instance, cb, taint.origins, kinds);
}

void taint_pack_data(
    const ComputeState& state,
    uint32_t slot,
    uint32_t first,
    uint32_t count,
    uint32_t datum_bytes,
    uint32_t cb,
    const uint8_t* bytes) {
    if (!state.taints) [[likely]] {
        return;
    }
    KernelInstance& instance = instance_of(state);
    const TileTaint& taint = state.checks->values->slot[slot];
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
