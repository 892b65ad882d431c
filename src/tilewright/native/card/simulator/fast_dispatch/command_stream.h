// SPDX-License-Identifier: Apache-2.0
// Bytes on their way from the prefetcher to a dispatcher. Commands start on pages: the prefetcher rounds up to the next
// page when it flushes, the dispatcher after each command. Only flushed bytes may be read.
#pragma once

#include <cstdint>
#include <vector>

namespace card {

class CommandStream {
public:
    explicit CommandStream(uint32_t log_page_bytes) : page_bytes_(1ull << log_page_bytes) {}

    // Room for bytes at the end, to be filled by the caller at once. A read of a tensor is one command: for that much the
    // vector gets what it needs, not twice its size.
    uint8_t* extend(uint64_t bytes) {
        if (bytes > kKeptBytes) {
            bytes_.reserve(rounded(bytes_.size() + bytes));
        }
        bytes_.resize(bytes_.size() + bytes);
        return bytes_.data() + bytes_.size() - bytes;
    }
    void flush() {
        bytes_.resize(rounded(bytes_.size()));
        flushed_ = bytes_.size();
    }

    bool has_command() const { return position_ < flushed_; }
    const uint8_t* command() const { return bytes_.data() + position_; }
    uint64_t available() const { return flushed_ - position_; }
    void advance(uint64_t bytes) {
        position_ = rounded(position_ + bytes);
        if (position_ >= bytes_.size()) {
            bytes_.clear();
            if (bytes_.capacity() > kKeptBytes) {
                bytes_.shrink_to_fit();
            }
            position_ = flushed_ = 0;
        }
    }

private:
    static constexpr uint64_t kKeptBytes = 16ull << 20;

    uint64_t rounded(uint64_t bytes) const { return (bytes + page_bytes_ - 1) / page_bytes_ * page_bytes_; }

    uint64_t page_bytes_, position_ = 0, flushed_ = 0;
    std::vector<uint8_t> bytes_;
};

}  // namespace card
