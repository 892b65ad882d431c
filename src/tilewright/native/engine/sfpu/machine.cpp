// SPDX-License-Identifier: Apache-2.0
// Common parts of vector programs: access to DST, lane flags, recorded instructions.
//
// A vector is four rows of a face, its even or its odd columns: bit 1 of a row number selects which, the bits above
// select the group of four rows. A word of DST here holds a float or an integer in 32 bits. A card's 16-bit DST has
// only 16: those of a float are the upper half of our word, those of an integer the lower half.
#include "machine.h"

#include <bit>
#include <cmath>

#include "functions.h"
#include "registers.h"
#include "tile/dst.h"
#include "vector.h"

namespace tw::sfpu {

Machine::Machine() {
    for (auto& lanes : registers) {
        for (uint32_t& word : lanes) {
            word = 0;
        }
    }
    for (uint32_t lane = 0; lane < kVectorLanes; ++lane) {
        registers[kFirstConstant][lane] = as_bits(0.8373f);
        registers[kOne][lane] = as_bits(1.0f);
        registers[kMinusOne][lane] = as_bits(-1.0f);
        registers[kTileId][lane] = 2 * lane;
    }
}

Machine& machine() { return compute_state().vector_machine; }

namespace {

struct Place {
    uint32_t* words;
    uint32_t first;

    uint32_t& at(uint32_t lane) const { return words[first + raw_element(lane)]; }
};

Place place_of(int32_t row) {
    const Machine& unit = machine();
    const uint32_t address = unit.base_row + static_cast<uint32_t>(unit.row + row);
    constexpr uint32_t kTileRows = 64;  // of 16 data
    return {dst_for_sfpu(address / kTileRows), (address % kTileRows & ~3u) * 16 + (address >> 1 & 1)};
}

// The 16 bits that a card's DST has of a word, as a float and as an integer.
uint32_t half_of(uint32_t word) { return word >> 16 != 0 ? word >> 16 : word; }
uint32_t integer_half_of(uint32_t word) { return word >> 16 != 0 ? integer_of_bfloat16(word >> 16) : word; }

uint32_t from_sign_and_magnitude(uint32_t word) {
    const uint32_t magnitude = word & 0x7fffffffu;
    return word >> 31 != 0 ? 0u - magnitude : magnitude;
}
uint32_t to_sign_and_magnitude(uint32_t word) { return word >> 31 != 0 ? 0x80000000u | (0u - word) : word; }

uint32_t word_loaded(uint32_t word, uint32_t before, VectorLayout layout, bool wide) {
    switch (layout) {
        case VectorLayout::Default:
        case VectorLayout::Float16a:
        case VectorLayout::Float16b:
        case VectorLayout::Float32: return wide ? word : half_of(word) << 16;
        case VectorLayout::Int32:
        case VectorLayout::Int8: return word;
        case VectorLayout::Int32TwosComplement:
        case VectorLayout::Int8TwosComplement: return from_sign_and_magnitude(word);
        case VectorLayout::Low16: return wide ? word & 0xffffu : integer_half_of(word);
        case VectorLayout::High16: return wide ? word & 0xffff0000u : half_of(word) << 16;
        case VectorLayout::Low16Only: return (before & 0xffff0000u) | (wide ? word & 0xffffu : integer_half_of(word));
        case VectorLayout::High16Only: return (before & 0xffffu) | (wide ? word & 0xffff0000u : half_of(word) << 16);
        default: break;
    }
    kernel_error("SFPLOAD with layout %u is not modelled", static_cast<uint32_t>(layout));
}

uint32_t without_denormal(uint32_t word) { return (word & 0x7f800000u) == 0 ? word & 0x80000000u : word; }

uint32_t word_to_store(uint32_t word, uint32_t before, VectorLayout layout, bool wide) {
    switch (layout) {
        case VectorLayout::Default:
        case VectorLayout::Float16a:
        case VectorLayout::Float16b:
            return wide && layout == VectorLayout::Default ? word : without_denormal(word) & 0xffff0000u;
        case VectorLayout::Float32: return wide ? word : without_denormal(word) & 0xffff0000u;
        case VectorLayout::Int32:
        case VectorLayout::Int8: return word;
        case VectorLayout::Int32TwosComplement:
        case VectorLayout::Int8TwosComplement: return to_sign_and_magnitude(word);
        case VectorLayout::Low16:
        case VectorLayout::Low16ToHigh: return word & 0xffffu;
        case VectorLayout::High16: return word & 0xffff0000u;
        case VectorLayout::Low16Only: return wide ? (before & 0xffff0000u) | (word & 0xffffu) : word & 0xffffu;
        case VectorLayout::High16Only: return wide ? (before & 0xffffu) | (word & 0xffff0000u) : word & 0xffff0000u;
    }
    kernel_error("SFPSTORE with layout %u is not modelled", static_cast<uint32_t>(layout));
}

}  // namespace

void load_vector(Lanes& lanes, VectorLayout layout, int32_t row) {
    const Place place = place_of(row);
    const bool wide = compute_state().fp32_dest != 0;
    const uint32_t enabled = machine().lanes();
    for (uint32_t lane = 0; lane < kVectorLanes; ++lane) {
        if (enabled >> lane & 1) {
            lanes[lane] = word_loaded(place.at(lane), lanes[lane], layout, wide);
        }
    }
}

void store_vector(const Lanes& lanes, uint32_t enabled, VectorLayout layout, int32_t row) {
    const Place place = place_of(row);
    const bool wide = compute_state().fp32_dest != 0;
    if (!wide && (layout == VectorLayout::Low16 || layout == VectorLayout::Low16Only)) {
        compute_state().scratch[kHasIntegers] = 1;
    }
    for (uint32_t lane = 0; lane < kVectorLanes; ++lane) {
        if (enabled >> lane & 1) {
            place.at(lane) = word_to_store(lanes[lane], place.at(lane), layout, wide);
        }
    }
}

void multiply_add(Lanes& result, const Lanes& a, const Lanes& b, const Lanes& c) {
    for (uint32_t lane = 0; lane < kVectorLanes; ++lane) {
        const float x = as_float(without_denormal(a[lane])), y = as_float(without_denormal(b[lane]));
        const uint32_t sum = as_bits(std::fma(x, y, as_float(without_denormal(c[lane]))));
        result[lane] = (sum & 0x7f800000u) == 0 ? 0 : sum;
    }
}

namespace {

template <class Function>
void map_lanes(uint32_t* result, const uint32_t* a, Function function) {
    for (uint32_t lane = 0; lane < kVectorLanes; lane += kLanes) {
        store(result + lane, words_of(function(floats_of(load(a + lane)))));
    }
}

// 7 bits of a reciprocal, as the table of the approximate instruction has.
float coarse_reciprocal(float x) {
    if (x == 0.0f) {
        return std::copysign(kInfinity, x);
    }
    return as_float((as_bits(1.0f / x) + 0x8000u) & 0xffff0000u);
}

}  // namespace
}  // namespace tw::sfpu

using namespace tw;
using namespace tw::sfpu;

extern "C" {

void tw_vector_instruction(
    uint32_t instruction, uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e, uint32_t f) {
    TW_VECTOR_PROGRAM
    Machine& unit = machine();
    const Instruction issued{VectorInstruction(instruction), {a, b, c, d, e, f}};
    if (unit.record_left != 0) {
        unit.replay[unit.record_next++ % kReplaySlots] = issued;
        unit.record_left--;
        if (!unit.record_executes) {
            return;
        }
    }
    execute(unit, issued);
}

void tw_vector_record(uint32_t start, uint32_t count, uint32_t executes) {
    TW_VECTOR_PROGRAM
    Machine& unit = machine();
    unit.record_next = start;
    unit.record_left = count;
    unit.record_executes = executes != 0;
}

void tw_vector_replay(uint32_t start, uint32_t count) {
    TW_VECTOR_PROGRAM
    Machine& unit = machine();
    for (uint32_t i = start; i < start + count; ++i) {
        execute(unit, unit.replay[i % kReplaySlots]);
    }
}

uint32_t* tw_vector_register(uint32_t index) { return machine().registers[index % kMachineRegisters]; }
uint32_t tw_vector_lanes() { return machine().lanes(); }
void tw_vector_set_lanes(uint32_t lanes) { machine().flags = lanes; }

void tw_vector_set_base(uint32_t row) {
    TW_VECTOR_PROGRAM
    Machine& unit = machine();
    unit.base_row = row;
    unit.row = unit.face_row = 0;
}
void tw_vector_advance(int32_t rows) { machine().row += rows; }
void tw_vector_next_face() {
    TW_VECTOR_PROGRAM
    Machine& unit = machine();
    unit.face_row += 16;
    unit.row = unit.face_row;
}
void tw_vector_address_step(uint32_t modifier, int32_t rows) {
    TW_VECTOR_PROGRAM
    machine().address_step[modifier % kAddressModifiers] = rows;
}
void tw_vector_address_base(uint32_t on) { machine().upper_modifiers = on != 0; }

void tw_vector_load(uint32_t* lanes, uint32_t layout, int32_t row) {
    TW_VECTOR_PROGRAM
    // A value of the kernel: disabled lanes get DST's contents as well, which no instruction uses.
    Machine& unit = machine();
    const bool uses_flags = unit.uses_flags;
    unit.uses_flags = false;
    load_vector(*reinterpret_cast<Lanes*>(lanes), VectorLayout(layout), row);
    unit.uses_flags = uses_flags;
}
void tw_vector_store(const uint32_t* lanes, uint32_t layout, int32_t row) {
    TW_VECTOR_PROGRAM
    store_vector(*reinterpret_cast<const Lanes*>(lanes), machine().lanes(), VectorLayout(layout), row);
}
void tw_vector_multiply_add(uint32_t* result, const uint32_t* a, const uint32_t* b, const uint32_t* c) {
    multiply_add(
        *reinterpret_cast<Lanes*>(result),
        *reinterpret_cast<const Lanes*>(a),
        *reinterpret_cast<const Lanes*>(b),
        *reinterpret_cast<const Lanes*>(c));
}

void tw_vector_function(uint32_t function, uint32_t* result, const uint32_t* a) {
    switch (LaneFunction(function)) {
        case LaneFunction::Exp: return map_lanes(result, a, [](Floats x) { return exp(x); });
        case LaneFunction::Reciprocal: return map_lanes(result, a, [](Floats x) { return 1.0f / x; });
        case LaneFunction::Sigmoid: return map_lanes(result, a, [](Floats x) { return sigmoid(x); });
        case LaneFunction::Log: return map_lanes(result, a, [](Floats x) { return log(x); });
        case LaneFunction::Log1p: return map_lanes(result, a, [](Floats x) { return log1p(x); });
        case LaneFunction::Sqrt: return map_lanes(result, a, [](Floats x) { return square_root(x); });
        case LaneFunction::Rsqrt: return map_lanes(result, a, [](Floats x) { return reciprocal_square_root(x); });
        case LaneFunction::Tanh: return map_lanes(result, a, [](Floats x) { return tanh(x); });
        case LaneFunction::ApproximateReciprocal:
            for (uint32_t lane = 0; lane < kVectorLanes; ++lane) {
                result[lane] = as_bits(coarse_reciprocal(as_float(a[lane])));
            }
            return;
    }
    kernel_error("function %u of a vector is not modelled", function);
}
}
