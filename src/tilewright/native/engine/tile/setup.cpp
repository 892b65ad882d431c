// SPDX-License-Identifier: Apache-2.0
// Settings of unpackers, packer and DST made by start-up and reconfig calls.
#include "abi/tile.h"

#include "check/compute/operands.h"
#include "check/hooks.h"
#include "dst.h"
#include "formats.h"
#include "run/threads.h"

using namespace tw;

namespace {

bool same_geometry(const TileGeometry& one, const TileGeometry& other) {
    return one.num_faces == other.num_faces && one.face_rows == other.face_rows && one.tile_rows == other.tile_rows &&
           one.tile_cols == other.tile_cols;
}

bool same_source(uint32_t one, uint32_t other) {
    const TileGeometry& a = tile_geometry(one);
    const TileGeometry& b = tile_geometry(other);
    return a.format == b.format && same_geometry(a, b);
}

}  // namespace

extern "C" {

void tw_hw_startup(uint32_t cb_src_a, uint32_t cb_src_b, uint32_t cb_out) {
    ComputeState& state = compute_state();
    KernelInstance& instance = current_instance();
    if (instance.split != nullptr) [[unlikely]] {  // the math thread lets the packer finish first
        wait_on(instance, kMathThread, WaitKind::DstFree, [&] { return instance.split->committed == 0; }, 1);
    }
    if (runs_on(instance, kMathThread)) {
        on_section(instance, SectionStep::Started);
    }
    state.src_a = tile_geometry(cb_src_a);
    state.src_b = tile_geometry(cb_src_b);
    state.pack = tile_geometry(cb_out);
    if (!state.started) {
        clear_dst(state);
    }
    state.started = 1;
    state.copy_transpose = 0;
    state.pack_relu_mode = 0;
    state.pack_l1_accumulate = 0;
    state.scratch[kReduceMask] = 0;
    tw_unpack_shape_a(cb_src_a);
    tw_unpack_shape_b(cb_src_b);
    tw_pack_loop(static_cast<uint32_t>(PackLoop::Default));
}

// Harmless before the start-up, which sets all of this again.
void tw_reconfig_src_a(uint32_t cb) { compute_state().src_a = tile_geometry(cb); }
void tw_reconfig_src_b(uint32_t cb) { compute_state().src_b = tile_geometry(cb); }
void tw_reconfig_pack(uint32_t cb) { compute_state().pack = tile_geometry(cb); }

void tw_reconfig_src_a_if_different(uint32_t from_cb, uint32_t to_cb) {
    if (!same_source(from_cb, to_cb)) {
        tw_reconfig_src_a(to_cb);
    }
}

void tw_reconfig_src_b_if_different(uint32_t from_cb, uint32_t to_cb) {
    if (!same_source(from_cb, to_cb)) {
        tw_reconfig_src_b(to_cb);
    }
}

void tw_reconfig_pack_if_different(uint32_t from_cb, uint32_t to_cb) {
    if (tile_geometry(from_cb).format != tile_geometry(to_cb).format) {
        tw_reconfig_pack(to_cb);
    }
}

void tw_set_fp32_dest(uint32_t on) { compute_state().fp32_dest = on != 0; }

void tw_pack_relu_config(uint32_t mode, uint32_t threshold_bits) {
    ComputeState& state = compute_state();
    if (mode > 3) {
        kernel_error("pack_relu_config: mode %u, but only 0 (none), 1 (zero), 2 (minimum), 3 (maximum) exist", mode);
    }
    state.pack_relu_mode = static_cast<uint8_t>(mode);
    if (threshold_bits > 0xffffu) {
        kernel_error(
            "pack_relu_config: threshold 0x%x, but the register has 16 bits and keeps the lower ones; give a "
            "bfloat16's",
            threshold_bits);
    }
    state.pack_relu_threshold = threshold_bits << 16;
}

void tw_pack_l1_accumulate(uint32_t on) { compute_state().pack_l1_accumulate = on != 0; }

void tw_pack_reduce_mask(uint32_t axis) { compute_state().scratch[kReduceMask] = 1 + axis; }
void tw_pack_reduce_mask_clear() { compute_state().scratch[kReduceMask] = 0; }
}
