// SPDX-License-Identifier: Apache-2.0
// Where transfers lie among the pages of the host's buffers, interleaved and sharded.
#include <algorithm>
#include <cstdio>

#include "check/checks.h"
#include "check/noc/noc_addresses.h"
#include "check/noc/shard_rows.h"
#include "dataflow/noc_address.h"
#include "run/scheduler.h"

namespace tw {

static constexpr size_t kPagesKept = 64;

void NocAddresses::page(bool is_dram, uint32_t base, uint32_t page, uint32_t page_bytes, uint64_t address) {
    check_size(current_instance(), page_bytes, "addresses pages of");
    check_base(current_instance(), is_dram, base, page_bytes, page);
    for (const HostMemory& buffer : program_->host_memory) {
        if (buffer.is_dram != is_dram || buffer.address != base || buffer.stride != page_bytes || buffer.is_sharded() ||
            buffer.num_pages == 0 || page < buffer.num_pages) {
            continue;
        }
        if (beyond_.size() == kPagesKept) {
            beyond_.erase(beyond_.begin());
        }
        beyond_.push_back({address, &buffer, page, page_bytes});
        return;
    }
    // A page past the end of one tensor may be a page of another: what is addressed here is this one.
    const auto is_here = [=](const PageBeyond& each) {
        return address >= each.address && address < each.address + each.page_bytes;
    };
    beyond_.erase(std::remove_if(beyond_.begin(), beyond_.end(), is_here), beyond_.end());
}

// "tensor 1", or the address of a buffer that is no tensor of the call.
std::string NocAddresses::buffer_name(const HostMemory& buffer) const {
    if (buffer.layout != HostLayout::Unknown) {
        return "tensor " + std::to_string(&buffer - program_->host_memory.data());
    }
    char text[48];
    std::snprintf(text, sizeof text, "the buffer at 0x%llx", static_cast<unsigned long long>(buffer.address));
    return text;
}

// A kernel of tiles on rows counts pages of another kind: the layout is the cause then.
static const char* page_noun(const HostMemory& buffer) {
    return buffer.layout == HostLayout::RowMajor ? "pages, its rows: it is in ROW_MAJOR layout" : "pages";
}

bool NocAddresses::check_page_beyond(KernelInstance& by, uint64_t noc_address, const char* verb) {
    for (const PageBeyond& page : beyond_) {
        if (noc_address < page.address || noc_address >= page.address + page.page_bytes) {
            continue;
        }
        note_finding(
            by,
            Rule::NocPageOutOfRange,
            kNoCircularBuffer,
            noc_address & kNocLocalMask,
            "%s page %u of %s, which has %llu %s",
            verb,
            page.page,
            buffer_name(*page.buffer).c_str(),
            static_cast<unsigned long long>(page.buffer->num_pages),
            page_noun(*page.buffer));
        return true;
    }
    return false;
}

// A buffer on the device that is none of the call's tensors: what it holds is not known, nor that it still exists later.
void NocAddresses::check_passed(
    KernelInstance& by, const HostMemory& buffer, uint64_t local, uint32_t bytes, const char* verb) {
    if (buffer.layout != HostLayout::Unknown || !program_->knows_every_buffer) {
        return;
    }
    note_finding(
        by,
        Rule::TensorNotPassed,
        kNoCircularBuffer,
        local,
        "%s %u bytes of the buffer at 0x%llx in %s, %llu bytes a page: it is on the device, and of no tensor in "
        "io_tensors",
        verb,
        bytes,
        static_cast<unsigned long long>(buffer.address),
        buffer.is_dram ? "DRAM" : "L1",
        static_cast<unsigned long long>(buffer.page_bytes));
}

// A transfer must stay in the bank's shard, which may end with padding, and in L1 keep to its rows (shard_rows.h).
void NocAddresses::check_shard(
    KernelInstance& by, const HostMemory& buffer, uint32_t bank, uint64_t local, uint32_t bytes, const char* verb) {
    const uint64_t offset = local - buffer.address;
    const uint64_t shard_bytes = buffer.pages_per_bank * buffer.stride;
    if (!buffer.has_shard_in(bank)) {
        note_finding(
            by,
            Rule::NocPageOutOfRange,
            kNoCircularBuffer,
            local,
            "%s %u bytes of %s where it has no shard: in %s %u, counted from 0",
            verb,
            bytes,
            buffer_name(buffer).c_str(),
            buffer.is_dram ? "DRAM bank" : "L1 bank",
            bank);
    } else if (offset + bytes > shard_bytes) {
        note_finding(
            by,
            Rule::NocPageOutOfRange,
            kNoCircularBuffer,
            local,
            "%s %u bytes from byte %llu of a shard of %s, which has %llu bytes in %llu pages",
            verb,
            bytes,
            static_cast<unsigned long long>(offset),
            buffer_name(buffer).c_str(),
            static_cast<unsigned long long>(shard_bytes),
            static_cast<unsigned long long>(buffer.pages_per_bank));
    } else if (buffer.is_dram && !keeps_to_rows(buffer, offset % buffer.stride, bytes)) {
        note_finding(
            by,
            Rule::NocPageStride,
            kNoCircularBuffer,
            local,
            "%s %u bytes from byte %llu of a page in a shard of %s: pages have %llu bytes and lie %llu bytes apart",
            verb,
            bytes,
            static_cast<unsigned long long>(offset % buffer.stride),
            buffer_name(buffer).c_str(),
            static_cast<unsigned long long>(buffer.page_bytes),
            static_cast<unsigned long long>(buffer.stride));
    }
}

// `bytes` at `local` of one bank must lie in one buffer, and not run from a page into one that does not continue it.
void NocAddresses::check_bank(
    KernelInstance& by, bool is_dram, uint32_t bank, uint64_t local, uint32_t bytes, const char* verb) {
    const uint32_t banks = program_->chip.num_banks(is_dram);
    for (const HostMemory& buffer : program_->host_memory) {
        if (buffer.is_dram != is_dram || local < buffer.address ||
            local >= buffer.address + buffer.bytes_per_bank(banks)) {
            continue;
        }
        check_passed(by, buffer, local, bytes, verb);
        if (buffer.is_sharded()) {
            check_shard(by, buffer, bank, local, bytes, verb);
            return;
        }
        const uint64_t offset = local - buffer.address;
        const uint64_t page = offset / buffer.stride * banks + bank;
        const uint64_t in_page = offset % buffer.stride;
        const uint64_t last_page = (offset + bytes - 1) / buffer.stride * banks + bank;
        const bool padded = buffer.page_bytes != buffer.stride;
        if (last_page >= buffer.num_pages) {
            note_finding(
                by,
                Rule::NocPageOutOfRange,
                kNoCircularBuffer,
                local,
                "%s %u bytes from page %llu on of %s, up to page %llu: it has %llu %s",
                verb,
                bytes,
                static_cast<unsigned long long>(page),
                buffer_name(buffer).c_str(),
                static_cast<unsigned long long>(last_page),
                static_cast<unsigned long long>(buffer.num_pages),
                page_noun(buffer));
        } else if (last_page != page && (padded || in_page != 0)) {
            note_finding(
                by,
                Rule::NocPageStride,
                kNoCircularBuffer,
                local,
                "%s %u bytes from byte %llu of page %llu, which run into page %llu: pages have %llu bytes and lie %llu "
                "bytes apart",
                verb,
                bytes,
                static_cast<unsigned long long>(in_page),
                static_cast<unsigned long long>(page),
                static_cast<unsigned long long>(last_page),
                static_cast<unsigned long long>(buffer.page_bytes),
                static_cast<unsigned long long>(buffer.stride));
        } else if (padded && in_page >= buffer.page_bytes) {
            note_finding(
                by,
                Rule::NocPageStride,
                kNoCircularBuffer,
                local,
                "%s %u bytes from byte %llu of page %llu, behind its %llu bytes: pages lie %llu bytes apart",
                verb,
                bytes,
                static_cast<unsigned long long>(in_page),
                static_cast<unsigned long long>(page),
                static_cast<unsigned long long>(buffer.page_bytes),
                static_cast<unsigned long long>(buffer.stride));
        }
        return;
    }
    if (is_dram && program_->knows_every_buffer) {
        note_finding(
            by,
            Rule::NocPageOutOfRange,
            kNoCircularBuffer,
            local,
            "%s %u bytes at 0x%llx of DRAM bank %u, where no buffer lies",
            verb,
            bytes,
            static_cast<unsigned long long>(local),
            bank);
    }
}

void NocAddresses::check_packet(KernelInstance& by, uint64_t noc_address, uint32_t bytes) {
    const NocAddress where = decode_noc_address(noc_address);
    const bool is_dram = program_->chip.node(where.x, where.y).core == nullptr;
    const uint64_t local = is_dram ? where.local : where.local & kL1OffsetMask;
    const uint32_t banks = program_->chip.num_banks(is_dram);
    const uint32_t bank = bank_[node_number(where.x, where.y)];
    for (const HostMemory& buffer : program_->host_memory) {
        if (buffer.is_dram != is_dram || buffer.stride == 0 || bank >= buffer.num_pages ||
            local + bytes <= buffer.address || local >= buffer.address + buffer.bytes_per_bank(banks)) {
            continue;
        }
        const uint64_t in_page = (local - buffer.address) % buffer.stride;
        if (local < buffer.address) {
            note_finding(
                by,
                Rule::FabricPacketSize,
                kNoCircularBuffer,
                local,
                "sends a packet of %u bytes to chip %u, which begins %llu bytes before page %u of %s and runs into it",
                bytes,
                t_die,
                static_cast<unsigned long long>(buffer.address - local),
                bank,
                buffer_name(buffer).c_str());
        } else if (in_page + bytes > buffer.stride) {
            note_finding(
                by,
                Rule::FabricPacketSize,
                kNoCircularBuffer,
                local,
                "sends a packet of %u bytes to byte %llu of a page of %s on chip %u, whose pages have %llu bytes",
                bytes,
                static_cast<unsigned long long>(in_page),
                buffer_name(buffer).c_str(),
                t_die,
                static_cast<unsigned long long>(buffer.page_bytes));
        }
        return;
    }
}

void NocAddresses::check_memory(KernelInstance& by, uint64_t noc_address, uint32_t bytes, const char* verb) {
    if (program_->host_memory.empty() || bytes == 0 || check_page_beyond(by, noc_address, verb)) {
        return;
    }
    const NocAddress where = decode_noc_address(noc_address);
    const uint32_t bank = bank_[node_number(where.x, where.y)];
    if (bank != kNoBank) {
        const bool is_dram = program_->chip.node(where.x, where.y).core == nullptr;
        check_bank(by, is_dram, bank, is_dram ? where.local : where.local & kL1OffsetMask, bytes, verb);
    }
}

}  // namespace tw
