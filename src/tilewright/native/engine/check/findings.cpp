// SPDX-License-Identifier: Apache-2.0
#include "check/findings.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include "check/checks.h"
#include "scheduler.h"

namespace tw {

void Findings::add(
    const KernelInstance& instance,
    const char* rule,
    uint32_t cb,
    uint64_t address,
    const uint64_t* frames,
    uint32_t num_frames,
    const std::string& text,
    const CallPlace& related) {
    Place place{rule, &instance, cb, std::vector<uint64_t>(frames, frames + num_frames)};
    const auto [found, is_new] = known_.try_emplace(std::move(place), all_.size());
    if (!is_new) {
        all_[found->second].count++;
        return;
    }
    Finding finding{rule, &instance, cb, address, 1, text, std::min(num_frames, kFindingFrames), {}, related};
    std::copy_n(frames, finding.num_frames, finding.frames);
    all_.push_back(std::move(finding));
}

static void note_here(
    KernelInstance& instance,
    const char* rule,
    uint32_t cb,
    uint64_t address,
    const CallPlace& related,
    const char* format,
    va_list arguments) {
    char text[1024];
    std::vsnprintf(text, sizeof text, format, arguments);
    uint64_t frames[kFindingFrames];
    const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    const uint32_t num_frames = walk_frames(*instance.stack, here, frames, kFindingFrames);
    instance.checks->findings.add(instance, rule, cb, address, frames, num_frames, text, related);
}

void note_finding(KernelInstance& instance, const char* rule, uint32_t cb, uint64_t address, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    note_here(instance, rule, cb, address, {}, format, arguments);
    va_end(arguments);
}

void note_finding_with(
    KernelInstance& instance,
    const char* rule,
    uint32_t cb,
    uint64_t address,
    const CallPlace& related,
    const char* format,
    ...) {
    va_list arguments;
    va_start(arguments, format);
    note_here(instance, rule, cb, address, related, format, arguments);
    va_end(arguments);
}

CallPlace call_place(const KernelInstance& instance) {
    CallPlace place;
    place.instance = &instance;
    const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    place.num_frames = walk_frames(*instance.stack, here, place.frames, kCallPlaceFrames);
    return place;
}

}  // namespace tw
