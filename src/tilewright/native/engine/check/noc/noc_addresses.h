// SPDX-License-Identifier: Apache-2.0
// What one NoC call says by itself: alignment, pages, rectangles, counts.
//
// An address is taken apart into node and offset and looked up among the host's buffers: it must lie in one, and not run
// over the end of a page into the gap behind it. Pages that kernels ask addresses for by number are remembered when the
// number is past the tensor, so that the transfer can be told by tensor and page. A rectangle is walked core by core in
// the order of its NoC and counted against the number of receivers that was given.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tw {

struct HostMemory;
struct KernelInstance;
class Program;

class NocAddresses {
public:
    void start(Program& program);

    // `noc_address` is one end of a transfer of `bytes`, `local` the other.
    void judge_alignment(KernelInstance& by, uint64_t noc_address, uint32_t local, bool is_read);
    void judge_memory(KernelInstance& by, uint64_t noc_address, uint32_t bytes, const char* verb);
    // A transfer's size, or a page's; ends the run where it is that of a buffer that does not exist.
    void judge_size(const KernelInstance& by, uint32_t bytes, const char* verb);
    void judge_word(KernelInstance& by, uint64_t noc_address, const char* call);
    void judge_rectangle(
        KernelInstance& by, uint64_t rectangle, uint32_t num_destinations, uint32_t noc, bool loopback);
    // An address made for a page; only those past their buffer are kept.
    void page(bool is_dram, uint32_t base, uint32_t page, uint32_t page_bytes, uint64_t address);

    // A tile of a tensor and a page of a circular buffer, the two ends of a transfer.
    void judge_tile_sizes(KernelInstance& by, const uint8_t* tensor_end, uint32_t local, uint32_t bytes, bool is_read);

private:
    void judge_base(KernelInstance& by, bool is_dram, uint32_t base, uint32_t page_bytes, uint32_t page);
    struct PageBeyond {
        uint64_t address;
        const HostMemory* buffer;
        uint32_t page, page_bytes;
    };
    std::string buffer_name(const HostMemory& buffer) const;
    bool judge_page_beyond(KernelInstance& by, uint64_t noc_address, const char* verb);
    void judge_bank(KernelInstance& by, bool is_dram, uint32_t bank, uint64_t local, uint32_t bytes, const char* verb);

    Program* program_ = nullptr;
    std::vector<uint32_t> bank_;  // of DRAM or L1, by NoC node
    std::vector<PageBeyond> beyond_;
};

}  // namespace tw
