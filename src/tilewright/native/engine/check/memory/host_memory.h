// SPDX-License-Identifier: Apache-2.0
// The host's tensors and buffers in a checked run, and which of their bytes are not initialised.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "abi/data_format.h"
#include "chip/chip.h"

namespace tw {

using wire::HostLayout;

// Pages are distributed round-robin over the banks or, of a sharded tensor, as `places` says. The bits and places belong
// to the host, which keeps them during the run.
struct HostMemory {
    HostMemory(const wire::HostBufferMessage& message, const uint8_t* outside, const uint32_t* places);

    static constexpr uint64_t kNoPage = ~uint64_t{0};

    bool is_dram = true;
    uint64_t address = 0;     // in each bank
    uint64_t page_bytes = 0;
    uint64_t stride = 0;      // from one page of a bank to the next
    uint64_t num_pages = 0;
    HostLayout layout = HostLayout::Unknown;
    DataFormat format = DataFormat::Invalid;  // Invalid: not known
    uint32_t height = 0, width = 0;  // last two dimensions without padding; 0: not known
    uint64_t pages_per_shard = 0;  // not 0: cores have shards of rows at `address` in L1
    uint64_t pages_per_bank = 0;   // of a sharded tensor, including the padding of short shards
    // Elements that hold `poison` are uninitialised: padding always, others unless the host wrote the tensor.
    uint32_t element_bytes = 0;  // 1, 2 or 4; 0: everything counts as written
    uint32_t poison = 0;
    bool host_wrote = false;
    bool poison_is_a_value = false;  // so only a whole page of it was never written
    bool zeros_pad = false;  // zeros in the padding are uninitialised too: the host put them there by default
    // Padding by the tensor's shape, whatever it holds: one bit per byte, page after page without gaps, and 16 bytes
    // more; null: none.
    const uint8_t* outside = nullptr;
    const uint32_t* places = nullptr;  // bank * pages_per_bank + page of the bank; null: interleaved

    bool is_sharded() const { return places != nullptr; }
    uint64_t bytes_per_bank(uint64_t banks) const {
        return (is_sharded() ? pages_per_bank : (num_pages + banks - 1) / banks) * stride;
    }
    // The page at a byte offset from `address` in a bank, or kNoPage.
    uint64_t page_at(uint64_t bank, uint64_t banks, uint64_t offset) const;
    bool has_shard_in(uint64_t bank) const { return bank < first_place_.size() && first_place_[bank] != kNoPage; }
    bool may_hold_poison() const;
    const uint8_t* page(const Chip& chip, uint64_t index) const;

private:
    std::vector<uint64_t> first_place_;  // by bank: where its pages begin in page_of_
    std::vector<uint64_t> page_of_;
};

// Marks of a part of a page. More than 64 bytes are all unwritten; up to 64 have a bit each.
struct PageMarks {
    uint64_t offset;
    uint32_t bytes;
    uint64_t unwritten, padding;
};

// Calls `mark` for every part of a page that holds something unwritten or padding.
void for_each_mark(
    const Chip& chip, const HostMemory& memory, uint64_t page, const std::function<void(const PageMarks&)>& mark);

// Pages with an unwritten element, and the first of them.
struct UnwrittenPages {
    uint64_t count = 0, first = 0;
};
UnwrittenPages unwritten_pages(const Chip& chip, const HostMemory& memory);

}  // namespace tw
