// SPDX-License-Identifier: Apache-2.0
// Division of a tensor's pages among cores. If the same shares are read and written, each by one core, but some core
// reads one share and writes another, the host may have given reader and writer their arguments in different orders of
// cores. Some operations do that on purpose, so the finding is a hint.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "check/findings.h"
#include "check/memory/tensor_places.h"

namespace tw {

class Program;
struct Core;

class WorkSplit {
public:
    explicit WorkSplit(const TensorPlaces& tensors) : tensors_(tensors) {}

    void start(const Program& program);
    // A transfer between a kernel's core and an address that may be a tensor's.
    void moved(KernelInstance& by, const uint8_t* place, bool is_read);
    void finish(Findings& findings) const;

private:
    // Pages of one tensor that one core reads, or writes.
    struct Share {
        uint64_t first = ~uint64_t{0}, last = 0;
        uint64_t steps = 0;  // number of page changes
        CallPlace place;
        bool is_row() const { return first <= last && steps == last - first + 1; }
        std::pair<uint64_t, uint64_t> pages() const { return {first, last}; }
    };
    using Shares = std::map<const Core*, Share>;
    void compare(const Shares& read, const Shares& written, uint32_t input, uint32_t output, Findings& findings) const;

    // The share a kernel read from, or wrote to, last.
    struct Recent {
        uint32_t tensor = 0;
        Share* share = nullptr;
    };

    const TensorPlaces& tensors_;
    std::map<uint32_t, Shares> read_, written_;  // by tensor
    std::vector<Recent> recent_;  // two for each instance
    std::map<uint32_t, uint64_t> num_pages_;
};

}  // namespace tw
