// SPDX-License-Identifier: Apache-2.0
#include "runner/channel.h"

#include <errno.h>
#include <unistd.h>

#include "engine/last_words.h"

namespace tw {

void Channel::read_all(void* data, uint64_t bytes) {
    auto* at = static_cast<uint8_t*>(data);
    while (bytes != 0) {
        const ssize_t got = read(socket_, at, bytes);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            end_process(0);
        }
        if (got > 0) {
            at += got;
            bytes -= static_cast<uint64_t>(got);
        }
    }
}

TwMessageKind Channel::receive(std::vector<uint8_t>& body) {
    TwMessageHeader header;
    read_all(&header, sizeof header);
    body.resize(header.bytes);
    read_all(body.data(), header.bytes);
    return static_cast<TwMessageKind>(header.kind);
}

void Channel::send(TwMessageKind kind, MessageWriter& message) {
    std::vector<uint8_t>& bytes = message.bytes();
    const TwMessageHeader header{kind, 0, bytes.size() - sizeof(TwMessageHeader)};
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
