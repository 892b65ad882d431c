// SPDX-License-Identifier: Apache-2.0
#include "check/memory/l1_map.h"

#include <algorithm>

#include "program.h"

namespace tw {

static bool is_on(const std::vector<CoreXY>& cores, const Core& core) {
    return std::any_of(cores.begin(), cores.end(), [&](CoreXY at) { return at.x == core.x && at.y == core.y; });
}

// A host that does not report its tensors may have one anywhere between the circular buffers.
static void fill_gaps(std::vector<L1Map::Stretch>& stretches, const Core& core, uint32_t l1_bytes) {
    std::vector<L1Map::Stretch> gaps;
    uint32_t from = core.l1_base;
    for (const L1Map::Stretch& each : stretches) {
        if (from < each.begin) {
            gaps.push_back({from, each.begin, 0, true});
        }
        from = each.end;
    }
    if (from < core.l1_base + l1_bytes) {
        gaps.push_back({from, core.l1_base + l1_bytes, 0, true});
    }
    stretches.insert(stretches.end(), gaps.begin(), gaps.end());
    std::sort(stretches.begin(), stretches.end(), [](const L1Map::Stretch& a, const L1Map::Stretch& b) {
        return a.begin < b.begin;
    });
}

void L1Map::load(const Program& program, const Core& core) {
    std::vector<Stretch> owned;
    auto own = [&](uint64_t offset, uint64_t bytes, uint64_t circular_buffers, bool is_plain) {
        const auto begin = static_cast<uint32_t>(core.l1_base + offset);
        owned.push_back({begin, static_cast<uint32_t>(begin + bytes), circular_buffers, is_plain});
    };
    const ChipConfig& config = program.chip.config();
    own(0, config.unreserved_base, 0, true);  // firmware's, then arguments and semaphores
    for (const ProgramCircularBuffer& buffer : program.circular_buffers) {
        if (is_on(buffer.cores, core)) {
            own(buffer.offset, buffer.total_bytes, uint64_t{1} << buffer.index, buffer.is_over_tensor);
        }
    }
    for (const ProgramScratchpad& scratchpad : program.scratchpads) {
        if (is_on(scratchpad.cores, core)) {
            own(scratchpad.offset, scratchpad.bytes, 0, true);
        }
    }
    const uint32_t num_cores = program.chip.num_banks(false);
    for (const HostMemory& buffer : program.host_memory) {
        if (!buffer.is_dram) {
            own(buffer.address, buffer.bytes_per_bank(num_cores), 0, true);
        }
    }
    std::vector<uint32_t> edges;
    for (const Stretch& each : owned) {
        edges.insert(edges.end(), {each.begin, each.end});
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    stretches_.clear();
    for (size_t index = 0; index + 1 < edges.size(); index++) {
        Stretch stretch{edges[index], edges[index + 1], 0, false};
        bool is_owned = false;
        for (const Stretch& each : owned) {
            if (each.begin <= stretch.begin && stretch.end <= each.end) {
                stretch.circular_buffers |= each.circular_buffers;
                stretch.is_plain |= each.is_plain;
                is_owned = true;
            }
        }
        if (is_owned) {
            stretches_.push_back(stretch);
        }
    }
    if (!program.knows_every_buffer) {
        fill_gaps(stretches_, core, config.l1_bytes);
    }
}

const L1Map::Stretch* L1Map::find(uint32_t address) const {
    auto after = std::upper_bound(stretches_.begin(), stretches_.end(), address, [](uint32_t at, const Stretch& each) {
        return at < each.begin;
    });
    if (after == stretches_.begin() || address >= std::prev(after)->end) {
        return nullptr;
    }
    return &*std::prev(after);
}

}  // namespace tw
