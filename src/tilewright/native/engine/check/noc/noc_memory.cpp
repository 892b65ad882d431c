// SPDX-License-Identifier: Apache-2.0
#include "check/noc/noc_memory.h"

#include "check/values/values.h"

namespace tw {

namespace {

constexpr uint64_t kLargestFlag = 16;  // bytes; what is larger is data, not a flag somebody waits for

uint32_t slot_pointer(const void* memory) {
    const auto address = reinterpret_cast<uintptr_t>(memory);
    return address >> 32 == 0 ? static_cast<uint32_t>(address) : 0;  // DRAM banks lie above
}

const Core* core_at(KernelInstance& instance, uint32_t address) {
    std::vector<Core>& cores = instance.scheduler->program.chip.cores();
    const uint32_t index = address < cores.front().l1_base ? ~0u : (address - cores.front().l1_base) / kL1SlotBytes;
    return index < cores.size() ? &cores[index] : nullptr;
}

void landed(KernelInstance& instance, uint32_t address, uint64_t bytes) {
    Checks& checks = *instance.checks;
    if (const Core* core = address == 0 ? nullptr : core_at(instance, address)) {
        checks.processors.written(*core, address, static_cast<uint32_t>(bytes));
        checks.stored_pages.written(address, static_cast<uint32_t>(bytes));
        checks.layouts.written(*core, address, static_cast<uint32_t>(bytes));
    }
}

void release_flag(KernelInstance& instance, uint32_t address, uint64_t bytes) {
    for (uint64_t word = 0; address != 0 && bytes <= kLargestFlag && word < bytes; word += 4) {
        instance.checks->ordering.release(instance, Ordering::word_key(address + static_cast<uint32_t>(word)));
    }
}

void check_remote_write(KernelInstance& instance, uint32_t address, uint64_t bytes) {
    if (const Core* core = address == 0 ? nullptr : core_at(instance, address)) {
        instance.checks->windows.remote_write(instance, *core, address, static_cast<uint32_t>(bytes));
    }
}

}  // namespace

void noc_copied(KernelInstance& instance, uint8_t* to, const uint8_t* from, uint64_t bytes, bool to_local) {
    if (bytes == 0) {
        return;
    }
    Checks& checks = *instance.checks;
    checks.processors.leaves_copy(instance, checks.findings);
    const uint32_t from_l1 = slot_pointer(from), to_l1 = slot_pointer(to);
    const auto size = static_cast<uint32_t>(bytes);
    const bool from_own_core = from_l1 != 0 && core_at(instance, from_l1) == instance.core;
    if (from_own_core) {
        checks.windows.access(instance, {from_l1, size, false, Accessor::Noc});
        checks.stored_pages.sent(instance, from_l1, size);
    }
    if (to_local) {
        checks.windows.access(instance, {to_l1, size, true, Accessor::Noc});
    } else {
        check_remote_write(instance, to_l1, bytes);
        checks.layouts.drained(instance, from_l1, to, size);
        release_flag(instance, to_l1, bytes);
    }
    taint_noc_copy(instance, to, from, bytes, to_local);
    checks.memory.copy(to, from, bytes);
    landed(instance, to_l1, bytes);
    if (to_local) {
        checks.layouts.read_from(instance, to_l1, from, size);
    }
}

void noc_wrote(KernelInstance& instance, uint8_t* to, uint64_t bytes) {
    Checks& checks = *instance.checks;
    checks.processors.leaves_copy(instance, checks.findings);
    taint_defined(instance, to, bytes);
    const uint32_t to_l1 = slot_pointer(to);
    check_remote_write(instance, to_l1, bytes);
    release_flag(instance, to_l1, bytes);
    landed(instance, to_l1, bytes);
}

}  // namespace tw
