// SPDX-License-Identifier: Apache-2.0
// What the pages of circular buffers hold: tiles, or rows. Known where a tile operation wrote them, or the NoC brought
// rows of a row-major tensor.
//
// Each page has a mark of what it holds, set by whoever filled it and forgotten when its memory is written otherwise. A
// tile operation on rows, tilize on tiles, and a page of one kind that leaves for a tensor of the other are named.
#pragma once

#include <cstdint>
#include <vector>

#include "check/findings.h"
#include "check/memory/tensor_places.h"
#include "chip/chip.h"

namespace tw {

class Program;
struct KernelInstance;

class PageLayouts {
public:
    explicit PageLayouts(const TensorPlaces& tensors) : tensors_(tensors) {}

    void start(const Program& program);

    void wrote_tiles(KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes);
    void wrote_rows(KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes);
    void reads_tiles(KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes);
    // A tilize reads rows; from then on the core has real tiles.
    void reads_rows(KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes);
    // Somebody else wrote to the core's L1.
    void written(const Core& core, uint32_t address, uint32_t bytes);
    // A NoC read from a tensor, once it has been told to `written`, and a NoC write to one. `remote` is the host address
    // at the tensor's end.
    void read_from(KernelInstance& instance, uint32_t local, const uint8_t* remote, uint32_t bytes);
    void drained(KernelInstance& instance, uint32_t local, const uint8_t* remote, uint32_t bytes);
    void finish(Findings& findings) const;

private:
    // Given rows: as a row-major tensor has them; worked on: rows after maths element by element.
    enum Layout : uint8_t { kUnknown, kTiles, kRows, kGivenRows, kWorkedRows };
    // Pages of one circular buffer, from when something is first known of one.
    struct Pages {
        uint32_t cb;
        std::vector<uint8_t> layouts;
    };
    // Rows that untilize made, taken for a tile.
    struct TakenRows {
        uint32_t cb, address;
        CallPlace place;
        uint64_t count;
    };
    struct OnCore {
        std::vector<Pages> buffers;
        bool has_tiles = false;
        bool maths_on_rows = false;  // some of what was unpacked since the last pack is rows
        bool maths_on_tiles = false;  // some of it is tiles for sure: a scaler of unknown origin changes nothing
        bool maths_on_unknown = false;  // some of it may be either
        bool has_packed = true;
        CallPlace rows_taken;  // where a kernel first took given rows for a tile, and from which buffer
        uint32_t rows_taken_from = kNoCircularBuffer;
        std::vector<TakenRows> untilized_taken;  // and not seen to become tiles again, so far
    };
    OnCore& on(const Core& core) { return cores_[(core.l1_base - l1_begin_) / kL1SlotBytes]; }
    void mark(KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes, Layout layout);
    static void take_untilized(OnCore& core, const KernelInstance& instance, uint32_t cb, uint32_t address);
    void report_rows_taken(KernelInstance& writer, uint32_t from);
    Layout layout_of(const KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes);

    const TensorPlaces& tensors_;
    uint32_t l1_begin_ = 0;
    std::vector<OnCore> cores_;
};

}  // namespace tw
