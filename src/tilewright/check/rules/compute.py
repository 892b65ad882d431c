# SPDX-License-Identifier: Apache-2.0
"""Rules about compute kernels: DST, formats, initialisation, values."""

from tilewright.check.rules.rule import Rule, Severity

COMPUTE_RULES = (
    Rule(
        "dst-index",
        Severity.ERROR,
        "a DST index over the mode's limit",
        "The other half of DST, which the packer is reading, is overwritten.",
        "DST has 16, 8 or 4 tiles, depending on full sync and 32-bit mode; mac_tile works on tiles 0, 1 and 2 alone.",
        "Use fewer tiles at a time, or another mode.",
    ),
    Rule(
        "dst-protocol",
        Severity.ERROR,
        "acquire, commit, wait and release out of order",
        "Maths and packer work on the same tiles at the same time.",
        "DST belongs to the maths side from acquire to commit and to the packer from wait to release.",
        "Call tile_regs_acquire, maths, tile_regs_commit, tile_regs_wait, pack_tile, tile_regs_release in this order.",
    ),
    Rule(
        "pack-unpack-order",
        Severity.ERROR,
        "a page that the pack and the unpack thread use in no order",
        "The unpack thread runs ahead of the pack thread: it reads what is not packed yet, or what is packed over it.",
        "What stands later in the source need not come later: the two wait for each other only at circular buffers.",
        "Let the pages go through the buffer (pop, reserve, pack, push, wait), or push and wait for a page of a small "
        "buffer kept for this between the pack and the read.",
    ),
    Rule(
        "format-mismatch",
        Severity.ERROR,
        "an operand whose format is not the one last configured",
        "Bytes are taken for another format: silent garbage.",
        "Unpacker and packer keep the formats of the last init or reconfig call.",
        "Call reconfig_data_format or pack_reconfig_data_format before using another format.",
    ),
    Rule(
        "geometry-mismatch",
        Severity.ERROR,
        "an operand whose faces are not those last configured",
        "Parts of tiles are skipped or read twice.",
        "The unpacker keeps the number and height of faces of the last init.",
        "Initialise the operation for this operand, or undo the earlier one.",
    ),
    Rule(
        "hw-startup-missing",
        Severity.ERROR,
        "maths before the hardware is started",
        "Unpacker and packer work with what an earlier program left.",
        "No compute_kernel_hw_startup (or older ..._init_common) came before.",
        "Call compute_kernel_hw_startup first.",
    ),
    Rule(
        "init-missing",
        Severity.ERROR,
        "an operation without its init",
        "The units do what the last initialised operation set them to do.",
        "The last init was for another operation, or there was none.",
        "Call the operation's init before it, and again after another operation's.",
    ),
    Rule(
        "uninit-missing",
        Severity.ERROR,
        "state of an operation left behind for the next one",
        "The next operation reads or packs in the wrong layout.",
        "Tilize, untilize and reduce change settings that other inits do not set back.",
        "Call the operation's uninit before the next init.",
    ),
    Rule(
        "value-uninitialised",
        Severity.ERROR,
        "bytes nobody wrote reach an output",
        "The result depends on what an earlier program left in memory.",
        "A value in the output was computed from memory that nobody has written.",
        "Write the whole operand, or leave the unwritten part out of the computation.",
    ),
    Rule(
        "output-unwritten",
        Severity.ERROR,
        "part of the output is never written",
        "Those elements hold what an earlier program left in memory.",
        "The kernels' work is counted from less than the whole tensor, such as Ht tile-rows instead of N*C*Ht.",
        "Count work over all leading dimensions, and give every core its share of it.",
    ),
    Rule(
        "value-padding",
        Severity.ERROR,
        "padding of a tensor reaches a result",
        "The result is wrong by as much as the padding holds; correlation may stay near one.",
        "A reduction or broadcast took in elements behind the tensor's logical shape.",
        "Mask the padding, or use a scaler that is zero there.",
    ),
    Rule(
        "broadcast-region",
        Severity.ERROR,
        "a broadcast takes a part of the tile that holds no result",
        "Elements that were never computed are spread over the tile.",
        "A row reduction leaves its result in column 0, a column reduction in row 0; the broadcast reads the other.",
        "Use the column broadcast for results of row reductions, and the row broadcast for those of column reductions.",
    ),
)
