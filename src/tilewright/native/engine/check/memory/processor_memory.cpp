// SPDX-License-Identifier: Apache-2.0
#include "check/memory/processor_memory.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "check/checks.h"
#include "check/memory/memory_names.h"
#include "program.h"
#include "run/scheduler.h"

namespace tw {

namespace {

constexpr uint32_t kStepBits = 28;
constexpr uint32_t kStepMask = (1u << kStepBits) - 1;
constexpr uint32_t kSemaphoreBytes = 16 * 16;
constexpr Rule kRaceRule = Rule::L1Race;

const void* pointer(uint32_t address) { return reinterpret_cast<const void*>(static_cast<uintptr_t>(address)); }

uint32_t number_on_core(const KernelInstance& instance) {
    const auto& all = instance.core->instances;
    return static_cast<uint32_t>(std::find(all.begin(), all.end(), &instance) - all.begin());
}

}  // namespace

void ProcessorMemory::start(const Program& program) {
    Chip& chip = program.chip;
    kernels_ = std::vector<Kernel>(program.instances.size());
    for (const auto& instance : program.instances) {
        kernels_[instance->number].number = number_on_core(*instance) + 1;
    }
    polling_.clear();
    racing_flags_.clear();
    unreserved_base_ = chip.config().unreserved_base;
    has_cache_ = chip.config().has_l1_cache != 0;
}

void ProcessorMemory::finish(const Program& program, Findings& findings) {
    for (const auto& instance : program.instances) {
        finish_copy(*instance, findings);
    }
    findings.take_back([&](const Finding& finding) {
        return finding.rule == kRaceRule && !racing_flags_.contains(static_cast<uint32_t>(finding.address) & ~3u) &&
               std::any_of(finding.frames, finding.frames + finding.num_frames, [&](uint64_t frame) {
                   return polling_.contains(frame);
               });
    });
}

// Words that order kernels and need no order themselves.
bool ProcessorMemory::is_sync_word(const KernelInstance& instance, uint32_t address) {
    return address - instance.context.semaphore_base < kSemaphoreBytes;
}

void ProcessorMemory::check_alignment(KernelInstance& instance, uint32_t address, uint32_t bytes, bool is_write) {
    const uint32_t alignment = std::min(bytes, 4u);  // a power of two; the processors have 32 bits
    if ((address & (alignment - 1)) != 0) {
        note_finding(
            instance,
            Rule::L1Misaligned,
            kNoCircularBuffer,
            address,
            "%s %u bytes at 0x%x, which is no multiple of %u",
            is_write ? "stores" : "loads",
            bytes,
            address & kL1OffsetMask,
            alignment);
    }
}

// The kernel of a store, if that is another one of the core and the store does not happen before the present step.
const KernelInstance* ProcessorMemory::unordered_storer(const KernelInstance& instance, uint32_t store) const {
    const uint32_t other = store >> kStepBits;
    if (other == 0 || other == kernels_[instance.number].number) {
        return nullptr;
    }
    const KernelInstance& storer = *instance.core->instances[other - 1];
    return ordering_.is_before(storer, store & kStepMask, instance) ? nullptr : &storer;
}

void ProcessorMemory::check_order(KernelInstance& instance, uint32_t address, uint32_t bytes, bool is_write) {
    for (uint32_t word = address & ~3u; word < address + bytes; word += 4) {
        if (const KernelInstance* storer = unordered_storer(instance, last_stores_.word(word))) {
            note_finding(
                instance,
                kRaceRule,
                circular_buffer_at(*instance.core, address),
                address,
                "%s a word of %s that %s has stored to, and nothing orders the two",
                is_write ? "stores to" : "loads",
                l1_place_name(*instance.core, word).c_str(),
                storer->kernel->name.c_str());
        }
    }
}

void ProcessorMemory::look(KernelInstance& instance, uint32_t address, uint32_t bytes, uintptr_t instruction) {
    Kernel& kernel = kernels_[instance.number];
    uint32_t value = 0;
    std::memcpy(&value, pointer(address), bytes);
    Look* last = std::find_if(
        std::begin(kernel.looks), std::end(kernel.looks), [&](const Look& each) { return each.address == address; });
    if (last == std::end(kernel.looks)) {
        last = &kernel.looks[kernel.next_look++ % kLooks];
        *last = {address, value, instruction, 0};
    } else if (last->instruction == instruction && last->value != value) {
        polling_.insert({instruction, last->first});
    }
    last->value = value;
    last->instruction = instruction;
    const uint32_t word = address & ~3u;
    const KernelInstance* storer = unordered_storer(instance, last_stores_.word(word));
    if (storer != nullptr && !polling_.contains(instruction)) {
        if (kernel.tried.insert(instruction).second) {
            show_replaced(instance, word);
            std::memcpy(&last->value, pointer(address), bytes);
        }
    } else if (storer != nullptr) {
        if (unordered_storer(instance, first_stores_.word(word)) != nullptr) {
            check_order(instance, address, bytes, false);
            racing_flags_.insert(word);
        }
        ordering_.acquire_step(instance, *storer, last_stores_.word(word) & kStepMask);
        instance.checks->threads.synchronised(instance);
    }
}

static uint32_t& word_at(uint32_t address) { return *reinterpret_cast<uint32_t*>(uintptr_t{address}); }

void ProcessorMemory::show_replaced(KernelInstance& instance, uint32_t word) {
    kernels_[instance.number].shown = {word, word_at(word)};
    word_at(word) = replaced_.word(word);
}

void ProcessorMemory::restore_shown(const KernelInstance& instance) {
    Shown& shown = kernels_[instance.number].shown;
    if (shown.address != 0) [[unlikely]] {
        word_at(shown.address) = shown.value;
        shown = {};
    }
}

void ProcessorMemory::load(
    KernelInstance& instance, uint32_t address, uint32_t bytes, bool is_typed, bool is_right, uintptr_t instruction) {
    if (is_typed) {
        check_alignment(instance, address, bytes, false);
    }
    if ((address & kL1OffsetMask) < unreserved_base_) {
        if (is_sync_word(instance, address)) {
            ordering_.acquire(instance, Ordering::word_key(address));
        }
        return;
    }
    Kernel& kernel = kernels_[instance.number];
    if (kernel.undefined) {
        finish_copy(instance, instance.checks->findings);
    }
    if (instruction != 0 && bytes <= 4) {
        look(instance, address, bytes, instruction);
    }
    if (is_right) {
        check_order(instance, address, bytes, false);
    }
    if (has_cache_ && kernel.cache.load(address)) {
        note_finding(
            instance,
            Rule::L1StaleCache,
            circular_buffer_at(*instance.core, address),
            address,
            "loads %s again after another unit wrote there, with no invalidate_l1_cache since its first load",
            l1_place_name(*instance.core, address).c_str());
    }
    if (is_right && memory_.all_undefined(pointer(address), bytes) && !memory_.any_padding(pointer(address), bytes)) {
        note_undefined(instance, address, bytes);
    }
}

void ProcessorMemory::note_undefined(KernelInstance& instance, uint32_t address, uint32_t bytes) {
    const auto* memory = static_cast<const uint8_t*>(pointer(address));
    const CallPlace place = call_place(instance);
    const uint32_t cb = circular_buffer_at(*instance.core, address);
    Finding finding{Rule::L1Uninitialised, &instance, cb, address, 1, {}, place.num_frames, {}, {}};
    std::copy_n(place.frames, place.num_frames, finding.frames);
    char text[128];
    std::snprintf(
        text,
        sizeof text,
        "loads %u bytes of %s that have not been written since the program began",
        bytes,
        l1_place_name(*instance.core, address).c_str());
    finding.text = text;
    kernels_[instance.number].undefined = {address, bytes, std::move(finding), {memory, memory + bytes}, 0};
}

void ProcessorMemory::finish_copy(KernelInstance& instance, Findings& findings) {
    Kernel& kernel = kernels_[instance.number];
    if (!kernel.undefined) {
        return;
    }
    const UndefinedLoad& load = *kernel.undefined;
    if (load.stored_to == 0) {
        findings.take(load.finding);
    } else if (std::memcmp(pointer(load.stored_to), load.loaded.data(), load.bytes) != 0) {
        findings.take(load.finding);
        memory_.define(pointer(load.stored_to), load.bytes);
    }
    kernel.undefined.reset();
}

void ProcessorMemory::store(KernelInstance& instance, uint32_t address, uint32_t bytes, bool is_typed, bool is_right) {
    if (is_typed) {
        check_alignment(instance, address, bytes, true);
    }
    Kernel& kernel = kernels_[instance.number];
    end_polling(instance);
    bool was_undefined = false;
    if (kernel.undefined && kernel.undefined->bytes == bytes && kernel.undefined->stored_to == 0) {
        was_undefined = memory_.all_undefined(pointer(address), bytes);
        memory_.copy(pointer(address), pointer(kernel.undefined->address), bytes);
        kernel.undefined->stored_to = address;
    } else {
        if (kernel.undefined) {
            finish_copy(instance, instance.checks->findings);
        }
        if (bytes == 4) {
            was_undefined = memory_.define_store(pointer(address), bytes);
        } else {
            memory_.define(pointer(address), bytes);
        }
    }
    if (has_cache_) {
        for (const KernelInstance* other : instance.core->instances) {
            if (other != &instance) {
                kernels_[other->number].cache.written(address, bytes);
            }
        }
    }
    if (is_sync_word(instance, address)) {
        ordering_.release(instance, Ordering::word_key(address));
    } else if ((address & kL1OffsetMask) >= unreserved_base_) {
        if (is_right) {
            check_order(instance, address, bytes, true);
        }
        const uint32_t first = address & ~3u, count = (address + bytes - first + 3) / 4;
        const uint32_t store = kernel.number << kStepBits | (ordering_.now(instance.number) & kStepMask);
        if (count == 1) {
            replaced_.set(first, 1, word_at(first));
            if (was_undefined && first_stores_.word(first) == 0) {
                first_stores_.set(first, 1, store);
            }
        }
        last_stores_.set(first, count, store);
    }
}

void ProcessorMemory::written(const Core& core, uint32_t address, uint32_t bytes) {
    for (const KernelInstance* instance : core.instances) {
        if (has_cache_) {
            kernels_[instance->number].cache.written(address, bytes);
        }
    }
    last_stores_.forget(address, bytes);
}

void ProcessorMemory::end_polling(const KernelInstance& instance) {
    Kernel& kernel = kernels_[instance.number];
    std::fill(std::begin(kernel.looks), std::end(kernel.looks), Look{});
}

void ProcessorMemory::invalidate_cache(KernelInstance& instance) { kernels_[instance.number].cache.invalidate(); }

}  // namespace tw
