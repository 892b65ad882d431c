// SPDX-License-Identifier: Apache-2.0
// Random numbers: a fixed generator started by the seed of the init call, so that runs repeat. The sequence is not
// the hardware's.
#include "apply.h"
#include "mixing.h"

namespace tw::sfpu {
namespace {

uint32_t next_31_bits(uint64_t& state) { return uint32_t(next_random(state) >> 33); }

// One element after the other: every draw moves the generator on.
template <class Function>
void map_in_order(const Call& call, Function function) {
    uint64_t state = compute_state().random_state;
    for (uint32_t part = 0; part < call.ranges.count; ++part) {
        for (uint32_t i = call.ranges.part[part].begin; i < call.ranges.part[part].end; ++i) {
            call.out[i] = function(call.in[0][i], next_31_bits(state));
        }
    }
    compute_state().random_state = state;
}

}  // namespace

// from + scale * u, u in [0, 1).
void unary_Rand(const Call& call) {
    const Parameters& p = call.parameters;
    map_in_order(call, [&p, kept = dest_bits()](uint32_t, uint32_t random) {
        // 24 bits are exact in a float, so u never rounds up to 1.
        return stored(p.f0 + p.f1 * (float(random >> 7) * 0x1p-24f), kept);
    });
}

// word[0]: the probability of a zero in units of 2^-31; f1: the scale of what stays.
void unary_Dropout(const Call& call) {
    const Parameters& p = call.parameters;
    map_in_order(call, [&p, kept = dest_bits()](uint32_t x, uint32_t random) {
        return random < p.word[0] ? 0u : stored(as_float(x) * p.f1, kept);
    });
}

// To bfloat16, up with the probability of the part cut off.
void unary_StochasticRound(const Call& call) {
    map_in_order(call, [](uint32_t x, uint32_t random) {
        bool is_special = (x & 0x7f800000u) == 0x7f800000u;
        return (is_special ? x : x + (random & 0xffffu)) & 0xffff0000u;
    });
}

}  // namespace tw::sfpu

extern "C" void tw_sfpu_seed(uint32_t seed) {
    tw_sfpu_init(static_cast<uint32_t>(tw::SfpuConstants::None));
    // Seeds next to each other, as neighbouring cores get them, must not give one sequence shifted by a few numbers.
    uint64_t state = seed;
    tw::compute_state().random_state = tw::next_random(state);
}
