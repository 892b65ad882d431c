// SPDX-License-Identifier: Apache-2.0
// Maps a core's L1 at the addresses a card uses.
//
// Kernels hold full slot pointers (chip.h), but an address that comes from the host (of an L1 buffer) is a plain offset.
// The first access through such an address faults. The core's L1 is then mapped there as well, until another core runs.
// A kernel that had such an access in this run gets the window whenever it goes on: a fault costs more than the mapping.
#include <sys/mman.h>

#include "interrupted.h"
#include "run/run_loop.h"
#include "signals.h"

namespace tw {

// The lowest page a process may map. L1 below it belongs to the firmware and holds no buffer.
static constexpr uintptr_t kWindowBegin = 0x10000;

// `replaces`: another core's L1 may be mapped there.
static bool map_window(Scheduler& scheduler, Core* core, bool replaces) {
    const Chip& chip = scheduler.program.chip;
    const size_t index = core->y * chip.config().grid_x + core->x;
    void* wanted = reinterpret_cast<void*>(kWindowBegin);
    void* got = mmap(
        wanted,
        chip.config().l1_bytes - kWindowBegin,
        PROT_READ | PROT_WRITE,
        MAP_SHARED | (replaces ? MAP_FIXED : MAP_FIXED_NOREPLACE),
        chip.memory().files().l1,
        static_cast<off_t>(index * kL1SlotBytes + kWindowBegin));
    scheduler.window_core = got == wanted ? core : nullptr;
    return got == wanted;
}

bool show_l1_window(Scheduler& scheduler, uintptr_t address) {
    const Chip& chip = scheduler.program.chip;
    if (address < kWindowBegin || address >= chip.config().l1_bytes || scheduler.window_core != nullptr) {
        return false;
    }
    scheduler.program.used_window = true;
    if (scheduler.options.threads > 1) {
        scheduler.team->wait_alone(scheduler);  // there is one window
    }
    Core* core = scheduler.current->core;
    if (!map_window(scheduler, core, false)) {
        return false;
    }
    scheduler.current->uses_window = true;
    scheduler.program.shared_l1.cores_met = true;  // the window shows an L1 as one piece
    return true;
}

// If the window cannot be mapped, the kernel's access faults and is an error.
void move_l1_window(Scheduler& scheduler, const KernelInstance& instance) {
    if (instance.uses_window && scheduler.options.threads == 1) {
        map_window(scheduler, instance.core, scheduler.window_core != nullptr);
    } else {
        hide_l1_window(scheduler);
    }
}

void hide_l1_window(Scheduler& scheduler) {
    if (scheduler.window_core != nullptr) {
        munmap(reinterpret_cast<void*>(kWindowBegin), scheduler.program.chip.config().l1_bytes - kWindowBegin);
        scheduler.window_core = nullptr;
    }
}

}  // namespace tw
