# SPDX-License-Identifier: Apache-2.0
"""Rules about programs that never end."""

from tilewright.check._rules.rule import Rule, Severity

HANG_RULES = (
    Rule(
        "hang-missing-producer",
        Severity.ERROR,
        "a wait on a circular buffer that nobody pushes",
        "The kernel waits for ever, and with it everything that waits for the kernel.",
        "No kernel on this core pushes the buffer, now or later.",
        "Push the buffer in the kernel that fills it, or remove the wait.",
    ),
    Rule(
        "hang-finished-producer",
        Severity.ERROR,
        "a wait for more pages than the producer, which has finished, ever pushed",
        "The consumer waits for ever; the host sees nothing until it synchronizes.",
        "Producer and consumer disagree about how many pages there are.",
        "Make pushes and waits agree: look at the last, partial block and at what each kernel's count is made from.",
    ),
    Rule(
        "hang-full-buffer",
        Severity.ERROR,
        "a reserve on a full circular buffer that its consumer never drains",
        "The producer waits for ever in cb_reserve_back.",
        "The pages in the buffer are never popped, or only after something the producer has not done yet.",
        "Pop what was read, push what is kept only once, or give the buffer room for both.",
    ),
    Rule(
        "hang-self",
        Severity.ERROR,
        "a kernel waits for something only it can do",
        "The kernel waits for ever; in a compute kernel its unpack, maths and pack threads wait for each other.",
        "The kernel's own order of reserve, push, wait and pop cannot go on. A compute kernel's unpack thread pops "
        "what stands behind a reservation, but it gets no further ahead of the pack thread than DST and the source "
        "registers let it.",
        "Where it waits for room, pop before the next reserve, or give the buffer room for both fillings; where it "
        "waits for pages, keep those that a later step reads again.",
    ),
    Rule(
        "hang-circle",
        Severity.ERROR,
        "kernels wait for each other's pages in a circle",
        "All kernels of the circle wait for ever.",
        "Each kernel of the circle pushes only after a wait that another one of the circle has to end.",
        "Let one of them push before it waits.",
    ),
    Rule(
        "hang-semaphore",
        Severity.ERROR,
        "a wait for a semaphore value that nobody sets any more",
        "The kernel waits for ever.",
        "No kernel still running raises the semaphore, or the program does not configure it on this core.",
        "Count the increments against the value waited for, and check the cores and the semaphore id they go to.",
    ),
    Rule(
        "hang-spinning",
        Severity.ERROR,
        "a kernel polls memory that nobody changes",
        "The kernel polls for ever.",
        "Nothing else in the program moves any more, and the word polled keeps its value.",
        "Use a circular buffer or a semaphore, or make the writer of the word run.",
    ),
    Rule(
        "cb-over-capacity",
        Severity.ERROR,
        "a wait or reserve for more pages than the circular buffer has",
        "The call waits for ever.",
        "The request can never be met, however the kernels are scheduled.",
        "Make the buffer larger or ask for fewer pages at a time.",
    ),
    Rule(
        "trisc-guard",
        Severity.ERROR,
        "a circular buffer call guarded so that it only runs on a thread where it does nothing",
        "Reserve and push exist on the pack thread, wait and pop on the unpack thread; elsewhere they compile to "
        "nothing, and the partner waits for ever.",
        "The guard leaves the call out on the one thread that would carry it out.",
        "Take the call out of the guard, or guard it with the thread it belongs to.",
    ),
    Rule(
        "time-limit",
        Severity.ERROR,
        "the run took longer than its time limit",
        "Nothing by itself: the limit is the checker's.",
        "The program had not ended when its time was up.",
        "Raise the time limit, or look for a loop whose bound is wrong.",
    ),
)
