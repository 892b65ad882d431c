// SPDX-License-Identifier: Apache-2.0
// Findings of a checked run: broken rules, each at the place in a kernel where it was broken.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "wire/rules.h"
#include "wire/runner.h"

namespace tw {

struct KernelInstance;

using wire::kNoCircularBuffer;
using wire::Rule;
inline constexpr uint32_t kFindingFrames = wire::kMaxFrames;
inline constexpr uint32_t kCallPlaceFrames = wire::kMaxRelatedFrames;

// A second place of a finding: where the transfer was issued, where the other kernel wrote.
struct CallPlace {
    const KernelInstance* instance = nullptr;
    uint32_t num_frames = 0;
    uint64_t frames[kCallPlaceFrames];
};

struct Finding {
    Rule rule;
    const KernelInstance* instance;
    uint32_t cb;       // or kNoCircularBuffer
    uint64_t address;  // of the memory it is about; 0 if none
    uint64_t count;  // occurrences at this place
    std::string text;  // details of the first occurrence
    uint32_t num_frames;
    uint64_t frames[kFindingFrames];
    CallPlace related = {};
};

class Findings {
public:
    // A further finding of the same rule at the same place, by the same kernel on the same core, only raises the count.
    void add(
        const KernelInstance& instance,
        Rule rule,
        uint32_t cb,
        uint64_t address,
        const uint64_t* frames,
        uint32_t num_frames,
        const std::string& text,
        const CallPlace& related = {},
        uint64_t count = 1);
    // Adds a finding made earlier, with its count.
    void take(const Finding& finding);
    // Removes findings that turned out to be no errors.
    void take_back(const std::function<bool(const Finding&)>& is_right);
    const std::vector<Finding>& all() const { return all_; }
    // Ignores findings from here on: the run has ended.
    void close() { is_closed_ = true; }
    bool is_closed() const { return is_closed_; }

private:
    using Place = std::tuple<Rule, const KernelInstance*, uint32_t, std::vector<uint64_t>>;
    std::vector<Finding> all_;
    std::map<Place, size_t> known_;
    bool is_closed_ = false;
};

// What a plain run sees for nothing. Its kernels may run in several OS threads.
struct PlainFindings {
    std::mutex mutex;
    Findings findings;
};

// Notes a broken rule at the running kernel's position; the run continues. `format` gives the details in one sentence
// without a full stop: subject, object and counts. The docs and the cure belong to the rule.
void note_finding(KernelInstance& instance, Rule rule, uint32_t cb, uint64_t address, const char* format, ...)
    __attribute__((format(printf, 5, 6)));

// The same with a second place, `related`.
void note_finding_with(
    KernelInstance& instance,
    Rule rule,
    uint32_t cb,
    uint64_t address,
    const CallPlace& related,
    const char* format,
    ...) __attribute__((format(printf, 6, 7)));
// The running kernel's position.
CallPlace call_place(const KernelInstance& instance);
// Where a kernel waits; another one runs.
CallPlace waiting_place(KernelInstance& waiting);
// The same into separate findings, until it is known whether they count.
void note_finding_in(
    Findings& findings, KernelInstance& instance, Rule rule, uint32_t cb, uint64_t address, const char* format, ...)
    __attribute__((format(printf, 6, 7)));

}  // namespace tw
