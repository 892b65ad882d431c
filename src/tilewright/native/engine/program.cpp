// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <thread>

#include "check/hooks.h"
#include "fabric/fabric.h"
#include "run/run_loop.h"
#include "run/threads.h"
#include "tile/source.h"

namespace tw {

static constexpr size_t kStackBytes = 256 * 1024;

static uint32_t* l1_word(const Core& core, uint32_t offset) {
    return reinterpret_cast<uint32_t*>(static_cast<uintptr_t>(core.l1_base) + offset);
}

void reset_compute_state(ComputeState& state) {
    static_cast<ComputeSettings&>(state) = ComputeSettings{};
    state.dst = state.dst_memory;
}

Program::Program(Chip& chip) : chip(chip) {
    semaphore_bases.assign(chip.cores().size(), chip.config().config_base);
    config_bases.assign(chip.cores().size(), 0);
}

uint32_t Program::semaphore_base(const Core& core) const {
    return config_base(core) + semaphore_bases[core.y * chip.config().grid_x + core.x];
}
uint32_t Program::config_base(const Core& core) const { return config_bases[core.y * chip.config().grid_x + core.x]; }
Program::~Program() = default;

void Program::fail(RunStatus why, KernelInstance* instance, const std::string& text) {
    note_failure(why, instance, text);
    stop.store(true);
}

void Program::note_failure(RunStatus why, KernelInstance* instance, const std::string& text) {
    int32_t expected = 0;
    if (status.compare_exchange_strong(expected, static_cast<int32_t>(why))) {
        error_instance = instance;
        error_text = text;
    }
}

void Kernel::save_statics(uint8_t* to) const {
    for (const KernelCode& each : code) {
        to = std::copy_n(each.statics, each.statics_bytes, to);
    }
}

void Kernel::put_statics(const uint8_t* from) const {
    for (const KernelCode& each : code) {
        std::copy_n(from, each.statics_bytes, each.statics);
        from += each.statics_bytes;
    }
}

// Frames hold return addresses, so an interrupted instruction is noted as one byte further.
void KernelInstance::note_stack() {
    noted.num_frames = 0;
    if (split != nullptr && !split->is_running) {
        note_split_stacks(*this);
        return;
    }
    if (state == InstanceState::Finished) {
        return;
    }
    uintptr_t frame_pointer = failed_frame_pointer;
    uintptr_t program_counter = failed_program_counter + 1;
    if (failed_program_counter == 0) {
        fiber_suspended_frame(fiber, frame_pointer, program_counter);
    }
    if (program_counter != 0) {
        noted.frames[noted.num_frames++] = program_counter;
    }
    if (failed_program_counter != 0 && failed_caller != 0) {
        noted.frames[noted.num_frames++] = failed_caller;
    }
    noted.num_frames +=
        walk_frames(*stack, frame_pointer, noted.frames + noted.num_frames, kMaxFrames - noted.num_frames);
}

// Interfaces of circular buffers that the core does not have: their pointers fault with a named buffer.
static void point_to_missing_buffers(KernelInstance& instance) {
    const uint32_t shift = instance.is_compute() ? 4 : 0;
    for (uint32_t index = 0; index < kMaxCircularBuffers; index++) {
        LocalCBInterface& view = instance.context.cb[index];
        const uint32_t nowhere = instance.core->l1_base + kMissingBuffers + index * kMissingBufferBytes;
        view.fifo_rd_ptr = view.fifo_wr_ptr = nowhere >> shift;
    }
}

void Program::create_instances() {
    if (!instances.empty()) {
        return;
    }
    for (uint32_t index = 0; index < kernels.size(); index++) {
        Kernel* kernel = kernels[index].get();
        for (const CoreXY& where : kernel->cores) {
            auto instance = std::make_unique<KernelInstance>();
            instance->kernel = kernel;
            instance->core = &chip.core(where.x, where.y);
            instance->number = static_cast<uint32_t>(instances.size());
            instance->place = {index, where.x, where.y};
            point_to_missing_buffers(*instance);
            instances.push_back(std::move(instance));
        }
    }
}

// Stacks are assigned to the running program. If each loaded program kept its own, a long session would exceed the
// system's limit on mappings.
void Program::assign_stacks() {
    static std::vector<std::unique_ptr<FiberStack>> stacks;
    for (size_t index = 0; index < instances.size(); index++) {
        if (index == stacks.size()) {
            auto stack = std::make_unique<FiberStack>();
            stack->allocate(kStackBytes);
            stacks.push_back(std::move(stack));
        }
        instances[index]->stack = stacks[index].get();
    }
}

// A checked run starts the credit counters close to the end of 16 bits, so that code which ignores the wrap fails after
// a few pages.
static uint32_t first_credit(bool is_checked) { return is_checked ? 0xFFC0 : 0; }

static void clear(Core& core) {
    core.is_in_use = false;
    core.instances.clear();
    core.circular_base = core.l1_base;
    for (auto& box : core.mailbox) {
        box.clear();
    }
    std::fill_n(core.thread_semaphore, kNumThreadSemaphores, ThreadSemaphore{});
    for_each_index(core.configured, [&](uint32_t index) { core.cb[index].num_pages = 0; });
    core.configured = 0;
}

// A core of the program that is being loaded.
static Core& use_core(Chip& chip, const CoreXY& where) {
    Core& core = chip.core(where.x, where.y);
    if (!core.is_in_use) {
        core.is_in_use = true;
        chip.cores_in_use.push_back(&core);
    }
    return core;
}

// Configures circular buffers and semaphores of the program; nothing of an earlier program stays configured.
void Program::load_cores() {
    for (Core* core : chip.cores_in_use) {
        clear(*core);
    }
    chip.cores_in_use.clear();
    shared_l1.range = L1Range{};
    for (const ProgramCircularBuffer& from : circular_buffers) {
        if (from.owns_memory) {
            shared_l1.range.cover(from.offset, from.total_bytes);
        }
        for (const CoreXY& where : from.cores) {
            Core& core = use_core(chip, where);
            CoreCircularBuffer& buffer = core.cb[from.index];
            buffer = CoreCircularBuffer{};
            buffer.num_pages = from.total_bytes / from.page_bytes;
            core.configured |= buffer.num_pages != 0 ? uint64_t{1} << from.index : 0;
            buffer.page_bytes = from.page_bytes;
            buffer.address = core.l1_base + from.offset;
            buffer.total_bytes = buffer.num_pages * from.page_bytes;
            buffer.geometry = from.geometry;
            buffer.counters[0] = first_credit(checks != nullptr);
            buffer.counters[1] = first_credit(checks != nullptr);
            const uint32_t end = from.offset + buffer.total_bytes;
            uint32_t& poisoned = core.memory_state->poisoned_bytes;
            if (from.owns_memory && end > poisoned) {
                std::fill(l1_word(core, poisoned & ~3u), l1_word(core, end & ~3u), chip.config().poison);
                poisoned = end;
            }
        }
    }
    for (const ProgramSemaphore& semaphore : semaphores) {
        for (const CoreXY& where : semaphore.cores) {
            const Core& core = chip.core(where.x, where.y);
            *l1_word(core, semaphore_base(core) + semaphore.id * kSemaphoreStride) = semaphore.initial;
        }
    }
}

static void load_view(KernelInstance& instance, uint32_t index) {
    const CoreCircularBuffer& buffer = instance.core->cb[index];
    const uint32_t shift = instance.context.compute_words ? 4 : 0;
    LocalCBInterface& view = instance.context.cb[index];
    view = LocalCBInterface{};
    view.fifo_size = buffer.total_bytes >> shift;
    view.fifo_limit = (buffer.address + buffer.total_bytes) >> shift;
    view.fifo_page_size = buffer.page_bytes >> shift;
    view.fifo_num_pages = buffer.num_pages;
    view.fifo_rd_ptr = view.fifo_wr_ptr = buffer.address >> shift;
    view.tiles_acked = view.tiles_received = static_cast<uint16_t>(buffer.counters[0]);
}

void Program::move_circular_buffers(Core& core, uint32_t base) {
    if (core.circular_base == base) {
        return;
    }
    core.circular_base = base;
    for_each_index(core.configured, [&](uint32_t index) {
        CoreCircularBuffer& buffer = core.cb[index];
        const uint32_t offset = buffer.address & kL1OffsetMask;
        if (!shared_l1.range.contains(offset)) {
            return;
        }
        buffer.address = base + offset;
        for (KernelInstance* instance : core.instances) {
            load_view(*instance, index);
        }
    });
}

// Copies a kernel's arguments into its core's L1 and returns the offset after them.
uint32_t Program::place_arguments(KernelInstance& instance, uint32_t core_index, uint32_t offset) {
    const Kernel& kernel = *instance.kernel;
    KernelContext& context = instance.context;
    if (kernel.has_arguments_in_l1) {
        context.num_runtime_args = kernel.num_args;
        context.num_common_runtime_args = kernel.num_common_args;
        const uint32_t base = config_base(*instance.core);
        context.runtime_args = l1_word(*instance.core, base + kernel.args_offset);
        context.common_runtime_args = l1_word(*instance.core, base + kernel.common_args_offset);
        return offset;
    }
    const uint32_t begin = kernel.arg_offsets.empty() ? 0 : kernel.arg_offsets[core_index];
    const uint32_t end = kernel.arg_offsets.empty() ? 0 : kernel.arg_offsets[core_index + 1];
    context.num_runtime_args = end - begin;
    context.num_common_runtime_args = static_cast<uint32_t>(kernel.common_args.size());
    context.runtime_args = l1_word(*instance.core, offset);
    std::copy(kernel.args.begin() + begin, kernel.args.begin() + end, context.runtime_args);
    offset += (context.num_runtime_args * 4 + 15u) & ~15u;
    context.common_runtime_args = l1_word(*instance.core, offset);
    std::copy(kernel.common_args.begin(), kernel.common_args.end(), context.common_runtime_args);
    return offset + ((context.num_common_runtime_args * 4 + 15u) & ~15u);
}

void Program::load_instance(KernelInstance& instance, uint32_t core_index) {
    const Kernel& kernel = *instance.kernel;
    Core& core = *instance.core;
    KernelContext& context = instance.context;
    context.l1_base = core.l1_base;
    context.l1_size = chip.config().l1_bytes;
    context.config_base = core.l1_base + config_base(core);
    context.semaphore_base = core.l1_base + semaphore_base(core);
    context.kind = static_cast<uint8_t>(kernel.kind);
    context.processor = kernel.processor;
    context.noc_index = kernel.noc_index;
    context.noc_mode = kernel.noc_mode;
    context.noc_x[0] = context.noc_x[1] = core.noc_x;
    context.noc_y[0] = context.noc_y[1] = core.noc_y;
    context.logical_x = static_cast<uint8_t>(core.x);
    const uint32_t row = chip.row_in_die(core);
    context.logical_y = static_cast<uint8_t>(row);
    // A host that launches without command queues leaves the origin of relative coordinates at (0,0).
    const CoreXY origin = kernel.has_arguments_in_l1 ? CoreXY{0, 0} : kernel.cores.front();
    context.relative_x = static_cast<uint8_t>(core.x - origin.x);
    context.relative_y = static_cast<uint8_t>(row - origin.y);
    context.compute_words = kernel.kind == KernelKind::Compute ? 1 : 0;
    for_each_index(core.configured, [&](uint32_t index) {
        load_view(instance, index);
        instance.traffic[index] = CbTraffic{};
    });
    uint32_t offset = chip.config().config_base + kNumSemaphores * kSemaphoreStride;
    for (const KernelInstance* earlier : core.instances) {
        if (earlier->kernel->has_arguments_in_l1) {
            continue;
        }
        const auto* end = earlier->context.common_runtime_args + earlier->context.num_common_runtime_args;
        const auto used = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(end) - core.l1_base);
        offset = std::max(offset, (used + 15u) & ~15u);
    }
    place_arguments(instance, core_index, offset);
    if (kernel.kind == KernelKind::Compute) {
        if (!core.compute) {
            core.compute = std::make_unique<ComputeState>();
        }
        ComputeState& compute = *core.compute;
        reset_compute_state(compute);
        compute.fp32_dest = kernel.fp32_dest;
        compute.full_sync = kernel.full_sync;
        compute.fidelity = kernel.fidelity;
        compute.checks = checks ? checks->compute.add(instance, !checks->is_fast) : nullptr;
        compute.taints = checks && !checks->is_fast;
    }
    instance.checks = checks.get();
    instance.recorder = recorder.get();
    instance.state = InstanceState::Ready;
    instance.is_late = false;
    instance.wait_kind = WaitKind::None;
    instance.threads = instance.named_threads = kAllThreads;
    instance.split.reset();
    instance.sources.reset();
    instance.stack_checked = 0;
    instance.reads_wall_clock = instance.uses_window = instance.polls_memory = false;
    instance.would_push = instance.would_pop = 0;
    instance.stack_noted = false;
    instance.failed_program_counter = instance.failed_frame_pointer = instance.failed_caller = 0;
    instance.printed.clear();
    instance.calls.entries.clear();
    instance.calls.blocks = 0;
    instance.statics = kernel.statics_initial;
    instance.noc_state[0] = instance.noc_state[1] = NocState{};
    fiber_prepare(instance.fiber, *instance.stack, fiber_entry);
    if (kernel.is_compiled_per_thread()) {
        kernel.put_statics(kernel.statics_initial.data());  // each thread begins with a copy
        split_threads(instance);
    }
    core.memory_state->overwritten = L1Range{};
    use_core(chip, {core.x, core.y}).instances.push_back(&instance);
}

void Program::load() {
    create_instances();
    assign_stacks();
    load_cores();
    size_t next = 0;
    for (auto& kernel : kernels) {
        kernel->statics_owner = nullptr;
        for (uint32_t index = 0; index < kernel->cores.size(); index++) {
            load_instance(*instances[next++], index);
        }
    }
}

static uint32_t num_processors() {
    cpu_set_t processors;
    return sched_getaffinity(0, sizeof processors, &processors) == 0
               ? static_cast<uint32_t>(CPU_COUNT(&processors))
               : std::max(1u, std::thread::hardware_concurrency());
}

// Number of OS threads. By default a program gets several from its second run on, if the last run was long enough.
uint32_t Program::threads_for(const RunOptions& options) const {
    const auto has_globals = [](const auto& kernel) { return kernel->statics_bytes != 0; };
    // A kernel's globals exist once, so its cores cannot run concurrently.
    // The fabric's state is not divided among threads.
    if (options.checked || recorder || chip.fabric() != nullptr ||
        std::any_of(kernels.begin(), kernels.end(), has_globals)) {
        return 1;
    }
    const bool worth = work_seconds >= kWorthThreads && !used_window.load();
    const uint32_t wanted = options.threads != 0 ? options.threads : worth ? num_processors() : 1;
    const auto is_active = [](const Core* core) { return !core->instances.empty(); };
    const auto active = std::count_if(chip.cores_in_use.begin(), chip.cores_in_use.end(), is_active);
    return std::max(1u, std::min(wanted, static_cast<uint32_t>(active)));
}

std::vector<std::unique_ptr<Scheduler>> Program::make_schedulers(const RunOptions& options) {
    std::vector<std::unique_ptr<Scheduler>> schedulers;
    for (uint32_t thread = 0; thread < options.threads; thread++) {
        schedulers.push_back(std::make_unique<Scheduler>(*this, options, thread));
        if (options.time_limit_seconds > 0) {
            schedulers.back()->deadline = monotonic_seconds() + options.time_limit_seconds;
        }
    }
    std::vector<Core*> active = chip.cores_in_use;
    std::erase_if(active, [](const Core* core) { return core->instances.empty(); });
    std::sort(active.begin(), active.end());  // by rows of the grid
    for (size_t index = 0; index < active.size(); index++) {
        Scheduler* scheduler = schedulers[index * schedulers.size() / active.size()].get();
        scheduler->cores.push_back(active[index]);
        for (KernelInstance* instance : active[index]->instances) {
            instance->scheduler = scheduler;
        }
    }
    for (auto& scheduler : schedulers) {
        scheduler->draw_priorities();
    }
    return schedulers;
}

void Program::finish_checks() {
    if (!checks || checks->findings.is_closed()) {
        return;
    }
    finish_memory_checks(*this);
    if (status.load() == 0 && !checks->is_fast) {
        checks->arguments.note_unread(*this, checks->findings);
    }
    checks->findings.close();
}

RunStatus Program::run(const RunOptions& requested) {
    status.store(0);
    stop.store(false);
    first_failed.store(~0u);
    error_text.clear();
    plain_findings.findings = Findings();
    error_rule = Rule::None;
    error_instance = nullptr;
    fault_signal = 0;
    RunOptions options = requested;
    checks = options.checked ? std::make_unique<Checks>(chip.fresh_check_memory(), options.fast) : nullptr;
    const uint64_t recorded = options.recorded_circular_buffers;
    recorder = recorded != 0 ? std::make_unique<Recorder>(recorded) : nullptr;
    load();
    if (chip.fabric() != nullptr) {
        chip.fabric()->begin_run(options.seed);
    }
    if (checks) {
        if (!checks->is_fast) {
            chip.settle_poison();  // rules read memory directly
            load_shadow_memory(*this);
        }
        start_memory_checks(*this);
    }
    options.threads = threads_for(options);
    shared_l1.cores_met = false;
    // Kernels address scratchpads, which lie among the circular buffers, in their core's own L1, and split threads have
    // already stored the buffers' addresses. Such programs do not share an L1.
    const auto is_compiled_per_thread = [](const auto& kernel) { return kernel->is_compiled_per_thread(); };
    options.keep_l1 |= !shared_l1.may_share || options.checked || recorder != nullptr || !scratchpads.empty() ||
                       std::any_of(kernels.begin(), kernels.end(), is_compiled_per_thread);
    auto schedulers = make_schedulers(options);
    const double begin = monotonic_seconds();
    {
        const RunScope running(*this);
        RunLoop(*this, options, schedulers).run();
    }
    work_seconds = (monotonic_seconds() - begin) * options.threads;
    // A checked run has reported connections that are left open, and may be repeated.
    if ((status.load() != 0 || checks) && chip.fabric() != nullptr) {
        chip.fabric()->reset();
    }
    shared_l1.may_share = status.load() == 0 && !shared_l1.cores_met;
    finish_checks();
    switches = 0;
    raises.clear();
    for (const auto& scheduler : schedulers) {
        switches += scheduler->switches;
        raises.merge(scheduler->raises);
    }
    for (auto& instance : instances) {
        flush_print(*instance);
        if (status.load() != 0 && instance->split != nullptr) {
            leave_thread(*instance);
            note_split_stacks(*instance);
        } else if (status.load() != 0 && !instance->stack_noted) {
            instance->note_stack();
        }
    }
    return static_cast<RunStatus>(status.load());
}

}  // namespace tw
