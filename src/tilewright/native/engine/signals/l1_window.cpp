// SPDX-License-Identifier: Apache-2.0
// Maps a core's L1 at the addresses a card uses.
//
// Kernels hold full slot pointers (chip.h), but an address that comes from the host (of an L1 buffer) is a plain offset.
// The first access through such an address faults. The core's L1 is then mapped there as well, until another core runs.
#include <sys/mman.h>

#include "interrupted.h"
#include "run/run_loop.h"
#include "signals.h"

namespace tw {

// The lowest page a process may map. L1 below it belongs to the firmware and holds no buffer.
static constexpr uintptr_t kWindowBegin = 0x10000;

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
    const size_t index = core->y * chip.config().grid_x + core->x;
    void* wanted = reinterpret_cast<void*>(kWindowBegin);
    void* got = mmap(
        wanted,
        chip.config().l1_bytes - kWindowBegin,
        PROT_READ | PROT_WRITE,
        MAP_SHARED | MAP_FIXED_NOREPLACE,
        chip.memory().files().l1,
        static_cast<off_t>(index * kL1SlotBytes + kWindowBegin));
    if (got != wanted) {
        return false;
    }
    scheduler.window_core = core;
    scheduler.program.shared_l1.cores_met = true;  // the window shows an L1 as one piece
    return true;
}

void hide_l1_window(Scheduler& scheduler) {
    if (scheduler.window_core != nullptr) {
        munmap(reinterpret_cast<void*>(kWindowBegin), scheduler.program.chip.config().l1_bytes - kWindowBegin);
        scheduler.window_core = nullptr;
    }
}

}  // namespace tw
