// SPDX-License-Identifier: Apache-2.0
// Checks of single NoC calls: alignment, pages, rectangles, counts.
//
// An address is decoded into node and offset and looked up among the host's buffers: it must lie in one, and not run
// over the end of a page into the gap behind it. Addresses of pages past their tensor are kept, so that a transfer can
// be named by tensor and page. A rectangle is walked core by core in the order of its NoC, and the cores are compared
// with the given number of receivers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tw {

struct HostMemory;
struct KernelInstance;
class Program;

// A multicast's rectangle and its number of receivers. False: there is a finding.
bool check_rectangle(KernelInstance& by, uint64_t rectangle, uint32_t num_destinations, uint32_t noc, bool loopback);

class NocAddresses {
public:
    void start(Program& program);

    // `noc_address` is one end of a transfer of `bytes`, `local` the other.
    void check_alignment(KernelInstance& by, uint64_t noc_address, uint32_t local, bool is_read);
    void check_memory(KernelInstance& by, uint64_t noc_address, uint32_t bytes, const char* verb);
    // A transfer's size, or a page's. Ends the run if it is the tile size of a buffer that does not exist.
    void check_size(const KernelInstance& by, uint32_t bytes, const char* verb);
    // A packet's write, on the die it has arrived at.
    void check_packet(KernelInstance& by, uint64_t noc_address, uint32_t bytes);
    void check_word(KernelInstance& by, uint64_t noc_address, const char* call);
    // An address made for a page; only those past their buffer are kept.
    void page(bool is_dram, uint32_t base, uint32_t page, uint32_t page_bytes, uint64_t address);

    // The two ends of a transfer: a tile of a tensor and a page of a circular buffer.
    void check_tile_sizes(KernelInstance& by, const uint8_t* tensor_end, uint32_t local, uint32_t bytes, bool is_read);

private:
    void check_base(KernelInstance& by, bool is_dram, uint32_t base, uint32_t page_bytes, uint32_t page);
    struct PageBeyond {
        uint64_t address;
        const HostMemory* buffer;
        uint32_t page, page_bytes;
    };
    std::string buffer_name(const HostMemory& buffer) const;
    bool check_page_beyond(KernelInstance& by, uint64_t noc_address, const char* verb);
    void check_passed(KernelInstance& by, const HostMemory& buffer, uint64_t local, uint32_t bytes, const char* verb);
    void check_shard(
        KernelInstance& by, const HostMemory& buffer, uint32_t bank, uint64_t local, uint32_t bytes, const char* verb);
    void check_bank(KernelInstance& by, bool is_dram, uint32_t bank, uint64_t local, uint32_t bytes, const char* verb);

    static constexpr uint32_t kNoBank = 0xffffffffu;
    static uint32_t node_number(uint32_t x, uint32_t y) { return (y & 63u) * 64u + (x & 63u); }

    Program* program_ = nullptr;
    std::vector<uint32_t> bank_;  // of DRAM or L1, by NoC node
    std::vector<PageBeyond> beyond_;
};

}  // namespace tw
