// SPDX-License-Identifier: Apache-2.0
// 32 lanes of a vector-unit program, and which of them take part.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "../../../abi/vector_program.h"

namespace sfpi {

struct Lanes {
    alignas(64) std::uint32_t word[tw::kVectorLanes];

    Lanes() : Lanes(std::uint32_t{0}) {}
    explicit Lanes(std::uint32_t value) {
        for (std::uint32_t& each : word) {
            each = value;
        }
    }
    // Lanes that do not take part keep what they hold.
    void take(const Lanes& other) {
        const std::uint32_t lanes = tw_vector_lanes();
        for (std::uint32_t lane = 0; lane < tw::kVectorLanes; lane++) {
            word[lane] = lanes >> lane & 1 ? other.word[lane] : word[lane];
        }
    }
};

template <typename Result, typename Function>
Result map_lanes(const Lanes& a, Function function) {
    Result result;
    for (std::uint32_t lane = 0; lane < tw::kVectorLanes; lane++) {
        result.word[lane] = static_cast<std::uint32_t>(function(a.word[lane]));
    }
    return result;
}
template <typename Result, typename Function>
Result map_lanes(const Lanes& a, const Lanes& b, Function function) {
    Result result;
    for (std::uint32_t lane = 0; lane < tw::kVectorLanes; lane++) {
        result.word[lane] = static_cast<std::uint32_t>(function(a.word[lane], b.word[lane]));
    }
    return result;
}

// What a comparison gives: a bit per lane.
struct vBool {
    std::uint32_t lanes = 0;

    vBool operator&&(const vBool& other) const { return {lanes & other.lanes}; }
    vBool operator||(const vBool& other) const { return {lanes | other.lanes}; }
    vBool operator!() const { return {~lanes}; }
};

template <typename Test>
vBool test_lanes(const Lanes& a, const Lanes& b, Test test) {
    vBool result;
    for (std::uint32_t lane = 0; lane < tw::kVectorLanes; lane++) {
        result.lanes |= static_cast<std::uint32_t>(test(a.word[lane], b.word[lane])) << lane;
    }
    return result;
}

// v_if: every lane goes through every branch, and takes part in one.
class LaneBranch {
public:
    LaneBranch() : outer_(tw_vector_lanes()) {}
    ~LaneBranch() { tw_vector_set_lanes(outer_); }
    LaneBranch(const LaneBranch&) = delete;
    LaneBranch& operator=(const LaneBranch&) = delete;

    void when(const vBool& condition) {
        const std::uint32_t lanes = outer_ & ~taken_ & condition.lanes;
        taken_ |= lanes;
        tw_vector_set_lanes(lanes);
    }
    void otherwise() { tw_vector_set_lanes(outer_ & ~taken_); }
    void narrow(const vBool& condition) { tw_vector_set_lanes(tw_vector_lanes() & condition.lanes); }

private:
    std::uint32_t outer_;
    std::uint32_t taken_ = 0;
};

}  // namespace sfpi

#define v_if(...) \
    { \
        ::sfpi::LaneBranch tw_branch; \
        tw_branch.when(__VA_ARGS__);
#define v_elseif(...) tw_branch.when(__VA_ARGS__);
#define v_else tw_branch.otherwise();
#define v_endif }
#define v_block \
    { \
        ::sfpi::LaneBranch tw_branch;
#define v_endblock }
#define v_and(...) tw_branch.narrow(__VA_ARGS__)
#define sfpi_inline inline
