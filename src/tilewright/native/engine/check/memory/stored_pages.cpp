// SPDX-License-Identifier: Apache-2.0
#include "check/memory/stored_pages.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "program.h"

namespace tw {

// Limit of separate ranges that a kernel stores to between two pushes.
static constexpr size_t kStretches = 8;

void StoredPages::start(const Program& program) {
    stored_.assign(program.instances.size(), {});
    l1_begin_ = program.chip.cores().front().l1_base;
    pushed_.assign(program.chip.cores().size(), {});
}

template <typename Visit>
void StoredPages::take_off(uint32_t address, uint32_t bytes, Visit visit) {
    PushedOnCore& pushed = on_core_of(address);
    auto at = pushed.lower_bound(address);
    if (at != pushed.begin() && std::prev(at)->second.end > address) {
        --at;
    }
    while (at != pushed.end() && at->first < address + bytes) {
        at = visit(at->first, at->second) ? pushed.erase(at) : std::next(at);
    }
}

void StoredPages::store(const KernelInstance& instance, uint32_t address, uint32_t bytes) {
    std::vector<Stretch>& stored = stored_[instance.number];
    // A kernel may fill several places alternately; the one stored to last is at the back.
    for (size_t index = stored.size(); index-- > 0;) {
        if (stored[index].end == address) {
            stored[index].end += bytes;
            std::swap(stored[index], stored.back());
            return;
        }
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
            const uint32_t first = std::max(stretch.begin, begin), last = std::min(stretch.end, end);
            written(first, last - first);
            on_core_of(first)[first] = {last, cb, call_place(instance)};
        }
    }
    std::erase_if(stored, [&](const Stretch& stretch) { return stretch.meets(begin, end); });
}

void StoredPages::sent(KernelInstance& instance, uint32_t address, uint32_t bytes) {
    take_off(address, bytes, [&](uint32_t begin, const Pushed& pushed) {
        if (pushed.push.instance == &instance) {
            return false;
        }
        const std::string text = "pushes " + std::to_string(pushed.end - begin) +
                                 " bytes this processor has just stored to c_" + std::to_string(pushed.cb) + ", and " +
                                 instance.kernel->name + " sends them over the NoC";
        instance.checks->findings.add(
            *pushed.push.instance,
            Rule::L1StoreThenCredit,
            pushed.cb,
            begin,
            pushed.push.frames,
            pushed.push.num_frames,
            text,
            call_place(instance));
        return true;
    });
}

void StoredPages::landed(const Core& core, uint32_t address, uint32_t bytes) {
    for (const KernelInstance* instance : core.instances) {
        std::erase_if(
            stored_[instance->number], [&](const Stretch& stretch) { return stretch.meets(address, address + bytes); });
    }
    written(address, bytes);
}

void StoredPages::written(uint32_t address, uint32_t bytes) {
    take_off(address, bytes, [](uint32_t, const Pushed&) { return true; });
}

}  // namespace tw
