// SPDX-License-Identifier: Apache-2.0
#include "threads.h"
#include <algorithm>
#include <cstring>

#include "check/hooks.h"
#include "tile/dst.h"
#include "tile/source.h"

namespace tw {

KernelInstance::KernelInstance() = default;
KernelInstance::~KernelInstance() = default;

namespace {

constexpr uint8_t kBitOf[kNumThreads] = {kUnpackThread, kMathThread, kPackThread};

size_t stack_in_use(const KernelInstance& instance, const FiberContext& fiber) {
    return static_cast<size_t>(instance.stack->high() - fiber_lowest_in_use(fiber, *instance.stack));
}

void save(KernelInstance& instance, ParkedThread& thread) {
    const size_t bytes = stack_in_use(instance, thread.fiber);
    thread.stack.assign(instance.stack->high() - bytes, instance.stack->high());
    thread.context = instance.context;
    thread.settings = *instance.core->compute;
    thread.statics.resize(instance.kernel->statics_bytes);
    instance.kernel->save_statics(thread.statics.data());
}

void put_in_place(KernelInstance& instance, const ParkedThread& thread) {
    std::copy(thread.stack.begin(), thread.stack.end(), instance.stack->high() - thread.stack.size());
    instance.context = thread.context;
    static_cast<ComputeSettings&>(*instance.core->compute) = thread.settings;
    instance.kernel->put_statics(thread.statics.data());
}

// Assigns DST at the split: each thread has made its part of what the fiber did so far.
void divide_dst(KernelInstance& instance) {
    SplitThreads& split = *instance.split;
    ComputeSettings& maths = split.thread[1].settings;
    ComputeSettings& packer = split.thread[2].settings;
    const bool committed = maths.phase == DstPhase::Committed || maths.phase == DstPhase::Packing;
    const bool opened_early = packer_waits_for_commit(maths);
    split.committed = committed ? 1 : 0;
    if (maths.started) {  // else it still has what the last launch left, and the start-up clears it
        split.half[0] = {maths.scratch[kDstCleared], maths.scratch[kDstRowBroadcast]};
    }
    if (committed) {
        split.math_half = maths.full_sync ? 0 : 1;
        maths.phase = DstPhase::Idle;
    }
    packer.phase = packer.phase == DstPhase::Packing || opened_early ? DstPhase::Packing : DstPhase::Idle;
    split.thread[0].settings.phase = DstPhase::Idle;  // the unpack thread never holds it
    forget_early_packing(maths);
    forget_early_packing(packer);
}

}  // namespace

const char* thread_name(uint8_t thread) {
    switch (thread) {
        case kUnpackThread: return "unpack";
        case kMathThread: return "maths";
        case kPackThread: return "pack";
        default: return "";
    }
}

void split_threads(KernelInstance& instance) {
    instance.split = std::make_unique<SplitThreads>();
    SplitThreads& split = *instance.split;
    for (ParkedThread& thread : split.thread) {
        static_cast<FiberStatus&>(thread) = FiberStatus{};
        thread.fiber = instance.fiber;
        thread.named_threads = instance.named_threads;
        thread.failed_frame_pointer = instance.failed_frame_pointer;
        thread.failed_program_counter = instance.failed_program_counter;
        thread.failed_caller = instance.failed_caller;
        save(instance, thread);
    }
    divide_dst(instance);
    if (instance.sources == nullptr) {
        instance.sources = std::make_unique<SourceQueue>();
    }
    on_split(instance);
    // No thread's settings are in place: the next one to run is restored.
    split.resident = kNumThreads;
    instance.state = InstanceState::Blocked;
    instance.wait_kind = WaitKind::None;
}

void enter_thread(KernelInstance& instance, uint32_t index) {
    SplitThreads& split = *instance.split;
    ParkedThread& thread = split.thread[index];
    if (split.resident != index) {
        if (split.resident != kNumThreads) {
            save(instance, split.thread[split.resident]);
        }
        put_in_place(instance, thread);
        split.resident = index;
    }
    static_cast<FiberStatus&>(instance) = thread;
    instance.fiber = thread.fiber;
    instance.threads = kBitOf[index];
    instance.named_threads = thread.named_threads;
    instance.failed_frame_pointer = thread.failed_frame_pointer;
    instance.failed_program_counter = thread.failed_program_counter;
    instance.failed_caller = thread.failed_caller;
    split.last = index;
    split.is_running = true;
}

void leave_thread(KernelInstance& instance) {
    SplitThreads& split = *instance.split;
    if (!split.is_running) {
        return;
    }
    ParkedThread& thread = split.thread[split.resident];
    static_cast<FiberStatus&>(thread) = instance;
    thread.fiber = instance.fiber;
    thread.named_threads = instance.named_threads;
    thread.failed_frame_pointer = instance.failed_frame_pointer;
    thread.failed_program_counter = instance.failed_program_counter;
    thread.failed_caller = instance.failed_caller;
    split.is_running = false;
    const bool failed = thread.state == InstanceState::Failed;
    if (failed && instance.stack_noted) {
        thread.noted = instance.noted;
    }
    const bool finished = std::all_of(split.thread, split.thread + kNumThreads, [](const ParkedThread& each) {
        return each.state == InstanceState::Finished;
    });
    instance.state = failed ? InstanceState::Failed : finished ? InstanceState::Finished : InstanceState::Blocked;
    instance.wait_kind = WaitKind::None;
}

static bool is_source_wait(const FiberStatus& fiber) {
    return fiber.wait_kind == WaitKind::SourceReady || fiber.wait_kind == WaitKind::DstFree;
}

static bool thread_wait_met(const KernelInstance& instance, const FiberStatus& fiber) {
    const SplitThreads* split = instance.split.get();
    const SourceQueue* sources = instance.sources.get();
    if (fiber.wait_cb == kWaitsForOperands && is_source_wait(fiber)) {
        return sources != nullptr && sources->has_operands();
    }
    if (fiber.wait_cb == kWaitsForBlock && is_source_wait(fiber)) {
        return split != nullptr && sources->has_block() && split->blocks_passed == 0;
    }
    switch (fiber.wait_kind) {
        case WaitKind::DstFree:
            return split != nullptr && (fiber.wait_cb != 0 ? split->committed == 0
                                                           : split->committed < dst_halves(*instance.core->compute));
        case WaitKind::DstReady:
            return split != nullptr && (fiber.wait_cb != 0 ? split->blocks_passed != 0 : split->committed > 0);
        case WaitKind::SourceFree: return sources == nullptr || sources->is_empty() || (split && split->runs_ahead);
        case WaitKind::ThreadSemaphore:
            return instance.core->thread_semaphore[fiber.wait_cb].lets_pass(fiber.wait_amount);
        default: return false;
    }
}

bool thread_can_run(const KernelInstance& instance, const FiberStatus& fiber) {
    switch (fiber.state) {
        case InstanceState::Ready: return true;
        case InstanceState::Polling: return poll_met(fiber);
        case InstanceState::Blocked: return thread_wait_met(instance, fiber);
        default: return false;
    }
}

uint32_t next_thread(const KernelInstance& instance) {
    const SplitThreads& split = *instance.split;
    for (uint32_t step = 1; step <= kNumThreads; step++) {
        const uint32_t index = (split.last + step) % kNumThreads;
        if (thread_can_run(instance, split.thread[index])) {
            return index;
        }
    }
    return kNumThreads;
}

bool unblock_threads(KernelInstance& instance) {
    if (!instance.is_compute() || instance.state == InstanceState::Finished ||
        instance.state == InstanceState::Failed) {
        return false;
    }
    if (instance.split == nullptr) {
        split_threads(instance);
        return true;
    }
    SplitThreads& split = *instance.split;
    const ParkedThread& unpacker = split.thread[0];
    if (unpacker.state != InstanceState::Blocked || unpacker.wait_kind != WaitKind::SourceFree ||
        !instance.sources->fits_registers()) {
        return false;
    }
    instance.sources->copy_tiles();
    split.runs_ahead = true;
    return true;
}

bool is_last_thread(const KernelInstance& instance) {
    if (instance.split == nullptr) {
        return true;
    }
    const SplitThreads& split = *instance.split;
    uint32_t running = 0;
    for (const ParkedThread& each : split.thread) {
        running += each.state != InstanceState::Finished ? 1 : 0;
    }
    return running == 1;
}

void note_split_stacks(KernelInstance& instance) {
    SplitThreads& split = *instance.split;
    leave_thread(instance);
    const FiberStatus together = instance;
    for (uint32_t index = 0; index < kNumThreads; index++) {
        if (split.thread[index].noted.num_frames != 0) {
            continue;  // noted at its failure
        }
        enter_thread(instance, index);
        instance.note_stack();
        split.is_running = false;
        split.thread[index].noted = instance.noted;
    }
    static_cast<FiberStatus&>(instance) = together;
}

}  // namespace tw
