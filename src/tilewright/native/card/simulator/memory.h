// SPDX-License-Identifier: Apache-2.0
// Memory by NoC coordinate. L1 and DRAM are the engine's own memory, shared through files, so kernels read what the
// host writes. Everything else the host accesses (registers, firmware of other processors) is plain memory that starts
// as zeros.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "wire/card.h"

namespace card {

using namespace tw::wire;

// The files of a system's memory, mapped once for all its cards.
class MappedFiles {
public:
    // The files may be closed afterwards.
    explicit MappedFiles(const std::vector<int>& files);
    ~MappedFiles();
    MappedFiles(const MappedFiles&) = delete;
    MappedFiles& operator=(const MappedFiles&) = delete;

    uint8_t* at(int32_t file, uint64_t offset) const { return mappings_.at(static_cast<size_t>(file)).first + offset; }

private:
    std::vector<std::pair<uint8_t*, uint64_t>> mappings_;
};

// The memory of one card.
class Memory {
public:
    struct Mapped {
        CardNodeKind kind;
        uint8_t* bytes;
        uint64_t address, size, go_address;
    };
    Memory(const std::vector<CardNode>& nodes, const MappedFiles& files);
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    void read(uint32_t x, uint32_t y, uint64_t address, void* data, uint64_t bytes);
    void write(uint32_t x, uint32_t y, uint64_t address, const void* data, uint64_t bytes);
    // These bytes in the engine's memory; null: they do not all lie there.
    const uint8_t* at(uint32_t x, uint32_t y, uint64_t address, uint64_t bytes) const {
        return mapped(x, y, address, bytes);
    }
    // Empty if no worker, DRAM bank or ethernet core has this coordinate.
    const std::vector<Mapped>& nodes(uint32_t x, uint32_t y) const;

private:
    using Page = std::array<uint8_t, 4096>;

    // Pointer to these bytes in the mapped memory of a coordinate; null: not mapped.
    uint8_t* mapped(uint32_t x, uint32_t y, uint64_t address, uint64_t bytes) const;
    template <typename Copy>
    void each_page(uint32_t x, uint32_t y, uint64_t address, uint64_t bytes, Copy copy);

    std::array<std::vector<Mapped>, 64 * 64> nodes_;
    std::mutex mutex_;  // of the pages
    std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
};

}  // namespace card
