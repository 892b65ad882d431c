// SPDX-License-Identifier: Apache-2.0
// A packet of the fabric: a header with a NoC command and a route, then its payload. Offsets are those of tt-metal's
// packet headers, for routes along a line (LowLatencyPacketHeader) and in two dimensions (HybridMeshPacketHeader).
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "dataflow/noc_delivery.h"
#include "packet_path.h"

namespace tw {

// What a router does with a packet that arrives: the two bits of its hop.
enum class HopCommand : uint32_t { None = 0, Write = 1, Forward = 2, WriteAndForward = 3 };

class Packet {
public:
    // left: the link it leaves its die over (PacketPath).
    Packet(uint8_t* header, uint32_t header_bytes, uint32_t left) :
        header_(header), header_bytes_(header_bytes), path_{left, left} {}

    // Of header and payload.
    uint32_t bytes() const;
    // Takes the first hop off a route along a line.
    HopCommand next_hop();
    // Of a route in two dimensions: what is done in a row, or, counted behind the rows, in a column.
    uint8_t action(uint32_t index) const { return header_[kMeshRoute + index]; }
    // Whether it was written on a die and went on.
    bool is_multicast() const { return is_multicast_; }
    void note_multicast() { is_multicast_ = true; }
    // What its NoC command does on the die it arrives at over this link.
    std::vector<PacketEffect> effects(uint32_t arrived);

private:
    template <typename Field>
    Field field(uint32_t offset) const {
        Field value;
        std::memcpy(&value, header_ + offset, sizeof value);
        return value;
    }
    uint64_t address(uint32_t index) const { return field<uint64_t>(8 * index); }
    PacketEffect write(uint32_t index, uint32_t from, uint32_t bytes) const;
    PacketEffect increment(uint32_t index, uint32_t amount, bool flushes) const;
    std::vector<PacketEffect> scatter() const;
    std::vector<PacketEffect> sparse_multicast();

    static constexpr uint32_t kMeshRoute = 48;

    uint8_t* header_;
    const uint32_t header_bytes_;
    PacketPath path_;
    bool is_multicast_ = false;
};

}  // namespace tw
