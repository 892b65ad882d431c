// SPDX-License-Identifier: Apache-2.0
#include "check/noc/shard_rows.h"

#include "check/checks.h"
#include "core.h"
#include "dataflow/noc_address.h"
#include "run/scheduler.h"

namespace tw {

bool keeps_to_rows(const HostMemory& shards, uint64_t in_page, uint64_t bytes) {
    const bool is_in_one = in_page < shards.page_bytes && in_page + bytes <= shards.stride;
    const uint64_t rest = bytes % shards.stride;
    return is_in_one || (in_page == 0 && (rest == 0 || rest == shards.page_bytes));
}

void check_shard_rows(KernelInstance& by, uint64_t offset, uint32_t bytes, const char* verb) {
    const std::vector<HostMemory>& buffers = by.scheduler->program.host_memory;
    for (size_t index = 0; index < buffers.size(); index++) {
        const HostMemory& shards = buffers[index];
        const bool has_gaps = shards.pages_per_shard != 0 && shards.page_bytes != shards.stride;
        if (!has_gaps || bytes == 0 || offset < shards.address ||
            offset >= shards.address + shards.pages_per_shard * shards.stride) {
            continue;
        }
        const uint64_t in_page = (offset - shards.address) % shards.stride;
        if (!keeps_to_rows(shards, in_page, bytes)) {
            note_finding(
                by,
                Rule::NocPageStride,
                kNoCircularBuffer,
                offset,
                "%s %u bytes at byte %llu of row %llu in a shard of tensor %zu: rows have %llu bytes and lie %llu "
                "bytes "
                "apart",
                verb,
                bytes,
                static_cast<unsigned long long>(in_page),
                static_cast<unsigned long long>((offset - shards.address) / shards.stride),
                index,
                static_cast<unsigned long long>(shards.page_bytes),
                static_cast<unsigned long long>(shards.stride));
        }
        return;
    }
}

void check_shard_rows_at(KernelInstance& by, uint64_t noc_address, uint32_t bytes, const char* verb) {
    const NocAddress where = decode_noc_address(noc_address);
    if (by.scheduler->program.chip.node(where.x, where.y).core != nullptr) {
        check_shard_rows(by, where.local & kL1OffsetMask, bytes, verb);
    }
}

}  // namespace tw
