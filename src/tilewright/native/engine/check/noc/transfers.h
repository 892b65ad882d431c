// SPDX-License-Identifier: Apache-2.0
// NoC transfers that a kernel has issued and not waited for. Their data has been moved already, which is one of the
// orders a card permits; kept here is what the kernel may not rely on yet.
//
// Each kernel has a list of open transfers, with both ends and the kind. A barrier removes those of its kind, NoC and
// transaction id. A flush leaves a write open at its far end. A signal back from the receiver's core closes what was
// sent there before. Pieces of 64 bytes of L1 are marked while a transfer arrives there or reads from there, so that
// most accesses are cleared by one lookup.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "abi/noc.h"
#include "check/findings.h"
#include "chip/chip.h"

namespace tw {

class Program;

enum class TransferKind : uint8_t { Read, Write, PostedWrite };

struct Transfer {
    TransferKind kind = TransferKind::Read;
    uint8_t noc = 0;
    bool multicast = false;
    bool linked = false;
    bool sent = false;  // a write that has left; it may not have arrived
    bool reported = false;  // part of a finding already
    uint32_t transaction_id = kNoTransactionId;
    uint32_t local = 0;  // slot pointer
    uint32_t own_remote = 0;  // slot pointer of the other end where it is this core's too; 0 otherwise
    uint32_t bytes = 0;
    uint64_t remote = 0;  // NoC address
    uint32_t issued = 0;  // on the kernel's clock
    CallPlace place;
};

// What a transfer does to a range of the core's memory.
enum Hold : uint8_t {
    kLanding = 1,  // data arrives there
    kLeaving = 2,  // data is taken from there
};

// Writes to one core that have left and are not acknowledged.
struct Unacknowledged {
    uint32_t transaction_id;
    uint32_t core;  // or kNoOneCore
    uint32_t count;
    uint32_t issued;  // the last one
    CallPlace first;
};
inline constexpr uint32_t kNoOneCore = ~0u;  // several cores, or DRAM

// Atomics to one core that no barrier has waited for.
struct OpenAtomics {
    uint32_t core;
    uint32_t count;
    uint32_t issued;  // the last one
    CallPlace first;
};

struct OpenTransfers {
    std::vector<Transfer> transfers;
    struct Noc {
        std::vector<Unacknowledged> writes;
        std::vector<bool> written_cores;  // targets of those writes
        std::vector<OpenAtomics> atomics;
    } noc[2];
    std::vector<uint32_t> acknowledged;  // by core: the last step of this kernel that the core has answered
};

class Transfers {
public:
    void start(Program& program);
    void add(KernelInstance& instance, Transfer transfer);
    void add_atomic(KernelInstance& instance, uint32_t noc, const Core& core, uint32_t issued);
    // A write that reads no memory: only its arrival is open.
    void add_unacknowledged(KernelInstance& instance, Transfer transfer);
    // Removes what a barrier has waited for. `ended` is called for each transfer that is over.
    using Ended = std::function<void(const Transfer&)>;
    void barrier(KernelInstance& instance, Barrier kind, uint32_t noc, uint32_t transaction_id, const Ended& ended);
    // A kernel on core `core` has answered this kernel's steps up to `time`: earlier writes to it have arrived.
    void acknowledge(KernelInstance& instance, uint32_t core, uint32_t time);

    // All Hold bits of the bytes.
    uint8_t holds(const Core& core, uint32_t address, uint32_t bytes) const {
        const std::vector<uint8_t>& pieces = pieces_[core_index(core)];
        const uint32_t first = address & kL1OffsetMask, last = first + bytes - 1;
        if (pieces.empty() || bytes == 0) {
            return 0;
        }
        return first / kPieceBytes == last / kPieceBytes ? pieces[first / kPieceBytes]
                                                         : holds(pieces, first / kPieceBytes, last / kPieceBytes + 1);
    }
    // An unreported transfer that holds some of the bytes in a way of `mask`.
    Transfer* find(const Core& core, uint32_t address, uint32_t bytes, uint8_t mask);
    OpenTransfers& of(const KernelInstance& instance);
    // Whether it still reads from some of the bytes.
    static bool takes_from(const Transfer& transfer, uint32_t address, uint32_t bytes);
    bool reaches(const Transfer& transfer, const Core& core) const;
    uint32_t core_index(const Core& core) const { return core.y * grid_x_ + core.x; }

    // A bit per piece of L1 for other uses: semaphores.cpp marks its words.
    void mark(const Core& core, uint32_t address, uint32_t bytes, uint8_t bit);

private:
    // Small enough that neighbours seldom share one, large enough that a tile marks few.
    static constexpr uint32_t kPieceBytes = 64;

    static uint8_t holds(const std::vector<uint8_t>& pieces, uint32_t piece, uint32_t end);
    void mark_transfer(const KernelInstance& instance, const Transfer& transfer, bool on);
    void mark_again(const Core& core);
    void count_unacknowledged(OpenTransfers::Noc& open, const Transfer& transfer) const;
    void note_written_cores(std::vector<bool>& cores, const Transfer& transfer);
    template <typename Done>
    void take_off(KernelInstance& instance, Done done);

    Program* program_ = nullptr;
    uint32_t grid_x_ = 0;
    std::vector<OpenTransfers> open_;  // by instance
    std::vector<std::vector<uint8_t>> pieces_;  // by core: Hold bits of each piece of L1
};

inline constexpr uint8_t kSyncWord = 4;  // a piece with a word that kernels synchronise by

}  // namespace tw
