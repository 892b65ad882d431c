// SPDX-License-Identifier: Apache-2.0
// Findings about circular buffers at the end of a run: pages left over, and accesses that were right only by luck.
#include <algorithm>

#include "check/credits/cb_access.h"
#include "program.h"
#include "run/threads.h"

namespace tw {

namespace {

bool takes_pages(const KernelInstance& instance, uint32_t cb) {
    return instance.traffic[cb].wait_calls != 0 || instance.traffic[cb].pop_calls != 0;
}

}  // namespace

void CbAccess::finish(Program& program, Findings& findings) {
    for (const Finding& finding : deferred_.all()) {
        if (finding.instance->core->cb[finding.cb].pushed != 0) {
            findings.take(finding);
        }
    }
    for (const auto& [into, overruns] : overruns_) {
        for (const Finding& finding : overruns.all()) {
            if (finding.instance->core->cb[into].pushed != 0) {
                findings.take(finding);
            }
        }
    }
    for (const Finding& finding : lucky_.all()) {
        const auto& all = finding.instance->core->instances;
        const bool has_other_consumer = std::any_of(all.begin(), all.end(), [&](const KernelInstance* other) {
            return other != finding.instance && takes_pages(*other, finding.cb);
        });
        const bool is_stream = finding.instance->traffic[finding.cb].push_calls > 1 || finding.instance->is_compute();
        if (is_stream && has_other_consumer) {
            findings.take(finding);
        }
    }
    if (program.status.load() == static_cast<int32_t>(RunStatus::Deadlock)) {
        report_stuck_consumers(program, findings);
    }
    for (Core& core : program.chip.cores()) {
        for (uint32_t cb = 0; cb < kMaxCircularBuffers && !core.instances.empty(); cb++) {
            report_page_convention(core, cb, findings);
        }
    }
    if (program.status.load() != static_cast<int32_t>(RunStatus::Ok)) {
        return;
    }
    for (Core& core : program.chip.cores()) {
        for (uint32_t cb = 0; cb < kMaxCircularBuffers && !core.instances.empty(); cb++) {
            const CoreCircularBuffer& buffer = core.cb[cb];
            const bool has_pages = buffer.pushed > buffer.popped;  // more pops than pushes are reported at the pop
            if (buffer.num_pages != 0 && has_pages && !is_tensor(*core.instances.front(), cb)) {
                report_left_over(program, core, cb, findings);
            }
        }
    }
}

// A kernel that waits for ever may have lost its pages to another consumer that was faster.
void CbAccess::report_stuck_consumers(const Program& program, Findings& findings) {
    for (const auto& instance : program.instances) {
        uint32_t cb = kNoCircularBuffer;
        for_each_fiber(*instance, [&](const FiberStatus& each) {
            const bool waits = each.state == InstanceState::Blocked && each.wait_kind == WaitKind::CbWaitFront;
            cb = waits ? each.wait_cb : cb;
        });
        if (cb == kNoCircularBuffer) {
            continue;
        }
        const Window* mine = known_window(*instance, cb);
        for (const KernelInstance* other : instance->core->instances) {
            const Window* theirs = other == instance.get() ? nullptr : known_window(*other, cb);
            if (mine == nullptr || theirs == nullptr || theirs->pop_step == 0 || is_tensor(*instance, cb)) {
                continue;
            }
            char text[160];
            std::snprintf(
                text,
                sizeof text,
                "this kernel waits on c_%u for ever, and %s has popped pages of it",
                cb,
                other->kernel->name.c_str());
            findings.add(*instance, Rule::CbTwoConsumers, cb, 0, mine->wait.frames, mine->wait.num_frames, text);
        }
    }
}

// Every push declares a page for each row of a tile, but writes just the bytes of the tiles compute waits for.
void CbAccess::report_page_convention(const Core& core, uint32_t cb, Findings& findings) {
    const CoreCircularBuffer& buffer = core.cb[cb];
    const KernelInstance *producer = nullptr, *consumer = nullptr;
    for (const KernelInstance* instance : core.instances) {
        producer = instance->traffic[cb].push_calls != 0 ? instance : producer;
        consumer = instance->traffic[cb].wait_calls != 0 ? instance : consumer;
    }
    if (producer == nullptr || consumer == nullptr || producer == consumer || !consumer->is_compute()) {
        return;
    }
    const Window& theirs = *known_window(*producer, cb);
    const uint32_t wanted = consumer->traffic[cb].largest_wait;
    const uint64_t filled = theirs.written_last / buffer.page_bytes;
    const bool counts_rows = theirs.pushes_alike && theirs.pushed_last == buffer.geometry.tile_rows &&
                             buffer.page_bytes == buffer.geometry.tile_bytes;
    if (!counts_rows || theirs.written_last % buffer.page_bytes != 0 || filled != wanted ||
        filled >= theirs.pushed_last) {
        return;
    }
    char text[224];
    std::snprintf(
        text,
        sizeof text,
        "pushes %u pages of c_%u for %llu bytes, which fill %u; %s waits for %u at a time",
        theirs.pushed_last,
        cb,
        static_cast<unsigned long long>(theirs.written_last),
        wanted,
        consumer->kernel->name.c_str(),
        wanted);
    findings.add(*producer, Rule::CbPageConvention, cb, 0, theirs.push.frames, theirs.push.num_frames, text);
}

bool CbAccess::is_read(const Core& core, uint32_t cb) const {
    const bool here = std::any_of(core.instances.begin(), core.instances.end(), [&](const KernelInstance* instance) {
        const Window* theirs = known_window(*instance, cb);
        return theirs != nullptr && theirs->reads;
    });
    return here || ((read_remotely_[core.y * grid_x_ + core.x] >> cb) & 1u) != 0;
}

bool CbAccess::consumed_elsewhere(const Program& program, const Core& core, uint32_t cb) const {
    return std::any_of(program.instances.begin(), program.instances.end(), [&](const auto& instance) {
        const bool same_kernel_here =
            std::any_of(core.instances.begin(), core.instances.end(), [&](const KernelInstance* here) {
                return here->kernel == instance->kernel;
            });
        return same_kernel_here && instance->core->cb[cb].num_pages != 0 && instance->traffic[cb].pop_calls != 0;
    });
}

// Pages left over are fine if no kernel was meant to take them (the host reads them), and for an operand that stays for
// the whole run: pushed, waited for, read repeatedly. The rest of a stream is reported.
void CbAccess::report_left_over(Program& program, Core& core, uint32_t cb, Findings& findings) {
    const CoreCircularBuffer& buffer = core.cb[cb];
    const KernelInstance* producer = nullptr;
    const KernelInstance* consumer = nullptr;
    uint32_t largest_wait = 0, push_calls = 0, wait_calls = 0, pop_calls = 0;
    for (const KernelInstance* instance : core.instances) {
        const CbTraffic& traffic = instance->traffic[cb];
        producer = traffic.push_calls != 0 ? instance : producer;
        consumer = takes_pages(*instance, cb) ? instance : consumer;
        wait_calls += traffic.wait_calls;
        largest_wait = std::max(largest_wait, traffic.largest_wait);
        push_calls += traffic.push_calls;
        pop_calls += traffic.pop_calls;
    }
    // Results that compute leaves for a data-movement kernel must be taken.
    const bool are_results =
        consumer != nullptr && !consumer->is_compute() && producer != nullptr && producer->is_compute();
    const auto left = static_cast<uint32_t>(buffer.occupied());
    const auto pushed = static_cast<unsigned long long>(buffer.pushed);
    char text[256];
    const KernelInstance* culprit = consumer;
    const CallPlace* place = nullptr;
    if (consumer == nullptr) {
        const bool is_elsewhere = producer != nullptr && consumed_elsewhere(program, core, cb);
        const bool may_be_read = program.checks->is_fast || is_read(core, cb);  // a fast check sees no loads
        if (producer == nullptr || (!is_elsewhere && may_be_read)) {
            return;
        }
        culprit = producer;
        place = &known_window(*producer, cb)->push;
        std::snprintf(
            text,
            sizeof text,
            is_elsewhere ? "%u page%s of c_%u %s never taken on this core; the same kernels take them on others"
                         : "%u page%s pushed to c_%u %s never waited for, and no kernel on this core reads the buffer",
            left,
            left == 1 ? "" : "s",
            cb,
            left == 1 ? "is" : "are");
    } else if (buffer.popped != 0) {
        if (!are_results && (pop_calls < 2 || push_calls < 2)) {
            return;  // an operand pushed in whole blocks, of which less was needed
        }
        const Window& theirs = *known_window(*consumer, cb);
        place = theirs.pop_step != 0 ? &theirs.pop : &theirs.wait;
        std::snprintf(text, sizeof text, "%u of the %llu pages pushed to c_%u are never popped", left, pushed, cb);
    } else if (
        buffer.pushed > largest_wait && wait_calls > 1 &&
        ((push_calls > 1 && buffer.pushed - largest_wait >= known_window(*producer, cb)->pushed_last) ||
         static_cast<uint64_t>(wait_calls) * largest_wait == buffer.pushed)) {
        place = &known_window(*consumer, cb)->wait;
        std::snprintf(
            text,
            sizeof text,
            "waits for %u pages of c_%u and never pops: it sees the first pages each time, %u of the %llu pushed are "
            "never reached",
            largest_wait,
            cb,
            static_cast<uint32_t>(buffer.pushed - largest_wait),
            pushed);
    } else if (are_results) {
        place = &known_window(*consumer, cb)->wait;
        std::snprintf(text, sizeof text, "takes %u pages of results from c_%u and never pops them", left, cb);
    } else {
        return;
    }
    findings.add(*culprit, Rule::CbLeftOver, cb, 0, place->frames, place->num_frames, text);
}

}  // namespace tw
