// SPDX-License-Identifier: Apache-2.0
#include "check/stored_pages.h"

#include <algorithm>

#include "program.h"

namespace tw {

// A kernel that stores here and there between two pushes is not followed further than this.
static constexpr size_t kStretches = 8;

void StoredPages::start(const Program& program) {
    stored_.assign(program.instances.size(), {});
    pushed_.clear();
}

void StoredPages::store(const KernelInstance& instance, uint32_t address, uint32_t bytes) {
    std::vector<Stretch>& stored = stored_[instance.number];
    if (!stored.empty() && stored.back().end == address) {
        stored.back().end += bytes;
        return;
    }
    if (stored.size() == kStretches) {
        stored.erase(stored.begin());
    }
    stored.push_back({address, address + bytes});
}

void StoredPages::load(const KernelInstance& instance, uint32_t address, uint32_t bytes) {
    std::vector<Stretch>& stored = stored_[instance.number];
    if (!stored.empty() && address < stored.back().end && stored.back().end <= address + bytes) {
        stored.clear();
    }
}

void StoredPages::push(KernelInstance& instance, uint32_t cb, uint32_t pages) {
    std::vector<Stretch>& stored = stored_[instance.number];
    if (stored.empty() || instance.kernel->kind == KernelKind::Compute) {
        return;
    }
    const uint32_t begin = instance.context.cb[cb].fifo_wr_ptr;
    const uint32_t end = begin + pages * instance.core->cb[cb].page_bytes;
    for (const Stretch& stretch : stored) {
        if (stretch.meets(begin, end)) {
            pushed_.push_back({{std::max(stretch.begin, begin), std::min(stretch.end, end)}, cb, call_place(instance)});
        }
    }
    std::erase_if(stored, [&](const Stretch& stretch) { return stretch.meets(begin, end); });
}

void StoredPages::sent(KernelInstance& instance, uint32_t address, uint32_t bytes) {
    auto takes = [&](const Pushed& pushed) {
        return pushed.bytes.meets(address, address + bytes) && pushed.push.instance != &instance;
    };
    for (const Pushed& pushed : pushed_) {
        if (takes(pushed)) {
            const std::string text = "pushes " + std::to_string(pushed.bytes.end - pushed.bytes.begin) +
                                     " bytes this processor has just stored to c_" + std::to_string(pushed.cb) + ", and " +
                                     instance.kernel->name + " sends them over the NoC";
            instance.checks->findings.add(
                *pushed.push.instance,
                "l1-store-then-credit",
                pushed.cb,
                pushed.bytes.begin,
                pushed.push.frames,
                pushed.push.num_frames,
                text,
                call_place(instance));
        }
    }
    std::erase_if(pushed_, takes);
}

void StoredPages::written(uint32_t address, uint32_t bytes) {
    std::erase_if(pushed_, [&](const Pushed& pushed) { return pushed.bytes.meets(address, address + bytes); });
}

}  // namespace tw
