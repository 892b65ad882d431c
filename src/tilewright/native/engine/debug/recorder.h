// SPDX-License-Identifier: Apache-2.0
// Copies of the pages that kernels push, to show what a circular buffer held during the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "wire/runner.h"

namespace tw {

struct KernelInstance;

inline constexpr uint32_t kRecordedFrames = wire::kMaxFrames;

// One push: contents of the pages, and the call's place.
struct RecordedPush {
    const KernelInstance* instance;
    uint32_t cb, pages, page_bytes;
    size_t offset;  // of its first byte among all recorded bytes
    uint32_t num_frames;
    uint64_t frames[kRecordedFrames];
};

class Recorder {
public:
    explicit Recorder(uint64_t circular_buffers) : circular_buffers_(circular_buffers) {}

    // Called before the write pointer advances.
    void pushed(const KernelInstance& instance, uint32_t cb, uint32_t pages);

    const std::vector<RecordedPush>& pushes() const { return pushes_; }
    const uint8_t* data(const RecordedPush& push) const { return bytes_.data() + push.offset; }

private:
    uint64_t circular_buffers_;  // one bit for each that is recorded
    std::vector<RecordedPush> pushes_;
    std::vector<uint8_t> bytes_;
};

}  // namespace tw
