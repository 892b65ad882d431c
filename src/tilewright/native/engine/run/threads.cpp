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

// Who holds DST where the threads part: what the fiber did so far, each of them did.
void divide_dst(KernelInstance& instance) {
    PartedThreads& parted = *instance.parted;
    ComputeSettings& maths = parted.thread[1].settings;
    ComputeSettings& packer = parted.thread[2].settings;
    const bool committed = maths.phase == DstPhase::Committed || maths.phase == DstPhase::Packing;
    const bool opened_early = packer_waits_for_commit(maths);
    parted.committed = committed ? 1 : 0;
    parted.half[0] = {maths.scratch[kDstCleared], maths.scratch[kDstRowSpread]};
    if (committed) {
        parted.math_half = maths.full_sync ? 0 : 1;
        maths.phase = DstPhase::Idle;
    }
    packer.phase = packer.phase == DstPhase::Packing || opened_early ? DstPhase::Packing : DstPhase::Idle;
    parted.thread[0].settings.phase = DstPhase::Idle;  // the unpack thread never holds it
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

void part(KernelInstance& instance) {
    instance.parted = std::make_unique<PartedThreads>();
    PartedThreads& parted = *instance.parted;
    for (ParkedThread& thread : parted.thread) {
        static_cast<Standing&>(thread) = Standing{};
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
    on_parted(instance);
    // None of the parked settings is in place as it is: the next thread to run is brought in.
    parted.resident = kNumThreads;
    instance.state = InstanceState::Blocked;
    instance.wait_kind = WaitKind::None;
}

void enter_thread(KernelInstance& instance, uint32_t index) {
    PartedThreads& parted = *instance.parted;
    ParkedThread& thread = parted.thread[index];
    if (parted.resident != index) {
        if (parted.resident != kNumThreads) {
            save(instance, parted.thread[parted.resident]);
        }
        put_in_place(instance, thread);
        parted.resident = index;
    }
    static_cast<Standing&>(instance) = thread;
    instance.fiber = thread.fiber;
    instance.threads = kBitOf[index];
    instance.named_threads = thread.named_threads;
    instance.failed_frame_pointer = thread.failed_frame_pointer;
    instance.failed_program_counter = thread.failed_program_counter;
    instance.failed_caller = thread.failed_caller;
    parted.last = index;
    parted.is_running = true;
}

void leave_thread(KernelInstance& instance) {
    PartedThreads& parted = *instance.parted;
    if (!parted.is_running) {
        return;
    }
    ParkedThread& thread = parted.thread[parted.resident];
    static_cast<Standing&>(thread) = instance;
    thread.fiber = instance.fiber;
    thread.named_threads = instance.named_threads;
    thread.failed_frame_pointer = instance.failed_frame_pointer;
    thread.failed_program_counter = instance.failed_program_counter;
    thread.failed_caller = instance.failed_caller;
    parted.is_running = false;
    const bool failed = thread.state == InstanceState::Failed;
    if (failed && instance.stack_noted) {
        thread.noted = instance.noted;
    }
    const bool finished = std::all_of(parted.thread, parted.thread + kNumThreads, [](const ParkedThread& each) {
        return each.state == InstanceState::Finished;
    });
    instance.state = failed ? InstanceState::Failed : finished ? InstanceState::Finished : InstanceState::Blocked;
    instance.wait_kind = WaitKind::None;
}

static bool is_source_wait(const Standing& standing) {
    return standing.wait_kind == WaitKind::SourceReady || standing.wait_kind == WaitKind::DstFree;
}

static bool thread_wait_met(const KernelInstance& instance, const Standing& standing) {
    const PartedThreads* parted = instance.parted.get();
    const SourceQueue* sources = instance.sources.get();
    if (standing.wait_cb == kWaitsForOperands && is_source_wait(standing)) {
        return sources != nullptr && sources->has_operands();
    }
    if (standing.wait_cb == kWaitsForBlock && is_source_wait(standing)) {
        return parted != nullptr && sources->has_block() && parted->blocks_passed == 0;
    }
    switch (standing.wait_kind) {
        case WaitKind::DstFree:
            return parted != nullptr &&
                   (standing.wait_cb != 0 ? parted->committed == 0
                                          : parted->committed < dst_halves(*instance.core->compute));
        case WaitKind::DstReady:
            return parted != nullptr && (standing.wait_cb != 0 ? parted->blocks_passed != 0 : parted->committed > 0);
        case WaitKind::SourceFree: return sources == nullptr || sources->is_empty() || (parted && parted->runs_ahead);
        case WaitKind::ThreadSemaphore:
            return instance.core->thread_semaphore[standing.wait_cb].lets_pass(standing.wait_amount);
        default: return false;
    }
}

bool thread_can_run(const KernelInstance& instance, const Standing& standing) {
    switch (standing.state) {
        case InstanceState::Ready: return true;
        case InstanceState::Polling: return poll_met(standing);
        case InstanceState::Blocked: return thread_wait_met(instance, standing);
        default: return false;
    }
}

uint32_t next_thread(const KernelInstance& instance) {
    const PartedThreads& parted = *instance.parted;
    for (uint32_t step = 1; step <= kNumThreads; step++) {
        const uint32_t index = (parted.last + step) % kNumThreads;
        if (thread_can_run(instance, parted.thread[index])) {
            return index;
        }
    }
    return kNumThreads;
}

bool loosen_threads(KernelInstance& instance) {
    if (!instance.is_compute() || instance.state == InstanceState::Finished ||
        instance.state == InstanceState::Failed) {
        return false;
    }
    if (instance.parted == nullptr) {
        part(instance);
        return true;
    }
    PartedThreads& parted = *instance.parted;
    const ParkedThread& unpacker = parted.thread[0];
    if (unpacker.state != InstanceState::Blocked || unpacker.wait_kind != WaitKind::SourceFree ||
        !instance.sources->fits_registers()) {
        return false;
    }
    instance.sources->copy_tiles();
    parted.runs_ahead = true;
    return true;
}

bool is_last_thread(const KernelInstance& instance) {
    if (instance.parted == nullptr) {
        return true;
    }
    const PartedThreads& parted = *instance.parted;
    uint32_t running = 0;
    for (const ParkedThread& each : parted.thread) {
        running += each.state != InstanceState::Finished ? 1 : 0;
    }
    return running == 1;
}

void note_parted_stacks(KernelInstance& instance) {
    PartedThreads& parted = *instance.parted;
    leave_thread(instance);
    const Standing together = instance;
    for (uint32_t index = 0; index < kNumThreads; index++) {
        if (parted.thread[index].noted.num_frames != 0) {
            continue;  // noted where it failed
        }
        enter_thread(instance, index);
        instance.note_stack();
        parted.is_running = false;
        parted.thread[index].noted = instance.noted;
    }
    static_cast<Standing&>(instance) = together;
}

}  // namespace tw
