// SPDX-License-Identifier: Apache-2.0
// Vector-unit programs written out in a kernel: with sfpi's vectors, or as raw instructions.
//
// The unit has 16 registers of 32 lanes, flags that say which lanes take part, and a place in DST that loads and stores
// count from. Instructions work on the registers; sfpi's vectors are values of the kernel, and share flags and DST.
#pragma once

#include <cstdint>

// Instructions, in the order of their operands in the assembler.
// clang-format off: a list of names
#define TW_VECTOR_INSTRUCTIONS(X) \
    X(SFPLOAD) X(SFPLOADI) X(SFPSTORE) X(SFPMAD) X(SFPADD) X(SFPMUL) X(SFPADDI) X(SFPMULI) X(SFPDIVP2) X(SFPIADD) \
    X(SFPMOV) X(SFPABS) X(SFPAND) X(SFPOR) X(SFPXOR) X(SFPNOT) X(SFPLZ) X(SFPSHFT) X(SFPSHFT2) X(SFPEXEXP) \
    X(SFPEXMAN) X(SFPSETEXP) X(SFPSETMAN) X(SFPSETSGN) X(SFPCAST) X(SFP_STOCH_RND) X(SFPSWAP) X(SFPTRANSP) \
    X(SFPSETCC) X(SFPENCC) X(SFPCOMPC) X(SFPPUSHC) X(SFPPOPC) X(SFPCONFIG) X(SFPNOP) X(SETRWC) X(INCRWC)
// clang-format on

namespace tw {

#define TW_VECTOR_ENUMERATOR(name) name,
enum class VectorInstruction : uint32_t { TW_VECTOR_INSTRUCTIONS(TW_VECTOR_ENUMERATOR) Count };
#undef TW_VECTOR_ENUMERATOR

inline constexpr uint32_t kVectorLanes = 32;

// How loads and stores take what DST holds; values as in InstrModLoadStore.
enum class VectorLayout : uint32_t {
    Default = 0,
    Float16a = 1,
    Float16b = 2,
    Float32 = 3,
    Int32 = 4,
    Int8 = 5,
    Low16 = 6,
    High16 = 7,
    Low16ToHigh = 9,  // stores only: the low half goes where a packer looks for 16-bit data
    Int32TwosComplement = 12,
    Int8TwosComplement = 13,
    Low16Only = 14,  // the other half of the register, or of DST, stays
    High16Only = 15,
};

// Functions of one vector that programs take from the low-level library.
enum class LaneFunction : uint32_t { Exp, Reciprocal, ApproximateReciprocal, Sigmoid, Log, Sqrt, Rsqrt, Tanh, Log1p };

}  // namespace tw

extern "C" {
void tw_vector_instruction(
    uint32_t instruction, uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e, uint32_t f);
// The next `count` instructions also go into the replay buffer, from `start` on; without `execute` only there.
void tw_vector_record(uint32_t start, uint32_t count, uint32_t execute);
void tw_vector_replay(uint32_t start, uint32_t count);

uint32_t* tw_vector_register(uint32_t index);
uint32_t tw_vector_lanes();  // a bit per lane that takes part
void tw_vector_set_lanes(uint32_t lanes);
// Loads and stores count from here on from row `row` of DST; the counter that goes with them is put back to 0.
void tw_vector_set_base(uint32_t row);
void tw_vector_advance(int32_t rows);  // as INCRWC
void tw_vector_next_face();  // 16 rows on from where the last face began
void tw_vector_address_step(uint32_t modifier, int32_t rows);  // what ADDR_MOD_<modifier> adds to the counter
void tw_vector_address_base(uint32_t on);  // ADDR_MOD_0..3 mean 4..7

void tw_vector_load(uint32_t* lanes, uint32_t layout, int32_t row);
void tw_vector_store(const uint32_t* lanes, uint32_t layout, int32_t row);
void tw_vector_multiply_add(uint32_t* result, const uint32_t* a, const uint32_t* b, const uint32_t* c);
void tw_vector_function(uint32_t function, uint32_t* result, const uint32_t* a);
}
