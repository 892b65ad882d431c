// SPDX-License-Identifier: Apache-2.0
#include "memory.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace card {

static uint32_t index_of(uint32_t x, uint32_t y) { return (y & 63u) * 64u + (x & 63u); }

MappedFiles::MappedFiles(const std::vector<int>& files) {
    for (const int file : files) {
        struct stat state{};
        void* memory = fstat(file, &state) == 0 ? mmap(
                                                      nullptr,
                                                      static_cast<size_t>(state.st_size),
                                                      PROT_READ | PROT_WRITE,
                                                      MAP_SHARED | MAP_NORESERVE,
                                                      file,
                                                      0)
                                                : MAP_FAILED;
        if (memory == MAP_FAILED) {
            throw std::runtime_error("tilewright: cannot map the memory of the simulated chip");
        }
        mappings_.emplace_back(static_cast<uint8_t*>(memory), static_cast<uint64_t>(state.st_size));
    }
}

MappedFiles::~MappedFiles() {
    for (const auto& [memory, bytes] : mappings_) {
        munmap(memory, bytes);
    }
}

Memory::Memory(const std::vector<CardNode>& nodes, const MappedFiles& files) {
    for (const CardNode& node : nodes) {
        uint8_t* bytes = node.file >= 0 ? files.at(node.file, node.file_offset) : nullptr;
        nodes_[index_of(node.x, node.y)].push_back({node.kind, bytes, node.address, node.bytes, node.go_address});
    }
}

const std::vector<Memory::Mapped>& Memory::nodes(uint32_t x, uint32_t y) const { return nodes_[index_of(x, y)]; }

uint8_t* Memory::mapped(uint32_t x, uint32_t y, uint64_t address, uint64_t bytes) const {
    for (const Mapped& part : nodes_[index_of(x, y)]) {
        if (part.bytes != nullptr && address >= part.address && address + bytes <= part.address + part.size) {
            return part.bytes + (address - part.address);
        }
    }
    return nullptr;
}

template <typename Copy>
void Memory::each_page(uint32_t x, uint32_t y, uint64_t address, uint64_t bytes, Copy copy) {
    constexpr uint64_t kPage = std::tuple_size_v<Page>;
    const std::lock_guard lock(mutex_);
    for (uint64_t done = 0; done < bytes;) {
        const uint64_t offset = (address + done) % kPage;
        const uint64_t part = std::min(bytes - done, kPage - offset);
        const uint64_t key = (address + done) / kPage << 12 | index_of(x, y);
        std::unique_ptr<Page>& page = pages_[key];
        if (!page) {
            page = std::make_unique<Page>();
        }
        copy(page->data() + offset, done, part);
        done += part;
    }
}

void Memory::read(uint32_t x, uint32_t y, uint64_t address, void* data, uint64_t bytes) {
    if (const uint8_t* from = mapped(x, y, address, bytes)) {
        std::memcpy(data, from, bytes);
        return;
    }
    each_page(x, y, address, bytes, [&](const uint8_t* page, uint64_t done, uint64_t part) {
        std::memcpy(static_cast<uint8_t*>(data) + done, page, part);
    });
}

void Memory::write(uint32_t x, uint32_t y, uint64_t address, const void* data, uint64_t bytes) {
    if (uint8_t* to = mapped(x, y, address, bytes)) {
        std::memcpy(to, data, bytes);
        return;
    }
    each_page(x, y, address, bytes, [&](uint8_t* page, uint64_t done, uint64_t part) {
        std::memcpy(page, static_cast<const uint8_t*>(data) + done, part);
    });
}

}  // namespace card
