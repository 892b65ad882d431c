// SPDX-License-Identifier: Apache-2.0
#include "noc_refusals.h"

#include "check/findings.h"
#include "core.h"
#include "run/scheduler.h"

namespace tw {

// The worker core at a place of the grid; null: the grid ends before.
static const Core* core_at_logical(uint32_t x, uint32_t y) {
    for (const Core& core : this_scheduler()->program.chip.cores()) {
        if (core.x == x && core.y == y) {
            return &core;
        }
    }
    return nullptr;
}

void stop_at_no_node(uint32_t x, uint32_t y, const char* call) {
    if (const Core* core = core_at_logical(x, y)) {
        kernel_error(
            "%s: nothing answers at NoC coordinates (%u,%u). The logical core (%u,%u) has NoC coordinates (%u,%u): "
            "device.worker_core_from_logical_core gives them on the host, my_x and my_y in the kernel",
            call,
            x,
            y,
            x,
            y,
            core->noc_x,
            core->noc_y);
    }
    kernel_error("%s: nothing answers at NoC coordinates (%u,%u)", call, x, y);
}

void refuse_multicast_address(uint64_t address, const char* call) {
    const NocRectangle rectangle(address);
    rule_error(
        Rule::NocMulticastAddress,
        "%s is for one core, and the address is a multicast's, of the rectangle (%u,%u)-(%u,%u)",
        call,
        rectangle.left(),
        rectangle.top(),
        rectangle.right(),
        rectangle.bottom());
}

void stop_at_no_rectangle(uint64_t address, const char* call) {
    Chip& chip = this_scheduler()->program.chip;
    const NocRectangle rectangle(address);
    if (rectangle.x_start == 0 && rectangle.y_start == 0 && chip.node(0, 0).core == nullptr &&
        chip.node(rectangle.x_end, rectangle.y_end).core != nullptr) {
        rule_error(
            Rule::NocMulticastAddress,
            "%s is for a rectangle of cores, and the address is that of core (%u,%u) alone",
            call,
            rectangle.x_end,
            rectangle.y_end);
    }
    bool has_core = false;
    rectangle.for_each_core(chip, [&](const Core&, uint32_t, uint32_t) { has_core = true; });
    if (has_core) {
        return;
    }
    const Core* first = core_at_logical(rectangle.left(), rectangle.top());
    const Core* last = core_at_logical(rectangle.right(), rectangle.bottom());
    if (first != nullptr && last != nullptr) {
        rule_error(
            Rule::NocMulticastNoReceiver,
            "%s: no worker core in the rectangle (%u,%u)-(%u,%u). The logical cores (%u,%u)-(%u,%u) have NoC "
            "coordinates (%u,%u)-(%u,%u): device.worker_core_from_logical_core gives them on the host",
            call,
            rectangle.left(),
            rectangle.top(),
            rectangle.right(),
            rectangle.bottom(),
            first->x,
            first->y,
            last->x,
            last->y,
            first->noc_x,
            first->noc_y,
            last->noc_x,
            last->noc_y);
    }
    rule_error(
        Rule::NocMulticastNoReceiver,
        "%s: no worker core in the rectangle (%u,%u)-(%u,%u)",
        call,
        rectangle.left(),
        rectangle.top(),
        rectangle.right(),
        rectangle.bottom());
}

}  // namespace tw
