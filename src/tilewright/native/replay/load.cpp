// SPDX-License-Identifier: Apache-2.0
// Loads a record of calls: the cores with their circular buffers and semaphores, and the steps of each processor.
#include <algorithm>
#include <bit>
#include <map>
#include <string_view>

#include "abi/record.h"
#include "replay.h"
#include "wire/record.h"

namespace tw::replay {

Replay::Replay(const ReplayInput& input) :
    input_(input), k_(*reinterpret_cast<const Constants*>(input.constants)), machine_(input) {
    load_cores();
    load();
}

void Replay::load_cores() {
    std::map<uint32_t, CoreState*> known;
    const auto core_at = [&](uint32_t place) -> CoreState& {
        CoreState*& core = known[place];
        if (core == nullptr) {
            cores_.push_back(std::make_unique<CoreState>());
            core = cores_.back().get();
            core->x = place & 0xff, core->y = place >> 8;
            core->number = machine_.add_core(core->x, core->y);
        }
        return *core;
    };
    for (uint64_t at = 0; at < input_.num_words;) {
        const auto head = std::bit_cast<wire::RecordHead>(input_.words[at]);
        core_at(head.x | uint32_t{head.y} << 8);
        at += 1 + uint64_t{head.num_entries};
    }
    for (uint32_t i = 0; i < input_.num_buffers; i++) {
        const ReplayBuffer& buffer = input_.buffers[i];
        const uint32_t pages = buffer.pages * (buffer.index == input_.change.deeper_buffer ? 2 : 1);
        for (uint32_t core = 0; core < buffer.num_cores; core++) {
            CoreState& state = core_at(input_.places[buffer.first_core + core]);
            state.cb[buffer.index].pages = pages;
            state.shapes[buffer.index] = {pages, buffer.page_bytes, buffer.format, buffer.to_dest};
        }
    }
    for (uint32_t i = 0; i < input_.num_semaphores; i++) {
        const ReplaySemaphore& semaphore = input_.semaphores[i];
        for (uint32_t core = 0; core < semaphore.num_cores; core++) {
            CoreState& state = core_at(input_.places[semaphore.first_core + core]);
            state.semaphore(semaphore.address).value = semaphore.initial;
        }
    }
}

// Compute kernels of many cores make the same calls, so their steps are built once.
void Replay::load() {
    std::map<std::pair<uint32_t, std::string_view>, const Steps*> made;
    const double starts[] = {k_.start_brisc, k_.start_ncrisc, k_.start_trisc, k_.start_trisc, k_.start_trisc};
    // Cores start one after another; the last of many starts after start_spread at most.
    const double most = std::max<double>(1, cores_.size() - 1);
    const double step = std::min(k_.start_core, k_.start_spread / most);
    for (uint64_t at = 0; at < input_.num_words;) {
        const auto head = std::bit_cast<wire::RecordHead>(input_.words[at]);
        const uint64_t* entries = input_.words + at + 1;
        const uint64_t count = head.num_entries;
        at += 1 + count;
        const uint32_t number = head.kernel;
        const ReplayKernel& kernel = input_.kernels[number];
        CoreState& core = *cores_[machine_.add_core(head.x, head.y)];
        const bool is_compute = kernel.processor >= 2;
        const std::string_view text(reinterpret_cast<const char*>(entries), count * sizeof *entries);
        const Steps*& steps = made[{number, is_compute ? text : std::string_view(text.data(), 0)}];
        if (steps == nullptr || !is_compute) {
            programs_.push_back(steps_of(input_, kernel, core.shapes, entries, count));
            steps = &programs_.back();
        }
        counts_.matmul_tiles += steps->counts.matmul_tiles;
        counts_.matmul_phases += steps->counts.matmul_phases;
        counts_.unmeasured += steps->counts.unmeasured;
        counts_.polls += steps->counts.polls;
        if (is_compute) {
            core.dst_halves = kernel.full_sync != 0 ? 1 : 2;
        }
        for (uint32_t part = 0; part < (is_compute ? 3u : 1u); part++) {
            Lane lane;
            lane.core = core.number;
            lane.kernel = number;
            lane.processor = is_compute ? kUnpack + part : kernel.processor;
            lane.next = steps->of[part].data();
            lane.end = lane.next + steps->of[part].size();
            num_unfinished_ += lane.is_done() ? 0 : 1;
            lane.time = lane.begin = starts[lane.processor] + step * core.number;
            core.turns.push_back({lane.is_done() ? kNever : lane.time, static_cast<uint32_t>(lanes_.size())});
            lanes_.push_back(std::move(lane));
        }
    }
}

}  // namespace tw::replay
