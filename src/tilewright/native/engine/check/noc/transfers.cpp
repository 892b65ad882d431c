// SPDX-License-Identifier: Apache-2.0
#include "check/noc/transfers.h"

#include <algorithm>
#include <cstring>

#include "dataflow/noc_address.h"
#include "program.h"

namespace tw {

static bool overlaps(uint32_t begin, uint32_t bytes, uint32_t other_begin, uint32_t other_bytes) {
    return begin < other_begin + other_bytes && other_begin < begin + bytes;
}

// Transfers without an id have id 0.
static bool covers(uint32_t noc, uint32_t transaction_id, uint32_t of_noc, uint32_t of_transaction) {
    const bool is_default = transaction_id == 0 && of_transaction == kNoTransactionId;
    return noc == of_noc && (transaction_id == kNoTransactionId || transaction_id == of_transaction || is_default);
}

static Barrier barrier_of(TransferKind kind) {
    switch (kind) {
        case TransferKind::Read: return Barrier::Read;
        case TransferKind::Write: return Barrier::WriteAck;
        case TransferKind::PostedWrite: return Barrier::PostedSent;
    }
    return Barrier::Full;
}

static bool lands(const Transfer& transfer, uint32_t address, uint32_t bytes) {
    if (transfer.kind == TransferKind::Read) {
        return overlaps(transfer.local, transfer.bytes, address, bytes);
    }
    return transfer.own_remote != 0 && overlaps(transfer.own_remote, transfer.bytes, address, bytes);
}

bool Transfers::takes_from(const Transfer& transfer, uint32_t address, uint32_t bytes) {
    if (transfer.kind == TransferKind::Read) {
        return transfer.own_remote != 0 && overlaps(transfer.own_remote, transfer.bytes, address, bytes);
    }
    return !transfer.sent && overlaps(transfer.local, transfer.bytes, address, bytes);
}

void Transfers::start(Program& program) {
    program_ = &program;
    grid_x_ = program.chip.config().grid_x;
    open_.assign(program.instances.size(), {});
    pieces_.assign(program.chip.cores().size(), {});
}

OpenTransfers& Transfers::of(const KernelInstance& instance) { return open_[instance.number]; }

void Transfers::mark(const Core& core, uint32_t address, uint32_t bytes, uint8_t bit) {
    std::vector<uint8_t>& pieces = pieces_[core_index(core)];
    if (pieces.empty()) {
        pieces.resize(kL1SlotBytes / kPieceBytes);
    }
    const uint32_t offset = address & kL1OffsetMask;
    for (uint32_t piece = offset / kPieceBytes; piece <= (offset + bytes - 1) / kPieceBytes; piece++) {
        pieces[piece] |= bit;
    }
}

void Transfers::mark_transfer(const KernelInstance& instance, const Transfer& transfer, bool on) {
    if (transfer.bytes == 0) {
        return;
    }
    const bool is_read = transfer.kind == TransferKind::Read;
    auto mark_range = [&](uint32_t address, uint8_t bit) {
        if (on) {
            mark(*instance.core, address, transfer.bytes, bit);
            return;
        }
        std::vector<uint8_t>& pieces = pieces_[core_index(*instance.core)];
        const uint32_t offset = address & kL1OffsetMask;
        for (uint32_t piece = offset / kPieceBytes; piece <= (offset + transfer.bytes - 1) / kPieceBytes; piece++) {
            pieces[piece] &= static_cast<uint8_t>(~(kLanding | kLeaving));
        }
    };
    if (!transfer.sent || !on) {
        mark_range(transfer.local, is_read ? kLanding : kLeaving);
    }
    if (transfer.own_remote != 0) {
        mark_range(transfer.own_remote, is_read ? kLeaving : kLanding);
    }
}

void Transfers::add(KernelInstance& instance, Transfer transfer) {
    mark_transfer(instance, transfer, true);
    of(instance).transfers.push_back(std::move(transfer));
}

void Transfers::add_atomic(KernelInstance& instance, uint32_t noc, const Core& core, uint32_t issued) {
    std::vector<OpenAtomics>& open = of(instance).noc[noc & 1u].atomics;
    const uint32_t index = core_index(core);
    auto known = std::find_if(open.begin(), open.end(), [&](const OpenAtomics& each) { return each.core == index; });
    if (known == open.end()) {
        open.push_back({index, 1, issued, call_place(instance)});
    } else {
        known->count++;
        known->issued = issued;
    }
}

// Removes the transfers for which `done` is true; pieces shared with others are marked again.
template <typename Done>
void Transfers::take_off(KernelInstance& instance, Done done) {
    std::vector<Transfer>& transfers = of(instance).transfers;
    bool any = false;
    for (Transfer& transfer : transfers) {
        if (done(transfer)) {
            mark_transfer(instance, transfer, false);
            transfer.bytes = 0;
            any = true;
        }
    }
    if (any) {
        std::erase_if(transfers, [](const Transfer& transfer) { return transfer.bytes == 0; });
        mark_again(*instance.core);
    }
}

void Transfers::mark_again(const Core& core) {
    for (const KernelInstance* other : core.instances) {
        for (const Transfer& transfer : of(*other).transfers) {
            mark_transfer(*other, transfer, true);
        }
    }
}

void Transfers::count_unacknowledged(OpenTransfers::Noc& open, const Transfer& transfer) const {
    const NocAddress where = decode_noc_address(transfer.remote);
    const Core* there = transfer.multicast ? nullptr : program_->chip.node(where.x, where.y).core;
    const uint32_t core = there == nullptr ? kNoOneCore : core_index(*there);
    for (Unacknowledged& known : open.writes) {
        if (known.transaction_id == transfer.transaction_id && known.core == core) {
            known.count++;
            known.issued = transfer.issued;
            return;
        }
    }
    open.writes.push_back({transfer.transaction_id, core, 1, transfer.issued, transfer.place});
}

void Transfers::add_unacknowledged(KernelInstance& instance, Transfer transfer) {
    count_unacknowledged(of(instance).noc[transfer.noc & 1u], transfer);
}

void Transfers::barrier(
    KernelInstance& instance, Barrier kind, uint32_t noc, uint32_t transaction_id, const Ended& ended) {
    OpenTransfers& open = of(instance);
    const bool full = kind == Barrier::Full;
    if (kind == Barrier::WriteSent) {
        take_off(instance, [&](Transfer& transfer) {
            if (transfer.kind != TransferKind::Write || transfer.sent ||
                !covers(noc, transaction_id, transfer.noc, transfer.transaction_id)) {
                return false;
            }
            ended(transfer);
            if (transfer.own_remote != 0) {  // it still lands here
                mark_transfer(instance, transfer, false);
                transfer.sent = true;
                return false;
            }
            count_unacknowledged(open.noc[noc & 1u], transfer);
            note_written_cores(open.noc[noc & 1u].written_cores, transfer);
            return true;
        });
        mark_again(*instance.core);
        return;
    }
    take_off(instance, [&](const Transfer& transfer) {
        if (!covers(noc, transaction_id, transfer.noc, transfer.transaction_id)) {
            return false;
        }
        const bool is_over = full || kind == barrier_of(transfer.kind);
        if (is_over) {
            ended(transfer);
        }
        return is_over;
    });
    if (full || kind == Barrier::WriteAck) {
        std::erase_if(open.noc[noc & 1u].writes, [&](const Unacknowledged& writes) {
            return covers(noc, transaction_id, noc, writes.transaction_id);
        });
        open.noc[noc & 1u].written_cores.clear();
    }
    if (full || kind == Barrier::Atomic) {
        open.noc[noc & 1u].atomics.clear();
    }
}

void Transfers::note_written_cores(std::vector<bool>& cores, const Transfer& transfer) {
    Chip& chip = program_->chip;
    cores.resize(chip.cores().size());
    if (transfer.multicast) {
        NocRectangle(transfer.remote).for_each_core(chip, [&](const Core& core, uint32_t, uint32_t) {
            cores[core_index(core)] = true;
        });
        return;
    }
    const NocAddress where = decode_noc_address(transfer.remote);
    if (const Core* core = chip.node(where.x, where.y).core) {
        cores[core_index(*core)] = true;
    }
}

bool Transfers::reaches(const Transfer& transfer, const Core& core) const {
    if (transfer.kind == TransferKind::Read) {
        return false;
    }
    if (!transfer.multicast) {
        const NocAddress where = decode_noc_address(transfer.remote);
        return where.x == core.noc_x && where.y == core.noc_y;
    }
    const NocRectangle rectangle(transfer.remote);
    return core.noc_x >= rectangle.left() && core.noc_x <= rectangle.right() && core.noc_y >= rectangle.top() &&
           core.noc_y <= rectangle.bottom();
}

void Transfers::acknowledge(KernelInstance& instance, uint32_t core, uint32_t time) {
    OpenTransfers& open = of(instance);
    Chip& chip = program_->chip;
    open.acknowledged.resize(chip.cores().size());
    if (open.acknowledged[core] >= time) {
        return;
    }
    open.acknowledged[core] = time;
    for (OpenTransfers::Noc& noc : open.noc) {
        const auto has_arrived = [&](const auto& each) { return each.core == core && each.issued <= time; };
        std::erase_if(noc.atomics, has_arrived);
        std::erase_if(noc.writes, has_arrived);
    }
    take_off(instance, [&](Transfer& transfer) {
        if (!reaches(transfer, chip.cores()[core]) || time < transfer.issued) {
            return false;
        }
        bool all = true;
        if (transfer.multicast) {
            NocRectangle(transfer.remote).for_each_core(chip, [&](const Core& each, uint32_t, uint32_t) {
                all &= &each == instance.core || open.acknowledged[core_index(each)] >= transfer.issued;
            });
        }
        if (!all && !transfer.sent) {  // its receiver's answer proves that it has left
            mark_transfer(instance, transfer, false);
            transfer.sent = true;
        }
        return all;
    });
    mark_again(*instance.core);
}

uint8_t Transfers::holds(const std::vector<uint8_t>& pieces, uint32_t piece, uint32_t end) {
    uint64_t together = 0;  // eight pieces at a time
    for (; piece + sizeof together <= end; piece += sizeof together) {
        uint64_t eight;
        std::memcpy(&eight, &pieces[piece], sizeof eight);
        together |= eight;
    }
    uint8_t holds = 0;
    for (; piece < end; piece++) {
        holds |= pieces[piece];
    }
    for (; together != 0; together >>= 8) {
        holds |= static_cast<uint8_t>(together);
    }
    return holds;
}

Transfer* Transfers::find(const Core& core, uint32_t address, uint32_t bytes, uint8_t mask) {
    if ((holds(core, address, bytes) & mask) == 0) {
        return nullptr;
    }
    for (const KernelInstance* instance : core.instances) {
        for (Transfer& transfer : of(*instance).transfers) {
            const bool held = ((mask & kLanding) != 0 && lands(transfer, address, bytes)) ||
                              ((mask & kLeaving) != 0 && takes_from(transfer, address, bytes));
            if (held && !transfer.reported) {
                return &transfer;
            }
        }
    }
    return nullptr;
}

}  // namespace tw
