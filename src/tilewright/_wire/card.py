# SPDX-License-Identifier: Apache-2.0
"""Messages between the library in tt-metal's process and the card's server, over one Unix socket.

One server runs the programs of all cards of a system. It begins: a DONE with the files of the chips' memory attached,
a ``CardGreeting`` and the nodes of a card, or a FAILED if
it cannot start. Then the library sends

* BANK_TABLES, which gets no answer;
* OPERATION with the name of ttnn's operation and TENSORS with its tensors, if the greeting wants them;
* DISPATCH_CORE with the memory of a core whose kernels serve a command queue. The server answers with the text of
  ``_card/launches/dispatch_kernels.py``, or with FAILED;
* ETHERNET_CORE with the card, x and y of an ethernet core that was told to go, and its memory. The server answers with
  the words that the kernel writes there, address and value each (``_card/systems/routers.py``), or with FAILED;
* LAUNCH with a ``LaunchRequest`` and a ``LaunchedCore`` for each core that was told to go. The server answers with any
  number of PRINT and a DONE with a ``LaunchDone``, or with WAITING, FAILED or INTERRUPTED. WAITING is for cores whose
  global circular buffers lead to cores that were not told to go yet: they run together with those, or at a LAUNCH
  without cores.
"""

import ctypes
import enum
from typing import Annotated

from tilewright._wire.layout import f64, i32, structure, u32, u64

MAGIC = 0x44524157
VERSION = 11
MAX_FILES = 64


class CardMessageKind(enum.IntEnum):
    """Kinds of messages."""

    LAUNCH = 1
    PRINT = 2
    DONE = 3
    FAILED = 4
    INTERRUPTED = 5
    BANK_TABLES = 6
    OPERATION = 7
    WAITING = 8
    TENSORS = 9
    DISPATCH_CORE = 10
    ETHERNET_CORE = 11


class CardNodeKind(enum.IntEnum):
    """Kinds of nodes at a NoC coordinate."""

    WORKER = 0
    DRAM = 1
    ETHERNET = 2


@structure
class CardMessageHeader(ctypes.Structure):
    kind: Annotated[int, CardMessageKind]
    bytes: u32  # of what follows


@structure
class CardNode(ctypes.Structure):
    """Memory at one NoC coordinate. A node without a file has memory of its own in the library."""

    x: u32
    y: u32
    kind: Annotated[int, CardNodeKind]
    file: i32  # index among the files sent along, or -1
    file_offset: u64  # of the node's first byte in the file
    address: u64  # NoC address of that byte
    bytes: u64
    go_address: u64  # of the word that starts and stops its firmware; 0: none


@structure
class GoSignals(ctypes.Structure):
    """Values of the byte in the go word that carries the signal."""

    byte: u32  # which of the word's four
    init: u32
    go: u32
    reset_read_pointer: u32
    reset_read_pointer_from_host: u32
    done: u32


@structure
class LaunchLayout(ctypes.Structure):
    """Offsets in a launch message, of what decides which program it launches."""

    first_message: u32  # its L1 address, if the host does not use the ring of messages
    message_bytes: u32
    host_id: u32
    base: u32
    semaphores: u32
    local_cbs: u32
    cb_mask: u32
    cb_mask_bytes: u32
    cb_bytes: u32  # of one buffer in the table
    remote_cbs: u32
    first_remote_cb: u32
    pipes: u32  # 0: the release has none
    no_pipes: u32  # the value that stands for none
    texts: u32
    processors: u32
    enables: u32
    enables_bytes: u32
    preload: u32
    tables_bytes: u32  # more than tables of global circular buffers and of pipes take
    longest_name: u32


@structure
class CardGreeting(ctypes.Structure):
    """Facts the library needs before the host reads its first byte."""

    magic: u32
    version: u32
    pci_id: u32  # device and vendor
    num_nodes: u32
    num_files: u32
    signals: GoSignals
    launch: LaunchLayout
    bank_tables_bytes: u32
    wants_operations: u32  # 1: launches are announced with their operation and its tensors
    config_begin: u64  # L1 addresses of a program's configuration before it goes
    config_end: u64
    bank_tables: u64  # L1 address where firmware finds the tables of banks when it starts
    l1_stride: u64  # nodes are those of the first card; further in the files by so much are those of the next
    dram_stride: u64


@structure
class LaunchRequest(ctypes.Structure):
    """A launch. The key is the same for every launch of a program, whatever its arguments (launch_key.h)."""

    key_low: u64
    key_high: u64
    config_base: u32  # L1 address of the configuration on the first core
    bases_differ: u32  # 1: other cores have it elsewhere


@structure
class LaunchedCore(ctypes.Structure):
    card: u32
    x: u32
    y: u32
    launch_address: u32  # of the launch message in L1; 0: the first one
    config_base: u32


@structure
class LaunchDone(ctypes.Structure):
    """The body of a DONE that answers a LAUNCH."""

    seconds: f64  # that its kernels ran
    others_wait: u32  # 1: cores that were launched earlier still wait
    is_new: u32  # 1: the program had not been launched before
