// SPDX-License-Identifier: Apache-2.0
#include "packet.h"

#include "core.h"
#include "dataflow/noc_delivery.h"

namespace tw {

namespace {

constexpr uint32_t kPayloadBytes = 40, kSendType = 42, kRoute = 44;
constexpr uint32_t kInlineValue = 8;
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

PacketEffect Packet::write(uint32_t index, uint32_t from, uint32_t bytes) const {
    return packet_write(address(index), from, bytes, path_);
}

PacketEffect Packet::increment(uint32_t index, uint32_t amount, bool flushes) const {
    return packet_increment(address(index), amount, flushes, path_);
}

std::vector<PacketEffect> Packet::effects(uint32_t arrived) {
    const OnDie on(PacketPath::die(arrived));
    path_.arrived = arrived;
    const auto bytes = field<uint16_t>(kPayloadBytes);
    const auto type = field<uint8_t>(kSendType);
    switch (static_cast<SendType>(type)) {
        case SendType::Write: return {write(0, header_bytes_, bytes)};
        case SendType::InlineWrite: return {write(0, kInlineValue, sizeof(uint32_t))};
        case SendType::AtomicIncrement: return {increment(0, field<uint32_t>(8), field<uint8_t>(12) != 0)};
        case SendType::FusedAtomicIncrement: {
            const PacketEffect data = write(0, header_bytes_, bytes);
            return {data, increment(1, field<uint32_t>(16), field<uint8_t>(20) != 0)};
        }
        case SendType::ScatterWrite: return scatter();
        case SendType::SparseMulticastWrite: return sparse_multicast();
    }
    kernel_error("fabric: a packet with the NoC command %u, which is not simulated", type);
}

// The last chunk may be an increment; its amount then stands where its size would.
std::vector<PacketEffect> Packet::scatter() const {
    const uint32_t bytes = field<uint16_t>(kPayloadBytes);
    const uint32_t count = field<uint8_t>(kNumChunks);
    uint32_t done = 0;
    std::vector<PacketEffect> effects;
    for (uint32_t chunk = 0; chunk < count; chunk++) {
        const auto kind = static_cast<ChunkKind>(field<uint8_t>(kChunkKinds) >> (2 * chunk) & 3u);
        const bool is_last = chunk + 1 == count;
        if (is_last && kind != ChunkKind::Write) {
            const bool flushes = kind == ChunkKind::FlushedIncrement;
            effects.push_back(increment(chunk, field<uint16_t>(kChunkSizes + 2 * chunk), flushes));
            break;
        }
        const uint32_t size = is_last ? bytes - done : field<uint16_t>(kChunkSizes + 2 * chunk);
        if (done + size > bytes) {
            kernel_error("fabric: the chunks of a scatter write have more than the %u bytes of its payload", bytes);
        }
        effects.push_back(write(chunk, header_bytes_ + done, size));
        done += size;
    }
    return effects;
}

// Each chip that the packet is written to has its own addresses.
std::vector<PacketEffect> Packet::sparse_multicast() {
    const uint8_t chip = header_[kNextChip], first = header_[kNextAddress];
    const uint8_t count = header_[kCounts + chip];
    std::vector<PacketEffect> effects;
    for (uint32_t index = first; index < first + count; index++) {
        effects.push_back(write(index, header_bytes_, field<uint16_t>(kPayloadBytes)));
    }
    header_[kNextChip]++;
    header_[kNextAddress] = static_cast<uint8_t>(first + count);
    return effects;
}

}  // namespace tw
