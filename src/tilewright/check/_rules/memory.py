# SPDX-License-Identifier: Apache-2.0
"""Rules about a core's L1 memory."""

from tilewright.check._rules.rule import Rule, Severity

MEMORY_RULES = (
    Rule(
        "l1-outside-buffer",
        Severity.ERROR,
        "an access outside every allocated buffer",
        "Something else's memory is read or overwritten, and fails far from here.",
        "The address belongs to nothing of this core, or to a circular buffer the kernel never asked for.",
        "Check the size of the buffer against the range the loop walks.",
    ),
    Rule(
        "l1-misaligned",
        Severity.ERROR,
        "a load or store at an address its size does not divide",
        "The core drops the low address bits: the wrong bytes are read or written.",
        "The processors of a core have no unaligned accesses.",
        "Access the bytes one by one, or align the address.",
    ),
    Rule(
        "l1-uninitialised",
        Severity.ERROR,
        "a read of L1 that nobody has written",
        "Zero on a fresh card, and what the last program left on a used one.",
        "No kernel and no host has written these bytes before.",
        "Write the memory first, or do not run this part on cores that have no data.",
    ),
    Rule(
        "l1-race",
        Severity.ERROR,
        "kernels share L1 without synchronisation",
        "Which value is seen depends on timing: a random hang or a wrong result.",
        "Two kernels use the same memory, one of them writes it, and no credit or semaphore orders them; a write to "
        "another core has arrived after its barrier, or where its sender signals that very core.",
        "Let the one that comes first raise a semaphore or push a page when it is done, and the other wait for that.",
    ),
    Rule(
        "dram-race",
        Severity.ERROR,
        "kernels use one page of DRAM without synchronisation",
        "Which bytes are seen, or stay, depends on timing.",
        "Two kernels use the same bytes, one of them writes them, and no credit or semaphore orders them.",
        "Give every page to one core, or let the later kernel wait for a semaphore that the earlier one raises after "
        "its write barrier.",
    ),
    Rule(
        "l1-stale-cache",
        Severity.ERROR,
        "L1 read again through the cache without invalidating it",
        "On Blackhole the load may give the old value for ever.",
        "The line was read before, and somebody else has written it since.",
        "Call invalidate_l1_cache before the load.",
    ),
    Rule(
        "l1-store-then-credit",
        Severity.NOTE,
        "stores by the processor, then a credit, with nothing to order them",
        "The consumer may see the credit before the data.",
        "Stores and credits leave the core by different ways.",
        "Read the last word back before the push.",
    ),
)
