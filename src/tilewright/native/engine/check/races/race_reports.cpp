// SPDX-License-Identifier: Apache-2.0
// Findings about accesses without happens-before, and about signals that may arrive before the data they announce.
#include "check/checks.h"
#include "check/memory/memory_names.h"
#include "check/races/access_history.h"
#include "program.h"

namespace tw {

std::string AccessHistory::not_arrived_text(
    uintptr_t begin, const Stretch& stretch, const Epoch& write, const Access& access) {
    const bool in_l1 = is_l1(begin);
    const std::string bytes = std::to_string(stretch.end - begin) + " bytes of " + memory_name(begin);
    const std::string reader =
        kernel_on_core(access.by) + (access.touch == Touch::Read ? " reads them" : " writes them");
    if (write.path != 0) {
        const PacketPath& path = paths_[write.path - 1];
        return "sends " + bytes + " with a packet that leaves chip " + std::to_string(PacketPath::die(path.left)) +
               " over channel " + std::to_string(PacketPath::channel(path.left)) + "; " + reader +
               " after a signal that did not follow it over this link with a flush, and may be there first";
    }
    return "writes " + bytes + " and signals " + (in_l1 ? "another core " : "") + "before noc_async_write_barrier; " +
           reader + " after " + (in_l1 ? "hearing of it there" : "the signal") + ", which may be there first";
}

void AccessHistory::report_not_arrived(
    uintptr_t begin, const Stretch& stretch, const Epoch& write, const Access& access) {
    const CallPlace& here = places_[write.place];
    const bool in_l1 = is_l1(begin);
    const Rule race = in_l1 ? Rule::L1Race : Rule::DramRace;
    const uint32_t cb = in_l1 ? circular_buffer_at(core_at(begin), static_cast<uint32_t>(begin)) : kNoCircularBuffer;
    program_->checks->findings.add(
        instance_of(write),
        write.path != 0 ? Rule::FabricSignalEarly : race,
        cb,
        in_l1 ? begin : 0,
        here.frames,
        here.num_frames,
        not_arrived_text(begin, stretch, write, access),
        places_[access.epoch.place]);
}

// Reported at the access that comes too early: a read of missing or old data, or an overwrite of data still in use.
void AccessHistory::report(
    uintptr_t begin, const Stretch& stretch, const Epoch& earlier, bool earlier_writes, const Access& access) {
    const KernelInstance& before = instance_of(earlier);
    const bool reads_now = access.touch == Touch::Read;
    const bool is_at_earlier = !reads_now && !earlier_writes && stretch.write.by == 0 && access.epoch.path == 0;
    const KernelInstance& subject = is_at_earlier ? before : access.by;
    const KernelInstance& other = is_at_earlier ? access.by : before;
    const bool subject_reads = is_at_earlier ? true : reads_now;
    const bool other_writes = is_at_earlier ? true : earlier_writes;
    const CallPlace& here = places_[is_at_earlier ? earlier.place : access.epoch.place];
    const CallPlace& there = places_[is_at_earlier ? access.epoch.place : earlier.place];
    const bool in_l1 = is_l1(begin);
    const bool is_packet = !is_at_earlier && access.epoch.path != 0;
    std::string text = is_packet ? "sends a packet with " : subject_reads ? "reads " : "writes ";
    text += std::to_string(stretch.end - begin) + " bytes of " + memory_name(begin) + ", which " +
            kernel_on_core(other) + (other_writes ? " writes" : " reads") + ", and nothing orders the two";
    const std::string last_wait = program_->checks->noc.last_wait(subject);
    if (subject_reads && !last_wait.empty()) {
        text += "; " + last_wait;
    }
    const uint32_t cb = in_l1 ? circular_buffer_at(core_at(begin), static_cast<uint32_t>(begin)) : kNoCircularBuffer;
    const Rule race = in_l1 ? Rule::L1Race : Rule::DramRace;
    program_->checks->findings.add(
        subject,
        is_packet ? Rule::FabricMemoryInUse : race,
        cb,
        in_l1 ? begin : 0,
        here.frames,
        here.num_frames,
        text,
        there);
}

// Two cores that write the same page of a tensor do no harm, but both have it in their share of the work.
void AccessHistory::report_twice_written(
    uintptr_t begin, const Stretch& stretch, const Epoch& earlier, const Access& access) {
    const TensorPlace tensor = program_->checks->tensors.find(reinterpret_cast<const uint8_t*>(begin));
    if (tensor.memory == nullptr || tensor.offset != 0 || stretch.end - begin < tensor.memory->page_bytes ||
        instance_of(earlier).core == access.by.core) {
        return;
    }
    const std::string text = "writes " + memory_name(begin) + ", which " + kernel_on_core(instance_of(earlier)) +
                             " writes too, with the same values";
    const CallPlace& here = places_[access.epoch.place];
    program_->checks->findings.add(
        access.by, Rule::WorkOverlap, kNoCircularBuffer, 0, here.frames, here.num_frames, text, places_[earlier.place]);
}

uint32_t AccessHistory::die_at(uintptr_t address) const {
    const Chip& chip = program_->chip;
    for (uint32_t die = 0; die < chip.num_dies() && !is_l1(address); die++) {
        for (uint32_t bank = 0; bank < chip.num_banks(true); bank++) {
            const NocNode& node = chip.bank(die, true, bank);
            if (address - reinterpret_cast<uintptr_t>(node.memory) < node.bytes) {
                return die;
            }
        }
    }
    return is_l1(address) ? core_at(address).die : 0;
}

std::string AccessHistory::memory_name(uintptr_t address) const {
    const TensorPlace tensor = program_->checks->tensors.find(reinterpret_cast<const uint8_t*>(address));
    const std::string chip = program_->chip.num_dies() > 1 ? " of chip " + std::to_string(die_at(address)) : "";
    if (tensor.memory != nullptr) {
        return "page " + std::to_string(tensor.page) + " of tensor " + std::to_string(tensor.tensor) + chip;
    }
    if (!is_l1(address)) {
        return "DRAM" + chip;
    }
    const Core& core = core_at(address);
    return l1_place_name(core, static_cast<uint32_t>(address)) + " on core (" + std::to_string(core.x) + "," +
           std::to_string(core.y) + ")";
}

}  // namespace tw
