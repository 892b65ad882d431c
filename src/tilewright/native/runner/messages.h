// SPDX-License-Identifier: Apache-2.0
// What the runner and its owner say to each other. A message is a TwMessageHeader and its body. A body is one of the
// structures below or of engine/api.h, followed by what it counts; every part begins at a multiple of 8 bytes. Pointers
// inside the structures of api.h are not sent: what they point to follows, and they hold nothing.
//
//   owner                                        runner
//   kChip:    TwChipRequest, x, y of nodes,      kReady:   TwReadyAnswer
//             the core of each L1 bank if the
//             host has chosen
//   kLoad:    TwLoadRequest, programs forgotten, kLoaded:  TwLoadedAnswer, a uint64_t for each library of each
//             places of semaphores, kernels,               kernel: where it is loaded
//             circular buffers, semaphores,
//             scratchpads
//   kRun:     TwRunRequest, arguments of each    kPrinted: TwPrintedLine, kernel, line: any number, as they come
//             kernel, host's buffers, if it is   kStopped: TwStopped and what it counts: any number, each answered
//             debugged TwDebugRequest with its             with kResume, a TwResumeRequest with its breakpoints
//             breakpoints and lines              kRan:     TwRanAnswer and what it counts
//   any                                          kFailed:  a sentence
//
// _record/wire_layout.py mirrors the structures and compares the place of every field.
#pragma once

#include <cstdint>

#include "engine/api.h"
#include "engine/chip/chip.h"

extern "C" {

enum TwMessageKind : uint32_t {
    kChip = 1,
    kLoad = 2,
    kRun = 3,
    kResume = 4,
    kReady = 11,
    kLoaded = 12,
    kRan = 13,
    kPrinted = 14,
    kFailed = 15,
    kStopped = 16,
};

struct TwMessageHeader {
    uint32_t kind, reserved;
    uint64_t bytes;  // of the body
};

struct TwChipRequest {
    tw::ChipConfig config;
    uint64_t num_nodes, num_l1_banks;
};

struct TwReadyAnswer {
    int32_t filter_error;  // why system calls are not filtered; 0: they are
    uint32_t reserved;
};

struct TwLoadRequest {
    uint64_t program;
    uint32_t num_forgotten, num_kernels, num_circular_buffers, num_semaphores, num_scratchpads;
    uint32_t num_semaphore_bases;  // 0: where the chip has them
};

struct TwSemaphoreBase {
    uint32_t x, y, offset;
};

// Followed by the name, the kernel's TwKernelSpec with its cores, and its libraries.
struct TwKernelHeader {
    uint32_t name_bytes, num_libraries;
};

// Followed by the path and the library's TwKernelCode. Addresses in that are offsets from where the library is loaded.
struct TwLibraryHeader {
    uint64_t path_bytes;
};

// Followed by cores.
struct TwSemaphoreSpec {
    uint32_t id, initial;
    uint64_t num_cores;
};
struct TwScratchpadSpec {
    uint32_t offset, bytes;
    uint64_t num_cores;
};

struct TwLoadedAnswer {
    uint64_t num_libraries;
};

struct TwRunRequest {
    uint64_t program;
    double time_limit, spin_limit;
    uint64_t seed, recorded_circular_buffers;
    uint32_t threads, checked, keep_l1, num_host_buffers;
    uint32_t debugged;
    uint32_t host_buffers_are_all;  // 0: others lie beside those that are told
};

struct TwDebugRequest {
    uint64_t num_breakpoints, num_lines;
};

struct TwResumeRequest {
    uint32_t how;  // TwResume
    uint32_t reserved;
    uint64_t num_breakpoints;
};

// Followed by the tiles of DST of the core, 1024 words each in the order of their faces, and as many TwInstanceReport and
// TwCircularBufferReport.
struct TwStopped {
    TwStop stop;
    uint32_t dst_tiles;  // 0: nothing computes on the core, or not yet
    uint32_t dst_phase, dst_is_32_bit, unpack_format;
    uint64_t num_instances, num_circular_buffers;
};

// Followed by offsets, words, common words.
struct TwArguments {
    uint32_t num_offsets, num_words, num_common, reserved;
};

// Followed by bits that say which bytes of a buffer lie outside the tensor's shape.
struct TwHostBuffer {
    TwHostMemory buffer;
    uint64_t outside_bytes;
};

struct TwPrintedLine {
    uint32_t core_x, core_y, kernel_bytes, line_bytes;
};

// Followed by text, rule, and as many TwInstanceReport, TwTrafficReport, TwCircularBufferReport, TwFindingReport (each
// with its rule and text), TwPushReport (each with its pages) and words of recorded calls.
struct TwRanAnswer {
    TwRunReport report;
    uint64_t text_bytes, rule_bytes;
    uint64_t num_instances, num_raises, num_traffic, num_circular_buffers, num_findings, num_pushes, num_calls;
};
struct TwFindingText {
    uint64_t rule_bytes, text_bytes;
};
}
