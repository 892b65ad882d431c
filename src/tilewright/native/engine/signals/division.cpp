// SPDX-License-Identifier: Apache-2.0
// RISC-V does not trap on division. By zero, the quotient has all bits set and the remainder is the dividend; the most
// negative number divided by -1 gives itself, with remainder 0. x86-64 raises SIGFPE for both. The handler decodes the
// instruction (one-operand DIV or IDIV, of a register or memory), writes these results to the registers of quotient and
// remainder, and steps over it.
#include "division.h"

#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <ucontext.h>
#endif

namespace tw {

#if defined(__x86_64__)

namespace {

// Index in the signal's context of each register number.
constexpr int kRegisters[] = {
    REG_RAX,
    REG_RCX,
    REG_RDX,
    REG_RBX,
    REG_RSP,
    REG_RBP,
    REG_RSI,
    REG_RDI,
    REG_R8,
    REG_R9,
    REG_R10,
    REG_R11,
    REG_R12,
    REG_R13,
    REG_R14,
    REG_R15};
constexpr uint32_t kStackPointer = 4, kFramePointer = 5;

// A decoded DIV or IDIV.
class Division {
public:
    explicit Division(gregset_t& registers) : registers_(registers), code_(instruction_pointer()) {}

    bool decode() {
        prefixes();
        const uint8_t opcode = next();
        const uint8_t operand = *code_;
        const uint32_t kind = operand >> 3 & 7;
        if ((opcode != 0xf6 && opcode != 0xf7) || (kind != 6 && kind != 7)) {
            return false;
        }
        is_signed_ = kind == 7;
        bytes_ = opcode == 0xf6 ? 1 : wide_ ? 8 : short_ ? 2 : 4;
        read_divisor();
        return true;
    }

    void finish() {
        const uint64_t dividend = value(kRegisters[0]) & mask();
        const bool by_zero = (divisor_ & mask()) == 0;
        // The only other division that the processor refuses: of the most negative number by -1.
        set_result(by_zero ? mask() : dividend, by_zero ? dividend : 0);
        registers_[REG_RIP] = static_cast<greg_t>(reinterpret_cast<uintptr_t>(code_));
    }

    // Other quotients that are too long do not occur in compiled C++.
    bool is_known() const { return (divisor_ & mask()) == 0 || (is_signed_ && (divisor_ & mask()) == mask()); }

private:
    const uint8_t* instruction_pointer() const { return reinterpret_cast<const uint8_t*>(registers_[REG_RIP]); }
    uint8_t next() { return *code_++; }
    uint64_t value(int index) const { return static_cast<uint64_t>(registers_[index]); }
    uint64_t mask() const { return bytes_ == 8 ? ~uint64_t{0} : (uint64_t{1} << (bytes_ * 8)) - 1; }

    void prefixes() {
        while (*code_ == 0x66 || *code_ == 0x3e || *code_ == 0x2e) {
            short_ |= next() == 0x66;
        }
        if ((*code_ & 0xf0) == 0x40) {
            const uint8_t extension = next();
            wide_ = (extension & 8) != 0;
            index_high_ = (extension & 2) != 0 ? 8 : 0;
            base_high_ = (extension & 1) != 0 ? 8 : 0;
            extended_ = true;
        }
    }

    template <class Integer>
    Integer constant() {
        Integer number;
        std::memcpy(&number, code_, sizeof number);
        code_ += sizeof number;
        return number;
    }

    void read_divisor() {
        const uint8_t operand = next();
        const uint32_t mode = operand >> 6, low = operand & 7;
        if (mode == 3) {
            const bool is_high_byte = bytes_ == 1 && !extended_ && low >= 4;  // AH, CH, DH, BH
            divisor_ = value(kRegisters[is_high_byte ? low - 4 : low + base_high_]) >> (is_high_byte ? 8 : 0);
            return;
        }
        uint64_t address = 0;
        bool from_instruction = false;
        if (low == kStackPointer) {
            address = scaled_index(mode);
        } else if (mode == 0 && low == kFramePointer) {
            address = static_cast<uint64_t>(int64_t{constant<int32_t>()});
            from_instruction = true;
        } else {
            address = value(kRegisters[low + base_high_]);
        }
        if (mode == 1) {
            address += static_cast<uint64_t>(int64_t{constant<int8_t>()});
        } else if (mode == 2) {
            address += static_cast<uint64_t>(int64_t{constant<int32_t>()});
        }
        if (from_instruction) {
            address += reinterpret_cast<uintptr_t>(code_);
        }
        std::memcpy(&divisor_, reinterpret_cast<const void*>(address), bytes_);
    }

    uint64_t scaled_index(uint32_t mode) {
        const uint8_t scale = next();
        const uint32_t index = (scale >> 3 & 7) + index_high_, base = scale & 7;
        uint64_t address = index == kStackPointer ? 0 : value(kRegisters[index]) << (scale >> 6);
        if (base == kFramePointer && mode == 0) {
            return address + static_cast<uint64_t>(int64_t{constant<int32_t>()});
        }
        return address + value(kRegisters[base + base_high_]);
    }

    void set_result(uint64_t quotient, uint64_t remainder) {
        if (bytes_ == 1) {  // both in AX
            set(REG_RAX, 0xffff, quotient | remainder << 8);
            return;
        }
        set(REG_RAX, mask(), quotient);
        set(REG_RDX, mask(), remainder);
    }
    // A write of 32 bits clears the upper half of a register; shorter ones keep the rest.
    void set(int index, uint64_t bits, uint64_t number) {
        const uint64_t kept = bytes_ >= 4 ? 0 : value(index) & ~bits;
        registers_[index] = static_cast<greg_t>(kept | number);
    }

    gregset_t& registers_;
    const uint8_t* code_;
    bool short_ = false, wide_ = false, extended_ = false, is_signed_ = false;
    uint32_t index_high_ = 0, base_high_ = 0;
    uint32_t bytes_ = 4;
    uint64_t divisor_ = 0;
};

}  // namespace

bool divide_as_on_a_card(void* signal_context) {
    Division division(static_cast<ucontext_t*>(signal_context)->uc_mcontext.gregs);
    if (!division.decode() || !division.is_known()) {
        return false;
    }
    division.finish();
    return true;
}

#else

// aarch64 does not trap: a division by zero gives 0 there (docs/limits.md).
bool divide_as_on_a_card(void*) { return false; }

#endif

}  // namespace tw
