// SPDX-License-Identifier: Apache-2.0
#include "runner/program_record.h"

#include <algorithm>

#include "engine/debug/debugger.h"
#include "engine/fabric/fabric.h"
#include "engine/run/scheduler.h"
#include "engine/run/threads.h"

namespace tw {

using namespace wire;

static uint32_t wait_have(const Core& core, const FiberStatus& fiber) {
    switch (fiber.wait_kind) {
        case WaitKind::CbWaitFront: return core.cb[fiber.wait_cb].occupied();
        case WaitKind::CbReserveBack: return core.cb[fiber.wait_cb].free_pages();
        case WaitKind::SemaphoreEqual:
        case WaitKind::SemaphoreAtLeast: return *fiber.wait_address;
        default: return 0;
    }
}

static uint32_t semaphore_at(const Program& program, const Core& core, volatile uint32_t* address) {
    const uint64_t place = (reinterpret_cast<uintptr_t>(address) & kL1OffsetMask) - program.semaphore_base(core);
    const bool is_one = place % kSemaphoreStride == 0 && place / kSemaphoreStride < kNumSemaphores;
    return is_one ? static_cast<uint32_t>(place / kSemaphoreStride) : kNoSemaphore;
}

static InstanceReport report_of(
    const Program& program, const KernelInstance& instance, const FiberStatus& fiber, const NotedStack& stack) {
    InstanceReport report{};
    report.kernel = instance.place.kernel;
    report.core_x = instance.core->x;
    report.core_y = instance.core->y;
    report.state = fiber.state;
    report.wait_kind = fiber.wait_kind;
    report.wait_cb = fiber.wait_cb;
    report.wait_amount = fiber.wait_amount;
    report.wait_have = wait_have(*instance.core, fiber);
    report.wait_semaphore = semaphore_at(program, *instance.core, fiber.wait_address);
    report.wait_word = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(fiber.wait_address) & kL1OffsetMask);
    report.would_push = instance.would_push;
    report.would_pop = instance.would_pop;
    report.is_error = &instance == program.error_instance ? 1 : 0;
    report.num_frames = stack.num_frames;
    std::copy_n(stack.frames, stack.num_frames, report.frames);
    return report;
}

uint64_t put_instances(const Program& program, MessageWriter& message) {
    uint64_t count = 0;
    for (const auto& instance : program.instances) {
        if (instance->split == nullptr) {
            message.put(report_of(program, *instance, *instance, instance->noted));
            count++;
            continue;
        }
        for (uint32_t index = 0; index < kNumThreads; index++) {
            const ParkedThread& thread = instance->split->thread[index];
            InstanceReport report = report_of(program, *instance, thread, thread.noted);
            report.thread = 1u << index;
            const bool failed = thread.state == InstanceState::Failed || thread.wait_kind == WaitKind::Spin;
            report.is_error &= failed ? 1 : 0;
            message.put(report);
            count++;
        }
    }
    return count;
}

static uint64_t put_raises(const Program& program, MessageWriter& message) {
    for (const auto& [key, raise] : program.raises) {
        const KernelInstance& by = *program.instances[raise.instance];
        const Core& on = program.chip.cores()[raise.core];
        message.put(
            RaiseReport{
                by.place.kernel,
                by.core->x,
                by.core->y,
                on.x,
                on.y,
                raise.word,
                raise.link == kNoLink ? kNoLink : raise.link >> 16,
                raise.link & 0xffffu,
                raise.count,
                raise.later});
    }
    return program.raises.size();
}

static uint64_t put_links(const Program& program, MessageWriter& message) {
    uint64_t count = 0;
    const Fabric* fabric = program.chip.fabric();
    for (size_t index = 0; fabric != nullptr && index < fabric->routers().size(); index++) {
        const Router& router = *fabric->routers()[index];
        if (router.packets != 0) {
            message.put(
                LinkReport{
                    router.is.die,
                    router.is.channel,
                    router.is.peer_die,
                    router.is.peer_channel,
                    router.packets,
                    router.bytes});
            count++;
        }
    }
    return count;
}

static uint64_t put_traffic(const Program& program, MessageWriter& message) {
    uint64_t count = 0;
    for (const auto& instance : program.instances) {
        for_each_index(instance->core->configured, [&](uint32_t cb) {
            const CbTraffic& traffic = instance->traffic[cb];
            if ((traffic.push_calls | traffic.pop_calls | traffic.wait_calls | traffic.reserve_calls) == 0) {
                return;
            }
            message.put(
                TrafficReport{
                    instance->place.kernel,
                    instance->core->x,
                    instance->core->y,
                    cb,
                    traffic.push_calls,
                    traffic.pop_calls,
                    traffic.wait_calls,
                    traffic.reserve_calls,
                    traffic.pages_pushed,
                    traffic.pages_popped,
                    traffic.blocked_waits,
                    traffic.blocked_reserves,
                    traffic.largest_wait,
                    traffic.largest_reserve});
            count++;
        });
    }
    return count;
}

uint64_t put_circular_buffers(Program& program, MessageWriter& message) {
    uint64_t count = 0;
    for (const ProgramCircularBuffer& buffer : program.circular_buffers) {
        for (const CoreXY& where : buffer.cores) {
            const CoreCircularBuffer& state = program.chip.core(where.x, where.y).cb[buffer.index];
            message.put(
                CircularBufferReport{
                    where.x,
                    where.y,
                    buffer.index,
                    state.num_pages,
                    state.page_bytes,
                    state.peak,
                    state.pushed,
                    state.popped});
            count++;
        }
    }
    return count;
}

// What a kernel calls the address: slot pointers are this machine's.
static uint64_t own_address(const Program& program, uint64_t address) {
    const std::vector<Core>& cores = program.chip.cores();
    const bool is_slot_pointer =
        address >= cores.front().l1_base && address < static_cast<uint64_t>(cores.back().l1_base) + kL1SlotBytes;
    return is_slot_pointer ? address & kL1OffsetMask : address;
}

static FindingReport report_of(const Program& program, const Finding& finding) {
    FindingReport report{};
    report.rule_bytes = static_cast<uint32_t>(std::strlen(rule_id(finding.rule)));
    report.text_bytes = static_cast<uint32_t>(finding.text.size());
    report.kernel = finding.instance->place.kernel;
    report.core_x = finding.instance->core->x;
    report.core_y = finding.instance->core->y;
    report.cb = finding.cb;
    report.address = own_address(program, finding.address);
    report.count = finding.count;
    report.num_frames = finding.num_frames;
    std::copy_n(finding.frames, finding.num_frames, report.frames);
    report.related_kernel = kNoKernel;
    if (const KernelInstance* related = finding.related.instance) {
        report.related_kernel = related->place.kernel;
        report.related_x = related->core->x;
        report.related_y = related->core->y;
        report.related_num_frames = finding.related.num_frames;
        std::copy_n(finding.related.frames, finding.related.num_frames, report.related_frames);
    }
    return report;
}

static uint64_t put_findings(const Program& program, MessageWriter& message) {
    const std::vector<Finding>& findings =
        program.checks ? program.checks->findings.all() : program.plain_findings.findings.all();
    for (const Finding& finding : findings) {
        message.put(report_of(program, finding));
        message.put_text(rule_id(finding.rule));
        message.put_text(finding.text);
    }
    return findings.size();
}

static uint64_t put_pushes(const Program& program, MessageWriter& message) {
    if (!program.recorder) {
        return 0;
    }
    const std::vector<RecordedPush>& pushes = program.recorder->pushes();
    for (const RecordedPush& push : pushes) {
        const KernelPlace& place = push.instance->place;
        PushReport report{
            place.kernel, place.core_x, place.core_y, push.cb, push.pages, push.page_bytes, push.num_frames, {}};
        std::copy_n(push.frames, push.num_frames, report.frames);
        message.put(report);
        message.put_bytes(program.recorder->data(push), static_cast<uint64_t>(push.pages) * push.page_bytes);
    }
    return pushes.size();
}

static uint64_t put_calls(const Program& program, MessageWriter& message) {
    const uint64_t count = copy_calls(program, nullptr, 0);
    copy_calls(program, static_cast<uint64_t*>(message.add(count * sizeof(uint64_t))), count);
    return count;
}

static uint64_t put_watched(MessageWriter& message) {
    if (g_debugger == nullptr) {
        return 0;
    }
    const std::vector<WatchReport> executions = g_debugger->executions();
    for (const WatchReport& each : executions) {
        message.put(each);
    }
    return executions.size();
}

// A fault's address as one in the core's own slot, also where its circular buffers lay in another.
static uint64_t slot_address(const KernelInstance* instance, uint64_t address) {
    const bool is_moved = instance != nullptr && (address & ~uint64_t{kL1OffsetMask}) == instance->core->circular_base;
    return is_moved ? instance->core->l1_base + (address & kL1OffsetMask) : address;
}

// Where kernels stood is of interest only where they did not all finish.
void put_record(Program& program, RunStatus status, MessageWriter& answer) {
    const bool has_ended_well = status == RunStatus::Ok;
    const std::string rule = rule_id(program.error_rule);
    RanAnswer record{};
    record.status = status;
    record.fault_signal = program.fault_signal;
    record.fault_address = slot_address(program.error_instance, program.fault_address);
    record.switches = program.switches;
    record.l1_base = program.error_instance != nullptr ? program.error_instance->core->l1_base : 0;
    record.spent = program.process_must_end.load() ? 1 : 0;
    record.text_bytes = program.error_text.size();
    record.rule_bytes = rule.size();
    const size_t at = answer.leave_room<RanAnswer>();
    answer.put_text(program.error_text);
    answer.put_text(rule);
    record.num_instances = has_ended_well ? 0 : put_instances(program, answer);
    record.num_raises = has_ended_well ? 0 : put_raises(program, answer);
    record.num_links = put_links(program, answer);
    record.num_traffic = put_traffic(program, answer);
    record.num_circular_buffers = put_circular_buffers(program, answer);
    record.num_findings = put_findings(program, answer);
    record.num_pushes = put_pushes(program, answer);
    record.num_calls = put_calls(program, answer);
    record.num_watched = put_watched(answer);
    answer.fill_in(at, record);
}

}  // namespace tw
