// SPDX-License-Identifier: Apache-2.0
// Layout of the pages of circular buffers: tiles or rows. Known where a tile operation wrote them, or the NoC brought
// rows of a row-major tensor.
//
// Each page has a mark, set when it is filled and removed when its memory is written otherwise. Reported are a tile
// operation on rows, tilize on tiles, and a page of one layout that is written to a tensor of the other. A page also has
// the format of the tensor it came from, or of the packer that wrote it; reported is a circular buffer of another format.
#pragma once

#include <cstdint>
#include <vector>

#include "check/findings.h"
#include "check/memory/tensor_places.h"
#include "chip/chip.h"

namespace tw {

class Program;
struct KernelInstance;

// A transfer of one tile of the buffer's format, over pages of another size: the kernel asked the format for the size.
void check_tile_format(KernelInstance& by, const TensorPlace& place, uint32_t cb, uint32_t bytes, bool is_read);

class PageLayouts {
public:
    explicit PageLayouts(const TensorPlaces& tensors) : tensors_(tensors) {}

    void start(const Program& program);

    void wrote_tiles(KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes);
    void wrote_rows(KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes);
    void reads_tiles(KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes);
    // A tilize reads rows; from then on the core has real tiles.
    void reads_rows(KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes);
    // Any other write to the core's L1.
    void written(const Core& core, uint32_t address, uint32_t bytes);
    // A NoC read from a tensor, after `written` was called for it, and a NoC write to one. `remote` is the host address
    // at the tensor's end.
    void read_from(KernelInstance& instance, uint32_t local, const uint8_t* remote, uint32_t bytes);
    void drained(KernelInstance& instance, uint32_t local, const uint8_t* remote, uint32_t bytes);
    void finish(Findings& findings) const;

private:
    // Given rows: as in a row-major tensor. Worked rows: after element-wise operations on rows.
    enum Layout : uint8_t { kUnknown, kTiles, kRows, kGivenRows, kWorkedRows };
    // Where the bytes of a page come from: a tensor, or the packer. Invalid: not known.
    struct Origin {
        DataFormat format = DataFormat::Invalid;
        uint32_t tensor = kPacked;
    };
    static constexpr uint32_t kPacked = ~0u;
    // Pages of one circular buffer, once the layout of one is known.
    struct Pages {
        uint32_t cb, begin, end;  // slot pointers
        std::vector<uint8_t> layouts;
        std::vector<Origin> origins;
    };
    // Rows made by untilize that are used as a tile.
    struct TakenRows {
        uint32_t cb, address;
        CallPlace place;
        uint64_t count;
    };
    struct OnCore {
        std::vector<Pages> buffers;
        bool has_tiles = false;
        bool maths_on_rows = false;  // some operand since the last pack is rows
        bool maths_on_tiles = false;  // some operand is certainly tiles (a scaler of unknown origin does not count)
        bool maths_on_unknown = false;  // some operand may be either
        bool has_packed = true;
        CallPlace rows_taken;  // where a kernel first used given rows as a tile, and of which buffer
        uint32_t rows_taken_from = kNoCircularBuffer;
        std::vector<TakenRows> untilized_taken;  // not tilized again so far
    };
    OnCore& on(const Core& core) { return cores_[(core.l1_base - l1_begin_) / kL1SlotBytes]; }
    void mark(
        KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes, Layout layout, const Origin& origin);
    Origin origin_of(const KernelInstance& instance, uint32_t cb, uint32_t address);
    void check_format_read(KernelInstance& instance, uint32_t cb, uint32_t address);
    void check_format_written(KernelInstance& instance, uint32_t cb, uint32_t local, const TensorPlace& to);
    static void take_untilized(OnCore& core, const KernelInstance& instance, uint32_t cb, uint32_t address);
    void report_rows_taken(KernelInstance& writer, uint32_t from);
    Layout layout_of(const KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes);

    const TensorPlaces& tensors_;
    uint32_t l1_begin_ = 0;
    std::vector<OnCore> cores_;
};

}  // namespace tw
