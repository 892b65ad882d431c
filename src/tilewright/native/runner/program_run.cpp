// SPDX-License-Identifier: Apache-2.0
#include "runner/program_run.h"

#include <algorithm>
#include <cstdio>

#include "engine/program.h"
#include "runner/debug_channel.h"
#include "runner/processor.h"
#include "runner/program_record.h"

namespace tw {

using namespace wire;

static void set_config_bases(Program& program, MessageReader& request) {
    const auto& header = request.take<ConfigBasesMessage>();
    const auto* others = request.take_array<ConfigBase>(header.num_others);
    std::fill(program.config_bases.begin(), program.config_bases.end(), header.usual);
    for (uint32_t index = 0; index < header.num_others; index++) {
        const size_t core = others[index].y * program.chip.config().grid_x + others[index].x;
        program.config_bases.at(core) = others[index].base;
    }
}

// Offsets are one for each core of the kernel and one more; words lie one core after another.
static void set_arguments(Program& program, MessageReader& request) {
    for (const auto& kernel : program.kernels) {
        const auto& header = request.take<ArgumentsMessage>();
        const auto* offsets = request.take_array<uint32_t>(header.num_offsets);
        const auto* words = request.take_array<uint32_t>(header.num_words);
        const auto* common = request.take_array<uint32_t>(header.num_common);
        kernel->arg_offsets.assign(offsets, offsets + header.num_offsets);
        kernel->args.assign(words, words + header.num_words);
        kernel->common_args.assign(common, common + header.num_common);
    }
}

// For a checked run. The bits of the bytes outside a tensor and its places stay in the message, which outlives the run.
static void set_host_memory(Program& program, const RunRequest& header, MessageReader& request) {
    program.host_memory.clear();
    for (uint32_t index = 0; index < header.num_host_buffers; index++) {
        const auto& each = request.take<HostBufferMessage>();
        const auto* outside = each.outside_bytes != 0 ? request.take_array<uint8_t>(each.outside_bytes) : nullptr;
        const auto* places = each.num_places != 0 ? request.take_array<uint32_t>(each.num_places) : nullptr;
        program.host_memory.emplace_back(each, outside, places);
    }
    program.knows_every_buffer = header.num_host_buffers != 0 && header.host_buffers_are_all != 0;
}

static RunStatus run(Program& program, const RunRequest& header) {
    RunOptions options;
    options.threads = header.threads;
    options.time_limit_seconds = header.time_limit;
    options.spin_limit_seconds = header.spin_limit;
    options.checked = header.checked != 0;
    options.fast = header.fast != 0;
    options.seed = header.seed;
    options.recorded_circular_buffers = header.recorded_circular_buffers;
    options.keep_l1 = header.keep_l1 != 0;
    try {
        return program.run(options);
    } catch (const std::exception& error) {  // no memory for it
        program.error_instance = nullptr;
        program.error_text = std::string("the engine cannot run this program here: ") + error.what();
        return RunStatus::KernelError;
    }
}

bool run_program(Program& program, const RunRequest& header, MessageReader& request, MessageWriter& answer) {
    set_config_bases(program, request);
    set_arguments(program, request);
    set_host_memory(program, header, request);
    const std::unique_ptr<Debugger> debugger = debugger_of(program, header, request);
    const double last = program.work_seconds;
    choose_cpu(header.threads <= 1 && last > 0 && last < Program::kWorthThreads);
    put_record(program, run(program, header), answer);
    const bool is_spent = program.process_must_end.load();
    if (!is_spent) {
        std::fflush(stdout);  // output of a kernel that prints by itself
    }
    return is_spent;
}

}  // namespace tw
