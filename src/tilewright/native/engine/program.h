// SPDX-License-Identifier: Apache-2.0
// A program as the engine runs it: kernels placed on cores, circular buffers, semaphores, and what a run leaves.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "abi/context.h"
#include "abi/noc_state.h"
#include "api.h"
#include "check/checks.h"
#include "chip/chip.h"
#include "chip/shared_l1.h"
#include "debug/call_record.h"
#include "debug/recorder.h"
#include "run/fiber.h"
#include "signals/crash_record.h"

namespace tw {

struct CoreXY {
    uint16_t x, y;
};

// What one compilation of a kernel became: its code, and its mutable globals.
struct KernelCode {
    void (*entry)() = nullptr;
    uint8_t* statics = nullptr;
    uint32_t statics_bytes = 0;
    uintptr_t text_begin = 0, text_end = 0;
};

struct Kernel {
    std::vector<KernelCode> code;  // one, or one for each thread of a compute kernel that differs from thread to thread
    std::string name;
    KernelKind kind = KernelKind::DataMovement;
    uint8_t processor = 0;
    uint8_t noc_index = 0;
    uint8_t noc_mode = 0;
    uint8_t fp32_dest = 0, full_sync = 0, fidelity = 4, math_approx = 0;
    std::vector<CoreXY> cores;
    // Mutable globals: every core gets its own copy, swapped in when it runs.
    uint32_t statics_bytes = 0;
    std::vector<uint8_t> statics_initial;
    KernelInstance* statics_owner = nullptr;
    // Arguments: those of core i are args[arg_offsets[i] .. arg_offsets[i + 1]).
    std::vector<uint32_t> args, arg_offsets, common_args;
    // Or the host has put them into the L1 of every core.
    bool has_arguments_in_l1 = false;
    uint32_t args_offset = 0, num_args = 0, common_args_offset = 0, num_common_args = 0;

    // Its threads have parted before they begin.
    bool is_compiled_per_thread() const { return code.size() > 1; }
    bool has_code_at(uintptr_t address) const {
        for (const KernelCode& each : code) {
            if (address >= each.text_begin && address < each.text_end) {
                return true;
            }
        }
        return false;
    }
    void save_statics(uint8_t* to) const;
    void put_statics(const uint8_t* from) const;
};

struct ProgramCircularBuffer {
    uint32_t index = 0;
    uint32_t offset = 0;  // L1 offset
    uint32_t total_bytes = 0;
    uint32_t page_bytes = 0;
    bool owns_memory = true;  // false: a tensor's, or placed by the host
    bool is_over_tensor = false;
    TileGeometry geometry;
    std::vector<CoreXY> cores;
};

// L1 set aside for a kernel that is no circular buffer.
struct ProgramScratchpad {
    uint32_t offset = 0;
    uint32_t bytes = 0;
    std::vector<CoreXY> cores;
};

inline constexpr uint32_t kNumSemaphores = 16;
inline constexpr uint32_t kSemaphoreStride = 16;

struct ProgramSemaphore {
    uint32_t id = 0;
    uint32_t initial = 0;
    std::vector<CoreXY> cores;
};

// A kernel has set a core's semaphore through the NoC, or added to it.
struct SemaphoreRaise {
    uint32_t instance = 0, core = 0, semaphore = 0;  // number of the instance; index of the core
    uint32_t count = 0;
    uint32_t later = 0;  // times it would still do so, were its waits met; after a deadlock
};

enum class InstanceState : uint32_t { Ready = 0, Blocked = 1, Polling = 2, Yielded = 3, Finished = 4, Failed = 5 };

// What a kernel that does not run is doing.
enum class WaitKind : uint32_t {
    None = 0,
    CbWaitFront = 1,
    CbReserveBack = 2,
    SemaphoreEqual = 3,
    SemaphoreAtLeast = 4,
    Spin = 5,  // polls memory by itself
    // One thread of a compute kernel for another.
    DstFree = 6,  // the maths thread, for a half of DST
    DstReady = 7,  // the pack thread, for one with results
    SourceReady = 8,  // the maths thread, for operands
    SourceFree = 9,  // the unpack thread, for room in the source registers
    ThreadSemaphore = 10,
};

// Threads of a compute kernel, as bits.
enum ComputeThread : uint8_t { kUnpackThread = 1, kMathThread = 2, kPackThread = 4 };
inline constexpr uint8_t kAllThreads = kUnpackThread | kMathThread | kPackThread;

// Pages one kernel moved through one circular buffer.
struct CbTraffic {
    uint32_t push_calls = 0, pop_calls = 0, wait_calls = 0, reserve_calls = 0;
    uint64_t pages_pushed = 0, pages_popped = 0;
    uint32_t blocked_waits = 0, blocked_reserves = 0;
    uint32_t largest_wait = 0, largest_reserve = 0;
};

inline constexpr uint32_t kMaxFrames = 24;

struct Scheduler;

struct SplitThreads;
class SourceQueue;

// Whether a fiber can run, and if not, what it waits for.
struct FiberStatus {
    InstanceState state = InstanceState::Ready;
    WaitKind wait_kind = WaitKind::None;
    uint32_t wait_cb = 0;
    uint32_t wait_amount = 0;  // pages, or the semaphore's value
    volatile uint32_t* wait_address = nullptr;
};

// A call stack, innermost first.
struct NotedStack {
    uint32_t num_frames = 0;
    uint64_t frames[kMaxFrames];
};

// One kernel on one core.
struct KernelInstance : FiberStatus {
    KernelContext context{};
    NocState noc_state[2];  // what set_state calls left, per NoC
    Kernel* kernel = nullptr;
    Core* core = nullptr;
    Scheduler* scheduler = nullptr;
    Checks* checks = nullptr;  // of a checked run
    Recorder* recorder = nullptr;  // of a run that keeps pages
    uint32_t number = 0;  // among the instances of the program
    TwPlace place = kNoPlace;
    int64_t priority = 0;  // in a run with a seed
    FiberContext fiber;
    FiberStack* stack = nullptr;  // lent for one run
    // Of a compute kernel: the threads of a card that the running fiber stands for (threads.h), and those the macro
    // around the present statement names.
    uint8_t threads = kAllThreads;
    uint32_t named_threads = kAllThreads;  // the innermost in the lowest three bits, those around it above
    std::unique_ptr<SplitThreads> split;  // null while the three go together
    std::unique_ptr<SourceQueue> sources;  // null where operands are read by whoever computes with them
    CbTraffic traffic[kMaxCircularBuffers];
    CallRecord calls;  // of a kernel compiled to tell them
    std::vector<uint8_t> statics;
    uint32_t stack_checked = 0;  // of a checked run: how deep its stack has been looked at
    std::string printed;  // text since the last newline
    uintptr_t failed_frame_pointer = 0, failed_program_counter = 0;
    uintptr_t failed_caller = 0;  // of the function at the program counter, where no frame tells
    // Circular buffers, as bits, that a kernel stuck in a deadlock would push and pop later (deadlock_lookahead.h).
    uint64_t would_push = 0, would_pop = 0;
    // Call stack when a run ended early: stacks are lent, so it must be noted before the next run.
    bool stack_noted = false;
    NotedStack noted;

    KernelInstance();
    ~KernelInstance();
    // Where it stands; where its threads stand apart, each of them.
    void note_stack();

    bool is_compute() const { return kernel->kind == KernelKind::Compute; }
};

enum class RunStatus : int32_t {
    Ok = 0,
    Deadlock = 1,
    KernelError = 2,  // the engine refused what a kernel asked
    Fault = 3,  // a signal: bad memory access, illegal instruction, ...
    Spinning = 4,  // a kernel polls memory nobody changes
    TimeLimit = 5,
    Interrupted = 6,
};

struct RunOptions {
    uint32_t threads = 1;  // 0: as many as are worth it
    double time_limit_seconds = 0;  // 0: none
    double spin_limit_seconds = 5;
    bool checked = false;
    bool keep_l1 = false;  // every core uses its own L1
    uint64_t recorded_circular_buffers = 0;  // one bit for each whose pages are kept
    uint64_t seed = 0;  // of the order kernels run in; 0: core after core
};

class Program {
public:
    explicit Program(Chip& chip);
    ~Program();

    RunStatus run(const RunOptions& options);
    uint32_t semaphore_base(const Core& core) const;

    Chip& chip;
    std::vector<std::unique_ptr<Kernel>> kernels;
    std::vector<ProgramCircularBuffer> circular_buffers;
    std::vector<ProgramSemaphore> semaphores;
    std::vector<uint32_t> semaphore_bases;  // of each core, row by row, the L1 offset of semaphore 0
    std::vector<ProgramScratchpad> scratchpads;
    std::vector<HostMemory> host_memory;  // given for checked runs; the tensors of the call first
    bool knows_every_buffer = false;  // there are no others than these
    std::vector<std::unique_ptr<KernelInstance>> instances;  // made by the first run, reused by the next

    // What the last run left.
    std::atomic<int32_t> status{0};
    std::unordered_map<uint64_t, SemaphoreRaise> raises;  // by who, where and which; programs with semaphores only
    std::atomic<bool> stop{false};
    std::atomic<uint32_t> first_failed{~0u};  // the first scheduler, in the order of cores, with a kernel that failed
    std::string error_text;
    const char* error_rule = nullptr;
    KernelInstance* error_instance = nullptr;
    int fault_signal = 0;
    uintptr_t fault_address = 0;
    uint64_t switches = 0;
    std::atomic<bool> process_must_end{false};  // a kernel was left half done (signals/signals.h)
    std::unique_ptr<Checks> checks;  // of a checked run
    std::unique_ptr<Recorder> recorder;  // of a run that keeps pages
    TwPrintFunction print = nullptr;
    SharedL1Record shared_l1;
    std::atomic<bool> used_window{false};  // in some run: threads would take turns at it
    double work_seconds = 0;  // of the last run, on all threads together
    static constexpr double kWorthThreads = 1e-3;

    // Ends the run; every scheduler stops as soon as it sees it. Errors of kernels end a round (Scheduler::fail).
    void fail(RunStatus why, KernelInstance* instance, const std::string& text);
    // Only says so; the first failure counts.
    void note_failure(RunStatus why, KernelInstance* instance, const std::string& text);
    // To the L1 at `base`, before the core's kernels have begun.
    void move_circular_buffers(Core& core, uint32_t base);
    // What a checked run can say only at its end; nothing is noted after it.
    void finish_checks();

private:
    void create_instances();
    void assign_stacks();
    void load();
    uint32_t threads_for(const RunOptions& options) const;
    std::vector<std::unique_ptr<Scheduler>> make_schedulers(const RunOptions& options);
    void load_cores();
    void load_instance(KernelInstance& instance, uint32_t core_index);
    uint32_t place_arguments(KernelInstance& instance, uint32_t core_index, uint32_t offset);
};

}  // namespace tw
