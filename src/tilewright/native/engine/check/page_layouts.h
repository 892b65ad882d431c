// SPDX-License-Identifier: Apache-2.0
// What the pages of circular buffers hold: tiles, or rows. Known only where a tile operation wrote them.
#pragma once

#include <cstdint>
#include <vector>

#include "check/tensor_places.h"
#include "chip.h"

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
    // A NoC read from a tensor, a NoC write to one. `remote` is the host address at the tensor's end.
    void read_from(KernelInstance& instance, const uint8_t* remote, uint32_t bytes);
    void drained(KernelInstance& instance, uint32_t local, const uint8_t* remote, uint32_t bytes);

private:
    enum Layout : uint8_t { kUnknown, kTiles, kRows };
    // Pages of one circular buffer, from when a tile operation first writes one.
    struct Pages {
        uint32_t cb;
        std::vector<uint8_t> layouts;
    };
    struct OnCore {
        std::vector<Pages> buffers;
        bool has_tiles = false;
    };
    OnCore& on(const Core& core) { return cores_[(core.l1_base - l1_begin_) / kL1SlotBytes]; }
    void mark(KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes, Layout layout);
    Layout layout_of(const KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes);

    const TensorPlaces& tensors_;
    uint32_t l1_begin_ = 0;
    std::vector<OnCore> cores_;
};

}  // namespace tw
