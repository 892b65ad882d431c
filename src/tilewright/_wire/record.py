# SPDX-License-Identifier: Apache-2.0
"""Words of a record of calls: each structure is one word of 64 bits.

For each kernel on each core a record has a ``RecordHead`` and its entries. An entry is a ``RecordEntry``; the address
of a call that has one is the next word (native/abi/record.h has the calls).
"""

import ctypes

from tilewright._wire.layout import structure, u8, u16, u32


@structure
class RecordHead(ctypes.Structure):
    kernel: u16  # its number in the program
    x: u8
    y: u8
    num_entries: u32


@structure
class RecordEntry(ctypes.Structure):
    call: u8  # RecordedCall
    a: u8
    b: u16
    c: u32
