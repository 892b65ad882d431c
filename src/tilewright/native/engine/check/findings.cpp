// SPDX-License-Identifier: Apache-2.0
#include "check/findings.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <iterator>

#include "check/checks.h"
#include "run/scheduler.h"

namespace tw {

// Only the kernel's own frames identify a place, not the engine's path to the check.
static std::vector<uint64_t> kernel_frames(
    const KernelInstance& instance, const uint64_t* frames, uint32_t num_frames) {
    std::vector<uint64_t> own;
    std::copy_if(frames, frames + num_frames, std::back_inserter(own), [&](uint64_t frame) {
        return instance.kernel->has_code_at(frame) || instance.kernel->has_code_at(frame - 1);
    });
    return own;
}

void Findings::add(
    const KernelInstance& instance,
    Rule rule,
    uint32_t cb,
    uint64_t address,
    const uint64_t* frames,
    uint32_t num_frames,
    const std::string& text,
    const CallPlace& related,
    uint64_t count) {
    if (is_closed_) {
        return;
    }
    Place place{rule, &instance, cb, kernel_frames(instance, frames, num_frames)};
    const auto [found, is_new] = known_.try_emplace(std::move(place), all_.size());
    if (!is_new) {
        all_[found->second].count += count;
        return;
    }
    Finding finding{rule, &instance, cb, address, count, text, std::min(num_frames, kFindingFrames), {}, related};
    std::copy_n(frames, finding.num_frames, finding.frames);
    all_.push_back(std::move(finding));
}

void Findings::take_back(const std::function<bool(const Finding&)>& is_right) {
    std::vector<Finding> before = std::move(all_);
    all_.clear();
    known_.clear();
    for (const Finding& finding : before) {
        if (!is_right(finding)) {
            take(finding);
        }
    }
}

void Findings::take(const Finding& finding) {
    add(*finding.instance,
        finding.rule,
        finding.cb,
        finding.address,
        finding.frames,
        finding.num_frames,
        finding.text,
        finding.related,
        finding.count);
}

static void note_here(
    Findings& findings,
    KernelInstance& instance,
    Rule rule,
    uint32_t cb,
    uint64_t address,
    const CallPlace& related,
    const char* format,
    va_list arguments) {
    char text[1024];
    std::vsnprintf(text, sizeof text, format, arguments);
    if (instance.acts_at != nullptr) {
        const CallPlace& place = *instance.acts_at;
        findings.add(instance, rule, cb, address, place.frames, place.num_frames, text, related);
        return;
    }
    uint64_t frames[kFindingFrames];
    const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    const uint32_t num_frames = walk_frames(*instance.stack, here, frames, kFindingFrames);
    findings.add(instance, rule, cb, address, frames, num_frames, text, related);
}

void note_finding(KernelInstance& instance, Rule rule, uint32_t cb, uint64_t address, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (instance.checks != nullptr) {
        note_here(instance.checks->findings, instance, rule, cb, address, {}, format, arguments);
    } else {
        PlainFindings& plain = instance.scheduler->program.plain_findings;
        const std::lock_guard<std::mutex> lock(plain.mutex);
        note_here(plain.findings, instance, rule, cb, address, {}, format, arguments);
    }
    va_end(arguments);
}

void note_finding_in(
    Findings& findings, KernelInstance& instance, Rule rule, uint32_t cb, uint64_t address, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    note_here(findings, instance, rule, cb, address, {}, format, arguments);
    va_end(arguments);
}

void note_finding_with(
    KernelInstance& instance,
    Rule rule,
    uint32_t cb,
    uint64_t address,
    const CallPlace& related,
    const char* format,
    ...) {
    va_list arguments;
    va_start(arguments, format);
    note_here(instance.checks->findings, instance, rule, cb, address, related, format, arguments);
    va_end(arguments);
}

CallPlace call_place(const KernelInstance& instance) {
    if (instance.acts_at != nullptr) {
        return *instance.acts_at;
    }
    CallPlace place;
    place.instance = &instance;
    const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    place.num_frames = walk_frames(*instance.stack, here, place.frames, kCallPlaceFrames);
    return place;
}

CallPlace waiting_place(KernelInstance& waiting) {
    waiting.note_stack();
    CallPlace place;
    place.instance = &waiting;
    place.num_frames = std::min(waiting.noted.num_frames, kCallPlaceFrames);
    std::copy_n(waiting.noted.frames, place.num_frames, place.frames);
    return place;
}

}  // namespace tw
