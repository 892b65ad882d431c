// SPDX-License-Identifier: Apache-2.0
// Rows of a row-major tensor in shards lie an aligned page apart. A transfer that begins in the gap behind a row, or runs
// over it into the next row, was addressed with the bytes of a row as the distance.
#pragma once

#include <cstdint>

namespace tw {

struct HostMemory;
struct KernelInstance;

// Whether a transfer of `bytes` from byte `in_page` of a row on stays in it, or moves whole rows.
bool keeps_to_rows(const HostMemory& shards, uint64_t in_page, uint64_t bytes);
// `offset` in the L1 of any core; whole rows with the gaps between them may be moved at once.
void check_shard_rows(KernelInstance& by, uint64_t offset, uint32_t bytes, const char* verb);
// The same at the end of a transfer that may lie in DRAM.
void check_shard_rows_at(KernelInstance& by, uint64_t noc_address, uint32_t bytes, const char* verb);

}  // namespace tw
