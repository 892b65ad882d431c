// SPDX-License-Identifier: Apache-2.0
// A program as the engine runs it: kernels on cores, circular buffers, semaphores, and the outcome of a run.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "abi/context.h"
#include "abi/noc_state.h"
#include "check/checks.h"
#include "chip/chip.h"
#include "chip/shared_l1.h"
#include "debug/call_record.h"
#include "debug/recorder.h"
#include "run/fiber.h"
#include "signals/crash_record.h"
#include "wire/run_report.h"

namespace tw {

struct CoreXY {
    uint16_t x, y;
};

// A compiled kernel: its code and its mutable globals.
struct KernelCode {
    void (*entry)() = nullptr;
    uint8_t* statics = nullptr;
    uint32_t statics_bytes = 0;
    uintptr_t text_begin = 0, text_end = 0;
};

struct Kernel {
    std::vector<KernelCode> code;  // one, or one per thread of a compute kernel whose text differs per thread
    std::string name;
    KernelKind kind = KernelKind::DataMovement;
    uint8_t processor = 0;
    uint8_t noc_index = 0;
    uint8_t noc_mode = 0;
    uint8_t fp32_dest = 0, full_sync = 0, fidelity = 4;
    std::vector<CoreXY> cores;
    // Mutable globals: every core has its own copy, swapped in when it runs.
    uint32_t statics_bytes = 0;
    std::vector<uint8_t> statics_initial;
    KernelInstance* statics_owner = nullptr;
    // Arguments: those of core i are args[arg_offsets[i] .. arg_offsets[i + 1]).
    std::vector<uint32_t> args, arg_offsets, common_args;
    // Or the host places them into the L1 of every core.
    bool has_arguments_in_l1 = false;
    uint32_t args_offset = 0, num_args = 0, common_args_offset = 0, num_common_args = 0;

    // Its threads are split from the start.
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
    bool owns_memory = true;  // false: a tensor's memory, or placed by the host
    bool is_over_tensor = false;
    TileGeometry geometry;
    std::vector<CoreXY> cores;
};

// L1 reserved for a kernel that is not a circular buffer.
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

// How often a kernel set or incremented a core's semaphore through the NoC, or a word of its L1 with packets.
struct SemaphoreRaise {
    uint32_t instance = 0, core = 0;  // number of the instance; index of the core
    uint32_t word = 0;                // offset in L1
    uint32_t link = wire::kNoLink;    // that packets left over: the chip << 16, the ethernet channel
    uint32_t count = 0;
    uint32_t later = 0;  // after a deadlock: how often it still would, if its waits were met
};

using InstanceState = wire::KernelState;

using wire::WaitKind;

// Threads of a compute kernel, as bits.
inline constexpr auto kUnpackThread = static_cast<uint8_t>(wire::ComputeThread::Unpack);
inline constexpr auto kMathThread = static_cast<uint8_t>(wire::ComputeThread::Maths);
inline constexpr auto kPackThread = static_cast<uint8_t>(wire::ComputeThread::Pack);
inline constexpr uint8_t kAllThreads = kUnpackThread | kMathThread | kPackThread;

// Pages one kernel moved through one circular buffer.
struct CbTraffic {
    uint32_t push_calls = 0, pop_calls = 0, wait_calls = 0, reserve_calls = 0;
    uint64_t pages_pushed = 0, pages_popped = 0;
    uint32_t blocked_waits = 0, blocked_reserves = 0;
    uint32_t largest_wait = 0, largest_reserve = 0;
};

using wire::kMaxFrames;

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
    const CallPlace* acts_at = nullptr;  // of a checked run: the call by which it sent the packet that arrives now
    Recorder* recorder = nullptr;  // of a run that records pages
    uint32_t number = 0;  // among the instances of the program
    KernelPlace place = kNoPlace;
    int64_t priority = 0;  // in a randomised schedule
    bool is_late = false;  // it waits at its next call until no other kernel can run
    FiberContext fiber;
    FiberStack* stack = nullptr;  // assigned for one run
    // Of a compute kernel: the TRISC threads that the running fiber executes (threads.h), and those that the macro
    // around the current statement selects.
    uint8_t threads = kAllThreads;
    uint32_t named_threads = kAllThreads;  // innermost selection in the lowest three bits, outer ones above
    std::unique_ptr<SplitThreads> split;  // null while one fiber runs all three threads
    std::unique_ptr<SourceQueue> sources;  // null where operands are read when they are computed with
    CbTraffic traffic[kMaxCircularBuffers];
    CallRecord calls;  // of a kernel compiled to record its calls
    std::vector<uint8_t> statics;
    uint64_t right_rectangle = 0;  // of the last multicast with a right one, with its receivers (dataflow/noc.cpp)
    volatile uint32_t wall_clock[2] = {};  // low and high word, where the kernel reads them
    bool reads_wall_clock = false;
    bool polls_memory = false;  // a tick met it in its own code (signals/tick.cpp)
    bool uses_window = false;  // it accessed L1 at a card's addresses (signals/l1_window.cpp)
    uint32_t stack_checked = 0;  // of a checked run: stack depth that has been checked
    std::string printed;  // text since the last newline
    uintptr_t failed_frame_pointer = 0, failed_program_counter = 0;
    uintptr_t failed_caller = 0;  // caller of the function at the program counter, if that has no frame
    // Circular buffers, as bits, that a kernel stuck in a deadlock would push and pop later (deadlock_lookahead.h).
    uint64_t would_push = 0, would_pop = 0;
    // Call stack at the early end of a run. Stacks are reused, so it is noted before the next run.
    bool stack_noted = false;
    NotedStack noted;

    KernelInstance();
    ~KernelInstance();
    // Notes the call stack, or that of each split thread.
    void note_stack();

    bool is_compute() const { return kernel->kind == KernelKind::Compute; }
};

struct RunOptions {
    uint32_t threads = 1;  // 0: the engine chooses
    double time_limit_seconds = 0;  // 0: none
    double spin_limit_seconds = 5;
    bool checked = false;
    bool fast = false;  // of a checked run: only rules that need no marks of memory (checks.h)
    bool keep_l1 = false;  // every core uses its own L1
    uint64_t recorded_circular_buffers = 0;  // one bit for each whose pages are kept
    uint64_t seed = 0;  // of a randomised schedule; 0: core after core
};

using PrintFunction = void (*)(uint32_t core_x, uint32_t core_y, const std::string& kernel, const std::string& line);

class Program {
public:
    explicit Program(Chip& chip);
    ~Program();

    RunStatus run(const RunOptions& options);
    // L1 offset of the configuration that the host made for this run; of semaphore 0.
    uint32_t config_base(const Core& core) const;
    uint32_t semaphore_base(const Core& core) const;

    Chip& chip;
    std::vector<std::unique_ptr<Kernel>> kernels;
    std::vector<ProgramCircularBuffer> circular_buffers;
    std::vector<ProgramSemaphore> semaphores;
    std::vector<uint32_t> semaphore_bases;  // per core, row by row: offset of semaphore 0 from the configuration
    std::vector<uint32_t> config_bases;  // the same order; each run sets them
    std::vector<ProgramScratchpad> scratchpads;
    std::vector<HostMemory> host_memory;  // given for checked runs; the call's tensors first
    bool knows_every_buffer = false;  // host_memory is complete
    std::vector<std::unique_ptr<KernelInstance>> instances;  // made by the first run, reused by the next

    // Outcome of the last run.
    std::atomic<int32_t> status{0};
    // by instance, core and semaphore; only of programs with semaphores
    std::unordered_map<uint64_t, SemaphoreRaise> raises;
    std::atomic<bool> stop{false};
    std::atomic<uint32_t> first_failed{~0u};  // the first scheduler, in the order of cores, with a kernel that failed
    std::string error_text;
    Rule error_rule = Rule::None;
    KernelInstance* error_instance = nullptr;
    int fault_signal = 0;
    uintptr_t fault_address = 0;
    uint64_t switches = 0;
    std::atomic<bool> process_must_end{false};  // a kernel was left half done (signals/signals.h)
    std::unique_ptr<Checks> checks;  // of a checked run
    PlainFindings plain_findings;
    std::unique_ptr<Recorder> recorder;  // of a run that records pages
    PrintFunction print = nullptr;
    SharedL1Record shared_l1;
    std::atomic<bool> used_window{false};  // in some run: OS threads would contend for the one window
    double work_seconds = 0;  // of the last run, summed over its threads
    static constexpr double kWorthThreads = 1e-3;

    // Ends the run; every scheduler stops soon. Kernel errors end a round instead (Scheduler::fail).
    void fail(RunStatus why, KernelInstance* instance, const std::string& text);
    // Records a failure without stopping the schedulers. The first failure counts.
    void note_failure(RunStatus why, KernelInstance* instance, const std::string& text);
    // Moves the core's circular buffers to the L1 at `base`, before its kernels start.
    void move_circular_buffers(Core& core, uint32_t base);
    // Makes the findings that need the end of the run.
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
