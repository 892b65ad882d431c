// SPDX-License-Identifier: Apache-2.0
// tt-metal's enumerations as the engine's numbers (abi/tile.h).
#pragma once

#include <cstdint>

#include "ckernel_defs.h"
#include "tw/engine.h"

namespace tw {

constexpr uint32_t code(ckernel::EltwiseBinaryType type) {
    switch (type) {
        case ckernel::EltwiseBinaryType::ELWADD: return static_cast<uint32_t>(BinaryOp::Add);
        case ckernel::EltwiseBinaryType::ELWSUB: return static_cast<uint32_t>(BinaryOp::Sub);
        case ckernel::EltwiseBinaryType::ELWMUL: return static_cast<uint32_t>(BinaryOp::Mul);
        default: tw_kernel_failed("the matrix unit has ELWADD, ELWSUB and ELWMUL");
    }
}
constexpr uint32_t code(ckernel::BroadcastType type) { return static_cast<uint32_t>(type); }
constexpr uint32_t code(ckernel::EltwiseBinaryReuseDestType type) { return static_cast<uint32_t>(type); }
constexpr uint32_t code(ckernel::PoolType type) { return static_cast<uint32_t>(type); }
constexpr uint32_t code(ckernel::ReduceDim dim) { return static_cast<uint32_t>(dim); }
constexpr uint32_t code(ckernel::ReluType type) { return static_cast<uint32_t>(type); }

// Passes the multiplier makes over an operand.
constexpr uint32_t fidelity_phases(ckernel::MathFidelity fidelity) {
    return fidelity == ckernel::MathFidelity::LoFi ? 1 : static_cast<uint32_t>(fidelity);
}

// What an init call leaves in the loops of unpackers, maths and packer; only checked runs look at it.
inline void programs_unpackers(UnpackLoop loop, uint32_t detail, uint32_t cb) {
    tw_unpack_loop(static_cast<uint32_t>(loop), detail, cb);
}
inline void programs_maths(MathLoop loop, uint32_t detail = 0) { tw_math_loop(static_cast<uint32_t>(loop), detail); }
inline void programs_packer(PackLoop loop) { tw_pack_loop(static_cast<uint32_t>(loop)); }

static_assert(code(ckernel::BroadcastType::SCALAR) == static_cast<uint32_t>(Broadcast::Scalar));
static_assert(code(ckernel::EltwiseBinaryReuseDestType::DEST_TO_SRCB) == static_cast<uint32_t>(ReuseDest::ToSrcB));
static_assert(code(ckernel::PoolType::MIN) == static_cast<uint32_t>(Pool::Min));
static_assert(code(ckernel::ReduceDim::REDUCE_SCALAR) == static_cast<uint32_t>(ReduceAxis::Scalar));

}  // namespace tw
