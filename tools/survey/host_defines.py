# SPDX-License-Identifier: Apache-2.0
"""Macros the host passes to stock kernels, with a value it could have.

Most say which operation a generic kernel performs; nothing in the kernel tells, so they are listed here.
"""

from __future__ import annotations

import re

_ADD_TILES = {
    "BINARY_OP": "add_tiles",
    "BINARY_OP_INIT": "add_init",
    "BINARY_OP_TYPE": "EltwiseBinaryType::ELWADD",
    "ELTWISE_OP": "add_tiles",
    "ELTWISE_OP_TYPE": "EltwiseBinaryType::ELWADD",
}

_ADD_WITH_BROADCAST = {
    "BCAST_OP": "add_tiles_bcast",
    "BCAST_LLKOP": "EltwiseBinaryType::ELWADD",
    "BCAST_DIM": "BroadcastType::COL",
    "BCAST_INPUT": "1",
    "SRC_BCAST": "1",
    "SRC_BCAST_B": "0",
    "SRC_BCAST_C": "0",
    "CHAIN_BCAST_OP": "compute_kernel_lib::BinaryFpuOp::Add",
    "CHAIN_BCAST_DIM": "compute_kernel_lib::BroadcastDim::Col",
}

_SFPU = {
    "SFPU_OP_CHAIN_0": "exp_tile_init(); exp_tile(0);",
    "SFPU_OP_INIT_ACTIVATION": "relu_tile_init();",
    "SFPU_OP_FUNC_ACTIVATION": "relu_tile(i);",
    "BINARY_SFPU_OP": "add_binary_tile",
    "BINARY_SFPU_INIT": "add_binary_tile_init();",
    "TERNARY_SFPU_OP_INIT": "where_tile_init",
    "TERNARY_SFPU_OP_FUNC": "where_tile<DataFormat::Float16_b>",
    "TYPECAST_LLK_INIT": "typecast_tile_init<0u, 5u>",
    "TYPECAST_LLK": "typecast_tile<0u, 5u>",
    "EXP_APPROX_MODE": "0",
}

_REDUCE = {"REDUCE_OP": "ckernel::PoolType::SUM", "REDUCE_DIM": "ckernel::ReduceDim::REDUCE_ROW"}

_FORMATS = {
    "WHERE_DATA_FORMAT": "Float16_b",
    "ADDCMUL_DATA_FORMAT": "DataFormat::Int32",
    "COPY_DEST_DATA_FORMAT": "DataFormat::Float16_b",
    "POW_INT_DATA_FORMAT": "DataFormat::Int32",
    "INT_DATA_FORMAT": "DataFormat::Int32",
    "BF16_ROUNDING_MODE": "ckernel::DstRoundingMode::Default",
}

_FILL = {
    "FILL_LLK": "fill_tile",
    "FILL_TILE": "fill_tile",
    "FILL_PAD_DATA_FMT": "DataFormat::Float16_b",
    "FILL_PAD_FILL_FN": "fill_tile_bitcast",
    "FILL_PAD_FILL_ARG": "fill_bits",
}

_FILL_BY_BROADCAST = {
    f"FILL_TILE_WITH_FIRST_{part.upper()}{operand}": f"fill_tile_with_first_{part}_bfloat16"
    for part in ("element", "row", "column", "row_rm", "column_rm")
    for operand in ("", "_B", "_C")
}

_DATA_MOVEMENT = {
    "ENABLE_FP32_DEST_ACC": "0",
    "DST_SYNC_FULL": "0",
    "MASK_ELEM_UINT": "uint16_t",
    "COLLECTOR_CORE_COORDS": "{{1, 1}, {2, 2}}",
}

# Function-like ones, which a kernel names only through its own macro HAS_ACTIVATIONS.
_ACTIVATIONS = {f"PROCESS_{operand}_ACTIVATIONS(i)": "" for operand in ("LHS", "RHS", "POST")}

_DEFAULTS = {
    **_ADD_TILES,
    **_ADD_WITH_BROADCAST,
    **_SFPU,
    **_REDUCE,
    **_FORMATS,
    **_FILL,
    **_FILL_BY_BROADCAST,
    **_DATA_MOVEMENT,
}

# The host names the header of an operation it passes as well (eltwise_unary/sfpu_split_includes.h).
_HEADER_OF = {
    "exp_tile": "SFPU_OP_EXP_INCLUDE",
    "relu_tile": "SFPU_OP_RELU_FAMILY_INCLUDE",
    "typecast_tile": "SFPU_OP_TYPECAST_INCLUDE",
    "where_tile": "SFPU_OP_WHERE_INCLUDE",
}

_WHERE = {"BINARY_SFPU_OP": "where_tile<DataFormat::Float16_b>", "BINARY_SFPU_INIT": "where_tile_init();"}
_ADDCMUL = {"TERNARY_SFPU_OP_INIT": "addcmul_tile_init", "TERNARY_SFPU_OP_FUNC": "addcmul_tile<DataFormat::Float16_b>"}

# Kernels (by what their path matches) for which another value of a shared name makes sense.
_BY_KERNEL: tuple[tuple[str, dict[str, str]], ...] = (
    (r"eltwise_where_sfpu", _WHERE),
    (r"ternary_addc_ops", _ADDCMUL),
    (r"accumulation_compute", {"BINARY_OP": "add_binary_tile", "BINARY_OP_INIT": "add_binary_tile_init"}),
    (r"eltwise_binary_sfpu_kernel", {"BINARY_SFPU_OP": "add_binary_tile(i * 2, i * 2 + 1, i * 2);"}),
    (
        r"compute_mpwi|compute_pool_2d",
        {"REDUCE_OP": "ckernel::PoolType::MAX", "REDUCE_DIM": "ckernel::ReduceDim::REDUCE_COL"},
    ),
    (r"moreh_getitem_tilized", {"TILIZE_INDEX": "1"}),
    (r"groupnorm", {"SFPU_OP_FUNC_ACTIVATION": "relu_tile(0);"}),
    (r"minimal_matmul", {"SFPU_OP_FUNC_ACTIVATION": "relu_tile(fused_act_dst_id);"}),
    (r"rotary_embedding_llama", {"RELOAD_IMPL": "0"}),
    (r"layernorm_large_tensor", {"SFPU_OP_INIT_ACTIVATION": "", "SFPU_OP_FUNC_ACTIVATION": ""}),  # it has no header
    (r"topk_route_prep_untilize_clamp", {"CLAMP_BITS": "0"}),
)


def plausible_defines(relative: str, text: str) -> dict[str, str]:
    """Defines for the kernel at ``relative``: those its text uses and nothing in it defines.

    >>> plausible_defines("reduce_w.cpp", "reduce_tile<REDUCE_OP, ReduceDim::REDUCE_ROW>(0, 1, 0, 0, 0);")
    {'REDUCE_OP': 'ckernel::PoolType::SUM'}
    """
    known = dict(_DEFAULTS)
    for pattern, values in _BY_KERNEL:
        if re.search(pattern, relative):
            known.update(values)
    defines = {macro: value for macro, value in known.items() if _expects(text, macro)}
    if "HAS_ACTIVATIONS" in text:
        defines.update(_ACTIVATIONS)
    given = " ".join(defines.values())
    defines.update({macro: "1" for call, macro in _HEADER_OF.items() if call in given})
    return defines


def _expects(text: str, name: str) -> bool:
    """Whether the name is used, and is neither a macro nor a constant nor a parameter of the text's own."""
    used = re.search(rf"\b{name}\b", text) is not None
    return used and re.search(rf"#\s*define\s+{name}\b|\b(?:bool|auto|int|uint32_t)\s+{name}\b", text) is None
