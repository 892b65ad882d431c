// SPDX-License-Identifier: Apache-2.0
#include "call_record.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "abi/record.h"
#include "core.h"
#include "run/scheduler.h"
#include "run/threads.h"
#include "wire/record.h"

namespace tw {

// Basic blocks that every call takes inside the kernel API; the cost of a call includes them.
static constexpr uint32_t kFewBlocks = 16;
// Limit of one kernel on one core: 1 GiB.
static constexpr size_t kMostEntries = size_t{1} << 27;

static uint64_t entry(RecordedCall call, uint32_t a, uint32_t b, uint32_t c) {
    return std::bit_cast<uint64_t>(
        wire::RecordEntry{static_cast<uint8_t>(call), static_cast<uint8_t>(a), static_cast<uint16_t>(b), c});
}

// The record of a kernel, with the blocks since its last call; `blocks` of the call itself are added.
static CallRecord& record_of(KernelInstance& instance, uint32_t blocks) {
    CallRecord& record = instance.calls;
    if (record.entries.size() >= kMostEntries) {
        kernel_error("makes more than %zu million calls: too many to be recorded", kMostEntries >> 20);
    }
    record.blocks += blocks;
    if (record.blocks > kFewBlocks) {
        record.entries.push_back(entry(RecordedCall::Blocks, 0, 0, record.blocks));
    }
    record.blocks = 0;
    return record;
}

uint64_t copy_calls(const Program& program, uint64_t* words, uint64_t capacity) {
    uint64_t count = 0;
    for (const auto& instance : program.instances) {
        const std::vector<uint64_t>& entries = instance->calls.entries;
        if (count + 1 + entries.size() <= capacity) {
            const KernelPlace& place = instance->place;
            words[count] = std::bit_cast<uint64_t>(wire::RecordHead{
                static_cast<uint16_t>(place.kernel),
                static_cast<uint8_t>(place.core_x),
                static_cast<uint8_t>(place.core_y),
                static_cast<uint32_t>(entries.size())});
            std::copy(entries.begin(), entries.end(), words + count + 1);
        }
        count += 1 + entries.size();
    }
    return count;
}

}  // namespace tw

using namespace tw;

extern "C" {

// Split threads make the same calls, except in statements that select one of them: one thread's calls are recorded.
static bool is_noted(const KernelInstance& instance) {
    return runs_on(instance, kUnpackThread) || named_threads(instance) != kAllThreads;
}

void tw_record(uint32_t call, uint32_t a, uint32_t b, uint32_t c, uint32_t blocks) {
    KernelInstance& instance = current_instance();
    if (is_noted(instance)) {
        record_of(instance, blocks).entries.push_back(entry(static_cast<RecordedCall>(call), a, b, c));
    }
}

void tw_record_address(uint32_t call, uint32_t a, uint32_t b, uint32_t c, uint64_t address, uint32_t blocks) {
    KernelInstance& instance = current_instance();
    if (is_noted(instance)) {
        CallRecord& record = record_of(instance, blocks);
        record.entries.push_back(entry(static_cast<RecordedCall>(call), a, b | std::exchange(record.address, 0), c));
        record.entries.push_back(address);
    }
}

void tw_record_with_state() { current_instance().calls.address |= kRecordedWithState; }

void tw_record_page(uint32_t num_banks) {
    uint32_t& address = current_instance().calls.address;
    const uint32_t page = std::has_single_bit(num_banks) ? kRecordedShiftedPage : kRecordedDividedPage;
    if (address / page % (kMostRecordedPages + 1) < kMostRecordedPages) {
        address += page;
    }
}

void tw_record_write(
    uint32_t multicast,
    uint32_t noc,
    uint32_t flags,
    uint32_t bytes,
    uint64_t to,
    uint32_t source_l1,
    uint32_t blocks) {
    KernelInstance& instance = current_instance();
    uint32_t value = bytes;
    const bool is_word = bytes == sizeof value && (source_l1 & kL1OffsetMask) + bytes <= instance.context.l1_size;
    if (is_word) {
        std::memcpy(&value, own_memory(instance, source_l1), sizeof value);
    }
    const RecordedCall word = multicast != 0 ? RecordedCall::NocWriteWordMulticast : RecordedCall::NocWriteWord;
    const RecordedCall more = multicast != 0 ? RecordedCall::NocWriteMulticast : RecordedCall::NocWrite;
    tw_record_address(static_cast<uint32_t>(is_word ? word : more), noc, flags, value, to, blocks);
}

// Called in every basic block of a recorded or checked kernel. Static constructors call it outside a run.
void __sanitizer_cov_trace_pc() {
    Scheduler* scheduler = this_scheduler();
    if (scheduler != nullptr) {
        scheduler->blocks++;
        scheduler->current->calls.blocks++;
    }
}
}
