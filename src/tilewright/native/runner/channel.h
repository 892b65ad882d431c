// SPDX-License-Identifier: Apache-2.0
// Messages (_wire/runner.py) on a socket.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "wire/runner.h"

namespace tw {

using wire::MessageHeader;
using wire::MessageKind;

class MessageReader {
public:
    explicit MessageReader(const std::vector<uint8_t>& body) : at_(body.data()), end_(body.data() + body.size()) {}

    template <typename Part>
    const Part& take() {
        return *take_array<Part>(1);
    }
    template <typename Part>
    const Part* take_array(uint64_t count) {
        const uint64_t bytes = count * sizeof(Part);
        const auto left = static_cast<uint64_t>(end_ - at_);
        if (count > left || bytes > left) {
            throw std::runtime_error("a message to the runner is shorter than it says");
        }
        const auto* parts = reinterpret_cast<const Part*>(at_);
        at_ += std::min(left, (bytes + 7) / 8 * 8);
        return parts;
    }
    std::string take_text(uint64_t bytes) { return {take_array<char>(bytes), bytes}; }

private:
    const uint8_t* at_;
    const uint8_t* end_;
};

// A message body under construction, with room for the header before it.
class MessageWriter {
public:
    MessageWriter() : bytes_(sizeof(MessageHeader)) {}

    void clear() { bytes_.resize(sizeof(MessageHeader)); }
    template <typename Part>
    void put(const Part& part) {
        put_bytes(&part, sizeof part);
    }
    void put_text(const std::string& text) { put_bytes(text.data(), text.size()); }
    void put_bytes(const void* data, uint64_t bytes) {
        if (bytes != 0) {
            std::memcpy(add(bytes), data, bytes);
        }
    }
    // A part that is filled in later, when all behind it is put; its place in bytes().
    template <typename Part>
    size_t leave_room() {
        const size_t at = bytes_.size();
        add(sizeof(Part));
        return at;
    }
    template <typename Part>
    void fill_in(size_t at, const Part& part) {
        std::memcpy(bytes_.data() + at, &part, sizeof part);
    }
    // Room for a caller to fill; valid until more is put.
    void* add(uint64_t bytes) {
        const size_t at = bytes_.size();
        bytes_.resize(at + (bytes + 7) / 8 * 8);
        return bytes_.data() + at;
    }
    std::vector<uint8_t>& bytes() { return bytes_; }

private:
    std::vector<uint8_t> bytes_;
};

class Channel {
public:
    explicit Channel(int socket) : socket_(socket) {}
    // Receives the next message, whose sender waits for the answer. The process ends with its owner.
    MessageKind receive(std::vector<uint8_t>& body);
    void send(MessageKind kind, MessageWriter& message);

private:
    // Reads at least `least` and at most `most` bytes; returns the number read.
    uint64_t read_some(uint8_t* data, uint64_t least, uint64_t most);

    int socket_;
};

}  // namespace tw
