// SPDX-License-Identifier: Apache-2.0
// Data races: accesses to the same memory without happens-before.
//
// Memory is kept as ranges with the same history. A range has its last write and the last read of each kernel since
// then, each with the kernel's step (check/ordering.h). A read must happen after the last write, a write after the last
// write and after all reads since. Otherwise some order of events has the two the other way round, whatever happened in
// this run.
//
// A write to DRAM counts from the barrier that waited for it: a semaphore takes another path to another core and may
// arrive first. A write to another core's L1 also counts from its barrier, or from a signal that its sender gave to
// that very core, which follows the data; a kernel that learns of it from a third core may be too early.
//
// In L1 two kernels of one core are left to the rules of circular buffers and of processors' words: here one of the two
// is always another core, over the NoC, or reads pages it has no credits for (CbAccess::borrows). In DRAM any two
// kernels are checked. Cores of most programs never access each other's L1. So until the first such access, accesses
// are only logged compactly; then the log is entered.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <memory_resource>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "check/findings.h"
#include "check/ordering.h"
#include "fabric/packet_path.h"

namespace tw {

class Program;
struct Core;

// Kind of an access. A flag is a word that a kernel may poll: an atomic, or a NoC write of at most a word.
enum class Touch : uint8_t { Read, Write, Flag };

class AccessHistory {
public:
    explicit AccessHistory(Ordering& ordering) : ordering_(ordering) {}

    void start(Program& program);

    // A kernel reads or writes `bytes` bytes of the chip's memory at a host address, itself or over the NoC. `values`:
    // what a write will put there; null: not known. Called before the access.
    void touch(KernelInstance& by, uintptr_t address, uint64_t bytes, Touch touch, const uint8_t* values = nullptr);
    void touch_from(uint32_t place, KernelInstance& by, uintptr_t address, uint64_t bytes, Touch touch);
    // A transfer issued earlier ends only now.
    void ended(KernelInstance& by, uintptr_t address, uint64_t bytes, Touch touch, const CallPlace& issued);
    // A packet of the kernel writes there.
    void touch_by_packet(
        KernelInstance& by, uintptr_t address, uint64_t bytes, const uint8_t* values, const PacketPath& path);
    // A packet that flushes: what the kernel's earlier packets over this path wrote has arrived.
    void packets_arrived(const KernelInstance& by, const PacketPath& path);
    // A barrier: all writes of the kernel so far have arrived. It does not wait for packets.
    void writes_arrived(const KernelInstance& by);
    // A kernel signals a core: its writes to that core arrive before.
    void signalled(const KernelInstance& by, const Core& core);
    // A kernel reads L1 of its core without credits for it. False if it need not happen after the writer.
    bool borrow(KernelInstance& by, uint32_t address, uint32_t bytes);
    // A processor loads a word: a load of a flag acquires what happened before it.
    void load(KernelInstance& by, uint32_t address, uint32_t bytes);
    // A kernel reads a word of another core. A word that is stored alone may be a flag: the kernel acquires the store.
    // False if the word is part of more data.
    bool poll(const KernelInstance& by, uint32_t address);
    // Whether no other core accesses this address, so that nothing needs to be kept.
    bool ignores(uintptr_t address) const;

    // Call places by number, so that many can be stored compactly.
    uint32_t place_here(const KernelInstance& by);
    const CallPlace& place(uint32_t number) const { return places_[number]; }

private:
    struct Epoch {
        uint32_t by = 0;  // number of the instance plus one; 0: none
        uint32_t step = 0;
        uint32_t place = 0;  // index in places_
        bool is_borrowed = false;
        uint32_t path = 0;  // of a packet: index in paths_ plus one; 0: no packet
        bool operator==(const Epoch&) const = default;
    };
    using Reads = std::pmr::vector<Epoch>;
    struct Stretch {
        uintptr_t end;
        Epoch write;
        bool is_flag = false;  // the last write was one
        Reads reads;
        bool is_like(const Stretch& other) const {
            return write == other.write && is_flag == other.is_flag && reads == other.reads;
        }
    };
    using Stretches = std::pmr::map<uintptr_t, Stretch>;  // by begin, disjoint
    struct Access {
        KernelInstance& by;
        Touch touch;
        Epoch epoch;
        const uint8_t* values;
        uintptr_t address;
    };

    Stretches& block_of(uintptr_t address);
    static Stretches::iterator split(Stretches& stretches, uintptr_t at);
    // An access to the kernel's own L1 before the first access across cores.
    struct Noted {
        uint32_t begin, end;
        Epoch epoch;
        bool writes;
    };

    void note(KernelInstance& by, uint32_t place, uint32_t address, uint32_t bytes, bool writes);
    void touch_here(
        KernelInstance& by,
        uint32_t place,
        uintptr_t address,
        uint64_t bytes,
        Touch touch,
        const uint8_t* values,
        uint32_t path = 0);
    uint32_t path_number(const PacketPath& path);
    bool is_acquired(const Epoch& write, const std::vector<uint32_t>& arrivals, const KernelInstance& for_whom) const;
    bool has_arrived_by_packet(uintptr_t begin, const Epoch& write, const KernelInstance& for_whom) const;
    void meet();
    void touch_blocks(uint64_t bytes, const Access& access);
    bool append(Stretches& stretches, uintptr_t address, uint64_t bytes, const Access& access);
    void touch_stretches(uintptr_t address, uint64_t bytes, const Access& access);
    void check(uintptr_t begin, const Stretch& stretch, const Access& access);
    void check_pair(
        uintptr_t begin, const Stretch& stretch, const Epoch& earlier, bool earlier_writes, const Access& access);
    void report(
        uintptr_t begin, const Stretch& stretch, const Epoch& earlier, bool earlier_writes, const Access& access);
    void report_twice_written(uintptr_t begin, const Stretch& stretch, const Epoch& earlier, const Access& access);
    static void record(Stretch& stretch, const Access& access);
    bool knows_writes(const KernelInstance& by, uintptr_t address, uintptr_t end);
    bool has_arrived(uintptr_t begin, const Epoch& write, const KernelInstance& for_whom) const;
    std::string not_arrived_text(uintptr_t begin, const Stretch& stretch, const Epoch& write, const Access& access);
    void report_not_arrived(uintptr_t begin, const Stretch& stretch, const Epoch& write, const Access& access);
    uint32_t place_number(const CallPlace& place);
    bool is_l1(uintptr_t address) const { return address >> 32 == 0; }
    const Core& core_at(uintptr_t address) const;
    std::string memory_name(uintptr_t address) const;
    uint32_t die_at(uintptr_t address) const;
    KernelInstance& instance_of(const Epoch& epoch) const;

    Ordering& ordering_;
    Program* program_ = nullptr;
    bool has_several_cores_ = false;
    bool cores_met_ = false;
    std::vector<Noted> noted_;
    // By instance: the entries it continues, for operands and results; indices in noted_ plus one.
    struct LastNoted {
        uint32_t of[4] = {};
        uint32_t next = 0;
    };
    std::vector<LastNoted> last_noted_;
    // By instance: steps at which earlier writes had arrived, and whether any came later; steps at which it signalled
    // each core.
    struct Arrivals {
        std::vector<uint32_t> steps;
        bool has_open = false;
        std::unordered_map<const Core*, std::vector<uint32_t>> signalled;
        // Of packets, by path: steps of those that flushed; and with a core, of flags written there.
        std::map<uint32_t, std::vector<uint32_t>> flushed;
        std::map<std::pair<uint32_t, const Core*>, std::vector<uint32_t>> flags;
    };
    std::vector<Arrivals> arrivals_;
    std::vector<PacketPath> paths_;
    uint32_t l1_begin_ = 0;
    uint32_t unreserved_base_ = 0;
    // Ranges are many and are freed together, with their memory resource.
    using Blocks = std::pmr::unordered_map<uintptr_t, Stretches>;
    std::unique_ptr<std::pmr::unsynchronized_pool_resource> stretch_memory_;
    Blocks* blocks_ = nullptr;
    std::vector<CallPlace> places_;
    std::unordered_map<uint64_t, uint32_t> place_numbers_;  // by a hash of the frames
    struct RecentPlace {
        uint64_t hash = 0;
        uint32_t number = 0;
    };
    static constexpr size_t kRecentPlaces = 256;
    std::vector<RecentPlace> recent_places_;  // by the hash's first byte
};

}  // namespace tw
