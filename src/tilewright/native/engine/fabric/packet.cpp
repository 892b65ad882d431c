// SPDX-License-Identifier: Apache-2.0
#include "packet.h"

#include "core.h"
#include "dataflow/noc_delivery.h"

namespace tw {

namespace {

constexpr uint32_t kPayloadBytes = 40, kSendType = 42, kRoute = 44;
constexpr uint32_t kHopBits = 2, kShortHeader = 48, kRouteWords = 4;

enum class SendType : uint8_t {
    Write = 0,
    InlineWrite = 1,
    AtomicIncrement = 2,
    FusedAtomicIncrement = 3,
    ScatterWrite = 4,
    SparseMulticastWrite = 8,
};

// Of a scatter write: sizes of all chunks but the last, their number, and two bits for each.
constexpr uint32_t kChunkSizes = 32, kNumChunks = 38, kChunkKinds = 39;
enum class ChunkKind : uint8_t { None = 0, Write = 1, Increment = 2, FlushedIncrement = 3 };

// Of a sparse multicast: addresses of each chip, the next address and the next chip.
constexpr uint32_t kCounts = 32, kNextAddress = 38, kNextChip = 39;

}  // namespace

uint32_t Packet::bytes() const { return header_bytes_ + field<uint16_t>(kPayloadBytes); }

// A longer header has further words of the route behind the first.
HopCommand Packet::next_hop() {
    auto route = field<uint32_t>(kRoute);
    const auto command = static_cast<HopCommand>(route & 3u);
    route >>= kHopBits;
    if (route == 0 && header_bytes_ > kShortHeader) {
        route = field<uint32_t>(kRoute + 4);
        std::memmove(header_ + kRoute + 4, header_ + kRoute + 8, 4 * (kRouteWords - 2));
        std::memset(header_ + kRoute + 4 * (kRouteWords - 1), 0, 4);
    }
    std::memcpy(header_ + kRoute, &route, sizeof route);
    return command;
}

void Packet::apply(uint32_t arrived) {
    const OnDie on(PacketPath::die(arrived));
    path_.arrived = arrived;
    const uint8_t* payload = header_ + header_bytes_;
    const auto bytes = field<uint16_t>(kPayloadBytes);
    const auto type = field<uint8_t>(kSendType);
    switch (static_cast<SendType>(type)) {
        case SendType::Write: deliver_write(address(0), payload, bytes, path_); break;
        case SendType::InlineWrite: deliver_write(address(0), header_ + 8, sizeof(uint32_t), path_); break;
        case SendType::AtomicIncrement:
            deliver_increment(address(0), field<uint32_t>(8), field<uint8_t>(12) != 0, path_);
            break;
        case SendType::FusedAtomicIncrement:
            deliver_write(address(0), payload, bytes, path_);
            deliver_increment(address(1), field<uint32_t>(16), field<uint8_t>(20) != 0, path_);
            break;
        case SendType::ScatterWrite: scatter(); break;
        case SendType::SparseMulticastWrite: sparse_multicast(); break;
        default: kernel_error("fabric: a packet with the NoC command %u, which is not simulated", type);
    }
}

// The last chunk may be an increment; its amount then stands where its size would.
void Packet::scatter() {
    const uint8_t* payload = header_ + header_bytes_;
    const uint32_t bytes = field<uint16_t>(kPayloadBytes);
    const uint32_t count = field<uint8_t>(kNumChunks);
    uint32_t done = 0;
    for (uint32_t chunk = 0; chunk < count; chunk++) {
        const auto kind = static_cast<ChunkKind>(field<uint8_t>(kChunkKinds) >> (2 * chunk) & 3u);
        const bool is_last = chunk + 1 == count;
        if (is_last && kind != ChunkKind::Write) {
            const bool flushes = kind == ChunkKind::FlushedIncrement;
            deliver_increment(address(chunk), field<uint16_t>(kChunkSizes + 2 * chunk), flushes, path_);
            return;
        }
        const uint32_t size = is_last ? bytes - done : field<uint16_t>(kChunkSizes + 2 * chunk);
        if (done + size > bytes) {
            kernel_error("fabric: the chunks of a scatter write have more than the %u bytes of its payload", bytes);
        }
        deliver_write(address(chunk), payload + done, size, path_);
        done += size;
    }
}

// Each chip that the packet is written to has its own addresses.
void Packet::sparse_multicast() {
    const uint8_t chip = header_[kNextChip], first = header_[kNextAddress];
    const uint8_t count = header_[kCounts + chip];
    for (uint32_t index = first; index < first + count; index++) {
        deliver_write(address(index), header_ + header_bytes_, field<uint16_t>(kPayloadBytes), path_);
    }
    header_[kNextChip]++;
    header_[kNextAddress] = static_cast<uint8_t>(first + count);
}

}  // namespace tw
