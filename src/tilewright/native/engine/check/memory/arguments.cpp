// SPDX-License-Identifier: Apache-2.0
#include "check/memory/arguments.h"

#include <algorithm>
#include <string>

#include "check/checks.h"
#include "program.h"

namespace tw {

static void mark(std::vector<bool>& read, const uint32_t* values, uint32_t count, uint32_t address, uint32_t bytes) {
    const auto begin = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(values));
    if (address < begin || address >= begin + 4 * count) {
        return;
    }
    read.resize(std::max<size_t>(read.size(), count));
    const uint32_t last = std::min((address + bytes - 1 - begin) / 4, count - 1);
    for (uint32_t index = (address - begin) / 4; index <= last; index++) {
        read[index] = true;
    }
}

// The card's server marks the words of arguments after each launch; one that is still marked was not given. The kernel
// gets a zero: with the mark as a count it would never end.
static void check_written(KernelInstance& instance, uint32_t address) {
    const auto begin = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(instance.context.runtime_args));
    if (address < begin || address >= begin + 4 * instance.context.num_runtime_args) {
        return;
    }
    auto* word = reinterpret_cast<uint32_t*>(uintptr_t{address & ~3u});
    if (*word != wire::kUnwrittenArgument) {
        return;
    }
    *word = 0;
    const uint32_t index = (address - begin) / 4;
    note_finding(
        instance,
        Rule::ArgMissing,
        kNoCircularBuffer,
        0,
        "reads runtime argument %u, which the host did not write on core (%u,%u)",
        index,
        instance.core->x,
        instance.core->y);
}

void ArgumentReads::load(KernelInstance& instance, uint32_t address, uint32_t bytes) {
    const KernelContext& context = instance.context;
    if (instance.kernel->has_arguments_in_l1) {
        check_written(instance, address);
    }
    const auto first = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(context.runtime_args));
    const auto end = static_cast<uint32_t>(
        reinterpret_cast<uintptr_t>(context.common_runtime_args + context.num_common_runtime_args));
    if (address < first || address >= end) {
        return;
    }
    Reads& reads = reads_[instance.kernel];
    mark(reads.runtime, context.runtime_args, context.num_runtime_args, address, bytes);
    mark(reads.common, context.common_runtime_args, context.num_common_runtime_args, address, bytes);
}

// Indices of `count` arguments that were not read, e.g. "runtime 0, 2"; empty if all were.
static std::string unread(const char* kind, const std::vector<bool>& read, uint32_t count) {
    std::string text;
    for (uint32_t index = 0; index < count; index++) {
        if (index >= read.size() || !read[index]) {
            text += (text.empty() ? std::string(kind) + " " : ", ") + std::to_string(index);
        }
    }
    return text;
}

void ArgumentReads::note_unread(const Program& program, Findings& findings) const {
    static const Reads none;
    const Kernel* previous = nullptr;
    for (const auto& instance : program.instances) {
        if (instance->kernel == previous || instance->kernel->has_arguments_in_l1) {
            continue;  // a finding about all cores is made for the first; only the host knows how many it gave
        }
        previous = instance->kernel;
        const auto found = reads_.find(instance->kernel);
        const Reads& reads = found == reads_.end() ? none : found->second;
        const std::string runtime = unread("runtime", reads.runtime, instance->context.num_runtime_args);
        const std::string common = unread("common runtime", reads.common, instance->context.num_common_runtime_args);
        if (!runtime.empty() || !common.empty()) {
            const char* between = runtime.empty() || common.empty() ? "" : " and ";
            const std::string text = "arguments that no core reads: " + runtime + between + common;
            findings.add(*instance, Rule::ArgUnread, kNoCircularBuffer, 0, nullptr, 0, text);
        }
    }
}

}  // namespace tw
