// SPDX-License-Identifier: Apache-2.0
#include "check/noc/noc_memory.h"

#include "check/values/values.h"
#include "fabric/fabric.h"

namespace tw {

namespace {

constexpr uint64_t kLargestFlag = 16;  // bytes; anything larger is data, not a flag

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
    if (checks.is_fast) {
        return;
    }
    if (const Core* core = address == 0 ? nullptr : core_at(instance, address)) {
        checks.processors.written(*core, address, static_cast<uint32_t>(bytes));
        checks.stored_pages.landed(*core, address, static_cast<uint32_t>(bytes));
        checks.layouts.written(*core, address, static_cast<uint32_t>(bytes));
    }
}

void release_flag(KernelInstance& instance, uint32_t address, uint64_t bytes) {
    for (uint64_t word = 0; address != 0 && bytes <= kLargestFlag && word < bytes; word += 4) {
        instance.checks->ordering.release(instance, Ordering::word_key(address + static_cast<uint32_t>(word)));
    }
}

void check_remote(KernelInstance& instance, uint32_t address, uint64_t bytes, bool is_write) {
    if (const Core* core = address == 0 ? nullptr : core_at(instance, address)) {
        instance.checks->cb_access.access_remote(instance, *core, address, static_cast<uint32_t>(bytes), is_write);
    }
}

}  // namespace

// L1 of an ethernet core: connections order its use (check/fabric/packet_checks.h).
static bool is_of_router(const KernelInstance& instance, const uint8_t* memory) {
    const Fabric* fabric = instance.scheduler->program.chip.fabric();
    return fabric != nullptr && fabric->holds(memory);
}

void checked::noc_takes(KernelInstance& instance, const uint8_t* from, uint64_t bytes) {
    const uint32_t l1 = slot_pointer(from);
    if (l1 != 0 && bytes <= kLargestFlag && core_at(instance, l1) != instance.core) {  // may poll a flag
        for (uint32_t word = 0; word < bytes; word += 4) {
            instance.checks->ordering.acquire(instance, Ordering::word_key(l1 + word));
        }
    }
    if (instance.checks->is_fast || is_of_router(instance, from)) {
        return;
    }
    const bool is_word = l1 != 0 && bytes == sizeof(uint32_t) && core_at(instance, l1) != instance.core;
    if (!is_word || !instance.checks->history.poll(instance, l1)) {
        instance.checks->history.touch(instance, reinterpret_cast<uintptr_t>(from), bytes, Touch::Read);
    }
}

void checked::noc_puts(KernelInstance& instance, uint8_t* to, uint64_t bytes, const uint8_t* values, bool to_local) {
    if (instance.checks->is_fast || is_of_router(instance, to)) {
        return;
    }
    const uint32_t l1 = slot_pointer(to);
    const bool is_flag = !to_local && l1 != 0 && bytes <= sizeof(uint32_t);
    instance.checks->history.touch(
        instance, reinterpret_cast<uintptr_t>(to), bytes, is_flag ? Touch::Flag : Touch::Write, values);
}

void checked::noc_copied(KernelInstance& instance, uint8_t* to, const uint8_t* from, uint64_t bytes, bool to_local) {
    if (bytes == 0) {
        return;
    }
    Checks& checks = *instance.checks;
    if (!checks.is_fast) {
        checks.processors.finish_copy(instance, checks.findings);
        checks.processors.end_polling(instance);
        checks.work_split.moved(instance, to_local ? from : to, to_local);
    }
    const uint32_t from_l1 = slot_pointer(from), to_l1 = slot_pointer(to);
    const auto size = static_cast<uint32_t>(bytes);
    const bool from_own_core = from_l1 != 0 && core_at(instance, from_l1) == instance.core;
    checks.noc.tensor_transfer(instance, to_local ? from : to, to_local ? to_l1 : from_l1, size, to_local);
    if (from_own_core) {
        checks.cb_access.access(instance, {from_l1, size, false, Accessor::Noc});
        if (!checks.is_fast) {
            checks.stored_pages.sent(instance, from_l1, size);
        }
    }
    if (to_local) {
        check_remote(instance, from_l1, bytes, false);
        checks.cb_access.access(instance, {to_l1, size, true, Accessor::Noc});
    } else {
        check_remote(instance, to_l1, bytes, true);
        if (!checks.is_fast) {
            checks.layouts.drained(instance, from_l1, to, size);
        }
        release_flag(instance, to_l1, bytes);
    }
    if (checks.is_fast) {
        return;
    }
    taint_noc_copy(instance, to, from, bytes, to_local);
    checks.memory.copy(to, from, bytes);
    landed(instance, to_l1, bytes);
    if (to_local) {
        checks.layouts.read_from(instance, to_l1, from, size);
    }
}

void checked::packet_wrote(KernelInstance& instance, uint8_t* to, uint64_t bytes) {
    if (!instance.checks->is_fast) {
        taint_defined(instance, to, bytes);
    }
    const uint32_t to_l1 = slot_pointer(to);
    check_remote(instance, to_l1, bytes, true);
    release_flag(instance, to_l1, bytes);
    landed(instance, to_l1, bytes);
}

void checked::noc_wrote(KernelInstance& instance, uint8_t* to, uint64_t bytes) {
    Checks& checks = *instance.checks;
    if (!checks.is_fast) {
        checks.processors.finish_copy(instance, checks.findings);
        checks.processors.end_polling(instance);
    }
    packet_wrote(instance, to, bytes);
}

}  // namespace tw
