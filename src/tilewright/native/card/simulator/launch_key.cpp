// SPDX-License-Identifier: Apache-2.0
#include "launch_key.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

namespace card {

static uint64_t folded(uint64_t one, uint64_t other) {
    const auto product = static_cast<unsigned __int128>(one) * other;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64u);
}

void LaunchKey::Digest::mix(uint64_t one, uint64_t other) {
    low_ = folded(low_ ^ one, other ^ 0x9e3779b97f4a7c15) + one;
    high_ = folded(high_ ^ other, one ^ 0xc2b2ae3d27d4eb4f) + other;
}

void LaunchKey::Digest::add(const uint8_t* data, uint64_t bytes) {
    mix(bytes, bytes);
    for (; bytes >= 16; data += 16, bytes -= 16) {
        uint64_t words[2];
        std::memcpy(words, data, sizeof(words));
        mix(words[0], words[1]);
    }
    uint64_t rest[2] = {};
    std::memcpy(rest, data, bytes);
    mix(rest[0], rest[1]);
}

static uint32_t number(const uint8_t* message, uint32_t offset, uint32_t bytes) {
    uint32_t value = 0;
    std::memcpy(&value, message + offset, bytes);
    return value;
}

static const uint8_t* bytes_at(const Memory& memory, const LaunchedCore& core, uint64_t address, uint64_t bytes) {
    const uint8_t* found = memory.at(core.x, core.y, address, bytes);
    if (found == nullptr) {
        throw std::runtime_error(
            "tilewright: the launch message of core " + std::to_string(core.x) + "-" + std::to_string(core.y) +
            " names a configuration outside its L1");
    }
    return found;
}

// A text names its build directory (card/compiler): eight bytes that mark it, the length of the name, the name.
void LaunchKey::add_texts(
    const Memory& memory, const LaunchLayout& layout, const LaunchedCore& core, const uint8_t* message) {
    constexpr uint32_t kMark = 8, kHead = kMark + 4;
    const uint32_t enables = number(message, layout.enables, layout.enables_bytes);
    for (uint32_t processor = 0; processor < layout.processors; processor++) {
        if ((enables >> processor & 1u) == 0) {
            continue;
        }
        // In a trace kernels lie before the configuration: offsets wrap at 32 bits.
        const uint32_t address = core.config_base + number(message, layout.texts + 4 * processor, 4);
        const uint8_t* head = bytes_at(memory, core, address, kHead);
        const uint32_t name_bytes = std::min(number(head, kMark, 4), layout.longest_name);
        digest_.add(bytes_at(memory, core, address, kHead + name_bytes), kHead + name_bytes);
    }
}

// Of a program with dataflow buffers the table of local buffers lies behind the offset of remote ones, not before it.
static uint32_t end_of_local_buffers(const LaunchLayout& layout, const uint8_t* message) {
    uint64_t mask = 0;
    std::memcpy(&mask, message + layout.cb_mask, layout.cb_mask_bytes);
    return number(message, layout.local_cbs, 2) + layout.cb_bytes * static_cast<uint32_t>(std::bit_width(mask));
}

void LaunchKey::add(const Memory& memory, const LaunchLayout& layout, LaunchedCore& core) {
    const uint32_t place[] = {core.card, core.x, core.y};
    digest_.add(reinterpret_cast<const uint8_t*>(place), sizeof(place));
    core.launch_address = core.launch_address != 0 ? core.launch_address : layout.first_message;
    const uint8_t* found = bytes_at(memory, core, core.launch_address, layout.message_bytes);
    core.config_base = number(found, layout.base, 4);
    config_base_ = is_first_ ? core.config_base : config_base_;
    is_first_ = false;
    bases_differ_ |= core.config_base != config_base_;
    std::vector<uint8_t> message(found, found + layout.message_bytes);
    add_texts(memory, layout, core, found);
    std::memset(message.data() + layout.host_id, 0, 4);
    std::memset(message.data() + layout.base, 0, 4);
    std::memset(message.data() + layout.texts, 0, 4ull * layout.processors);
    message[layout.preload] = 0;
    digest_.add(message.data(), message.size());
    const uint32_t semaphores = number(found, layout.semaphores, 2), buffers = number(found, layout.local_cbs, 2);
    const uint32_t first_remote = number(found, layout.first_remote_cb, 1);
    uint32_t end = std::max(number(found, layout.remote_cbs, 2), end_of_local_buffers(layout, found));
    if (first_remote != 32 && first_remote != 64) {  // one past the last buffer of a core: there is none
        end = std::max(end, number(found, layout.remote_cbs, 2) + layout.tables_bytes);
    }
    if (layout.pipes != 0 && number(found, layout.pipes, 2) != layout.no_pipes) {
        end = std::max(end, number(found, layout.pipes, 2) + layout.tables_bytes);
    }
    const uint32_t begin = std::min(semaphores, buffers);
    end = std::max(begin, end);
    digest_.add(bytes_at(memory, core, core.config_base + begin, end - begin), end - begin);
}

LaunchRequest LaunchKey::request() const {
    return {digest_.low(), digest_.high(), config_base_, bases_differ_ ? 1u : 0u};
}

}  // namespace card
