// SPDX-License-Identifier: Apache-2.0
#include "runner/debug_channel.h"

#include "engine/program.h"
#include "engine/tile/dst.h"
#include "runner/program_record.h"

namespace tw {

using namespace wire;

static Channel* g_owner = nullptr;

void use_debug_channel(Channel& channel) { g_owner = &channel; }

// The compute state of the core; null if it has none, or has not started.
static ComputeState* maths_of(const Core& core) {
    ComputeState* state = core.compute.get();
    return state != nullptr && state->started && state->dst != nullptr ? state : nullptr;
}

static void put_stop(Program& program, const StopPlace& stop, MessageWriter& message) {
    for (const auto& instance : program.instances) {
        const KernelPlace& place = instance->place;
        const bool is_other = place.kernel != stop.kernel || place.core_x != stop.core_x || place.core_y != stop.core_y;
        if (is_other || stop.reason == StopReason::Hang) {
            instance->note_stack();  // a kernel that stopped has noted its own
        }
    }
    ComputeState* state = maths_of(program.chip.core(stop.core_x, stop.core_y));
    StoppedMessage header{};
    header.stop = stop;
    if (state != nullptr) {
        header.dst_tiles = state->dst_capacity();
        header.dst_phase = state->phase;
        header.dst_is_32_bit = state->fp32_dest;
        header.unpack_format = static_cast<uint32_t>(state->src_a.format);
    }
    const size_t at = message.leave_room<StoppedMessage>();
    for (uint32_t slot = 0; slot < header.dst_tiles; slot++) {
        message.put_bytes(dst_words(*state, slot), sizeof(DstTile));
    }
    header.num_instances = put_instances(program, message);
    header.num_circular_buffers = put_circular_buffers(program, message);
    message.fill_in(at, header);
}

static Go report_stop(Debugger& debugger, const StopPlace& stop) {
    MessageWriter message;
    put_stop(debugger.program, stop, message);
    g_owner->send(MessageKind::Stopped, message);
    std::vector<uint8_t> body;
    g_owner->receive(body);
    MessageReader answer(body);
    const auto& header = answer.take<ResumeRequest>();
    debugger.set_breakpoints(answer.take_array<BreakpointMessage>(header.num_breakpoints), header.num_breakpoints);
    return header.how;
}

std::unique_ptr<Debugger> debugger_of(Program& program, const RunRequest& header, MessageReader& request) {
    if (header.watched != 0) {
        const auto& watch = request.take<WatchRequest>();
        const auto* instructions = request.take_array<WatchedInstruction>(watch.num_instructions);
        auto debugger = std::make_unique<Debugger>(program, nullptr, 0, nullptr);
        debugger->watch(instructions, watch.num_instructions);
        return debugger;
    }
    if (header.debugged == 0) {
        return nullptr;
    }
    const auto& counts = request.take<BreakpointsRequest>();
    const auto* breakpoints = request.take_array<BreakpointMessage>(counts.num_breakpoints);
    const auto* lines = request.take_array<CodeLineMessage>(counts.num_lines);
    auto debugger = std::make_unique<Debugger>(program, lines, counts.num_lines, report_stop);
    debugger->set_breakpoints(breakpoints, counts.num_breakpoints);
    return debugger;
}

}  // namespace tw
