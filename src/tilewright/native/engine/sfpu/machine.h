// SPDX-License-Identifier: Apache-2.0
// The vector unit as vector programs in a kernel use it: registers, lane flags, the position in DST.
#pragma once

#include <cstdint>

#include "abi/vector_program.h"

namespace tw::sfpu {

using Lanes = uint32_t[kVectorLanes];

struct Instruction {
    VectorInstruction code = VectorInstruction::SFPNOP;
    uint32_t operand[6] = {};
};

// Registers with a fixed meaning.
enum MachineRegister : uint32_t { kFirstConstant = 8, kZero = 9, kOne = 10, kMinusOne = 11, kTileId = 15 };
inline constexpr uint32_t kMachineRegisters = 16;
inline constexpr uint32_t kFlagStack = 8;
inline constexpr uint32_t kReplaySlots = 32;
inline constexpr uint32_t kAddressModifiers = 8;

struct Machine {
    Machine();

    alignas(64) Lanes registers[kMachineRegisters];
    uint32_t flags = ~0u;      // a bit per lane
    bool uses_flags = true;    // otherwise every lane takes part
    uint32_t index_lanes = 0;     // a swap of two of registers 0..3 swaps their partners in 4..7 as well
    uint32_t reversed_lanes = 0;  // the decision to swap is inverted
    uint32_t flag_stack[kFlagStack] = {};
    uint32_t depth = 0;
    uint32_t base_row = 0;     // of DST
    int32_t row = 0;           // counter added to it
    int32_t face_row = 0;      // where it goes back to
    int32_t address_step[kAddressModifiers] = {};
    bool upper_modifiers = false;
    Instruction replay[kReplaySlots];
    uint32_t record_next = 0, record_left = 0;
    bool record_executes = false;

    uint32_t lanes() const { return uses_flags ? flags : ~0u; }
};

Machine& machine();

// One vector of DST: four rows, the even or the odd columns of a face. `row` counts from the machine's place in DST.
void load_vector(Lanes& lanes, VectorLayout layout, int32_t row);
void store_vector(const Lanes& lanes, uint32_t enabled, VectorLayout layout, int32_t row);

// a * b + c as the unit does it: fused, rounded to nearest even, denormals are zero, no negative zero as a result.
void multiply_add(Lanes& result, const Lanes& a, const Lanes& b, const Lanes& c);

void execute(Machine& machine, const Instruction& instruction);

}  // namespace tw::sfpu
