// SPDX-License-Identifier: Apache-2.0
// The engine as others see it, in plain C types: Python calls what is about memory (_launch/engine.py, through ctypes),
// the runner (native/runner/) what is about programs. Structures are mirrored in _launch/engine.py.
#pragma once

#include <cstdint>

namespace tw {
struct ChipConfig;
}

extern "C" {

// Where a chip's memory lies (chip_memory.h): numbers of this process's open files, and the layout of each.
struct TwMemoryFiles {
    int32_t l1, dram, state, reserved;
    uint64_t l1_slot_bytes;  // core i, row by row over the grid: at i * l1_slot_bytes of the first file
    uint64_t dram_bank_stride;  // bank i: at i * dram_bank_stride of the second
};

// A library of a kernel: of a compute kernel one for all of its threads, or one for each.
struct TwKernelCode {
    void* entry;
    void* statics;
    uint64_t statics_bytes;
    uint64_t text_begin, text_end;
};

struct TwKernelSpec {
    const char* name;
    uint32_t kind, processor, noc_index, noc_mode;
    uint32_t fp32_dest, full_sync, fidelity, math_approx;
    const uint16_t* cores;  // x, y pairs
    uint64_t num_cores;
    // Arguments that the host puts into L1 by itself, at the same offsets on all cores: runtime and common ones.
    uint32_t has_arguments_in_l1, args_offset, num_args, common_args_offset, num_common_args, reserved;
};

struct TwCircularBufferSpec {
    uint32_t index, offset, total_bytes, page_bytes, owns_memory, is_over_tensor;
    uint32_t format, num_faces, face_rows, tile_rows, tile_cols, tile_bytes, unpack_to_dest_fp32, reserved;
    const uint16_t* cores;
    uint64_t num_cores;
};

// A buffer of the host, for a checked run; see HostMemory.
struct TwHostMemory {
    uint32_t is_dram, layout;
    uint64_t address, page_bytes, stride, num_pages;
    uint32_t element_bytes, poison, host_wrote, poison_is_a_value, zeros_pad;
    const uint8_t* outside;
};

// Where a kernel stands on a core; one of each thread of a compute kernel whose threads have parted.
struct TwInstanceReport {
    uint32_t kernel, core_x, core_y;
    uint32_t thread;  // ComputeThread; 0: all there is
    uint32_t state, wait_kind, wait_cb, wait_amount, wait_have;
    uint64_t wait_address;
    uint64_t would_push, would_pop;  // circular buffers, as bits
    uint32_t is_error, num_frames;
    uint64_t frames[24];
};

struct TwRaiseReport {
    uint32_t kernel, core_x, core_y;  // who
    uint32_t on_x, on_y, semaphore;  // which
    uint32_t count, later;  // how often it did, and would still do
};

struct TwTrafficReport {
    uint32_t kernel, core_x, core_y, cb;
    uint32_t push_calls, pop_calls, wait_calls, reserve_calls;
    uint64_t pages_pushed, pages_popped;
    uint32_t blocked_waits, blocked_reserves, largest_wait, largest_reserve;
};

struct TwCircularBufferReport {
    uint32_t core_x, core_y, index, num_pages, page_bytes, peak;
    uint64_t pushed, popped;
};

struct TwRunReport {
    int32_t status, fault_signal;
    uint64_t fault_address, switches;
    uint32_t l1_base;  // slot pointer of the core the error is on; 0: none
    uint32_t spent;  // the process that ran the program must go
    const char* error_text;
    const char* error_rule;  // id of the checker's rule the error breaks; null if none
};

struct TwPushReport {
    uint32_t kernel, core_x, core_y, cb, pages, page_bytes;
    const uint8_t* data;  // of all its pages; lives until the program's next run
    uint32_t num_frames;
    uint64_t frames[24];
};

struct TwFindingReport {
    const char* rule;
    const char* text;
    uint32_t kernel, core_x, core_y, cb;
    uint64_t address, count;
    uint32_t num_frames;
    uint64_t frames[24];
    uint32_t related_kernel, related_x, related_y, related_num_frames;  // kernel 0xffffffff: none
    uint64_t related_frames[12];
};

// Where to stop: an instruction of a kernel, on one core or, with 0xffffffff, on all of its cores.
struct TwBreakpoint {
    uint32_t kernel, core_x, core_y, reserved;
    uint64_t address;
};

// A stretch of a kernel's own code, none of our headers', and its line.
struct TwCodeLine {
    uint64_t begin, end;
    uint32_t line, reserved;
};

enum TwStopReason : uint32_t { kBreakpoint = 1, kStepped = 2, kHung = 3 };
enum TwResume : uint32_t { kContinue = 0, kStepCall = 1, kStepLine = 2 };

// A kernel that has stopped, or that waits for ever.
struct TwStop {
    uint32_t kernel, core_x, core_y;
    uint32_t threads;  // of a compute kernel: which of ComputeThread stand here
    uint32_t reason, reserved;
};

using TwPrintFunction = void (*)(uint32_t core_x, uint32_t core_y, const char* kernel, const char* line);

// A chip and its memory.
void* tw_chip_new(
    const tw::ChipConfig* config, const uint8_t* noc_xy, const TwMemoryFiles* files, uint32_t runs_kernels);
void tw_chip_set_l1_banks(void* chip, const uint16_t* cores);
const char* tw_last_error();

// A program on a chip; what it points to is copied, or is the caller's to keep where it says so.
uint64_t tw_library_base(void* symbol);
void* tw_program_new(void* chip);
void tw_program_free(void* program);
void tw_program_set_print(void* program, TwPrintFunction print);
// `code` is one library, or one for each thread: unpack, maths, pack.
uint32_t tw_program_add_kernel(void* program, const TwKernelSpec* spec, const TwKernelCode* code, uint64_t num_codes);
void tw_program_add_circular_buffer(void* program, const TwCircularBufferSpec* spec);
void tw_program_set_semaphore_base(void* program, uint32_t x, uint32_t y, uint32_t offset);
void tw_program_add_semaphore(void* program, uint32_t id, uint32_t initial, const uint16_t* cores, uint64_t count);
void tw_program_add_scratchpad(void* program, uint32_t offset, uint32_t bytes, const uint16_t* cores, uint64_t count);
void tw_program_set_host_memory(void* program, const TwHostMemory* buffers, uint64_t count, uint32_t are_all);
void tw_program_set_args(
    void* program,
    uint32_t kernel,
    const uint32_t* args,
    const uint32_t* offsets,
    uint64_t num_offsets,
    const uint32_t* common,
    uint64_t num_common);
void tw_program_run(
    void* program,
    uint32_t threads,
    double time_limit,
    double spin_limit,
    uint32_t checked,
    uint64_t seed,
    uint64_t recorded_circular_buffers,
    uint32_t keep_l1,
    TwRunReport* report);

// The record of its last run. Those with a capacity fill at most as many and return how many there are.
uint64_t tw_program_num_instances(void* program);
void tw_program_instances(void* program, TwInstanceReport* reports);
uint64_t tw_program_raises(void* program, TwRaiseReport* reports, uint64_t capacity);
uint64_t tw_program_traffic(void* program, TwTrafficReport* reports, uint64_t capacity);
uint64_t tw_program_circular_buffers(void* program, TwCircularBufferReport* reports, uint64_t capacity);
uint64_t tw_program_findings(void* program, TwFindingReport* reports, uint64_t capacity);
uint64_t tw_program_pushes(void* program, TwPushReport* reports, uint64_t capacity);
uint64_t tw_program_calls(void* program, uint64_t* words, uint64_t capacity);
}
