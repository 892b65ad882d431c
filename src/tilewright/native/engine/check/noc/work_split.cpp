// SPDX-License-Identifier: Apache-2.0
#include "check/noc/work_split.h"

#include <set>

#include "program.h"

namespace tw {

void WorkSplit::start(const Program& program) {
    recent_.assign(2 * program.instances.size(), {});
    read_.clear();
    written_.clear();
    num_pages_.clear();
}

void WorkSplit::moved(KernelInstance& by, const uint8_t* place, bool is_read) {
    const TensorPlace tensor = tensors_.find(place);
    if (tensor.memory == nullptr) {
        return;
    }
    Recent& recent = recent_[2 * by.number + (is_read ? 0 : 1)];
    if (recent.share == nullptr || recent.tensor != tensor.tensor) {
        recent = {tensor.tensor, &(is_read ? read_ : written_)[tensor.tensor][by.core]};
    }
    Share& share = *recent.share;
    if (share.steps == 0) {
        share.place = call_place(by);
        num_pages_[tensor.tensor] = tensor.memory->num_pages;
    }
    const bool is_next = share.steps == 0 || tensor.page == share.last + 1;
    share.steps += is_next || tensor.page != share.last ? 1 : 0;
    share.first = std::min(share.first, tensor.page);
    share.last = std::max(share.last, tensor.page);
}

void WorkSplit::finish(Findings& findings) const {
    for (const auto& [output, written] : written_) {
        for (const auto& [input, read] : read_) {
            if (input != output && num_pages_.at(input) == num_pages_.at(output)) {
                compare(read, written, input, output, findings);
            }
        }
    }
}

void WorkSplit::compare(
    const Shares& read, const Shares& written, uint32_t input, uint32_t output, Findings& findings) const {
    std::set<std::pair<uint64_t, uint64_t>> read_pages, written_pages;
    const Core* odd = nullptr;
    uint64_t num_read = 0;
    for (const auto& [core, share] : read) {
        const auto other = written.find(core);
        if (!share.is_row() || other == written.end() || !other->second.is_row()) {
            return;
        }
        read_pages.insert(share.pages());
        written_pages.insert(other->second.pages());
        num_read += share.steps;
        odd = odd == nullptr && share.pages() != other->second.pages() ? core : odd;
    }
    const bool is_divided = num_read == num_pages_.at(input) && read_pages.size() == read.size();
    if (odd == nullptr || !is_divided || read.size() != written.size() || read_pages != written_pages) {
        return;
    }
    const Share &reads = read.at(odd), &writes = written.at(odd);
    const auto span = [](const Share& share) {
        return share.first == share.last ? "page " + std::to_string(share.first)
                                         : "pages " + std::to_string(share.first) + " to " + std::to_string(share.last);
    };
    const std::string text = "writes " + span(writes) + " of tensor " + std::to_string(output) +
                             " on a core that reads " + span(reads) + " of tensor " + std::to_string(input) +
                             (writes.first == writes.last ? "; another core reads that" : "; another core reads those");
    findings.add(
        *writes.place.instance,
        Rule::WorkSplit,
        kNoCircularBuffer,
        0,
        writes.place.frames,
        writes.place.num_frames,
        text,
        reads.place);
}

}  // namespace tw
