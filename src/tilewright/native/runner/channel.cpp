// SPDX-License-Identifier: Apache-2.0
#include "runner/channel.h"

#include <errno.h>
#include <unistd.h>

#include <algorithm>

#include "engine/signals/crash_record.h"

namespace tw {

uint64_t Channel::read_some(uint8_t* data, uint64_t least, uint64_t most) {
    uint64_t have = 0;
    while (have < least) {
        const ssize_t got = read(socket_, data + have, most - have);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            end_process(0);
        }
        have += got > 0 ? static_cast<uint64_t>(got) : 0;
    }
    return have;
}

// The owner sends nothing behind a message before it is answered, so bytes received with a header belong to its body.
MessageKind Channel::receive(std::vector<uint8_t>& body) {
    constexpr uint64_t kHeader = sizeof(MessageHeader);
    uint8_t begin[8192];
    const uint64_t have = read_some(begin, kHeader, sizeof begin) - kHeader;
    MessageHeader header;
    std::memcpy(&header, begin, kHeader);
    body.resize(header.bytes);
    const uint64_t in_begin = std::min(header.bytes, have);
    std::copy_n(begin + kHeader, in_begin, body.data());
    read_some(body.data() + in_begin, header.bytes - in_begin, header.bytes - in_begin);
    return header.kind;
}

void Channel::send(MessageKind kind, MessageWriter& message) {
    std::vector<uint8_t>& bytes = message.bytes();
    const MessageHeader header{kind, bytes.size() - sizeof(MessageHeader)};
    std::memcpy(bytes.data(), &header, sizeof header);
    const uint8_t* at = bytes.data();
    uint64_t left = bytes.size();
    while (left != 0) {
        const ssize_t sent = write(socket_, at, left);
        if (sent < 0 && errno != EINTR) {
            end_process(0);
        }
        if (sent > 0) {
            at += sent;
            left -= static_cast<uint64_t>(sent);
        }
    }
}

}  // namespace tw
