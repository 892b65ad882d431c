// SPDX-License-Identifier: Apache-2.0
// What a checked run notices: broken rules, each at the place in a kernel where it was broken.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace tw {

struct KernelInstance;

inline constexpr uint32_t kNoCircularBuffer = 0xffffffffu;
inline constexpr uint32_t kFindingFrames = 24;
inline constexpr uint32_t kCallPlaceFrames = 12;

// A call of a kernel that a finding is also about: where the transfer was issued, where the other one wrote.
struct CallPlace {
    const KernelInstance* instance = nullptr;
    uint32_t num_frames = 0;
    uint64_t frames[kCallPlaceFrames];
};

struct Finding {
    const char* rule;  // id, as docs/checks.md names it
    const KernelInstance* instance;
    uint32_t cb;       // or kNoCircularBuffer
    uint64_t address;  // of the memory it is about; 0 if none
    uint64_t count;    // how often, at this place
    std::string text;  // the numbers of the first time
    uint32_t num_frames;
    uint64_t frames[kFindingFrames];
    CallPlace related = {};
};

class Findings {
public:
    // The same rule broken again at the same place, by the same kernel on the same core, only counts.
    void add(
        const KernelInstance& instance,
        const char* rule,
        uint32_t cb,
        uint64_t address,
        const uint64_t* frames,
        uint32_t num_frames,
        const std::string& text,
        const CallPlace& related = {},
        uint64_t count = 1);
    // One that was noted before, as often as it was.
    void take(const Finding& finding);
    // What has turned out to be right.
    void take_back(const std::function<bool(const Finding&)>& is_right);
    const std::vector<Finding>& all() const { return all_; }
    // What is noted from here on does not count: the run has ended.
    void close() { is_closed_ = true; }
    bool is_closed() const { return is_closed_; }

private:
    using Place = std::tuple<const char*, const KernelInstance*, uint32_t, std::vector<uint64_t>>;
    std::vector<Finding> all_;
    std::map<Place, size_t> known_;
    bool is_closed_ = false;
};

// Notes a broken rule where the running kernel stands; the run goes on. `format` gives the numbers, in one sentence
// without a full stop: who, what and how many; docs and cure belong to the rule.
void note_finding(KernelInstance& instance, const char* rule, uint32_t cb, uint64_t address, const char* format, ...)
    __attribute__((format(printf, 5, 6)));

// The same about two places: here, and `related`.
void note_finding_with(
    KernelInstance& instance,
    const char* rule,
    uint32_t cb,
    uint64_t address,
    const CallPlace& related,
    const char* format,
    ...) __attribute__((format(printf, 6, 7)));
// Where the running kernel stands.
CallPlace call_place(const KernelInstance& instance);
// The same, but kept apart until it is known whether it counts.
void note_finding_in(
    Findings& findings,
    KernelInstance& instance,
    const char* rule,
    uint32_t cb,
    uint64_t address,
    const char* format,
    ...) __attribute__((format(printf, 6, 7)));

}  // namespace tw
