// SPDX-License-Identifier: Apache-2.0
#include "runner/debug_channel.h"

#include "engine/program.h"
#include "engine/tile/dst.h"

namespace tw {

static Channel* g_owner = nullptr;

void use_debug_channel(Channel& channel) { g_owner = &channel; }

// The compute state of the core; null if it has none, or has not started.
static ComputeState* maths_of(const Core& core) {
    ComputeState* state = core.compute.get();
    return state != nullptr && state->started && state->dst != nullptr ? state : nullptr;
}

static void put_stop(Program& program, const TwStop& stop, MessageWriter& message) {
    for (const auto& instance : program.instances) {
        const TwPlace& place = instance->place;
        const bool is_other = place.kernel != stop.kernel || place.core_x != stop.core_x || place.core_y != stop.core_y;
        if (is_other || stop.reason == kHung) {
            instance->note_stack();  // a kernel that stopped has noted its own
        }
    }
    ComputeState* state = maths_of(program.chip.core(stop.core_x, stop.core_y));
    TwStopped header{};
    header.stop = stop;
    header.num_instances = tw_program_num_instances(&program);
    header.num_circular_buffers = tw_program_circular_buffers(&program, nullptr, 0);
    if (state != nullptr) {
        header.dst_tiles = state->dst_capacity();
        header.dst_phase = static_cast<uint32_t>(state->phase);
        header.dst_is_32_bit = state->fp32_dest;
        header.unpack_format = static_cast<uint32_t>(state->src_a.format);
    }
    message.put(header);
    for (uint32_t slot = 0; slot < header.dst_tiles; slot++) {
        message.put_bytes(dst_words(*state, slot), sizeof(DstTile));
    }
    void* instances = message.add(header.num_instances * sizeof(TwInstanceReport));
    tw_program_instances(&program, static_cast<TwInstanceReport*>(instances));
    void* buffers = message.add(header.num_circular_buffers * sizeof(TwCircularBufferReport));
    tw_program_circular_buffers(&program, static_cast<TwCircularBufferReport*>(buffers), header.num_circular_buffers);
}

static TwResume report_stop(Debugger& debugger, const TwStop& stop) {
    MessageWriter message;
    put_stop(debugger.program, stop, message);
    g_owner->send(kStopped, message);
    std::vector<uint8_t> body;
    g_owner->receive(body);
    MessageReader answer(body);
    const auto& header = answer.take<TwResumeRequest>();
    debugger.set_breakpoints(answer.take_array<TwBreakpoint>(header.num_breakpoints), header.num_breakpoints);
    return static_cast<TwResume>(header.how);
}

std::unique_ptr<Debugger> debugger_of(void* program, const TwRunRequest& header, MessageReader& request) {
    if (header.debugged == 0) {
        return nullptr;
    }
    const auto& counts = request.take<TwDebugRequest>();
    const auto* breakpoints = request.take_array<TwBreakpoint>(counts.num_breakpoints);
    const auto* lines = request.take_array<TwCodeLine>(counts.num_lines);
    auto debugger = std::make_unique<Debugger>(*static_cast<Program*>(program), lines, counts.num_lines, report_stop);
    debugger->set_breakpoints(breakpoints, counts.num_breakpoints);
    return debugger;
}

}  // namespace tw
