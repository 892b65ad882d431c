// SPDX-License-Identifier: Apache-2.0
// The vector unit's instructions, executed lane by lane.
//
// Operands are numbered as in the assembler: an immediate, the register read (C), the register written (D), a mode;
// arithmetic reads three registers (A, B, C). Lanes whose flag is off keep their value. Conversions between floats and
// integers use sign and magnitude.
#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "instruction_values.h"
#include "machine.h"
#include "registers.h"

namespace tw::sfpu {
namespace {

class Executor {
public:
    Executor(Machine& machine, const Instruction& instruction) :
        machine_(machine), operand_(instruction.operand), lanes_(machine.lanes()) {}

    void run(VectorInstruction code);

private:
    Lanes& reg(uint32_t index) { return machine_.registers[index % kMachineRegisters]; }
    uint32_t immediate() const { return operand_[0]; }
    uint32_t mode() const { return operand_[3]; }

    template <class Body>
    void for_lanes(Body body) {
        for (uint32_t lane = 0; lane < kVectorLanes; ++lane) {
            if (lanes_ >> lane & 1) {
                body(lane);
            }
        }
    }
    // D from C and D, for instructions with operands (immediate, C, D, mode).
    template <class Function>
    void map(Function function) {
        const Lanes& c = reg(operand_[1]);
        Lanes& d = reg(operand_[2]);
        for_lanes([&](uint32_t lane) { d[lane] = static_cast<uint32_t>(function(c[lane], d[lane])); });
    }
    // Sets the flags of enabled lanes by a test.
    template <class Test>
    void set_flags(Test test) {
        uint32_t flags = machine_.flags;
        for_lanes([&](uint32_t lane) { flags = test(lane) ? flags | 1u << lane : flags & ~(1u << lane); });
        machine_.flags = flags;
    }

    [[noreturn]] void refuse(const char* name, uint32_t mode) const {
        kernel_error("%s with mode %u is not modelled", name, mode);
    }

    void load();
    void store();
    void step_counter(uint32_t modifier);
    void load_immediate();
    void arithmetic();
    void arithmetic_with_immediate(bool multiply);
    void add_integers();
    void shift();
    void shift_lanes();
    void extract_exponent();
    void set_exponent();
    void cast();
    void round();
    void swap();
    void transpose();
    void test();
    void enable();
    void configure();
    void configure_lanes(uint32_t kind);
    void set_counters();

    Machine& machine_;
    const uint32_t* operand_;
    uint32_t lanes_;
};

void Executor::step_counter(uint32_t modifier) {
    const uint32_t index = (modifier & 3) + (machine_.upper_modifiers ? 4 : modifier & 4);
    machine_.row += machine_.address_step[index];
}

void Executor::load() {
    load_vector(reg(operand_[0]), VectorLayout(operand_[1]), static_cast<int32_t>(operand_[3]));
    step_counter(operand_[2]);
}

void Executor::store() {
    store_vector(reg(operand_[0]), lanes_, VectorLayout(operand_[1]), static_cast<int32_t>(operand_[3]));
    step_counter(operand_[2]);
}

void Executor::load_immediate() {
    enum Kind : uint32_t { kBfloat16 = 0, kFloat16 = 1, kUnsigned = 2, kSigned = 4, kUpper = 8, kLower = 10 };
    const uint32_t value = operand_[2] & 0xffffu, kind = operand_[1];
    Lanes& d = reg(operand_[0]);
    for_lanes([&](uint32_t lane) {
        switch (kind) {
            case kBfloat16: d[lane] = value << 16; break;
            case kFloat16: d[lane] = as_bits(from_float16(value)); break;
            case kUnsigned: d[lane] = value; break;
            case kSigned: d[lane] = static_cast<uint32_t>(static_cast<int32_t>(value << 16) >> 16); break;
            case kUpper: d[lane] = (d[lane] & 0xffffu) | value << 16; break;
            case kLower: d[lane] = (d[lane] & 0xffff0000u) | value; break;
            default: refuse("SFPLOADI", kind);
        }
    });
}

// Operands: A, B, C, D, mode.
void Executor::arithmetic() {
    constexpr uint32_t kNegateA = 1, kNegateC = 2;
    const uint32_t mode = operand_[4];
    if (mode > (kNegateA | kNegateC)) {
        refuse("SFPMAD", mode);
    }
    Lanes a, c, result;
    for (uint32_t lane = 0; lane < kVectorLanes; ++lane) {
        a[lane] = reg(operand_[0])[lane] ^ (mode & kNegateA ? kSign : 0);
        c[lane] = reg(operand_[2])[lane] ^ (mode & kNegateC ? kSign : 0);
    }
    multiply_add(result, a, reg(operand_[1]), c);
    Lanes& d = reg(operand_[3]);
    for_lanes([&](uint32_t lane) { d[lane] = result[lane]; });
}

// Operands: immediate (bfloat16), D, mode.
void Executor::arithmetic_with_immediate(bool multiply) {
    Lanes number, result;
    std::fill_n(number, kVectorLanes, immediate() << 16);
    Lanes& d = reg(operand_[1]);
    multiply ? multiply_add(result, d, number, reg(kZero)) : multiply_add(result, d, reg(kOne), number);
    for_lanes([&](uint32_t lane) { d[lane] = result[lane]; });
}

void Executor::add_integers() {
    constexpr uint32_t kImmediate = 1, kSubtractD = 2, kKeepFlags = 4, kNotNegative = 8;
    const int32_t number = signed12(immediate());
    map([&](uint32_t c, uint32_t d) {
        return mode() & kImmediate ? c + static_cast<uint32_t>(number) : mode() & kSubtractD ? c - d : c + d;
    });
    if (mode() & kKeepFlags) {
        return;
    }
    const Lanes& d = reg(operand_[2]);
    const bool not_negative = (mode() & kNotNegative) != 0;
    set_flags([&](uint32_t lane) { return (d[lane] >> 31 == 0) == not_negative; });
}

void Executor::shift() {
    constexpr uint32_t kImmediate = 1, kArithmetic = 2, kFromC = 4;
    const bool arithmetic = (mode() & kArithmetic) != 0;
    map([&](uint32_t c, uint32_t d) {
        if (mode() & kImmediate) {
            return shifted(mode() & kFromC ? c : d, signed12(immediate()), arithmetic);
        }
        return shifted(d, static_cast<int32_t>(c), arithmetic);
    });
}

void Executor::shift_lanes() {
    enum Kind : uint32_t { kCopy4, kChainedCopy4, kRotateAndCopy4, kRotate, kShiftRight, kByRegister, kByImmediate };
    Lanes from;
    std::copy_n(reg(operand_[1]), kVectorLanes, from);
    Lanes& d = reg(operand_[2]);
    switch (mode()) {
        case kRotate:
        case kShiftRight:
            for_lanes([&](uint32_t lane) {
                const bool is_first = lane % 8 == 0;
                d[lane] = is_first ? (mode() == kRotate ? from[lane + 7] : 0) : from[lane - 1];
            });
            return;
        case kByRegister: {  // register `immediate` by register C
            Lanes number;
            std::copy_n(reg(immediate()), kVectorLanes, number);
            for_lanes([&](uint32_t lane) { d[lane] = shifted(number[lane], static_cast<int32_t>(from[lane]), false); });
            return;
        }
        case kByImmediate:
            for_lanes([&](uint32_t lane) { d[lane] = shifted(from[lane], signed12(immediate()), false); });
            return;
        case kCopy4:
            for_lanes([&](uint32_t lane) {
                reg(0)[lane] = reg(1)[lane];
                reg(1)[lane] = reg(2)[lane];
                reg(2)[lane] = reg(3)[lane];
                reg(3)[lane] = 0;
            });
            return;
        default: refuse("SFPSHFT2", mode());
    }
}

void Executor::extract_exponent() {
    constexpr uint32_t kBiased = 1, kFlagsOfSign = 2, kComplementFlags = 8;
    map([&](uint32_t c, uint32_t) { return static_cast<int32_t>(exponent_of(c)) - (mode() & kBiased ? 0 : 127); });
    if ((mode() & (kFlagsOfSign | kComplementFlags)) == 0) {
        return;
    }
    const Lanes& d = reg(operand_[2]);
    const bool complement = (mode() & kComplementFlags) != 0;
    set_flags([&](uint32_t lane) { return (d[lane] >> 31 != 0) != complement; });
}

void Executor::set_exponent() {
    enum Kind : uint32_t { kFromInteger = 0, kImmediate = 1, kFromExponent = 2 };
    map([&](uint32_t c, uint32_t d) {
        const uint32_t exponent = mode() == kImmediate     ? immediate() & 0xffu
                                  : mode() == kFromInteger ? d & 0xffu
                                                           : exponent_of(d);
        return (c & ~kExponent) | exponent << 23;
    });
}

// Operands: C, D, mode.
void Executor::cast() {
    enum Kind : uint32_t { kToFloat = 0, kToFloatStochastic = 1, kComplement = 2, kComplementBack = 3 };
    const Lanes& c = reg(operand_[0]);
    Lanes& d = reg(operand_[1]);
    const uint32_t kind = operand_[2];
    for_lanes([&](uint32_t lane) {
        const uint32_t word = c[lane];
        switch (kind) {
            case kToFloat:
            case kToFloatStochastic: d[lane] = as_bits(as_number(word)); break;
            case kComplement:
            case kComplementBack: d[lane] = word & kSign ? kSign | (0u - word) : word; break;
            default: refuse("SFPCAST", kind);
        }
    });
}

// Operands: rounding, immediate, B, C, D, mode.
void Executor::round() {
    enum Kind : uint32_t { kFloat16a, kFloat16b, kUInt8, kInt8, kIntToUInt8, kIntToInt8, kUInt16, kInt16 };
    const Lanes& c = reg(operand_[3]);
    Lanes& d = reg(operand_[4]);
    const uint32_t kind = operand_[5] & 7;
    for_lanes([&](uint32_t lane) {
        const uint32_t word = c[lane];
        switch (kind) {
            case kFloat16a: d[lane] = (word + 0x1000u) & ~0x1fffu; break;
            case kFloat16b: d[lane] = (word & kExponent) == 0 ? word & kSign : (word + 0x8000u) & 0xffff0000u; break;
            case kUInt8: d[lane] = to_integer(word, 255, false); break;
            case kInt8: d[lane] = to_integer(word, 127, true); break;
            case kUInt16: d[lane] = to_integer(word, 65535, false); break;
            case kInt16: d[lane] = to_integer(word, 32767, true); break;
            default: refuse("SFP_STOCH_RND", kind);
        }
    });
}

// Swaps registers C and D per lane: where D takes the smaller value, if C is smaller; where D takes the larger one, if
// C is not smaller.
void Executor::swap() {
    // A bit per group of 8 lanes in which C gets the larger one.
    constexpr uint32_t kLargerToC[] = {0, 0b1111, 0b0011, 0b0101, 0b1001, 0b0001, 0b0010, 0b0100, 0b1000};
    const uint32_t larger = mode() < std::size(kLargerToC) ? kLargerToC[mode()] : 0;
    const uint32_t index_c = operand_[1], index_d = operand_[2];
    for_lanes([&](uint32_t lane) {
        uint32_t &c = reg(index_c)[lane], &d = reg(index_d)[lane];
        const bool c_is_smaller = order(c) < order(d);
        const bool in_order = c_is_smaller != (larger >> (lane / 8) & 1);
        if (mode() != 0 && in_order != (machine_.reversed_lanes >> lane & 1)) {
            return;
        }
        const bool partners = machine_.index_lanes >> lane & 1;
        const uint32_t given_c = c, given_d = d;
        const uint32_t written = partners ? 4 : kFirstConstant;
        c = index_c < written ? given_d : given_c;
        d = index_d < written ? given_c : given_d;
        if (partners) {
            std::swap(reg(4 + index_c % 4)[lane], reg(4 + index_d % 4)[lane]);
        }
    });
}

// Registers 0..3, and 4..7, are four rows of four groups of 8 lanes each.
void Executor::transpose() {
    for (uint32_t first : {0u, 4u}) {
        for (uint32_t row = 0; row < 4; ++row) {
            for (uint32_t column = 0; column < row; ++column) {
                for (uint32_t lane = 0; lane < 8; ++lane) {
                    std::swap(reg(first + row)[column * 8 + lane], reg(first + column)[row * 8 + lane]);
                }
            }
        }
    }
}

void Executor::test() {
    enum Kind : uint32_t { kNegative = 0, kImmediate = 1, kNotZero = 2, kNotNegative = 4, kIsZero = 6, kClear = 8 };
    const Lanes& c = reg(operand_[1]);
    const uint32_t kind = mode();
    set_flags([&](uint32_t lane) {
        const uint32_t word = c[lane];
        switch (kind) {
            case kNegative: return word >> 31 != 0;
            case kImmediate: return (immediate() & 1) != 0;
            case kNotZero: return word != 0;
            case kNotNegative: return word >> 31 == 0;
            case kIsZero: return word == 0;
            case kClear: return false;
            default: refuse("SFPSETCC", kind);
        }
    });
}

void Executor::enable() {
    constexpr uint32_t kComplementUse = 1, kUseFromImmediate = 2, kFlagsFromImmediate = 8;
    if (mode() & kUseFromImmediate) {
        machine_.uses_flags = (immediate() & 1) != 0;
    } else if (mode() & kComplementUse) {
        machine_.uses_flags = !machine_.uses_flags;
    }
    machine_.flags = mode() & kFlagsFromImmediate && (immediate() & 2) == 0 ? 0 : ~0u;
}

// SFPCONFIG sets each of the 8 columns of lanes: to the value, or to register 0 for the columns in the mask.
void Executor::configure_lanes(uint32_t kind) {
    constexpr uint32_t kValue = 1, kMask = 8;
    constexpr uint32_t kBackdoor = 1u << 1, kIndices = 1u << 2, kReversed = 1u << 8, kRow = 0x01010101;
    if ((kind & ~(kValue | kMask)) != 0 || kind == (kValue | kMask)) {
        refuse("SFPCONFIG", kind);
    }
    for (uint32_t column = 0; column < 8; ++column) {
        if (kind == kMask && (immediate() >> (2 * column) & 1) == 0) {
            continue;
        }
        const uint32_t value = kind == kValue ? immediate() : reg(0)[column];
        if ((value & ~(kBackdoor | kIndices | kReversed)) != 0) {
            kernel_error("SFPCONFIG of the lanes with 0x%x is not modelled", value);
        }
        const uint32_t lanes = kRow << column;
        machine_.index_lanes = (machine_.index_lanes & ~lanes) | (value & kIndices ? lanes : 0);
        machine_.reversed_lanes = (machine_.reversed_lanes & ~lanes) | (value & kReversed ? lanes : 0);
    }
}

// Operands: immediate, which, mode.
void Executor::configure() {
    constexpr uint32_t kFromRegister = 0, kLaneSettings = 15;
    const uint32_t which = operand_[1], kind = operand_[2];
    if (which == kLaneSettings) {
        return configure_lanes(kind);
    }
    if (which < kMinusOne || which >= kTileId || kind != kFromRegister) {
        kernel_error("SFPCONFIG of register %u with mode %u is not modelled", which, kind);
    }
    // The first row of register 0 becomes every row of the constant.
    for (uint32_t lane = 0; lane < kVectorLanes; ++lane) {
        reg(which)[lane] = reg(0)[lane % 8];
    }
}

// Operands of SETRWC: clear, carriage return, row of DST, of B, of A, which.
void Executor::set_counters() {
    constexpr uint32_t kDst = 4;
    const uint32_t returns = operand_[1], row = operand_[2], which = operand_[5];
    if ((which & kDst) == 0) {
        return;
    }
    machine_.face_row = static_cast<int32_t>(row) + (returns & kDst ? machine_.face_row : 0);
    machine_.row = machine_.face_row;
}

void Executor::run(VectorInstruction code) {
    switch (code) {
        case VectorInstruction::SFPLOAD: return load();
        case VectorInstruction::SFPSTORE: return store();
        case VectorInstruction::SFPLOADI: return load_immediate();
        case VectorInstruction::SFPMAD:
        case VectorInstruction::SFPADD:
        case VectorInstruction::SFPMUL: return arithmetic();
        case VectorInstruction::SFPADDI: return arithmetic_with_immediate(false);
        case VectorInstruction::SFPMULI: return arithmetic_with_immediate(true);
        case VectorInstruction::SFPDIVP2: {
            const auto number = static_cast<uint32_t>(signed12(immediate()));
            return map([&](uint32_t c, uint32_t) {
                const uint32_t exponent = mode() & 1 ? exponent_of(c) + number : number;
                return (c & ~kExponent) | (exponent & 0xffu) << 23;
            });
        }
        case VectorInstruction::SFPIADD: return add_integers();
        case VectorInstruction::SFPMOV:
            if (mode() == 2) {
                lanes_ = ~0u;
            }
            return map([&](uint32_t c, uint32_t) { return mode() == 1 ? c ^ kSign : c; });
        case VectorInstruction::SFPABS:
            return map([&](uint32_t c, uint32_t) { return mode() & 1 ? c & ~kSign : c & kSign ? 0u - c : c; });
        case VectorInstruction::SFPAND: return map([](uint32_t c, uint32_t d) { return c & d; });
        case VectorInstruction::SFPOR: return map([](uint32_t c, uint32_t d) { return c | d; });
        case VectorInstruction::SFPXOR: return map([](uint32_t c, uint32_t d) { return c ^ d; });
        case VectorInstruction::SFPNOT: return map([](uint32_t c, uint32_t) { return ~c; });
        case VectorInstruction::SFPLZ: return map([](uint32_t c, uint32_t) { return std::countl_zero(c); });
        case VectorInstruction::SFPSHFT: return shift();
        case VectorInstruction::SFPSHFT2: return shift_lanes();
        case VectorInstruction::SFPEXEXP: return extract_exponent();
        case VectorInstruction::SFPEXMAN:
            return map([&](uint32_t c, uint32_t) { return (c & kMantissa) | (mode() & 1 ? 0 : 0x00800000u); });
        case VectorInstruction::SFPSETEXP: return set_exponent();
        case VectorInstruction::SFPSETMAN:
            return map([&](uint32_t c, uint32_t d) {
                return (c & ~kMantissa) | (mode() & 1 ? immediate() << 11 & kMantissa : d & kMantissa);
            });
        case VectorInstruction::SFPSETSGN:
            return map(
                [&](uint32_t c, uint32_t d) { return (c & ~kSign) | (mode() & 1 ? immediate() << 31 : d & kSign); });
        case VectorInstruction::SFPCAST: return cast();
        case VectorInstruction::SFP_STOCH_RND: return round();
        case VectorInstruction::SFPSWAP: return swap();
        case VectorInstruction::SFPTRANSP: return transpose();
        case VectorInstruction::SFPSETCC: return test();
        case VectorInstruction::SFPENCC: return enable();
        case VectorInstruction::SFPCOMPC:
            machine_.flags = ~machine_.flags & (machine_.depth != 0 ? machine_.flag_stack[machine_.depth - 1] : ~0u);
            return;
        case VectorInstruction::SFPPUSHC:
            if (machine_.depth == kFlagStack) {
                kernel_error("SFPPUSHC: the stack of lane flags has %u places, and all are taken", kFlagStack);
            }
            machine_.flag_stack[machine_.depth++] = machine_.flags;
            return;
        case VectorInstruction::SFPPOPC:
            if (machine_.depth == 0) {
                kernel_error("SFPPOPC: the stack of lane flags is empty");
            }
            machine_.flags = machine_.flag_stack[--machine_.depth];
            return;
        case VectorInstruction::SFPCONFIG: return configure();
        case VectorInstruction::SETRWC: return set_counters();
        case VectorInstruction::INCRWC:
            machine_.row += static_cast<int32_t>(operand_[1]);
            if (operand_[0] & 4) {
                machine_.face_row = machine_.row;
            }
            return;
        case VectorInstruction::SFPNOP:
        case VectorInstruction::Count: return;
    }
}

}  // namespace

void execute(Machine& machine, const Instruction& instruction) { Executor(machine, instruction).run(instruction.code); }

}  // namespace tw::sfpu
