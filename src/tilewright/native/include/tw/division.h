// SPDX-License-Identifier: Apache-2.0
// Division by zero without a signal. RISC-V defines it: the quotient has all bits set, the remainder is the dividend.
// x86-64 raises SIGFPE instead, which the engine handles (engine/signals/division.h) for some microseconds. ttnn launches
// readers and writers on cores that have no work; these divide by arguments that are zero there, so such signals were
// most of the time of a small launch. The assembler's macros take the place of the instructions and test the divisor;
// "{load}" keeps them from expanding again. Kernels of a checked launch raise the signal, which the rule divide-by-zero
// needs, and so do kernels that clang compiles, which has no assembler text.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(TW_CHECKED)
#define TW_DIVISION(instruction, size, low, high) \
    asm(".macro " #instruction \
        " divisor:vararg\n" \
        "cmp" #size \
        " $0, \\divisor\n" \
        "jne .Ltw_divide\\@\n" \
        "mov" #size " " low ", " high \
        "\n" \
        "mov" #size " $-1, " low \
        "\n" \
        "jmp .Ltw_divided\\@\n" \
        ".Ltw_divide\\@: {load} " #instruction \
        " \\divisor\n" \
        ".Ltw_divided\\@:\n" \
        ".endm");
TW_DIVISION(divl, l, "%eax", "%edx")
TW_DIVISION(idivl, l, "%eax", "%edx")
TW_DIVISION(divq, q, "%rax", "%rdx")
TW_DIVISION(idivq, q, "%rax", "%rdx")
#undef TW_DIVISION
#endif
