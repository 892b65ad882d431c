# SPDX-License-Identifier: Apache-2.0
"""Rules about what the host gives a program, and the refusals that have no rule of their own."""

from tilewright.check.rules.rule import Rule, Severity

HOST_RULES = (
    Rule(
        "arg-missing",
        Severity.ERROR,
        "an argument read and not given",
        "The kernel reads what an earlier program left in the argument area.",
        "The host gave the kernel fewer arguments than it reads.",
        "Give the argument in runtime_args or common_runtime_args, on every core of the kernel.",
    ),
    Rule(
        "arg-unread",
        Severity.NOTE,
        "an argument given and never read",
        "Nothing by itself; host and kernel may disagree about what the arguments are.",
        "No core of the kernel read the argument in this run.",
        "Remove the argument, or look for an index that is off by one.",
    ),
    Rule(
        "arg-stale",
        Severity.ERROR,
        "a reused program runs with arguments of an earlier call",
        "The first call is right, later ones work on the first one's tensors or values.",
        "The argument differs from what a fresh build for these tensors gives.",
        "Set every argument that depends on the call when the program is taken from the cache.",
    ),
    Rule(
        "cache-collision",
        Severity.ERROR,
        "two different programs share a cache key",
        "The second call runs the first one's program: wrong results that depend on the order of calls.",
        "The key leaves out something that changes the program.",
        "Put everything that changes kernels, circular buffers or compile-time arguments into the key.",
    ),
    Rule(
        "l1-budget",
        Severity.ERROR,
        "circular buffers do not fit a core's L1",
        "The host refuses the program, or buffers and tensors overlap.",
        "Circular buffers grow from the bottom of L1, tensors from its top, and they meet.",
        "Use fewer or smaller pages, process the row in blocks, or move tensors to DRAM.",
    ),
    Rule(
        "stack-size",
        Severity.ERROR,
        "a kernel uses more stack than a card's processor has local memory",
        "The stack runs into the kernel's variables: a hang or garbage.",
        "Stack, variables and firmware share a few KiB of local memory.",
        "Move large arrays to a circular buffer or to a scratchpad.",
    ),
    Rule(
        "program-invalid",
        Severity.ERROR,
        "a program that cannot run as it is described",
        "The host refuses it, or the card hangs.",
        "The descriptors contradict each other or the chip.",
        "Change the descriptor the message names.",
    ),
    Rule(
        "kernel-refused",
        Severity.ERROR,
        "a kernel asks for something that cannot work",
        "Undefined: a hang, or garbage.",
        "The call's arguments make no sense for this core or chip.",
        "Change the call the message names.",
    ),
    Rule(
        "kernel-fault",
        Severity.ERROR,
        "a kernel touches memory that is not there",
        "The access goes to another part of the address space, or hangs the processor.",
        "An address was computed wrongly.",
        "Follow the value back from the line shown.",
    ),
    Rule(
        "divide-by-zero",
        Severity.WARNING,
        "an integer division by zero",
        "Nothing stops: the quotient has all bits set, the remainder is the dividend.",
        "A divisor was computed wrongly, or an argument that is never zero is.",
        "Leave the division out where there is nothing to divide.",
    ),
)
