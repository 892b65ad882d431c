// SPDX-License-Identifier: Apache-2.0
// Enumerations of the compute API. Names and values as in tt-metal; the engine's own (abi/tile.h) match where they can.
#pragma once

#include <cstdint>

#include "tensix_types.h"

namespace ckernel {

enum class VectorMode : std::uint8_t { None = 0, R = 1, C = 2, RC = 4, RC_custom = 6, Invalid = 0xFF };
enum class ReduceDim : std::uint8_t { REDUCE_ROW, REDUCE_COL, REDUCE_SCALAR };
enum class PoolType : std::uint8_t { SUM, AVG, MAX, MIN };
enum class DataCopyType : std::uint8_t { A2D, B2D };
enum class EltwiseBinaryType : std::uint8_t { ELWMUL, ELWDIV, ELWADD, ELWSUB, ELWLESS };
enum class EltwiseBinaryReuseDestType { NONE = 0, DEST_TO_SRCA = 1, DEST_TO_SRCB = 2 };
enum class DstSync : std::uint8_t { SyncHalf = 0, SyncFull = 1 };
enum class BroadcastType : std::uint8_t { NONE = 0, COL = 1, ROW = 2, SCALAR = 3 };
enum class Transpose : std::uint8_t { None = 0, IntraFace = 1, InterFace = 2, Both = 3 };
enum class MathFidelity : std::uint8_t { LoFi = 0, HiFi2 = 2, HiFi3 = 3, HiFi4 = 4 };
enum class StochRndType : std::uint8_t { None = 0, Fpu = 1, Pack = 2, All = 0xf };
enum class ReluType : std::uint8_t { NO_RELU = 0, ZERO_RELU, MIN_THRESHOLD_RELU, MAX_THRESHOLD_RELU };

constexpr bool UnpackToDestEn = true;
constexpr bool UnpackToDestDis = false;

// What the packer does to values below (or above) a threshold on their way out of DST.
struct ReluConfig {
    static constexpr ReluConfig none() { return {ReluType::NO_RELU, 0}; }
    static constexpr ReluConfig zero() { return {ReluType::ZERO_RELU, 0}; }
    static constexpr ReluConfig min_threshold(std::uint32_t bits) { return {ReluType::MIN_THRESHOLD_RELU, bits}; }
    static constexpr ReluConfig max_threshold(std::uint32_t bits) { return {ReluType::MAX_THRESHOLD_RELU, bits}; }
    // The register's own layout: mode in the low two bits, threshold in the upper half.
    static constexpr ReluConfig from_packed(std::uint32_t packed) {
        return {static_cast<ReluType>(packed & 0x3), packed >> 16};
    }

    constexpr ReluType get_mode() const { return mode; }
    constexpr std::uint32_t get_threshold() const { return threshold; }

private:
    constexpr ReluConfig(ReluType relu_mode, std::uint32_t bits) : mode(relu_mode), threshold(bits) {}

    ReluType mode;
    std::uint32_t threshold;
};

// How the SFPU reads and writes a DST datum.
enum class InstrModLoadStore {
    DEFAULT = 0,
    FP16A = 1,
    FP16B = 2,
    FP32 = 3,
    INT32 = 4,
    INT8 = 5,
    LO16 = 6,
    HI16 = 7,
    INT32_2S_COMP = 12,
    INT8_2S_COMP = 13,
    LO16_ONLY = 14,
    HI16_ONLY = 15
};

}  // namespace ckernel
