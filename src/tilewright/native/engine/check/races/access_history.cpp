// SPDX-License-Identifier: Apache-2.0
#include "check/races/access_history.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "check/checks.h"
#include "check/memory/memory_names.h"
#include "program.h"

namespace tw {

static constexpr uint32_t kBlockBits = 16;  // few ranges to search, and few transfers that span two
static_assert(kL1SlotBytes % (1u << kBlockBits) == 0);
static constexpr size_t kMostNoted = 2u << 20;  // later accesses occur again in the next iteration of most programs

void AccessHistory::start(Program& program) {
    program_ = &program;
    stretch_memory_ = std::make_unique<std::pmr::unsynchronized_pool_resource>();
    blocks_ = std::pmr::polymorphic_allocator<>(stretch_memory_.get()).new_object<Blocks>();
    cores_met_ = false;
    noted_.clear();
    last_noted_.assign(program.instances.size(), {});
    arrivals_.assign(program.instances.size(), {});
    paths_.clear();
    places_.assign(1, {});
    place_numbers_.clear();
    recent_places_.assign(kRecentPlaces, {});
    l1_begin_ = program.chip.cores().front().l1_base;
    unreserved_base_ = program.chip.config().unreserved_base;
    const Core* first = program.instances.empty() ? nullptr : program.instances.front()->core;
    has_several_cores_ = std::any_of(program.instances.begin(), program.instances.end(), [&](const auto& instance) {
        return instance->core != first;
    });
}

// Semaphores and arguments lie below the programs' memory: semaphores order other accesses, and have their own rules.
bool AccessHistory::ignores(uintptr_t address) const {
    return is_l1(address) && (!has_several_cores_ || (address & kL1OffsetMask) < unreserved_base_);
}

const Core& AccessHistory::core_at(uintptr_t address) const {
    return program_->chip.cores()[(address - l1_begin_) / kL1SlotBytes];
}

KernelInstance& AccessHistory::instance_of(const Epoch& epoch) const { return *program_->instances[epoch.by - 1]; }

AccessHistory::Stretches& AccessHistory::block_of(uintptr_t address) { return (*blocks_)[address >> kBlockBits]; }

static uint64_t with_frame(uint64_t hash, uint64_t frame) { return (hash ^ frame) * 0x9e3779b97f4a7c15u; }

// The same number as of its CallPlace, which is built only if it is new.
uint32_t AccessHistory::place_here(const KernelInstance& by) {
    if (by.acts_at != nullptr) {
        return place_number(*by.acts_at);
    }
    const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    uint64_t hash = reinterpret_cast<uintptr_t>(&by);
    for_each_frame(*by.stack, here, kCallPlaceFrames, [&](uint64_t frame) { hash = with_frame(hash, frame); });
    const RecentPlace& recent = recent_places_[hash >> 56];
    if (recent.hash == hash) {
        return recent.number;
    }
    CallPlace place{&by, 0, {}};
    place.num_frames = walk_frames(*by.stack, here, place.frames, kCallPlaceFrames);
    return place_number(place);
}

uint32_t AccessHistory::place_number(const CallPlace& place) {
    uint64_t hash = reinterpret_cast<uintptr_t>(place.instance);
    for (uint32_t frame = 0; frame < place.num_frames; frame++) {
        hash = with_frame(hash, place.frames[frame]);
    }
    RecentPlace& recent = recent_places_[hash >> 56];
    if (recent.hash == hash) {
        return recent.number;
    }
    const auto [found, is_new] = place_numbers_.try_emplace(hash, static_cast<uint32_t>(places_.size()));
    if (is_new) {
        places_.push_back(place);
    }
    recent = {hash, found->second};
    return found->second;
}

// --- before the first access across cores ---

// Consecutive accesses of a kernel in one step are one entry.
void AccessHistory::note(KernelInstance& by, uint32_t place, uint32_t address, uint32_t bytes, bool writes) {
    const uint32_t step = ordering_.now(by.number);
    LastNoted& last = last_noted_[by.number];
    for (const uint32_t index : last.of) {
        Noted* known = index == 0 ? nullptr : &noted_[index - 1];
        if (known != nullptr && known->epoch.step == step && known->writes == writes && address >= known->begin &&
            address <= known->end) {
            known->end = std::max(known->end, address + bytes);
            return;
        }
    }
    if (noted_.size() < kMostNoted) {
        noted_.push_back(
            {address, address + bytes, {by.number + 1, step, place != 0 ? place : place_here(by)}, writes});
        last.of[last.next++ % std::size(last.of)] = static_cast<uint32_t>(noted_.size());
    }
}

void AccessHistory::meet() {
    cores_met_ = true;
    for (const Noted& each : noted_) {
        const Touch touch = each.writes ? Touch::Write : Touch::Read;
        touch_blocks(each.end - each.begin, {instance_of(each.epoch), touch, each.epoch, nullptr, each.begin});
    }
    noted_ = {};
}

// --- ranges ---

// The range that begins at `at`, made by splitting the one that contains it; where nothing is known, the next one.
AccessHistory::Stretches::iterator AccessHistory::split(Stretches& stretches, uintptr_t at) {
    auto after = stretches.upper_bound(at);
    if (after == stretches.begin()) {
        return after;
    }
    auto holder = std::prev(after);
    if (holder->first == at) {
        return holder;
    }
    if (holder->second.end <= at) {
        return after;
    }
    Stretch rest{
        holder->second.end,
        holder->second.write,
        holder->second.is_flag,
        Reads(holder->second.reads, holder->second.reads.get_allocator())};
    holder->second.end = at;
    return stretches.emplace_hint(after, at, std::move(rest));
}

// Memory used from front to back: nothing is known behind the last range.
bool AccessHistory::append(Stretches& stretches, uintptr_t address, uint64_t bytes, const Access& access) {
    const auto last = stretches.empty() ? stretches.end() : std::prev(stretches.end());
    if (last != stretches.end() && last->second.end > address) {
        return false;
    }
    Stretch stretch{address + bytes, {}, false, Reads(stretch_memory_.get())};
    record(stretch, access);
    if (last != stretches.end() && last->second.end == address && last->second.is_like(stretch)) {
        last->second.end = stretch.end;
    } else {
        stretches.emplace_hint(stretches.end(), address, std::move(stretch));
    }
    return true;
}

void AccessHistory::touch_stretches(uintptr_t address, uint64_t bytes, const Access& access) {
    Stretches& stretches = block_of(address);
    if (append(stretches, address, bytes, access)) {
        return;
    }
    const uintptr_t end = address + bytes;
    split(stretches, end);
    auto at = split(stretches, address);
    const auto before = at == stretches.begin() ? stretches.end() : std::prev(at);
    for (uintptr_t next = address; next < end;) {
        if (at == stretches.end() || at->first > next) {  // nothing is known here
            const uintptr_t gap_end = at == stretches.end() ? end : std::min(end, at->first);
            at = stretches.emplace_hint(at, next, Stretch{gap_end, {}, false, Reads(stretch_memory_.get())});
        }
        check(at->first, at->second, access);
        record(at->second, access);
        next = at->second.end;
        ++at;
    }
    // Neighbours with the same history are merged, so that memory touched piece by piece stays few ranges.
    auto merged = before == stretches.end() ? stretches.begin() : before;
    while (merged != stretches.end() && merged->first < end) {
        const auto following = std::next(merged);
        if (following == stretches.end() || following->first != merged->second.end ||
            !following->second.is_like(merged->second)) {
            merged = following;
            continue;
        }
        merged->second.end = following->second.end;
        stretches.erase(following);
    }
}

void AccessHistory::record(Stretch& stretch, const Access& access) {
    if (access.touch != Touch::Read) {
        stretch.write = access.epoch;
        stretch.is_flag = access.touch == Touch::Flag;
        stretch.reads.clear();
        return;
    }
    auto known = std::find_if(
        stretch.reads.begin(), stretch.reads.end(), [&](const Epoch& read) { return read.by == access.epoch.by; });
    if (known == stretch.reads.end()) {
        stretch.reads.push_back(access.epoch);
    } else {
        const bool was_borrowed = known->is_borrowed;
        *known = access.epoch;
        known->is_borrowed |= was_borrowed;
    }
}

void AccessHistory::touch_blocks(uint64_t bytes, const Access& access) {
    for (uintptr_t at = access.address, end = at + bytes; at < end;) {
        const uintptr_t block_end = ((at >> kBlockBits) + 1) << kBlockBits;
        touch_stretches(at, std::min(end, block_end) - at, access);
        at = std::min(end, block_end);
    }
}

void AccessHistory::touch(KernelInstance& by, uintptr_t address, uint64_t bytes, Touch touch, const uint8_t* values) {
    touch_here(by, 0, address, bytes, touch, values);
}

void AccessHistory::touch_from(uint32_t place, KernelInstance& by, uintptr_t address, uint64_t bytes, Touch touch) {
    touch_here(by, place, address, bytes, touch, nullptr);
}

// Place 0: the kernel's position, looked up if needed.
void AccessHistory::touch_here(
    KernelInstance& by,
    uint32_t place,
    uintptr_t address,
    uint64_t bytes,
    Touch touch,
    const uint8_t* values,
    uint32_t path) {
    if (bytes == 0 || ignores(address)) {
        return;
    }
    if (!cores_met_ && is_l1(address)) {
        if (&core_at(address) == by.core) {
            note(by, place, static_cast<uint32_t>(address), static_cast<uint32_t>(bytes), touch != Touch::Read);
            return;
        }
        meet();
    }
    const Core* there = is_l1(address) ? &core_at(address) : nullptr;
    arrivals_[by.number].has_open |= there != by.core && touch == Touch::Write && path == 0;
    if (there != nullptr && there != by.core && touch == Touch::Flag) {
        path == 0 ? signalled(by, *there)
                  : arrivals_[by.number].flags[{path, there}].push_back(ordering_.now(by.number));
    }
    const uint32_t from = place != 0 ? place : place_here(by);
    touch_blocks(bytes, {by, touch, {by.number + 1, ordering_.now(by.number), from, false, path}, values, address});
}

uint32_t AccessHistory::path_number(const PacketPath& path) {
    const auto known = std::find(paths_.begin(), paths_.end(), path);
    const auto number = static_cast<uint32_t>(known - paths_.begin()) + 1;
    if (known == paths_.end()) {
        paths_.push_back(path);
    }
    return number;
}

void AccessHistory::touch_by_packet(
    KernelInstance& by, uintptr_t address, uint64_t bytes, const uint8_t* values, const PacketPath& path) {
    const bool is_flag = is_l1(address) && bytes <= sizeof(uint32_t);
    touch_here(by, 0, address, bytes, is_flag ? Touch::Flag : Touch::Write, values, path_number(path));
}

void AccessHistory::packets_arrived(const KernelInstance& by, const PacketPath& path) {
    arrivals_[by.number].flushed[path_number(path)].push_back(ordering_.now(by.number));
}

void AccessHistory::ended(KernelInstance& by, uintptr_t address, uint64_t bytes, Touch touch, const CallPlace& issued) {
    if (bytes == 0 || ignores(address) || (!cores_met_ && is_l1(address))) {
        return;
    }
    touch_blocks(bytes, {by, touch, {by.number + 1, ordering_.now(by.number), place_number(issued)}, nullptr, address});
}

void AccessHistory::writes_arrived(const KernelInstance& by) {
    Arrivals& arrivals = arrivals_[by.number];
    if (arrivals.has_open) {
        arrivals.has_open = false;
        arrivals.steps.push_back(ordering_.now(by.number));
        ordering_.advance(by);
    }
}

// Whether all writes to [address, end), of one block, happen before the kernel's present step.
bool AccessHistory::knows_writes(const KernelInstance& by, uintptr_t address, uintptr_t end) {
    const Stretches& stretches = block_of(address);
    auto at = stretches.upper_bound(address);
    at = at == stretches.begin() ? at : std::prev(at);
    return std::all_of(at, stretches.lower_bound(end), [&](const auto& each) {
        const Epoch& write = each.second.write;
        return each.second.end <= address || write.by == 0 || write.by == by.number + 1 ||
               ordering_.is_before(instance_of(write), write.step, by);
    });
}

bool AccessHistory::borrow(KernelInstance& by, uint32_t address, uint32_t bytes) {
    if (ignores(address)) {
        return false;
    }
    if (!cores_met_) {
        meet();
    }
    const uintptr_t end = uintptr_t{address} + bytes;
    for (uintptr_t at = address; at < end;) {
        const uintptr_t block_end = std::min(end, ((at >> kBlockBits) + 1) << kBlockBits);
        if (!knows_writes(by, at, block_end)) {
            return false;
        }
        at = block_end;
    }
    touch_blocks(
        bytes, {by, Touch::Read, {by.number + 1, ordering_.now(by.number), place_here(by), true}, nullptr, address});
    return true;
}

void AccessHistory::load(KernelInstance& by, uint32_t address, uint32_t bytes) {
    if (ignores(address)) {
        return;
    }
    if (!cores_met_) {
        note(by, 0, address, bytes, false);
        return;
    }
    const Stretches& stretches = block_of(address);
    auto after = stretches.upper_bound(address);
    const auto holder = after == stretches.begin() ? stretches.end() : std::prev(after);
    if (holder == stretches.end() || holder->second.end <= address) {
        touch(by, address, bytes, Touch::Read);
    } else if (holder->second.is_flag) {
        ordering_.acquire(by, Ordering::word_key(address));
    } else {
        const uint32_t number = by.number + 1, now = ordering_.now(by.number);
        const auto& reads = holder->second.reads;
        const bool is_known = std::any_of(
            reads.begin(), reads.end(), [&](const Epoch& read) { return read.by == number && read.step == now; });
        if (!is_known || holder->second.end < address + bytes) {
            touch(by, address, bytes, Touch::Read);
        }
    }
}

bool AccessHistory::poll(const KernelInstance& by, uint32_t address) {
    if (ignores(address)) {
        return true;
    }
    if (!cores_met_) {
        meet();
    }
    const Stretches& stretches = block_of(address);
    const auto after = stretches.upper_bound(address);
    const auto holder = after == stretches.begin() ? stretches.end() : std::prev(after);
    if (holder == stretches.end() || holder->second.end <= address) {
        return true;
    }
    const Epoch& write = holder->second.write;
    if (holder->second.end - holder->first > sizeof(uint32_t)) {
        return false;
    }
    if (write.by != 0 && write.by != by.number + 1) {
        ordering_.acquire_step(by, instance_of(write), write.step);
    }
    return true;
}

// --- checks ---

void AccessHistory::check(uintptr_t begin, const Stretch& stretch, const Access& access) {
    const bool both_flags = stretch.is_flag && access.touch == Touch::Flag;
    const bool may_poll = stretch.is_flag && access.touch == Touch::Read;
    if (stretch.write.by != 0 && !both_flags && !may_poll) {
        check_pair(begin, stretch, stretch.write, true, access);
    }
    if (access.touch == Touch::Write) {
        for (const Epoch& read : stretch.reads) {
            check_pair(begin, stretch, read, false, access);
        }
    }
}

void AccessHistory::check_pair(
    uintptr_t begin, const Stretch& stretch, const Epoch& earlier, bool earlier_writes, const Access& access) {
    if (earlier.by == access.epoch.by) {
        return;
    }
    const KernelInstance& other = instance_of(earlier);
    if (is_l1(begin) && other.core == access.by.core && !earlier.is_borrowed) {
        return;
    }
    const bool is_announced = ordering_.is_before(other, earlier.step, access.by);
    if (is_announced && (!earlier_writes || has_arrived(begin, earlier, access.by))) {
        return;
    }
    const bool both_write = earlier_writes && access.touch != Touch::Read;
    if (both_write && access.values != nullptr) {
        const auto* here = reinterpret_cast<const void*>(begin);
        if (std::memcmp(here, access.values + (begin - access.address), stretch.end - begin) == 0) {
            report_twice_written(begin, stretch, earlier, access);
            return;  // both write the same value
        }
    }
    if (is_announced) {
        report_not_arrived(begin, stretch, earlier, access);
        return;
    }
    report(begin, stretch, earlier, earlier_writes, access);
    ordering_.assume_before(other, earlier.step, access.by);
}

void AccessHistory::signalled(const KernelInstance& by, const Core& core) {
    std::vector<uint32_t>& steps = arrivals_[by.number].signalled[&core];
    const uint32_t now = ordering_.now(by.number);
    if (steps.empty() || steps.back() != now) {
        steps.push_back(now);
    }
}

// Whether the kernel's present step happens after one of these steps of the writer, the first at or behind its write.
bool AccessHistory::is_acquired(
    const Epoch& write, const std::vector<uint32_t>& arrivals, const KernelInstance& for_whom) const {
    const auto arrival = std::lower_bound(arrivals.begin(), arrivals.end(), write.step);
    return arrival != arrivals.end() && ordering_.is_before(instance_of(write), *arrival, for_whom);
}

bool AccessHistory::has_arrived(uintptr_t begin, const Epoch& write, const KernelInstance& for_whom) const {
    if (write.path != 0) {
        return has_arrived_by_packet(begin, write, for_whom);
    }
    const Arrivals& arrivals = arrivals_[write.by - 1];
    if (!is_l1(begin)) {
        return is_acquired(write, arrivals.steps, for_whom);
    }
    const Core& there = core_at(begin);
    const auto signalled = arrivals.signalled.find(&there);
    return instance_of(write).core == &there || is_acquired(write, arrivals.steps, for_whom) ||
           (signalled != arrivals.signalled.end() && is_acquired(write, signalled->second, for_whom));
}

// A later packet over the same path flushed; or wrote a flag to the same core, on a chip that keeps the order of writes.
bool AccessHistory::has_arrived_by_packet(uintptr_t begin, const Epoch& write, const KernelInstance& for_whom) const {
    const Arrivals& arrivals = arrivals_[write.by - 1];
    const auto flushed = arrivals.flushed.find(write.path);
    if (flushed != arrivals.flushed.end() && is_acquired(write, flushed->second, for_whom)) {
        return true;
    }
    if (!is_l1(begin) || program_->chip.config().writes_keep_order == 0) {
        return false;
    }
    const auto flags = arrivals.flags.find({write.path, &core_at(begin)});
    return flags != arrivals.flags.end() && is_acquired(write, flags->second, for_whom);
}

}  // namespace tw
