// SPDX-License-Identifier: Apache-2.0
// What the pages of circular buffers hold: tiles, or rows. Known where a tile operation wrote them, or the NoC brought
// rows of a row-major tensor.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "check/findings.h"
#include "check/shadow_memory.h"

namespace tw {

class Program;
struct KernelInstance;

class PageLayouts {
public:
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

private:
    enum Layout : uint8_t { kUnknown, kTiles, kRows, kGivenRows };  // given: as a row-major tensor has them
    // Pages of one circular buffer on one core; empty until something is known of one.
    using Pages = std::vector<uint8_t>;
    void mark(KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes, Layout layout);
    void report_rows_taken(KernelInstance& writer, uint32_t from) const;
    Layout layout_of(const KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes) const;
    uint32_t tensor_layout(const uint8_t* remote) const;

    struct TensorStretch {
        const uint8_t* begin;
        const uint8_t* end;
        uint32_t layout;
    };
    std::vector<TensorStretch> tensors_;
    std::map<std::pair<const Core*, uint32_t>, Pages> pages_;
    std::map<const Core*, bool> has_tiles_;
    // Where a kernel first took given rows for a tile.
    struct RowsTaken {
        CallPlace place;
        uint32_t cb;
    };
    std::map<const Core*, RowsTaken> rows_taken_;
};

}  // namespace tw
