# SPDX-License-Identifier: Apache-2.0
"""Every mode of every call of the kernel API is tested, or listed with the reason why not.

A mode is a template argument, a flag or an enumeration. What a call takes and does not use is on a list here that says
why that is right; what it uses is called in a table of ``tests/conformance/test_modes_of_*.py`` with every value, or in
a test that is named here. A new parameter that a header takes and forgets fails the first of these, a new value the
second.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kernel_headers import Function, Parameter, calls_in, functions_of, header_text, headers_below

TESTS = Path(__file__).parents[1]
TABLES = ("floats", "integers", "packing", "reductions", "tiles", "transfers")

# Parameters (a pattern) of functions (another) that make no difference, and why that is so.
ACCURATE = "approximate forms are computed like the accurate ones (docs/numerics.md)"
WIDTH = "the engine knows how wide DST is (docs/limits.md)"
OTHER_HALF = "the other half of the operation, or the call after an init, says the same"
SHAPES = "the engine takes shapes of tiles from the circular buffer"
ORDER = "in which order threads or instructions go on a card; the result is complete when the call returns"
COUNTERS = (
    "command buffers, channels and counters of the NoC: a transfer is complete when it is issued (docs/limits.md)"
)
ADDRESSES = "coordinates are the same on both NoCs"
IGNORED = [
    ("(is_)?fp32_dest_acc_en|dest_acc", ".*", WIDTH),
    ("call_line", ".*", "the line of a call, for tt-metal's own checks"),
    (r"fast_and_approx|approx(imat\w+)?|fast|FAST_APPROX|fast_approx|APPROXIMATION_MODE|legacy\w*", ".*", ACCURATE),
    ("mode", "rsqrt_tile", ACCURATE),
    ("iterations", r"\w*reciprocal\w*|calculate_gelu", ACCURATE),
    ("input_clamping", "exp_tile_init", ACCURATE),
    ("math_fidelity", r"llk_math_\w+|mm_no_mop_(re)?init_short_fidelity", OTHER_HALF),
    ("layout|pool_type|IN_DTYPE|OUT_DTYPE|data_format|is_32bit|transpose_of_faces", r"\w+_init", OTHER_HALF),
    ("fused|rank_stamped|tag_bits", r"topk_tile_init|topk_mop_config|topk_xl_reinit_mop_after_copy", OTHER_HALF),
    ("neginf_srcA|reload_srcB|zero_srcA_reduce", "unpack_tilizeA_B_block", OTHER_HALF),
    (r"block_ct_dim|full_ct_dim|ct_dim|narrow_row|row_num_datums|dense|diagonal|block", r"\w*init\w*", OTHER_HALF),
    ("full_ct_dim|full_dim|icb|ocb", r"\w*uninit", OTHER_HALF),
    ("transpose", "matmul_block", OTHER_HALF),
    ("row_num_datums", "pack_untilize_dest", "narrow rows of the older spelling are refused"),
    ("BType|binary_reuse_dest|acc_to_dest|unpack_to_dest|pool_type|reduce_dim", r"llk_unpack_\w+", OTHER_HALF),
    ("type|unpack_to_dest", r"llk_math_eltwise_unary_datacopy(_init)?", OTHER_HALF),
    ("bcast_type|old_bcast_type", "unary_bcast_uninit|reconfigure_unary_bcast", OTHER_HALF),
    ("pack_mode", r"\w*init\w*|llk_pack_reduce_mask_config", OTHER_HALF),
    (r"num_faces|face_r_dim|srca_face_r_dim|is_tile_dim_reconfig_en|operand(_[ab])?", ".*", SHAPES),
    ("data_format", "binary_logical_right_shift_tile", "words of 16 bits are shifted like those of 32"),
    ("ITERATIONS", "max_reduce_with_indices", "a card does not use it either"),
    ("L_CACHED", "triangle_solve_tile", "which way loads take on a card"),
    ("block_ct_dim", "untilize_block", "how many tiles of DST are filled at a time"),
    ("reciprocal_size", r"welford_\w+", "the length of the table that is handed over with it"),
    (r"respect_trigger|overlap_first_half|configure_remap|\w+_reconfig_remap|throttle_level|WaitRes", ".*", ORDER),
    ("skip_sync|wait_for_blocks|push_blocks|brisc_pack|skip_addrmod_config|skip_packer_strides", r"llk_\w+", ORDER),
    ("skip_int8|to_from_int8|is_int_fpu_en", ".*", "the engine computes with the formats the unpackers are set to"),
    ("enforce_fp32_accumulation|clear_fp32_accumulation|at_start", ".*", "older calls (docs/limits.md)"),
    ("type", r"llk_math_eltwise_(unary|binary)_sfpu_init", "the name of the operation, for nothing but its name"),
    ("destination", "set_dst_write_addr", "the engine has one numbering of DST"),
    ("vc|use_vc|read_req_vc|cmd_buf|nm|posted|update_counter|inc_num_issued|skip_cmdbuf_chk", ".*", COUNTERS),
    ("skip_ptr_update|flush|dst_type|customized_src_addr|enable_noc_tracing|id_mask", r"(noc|reset)_\w+", COUNTERS),
    ("noc", r"get_noc_\w*addr|reset_noc_trid_barrier_counter", ADDRESSES),
    ("split_acc|clear_src|finalize", r"custom_mm_block\w*", "in which order products are added up"),
    ("dense_packing", "custom_mm_block_uninit", "the init call refuses it"),
    ("num_tiles", "rmsnorm_bcast_scalar_reuse_tiles_init", OTHER_HALF),
    ("sync", "_llk_pack_dest_section_done_", "kernels hand over what the host chose, which the engine knows"),
    ("sync|out_of_order_output|pack_mode", "get_output_tile_address|select_packer_dest_registers", "refused by name"),
    ("num_local_cbs", "align_local_cbs_to_remote_cb", "the length of the list that is handed over with it"),
]

# Calls whose modes are tested elsewhere, by a test that says its values with defines or in a kernel of the wheel's.
ELSEWHERE = {
    "max_reduce_with_indices": "conformance/test_pooling_calls.py",
    "typecast_tile": "conformance/test_copy_and_typecast.py",
    "topk_local_sort": "conformance/test_topk_modes.py",
    "topk_merge": "conformance/test_topk_modes.py",
    "topk_rebuild": "conformance/test_topk_modes.py",
    "topk_fuse_tile": "conformance/test_topk_modes.py",
    "topk_defuse_tile": "conformance/test_topk_modes.py",
    "topk_xl_init": "conformance/test_topk_xl.py",
    "topk_xl_copy_tile": "conformance/test_topk_xl.py",
    "topk_xl_add_lsb_indices": "conformance/test_topk_xl.py",
    "topk_xl_add_lsb_indices_rt": "conformance/test_topk_xl.py",
    "topk_xl_local_sort": "conformance/test_topk_xl.py",
    "topk_xl_local_sort_generic": "conformance/test_topk_xl.py",
    "topk_xl_merge": "conformance/test_topk_xl.py",
    "topk_xl_rebuild": "conformance/test_topk_xl.py",
    "topk_xl_remove_msb_values": "conformance/test_topk_xl.py",
    "topk_xl_separate_indices": "conformance/test_topk_xl.py",
    "topk_xl_separate_indices_row_major": "conformance/test_topk_xl.py",
    "topk_xl_separate_indices_row_major_init_static": "conformance/test_topk_xl.py",
    "topk_xl_separate_indices_row_major_init_upper": "conformance/test_topk_xl.py",
    "topk_xl_separate_indices_row_major_advance_chunk_base": "conformance/test_topk_xl.py",
    "topk_xl_separate_indices_row_major_global": "conformance/test_topk_xl.py",
    "topk_xl_separate_indices_row_major_global_base": "conformance/test_topk_xl.py",
    "add_rsqrt_tile": "conformance/test_fused_kernel_calls.py",
    "custom_mm_block": "conformance/test_fused_kernel_calls.py",
    "custom_mm_block_init": "conformance/test_fused_kernel_calls.py",
    "custom_mm_block_unpack": "conformance/test_fused_kernel_calls.py",
    "deepseek_compute_kernel_hw_startup": "conformance/test_fused_kernel_calls.py",
    "mul_reduce_scalar_tile": "conformance/test_fused_kernel_calls.py",
    "rmsnorm_mul_bcast_scalar_reuse_tiles": "conformance/test_fused_kernel_calls.py",
    "rmsnorm_mul_bcast_scalar_reuse_tiles_init": "conformance/test_fused_kernel_calls.py",
}
# What the calls of the API are made of or lead to, whose modes are theirs; and one that refuses all but its default.
HELPERS = {"binary_tiles", "binary_block", "binary_reuse_dest_init", "binary_reuse_dest_tiles", "reciprocals_of"}
HELPERS |= {"reciprocal_at", "reduce_block_max_row_reinit_minimal_runtime", "noc_async_write_page"}
HELPERS |= {"noc_async_write_shard", "get_semaphore", "calculate_add_rsqrt", "custom_mm_block_init_short"}
HELPERS |= {"rmsnorm_bcast_scalar_reuse_tiles", "rmsnorm_bcast_scalar_reuse_tiles_init"}
HELPERS |= {"deepseek_binary_dest_reuse_tiles", "deepseek_binary_dest_reuse_tiles_init"}
# Values of enumerations that no call of the API takes, and those that some refuse.
NO_VALUES = {"VectorMode": {"RC_custom", "Invalid"}, "EltwiseBinaryType": {"ELWDIV", "ELWLESS"}}
REFUSED = {
    ("reuse_dest", "NONE"),
    ("zero_srcA", "true"),
    ("sign_magnitude_format", "true"),
    ("dual_accumulator", "true"),
}
REFUSED_BY = {
    ("sfpu_bcast", "NONE"),
    ("sfpu_bcast", "SCALAR"),
    ("sfpu_bcast_init", "NONE"),
    ("sfpu_bcast_init", "SCALAR"),
    ("sfpu_reduce", "REDUCE_SCALAR"),
    *((f"{op}_tiles_bcast", "NONE") for op in ("add", "sub", "mul")),
    *((name, "MIN") for name in ("reduce_block", "reduce_tile_math")),
    *((name, "ELWDIV") for name in ("bcast_init", "any_tiles_bcast")),
}
_MODE_TYPES = re.compile(r"\b(bool|auto|Faces|DataFormat|[A-Z]\w*(Mode|Type|Order|Dim|Fidelity|Clamping|Anchor))\b")
_FLAG_NAMES = re.compile(r"transpose\w*|acc_to_dest")


def enumerations() -> dict[str, list[str]]:
    """Every enumeration of the headers with its values."""
    found = {}
    for header in headers_below([""]):
        text = re.sub(r"//[^\n]*", "", header_text(header))
        for name, values in re.findall(r"enum class (\w+)[^{;]*\{([^}]*)\}", text):
            found[name] = re.findall(r"(\w+)\s*(?:=[^,]*)?(?:,|$)", values.strip() + ",")
    return found


ENUMERATIONS = enumerations()


def api_functions() -> Iterator[Function]:
    """Functions that kernels call, each in its first form: overloads and older spellings lead to it."""
    seen: set[str] = set()
    for header in [
        *headers_below(["api/compute"]),
        "tw/sfpu_reductions.h",
        "tw/noc_transfers.h",
        "tw/noc_semaphores.h",
    ]:
        for function in functions_of(header):
            if function.name not in seen | HELPERS:
                seen.add(function.name)
                yield function


def is_mode(parameter: Parameter) -> bool:
    flag = _MODE_TYPES.search(parameter.type) or _FLAG_NAMES.fullmatch(parameter.name)
    return bool(parameter.name) and (parameter.is_template or flag is not None)


def values_of(function: Function, parameter: Parameter) -> set[str]:
    """The values a mode can have; nothing for a number, of which any two will do."""
    kind = parameter.type.removeprefix("const ").split()[0].rpartition("::")[2]
    if kind == "bool" or _FLAG_NAMES.fullmatch(parameter.name):
        values = {"true", "false"}
    elif kind == "DataFormat":  # those its refusal of the others names
        message = re.search(r'format must be ([\w, ]+)"', function.body)
        values = set(re.findall(r"[A-Z]\w+", message.group(1))) if message else set()
    else:
        kind = "VectorMode" if kind in ("Faces", "auto") else kind
        values = set(ENUMERATIONS.get(kind, [])) - NO_VALUES.get(kind, set())
    return {
        value for value in values if (parameter.name, value) not in REFUSED and (function.name, value) not in REFUSED_BY
    }


@pytest.fixture(scope="module")
def calls() -> dict[str, list[tuple[list[str], list[str]]]]:
    """Every call of the tables by its name."""
    found: dict[str, list[tuple[list[str], list[str]]]] = {}
    for table in TABLES:
        for call in importlib.import_module(f"tests.conformance.test_modes_of_{table}").CALLS:
            for name, template, arguments in calls_in(f"{call.text} {getattr(call, 'before_pack', '')}"):
                found.setdefault(name, []).append((template, arguments))
    return found


def called_values(parameter: Parameter, calls: list[tuple[list[str], list[str]]]) -> set[str]:
    """The values of a parameter in calls, its default where it is left out."""
    given = [template if parameter.is_template else arguments for template, arguments in calls]
    texts = {each[parameter.position] if parameter.position < len(each) else parameter.default for each in given}
    return {text.rpartition("::")[2].strip() for text in texts}


def uncalled_values(parameter: Parameter, wanted: set[str], called: set[str]) -> list[str]:
    if not wanted:
        return [] if len(called) > 1 else ["another value"]
    if wanted <= {"true", "false"}:
        called = {{"0": "false", "1": "true"}.get(value, value) for value in called}
    return sorted(wanted - called)


def test_every_value_of_a_mode_is_called(calls: dict[str, list[tuple[list[str], list[str]]]]) -> None:
    missing = []
    for function in api_functions():
        if function.name in ELSEWHERE:
            continue
        for parameter in filter(is_mode, function.parameters):
            if function.ignores(parameter):
                continue
            called = called_values(parameter, calls.get(function.name, []))
            uncalled = uncalled_values(parameter, values_of(function, parameter), called)
            missing += [f"{function.name} ({parameter.type}): {value}" for value in uncalled]
    assert not missing, "no table of tests/conformance/test_modes_of_*.py calls " + "; ".join(missing)


def test_calls_tested_elsewhere_are_there() -> None:
    known = {function.name for function in api_functions()}
    for name, test in ELSEWHERE.items():
        assert name in known, f"{name} is no call of the API any more"
        assert re.search(rf"\b{name}\b", (TESTS / test).read_text(encoding="utf-8")), f"{test} does not call {name}"


def ignored_parameters() -> Iterator[tuple[str, str, str]]:
    headers = headers_below(["api/compute", "api/dataflow", "tw/llk", "tw/older"])
    headers += ["tw/noc_transfers.h", "tw/noc_semaphores.h", "ckernel.h", "api/remote_circular_buffer.h"]
    headers += ["internal/dataflow/dataflow_api_addrgen.h", "tw/sfpu_reductions.h"]
    for header in headers:
        for function in functions_of(header):
            for parameter in function.parameters:
                if parameter.name and function.ignores(parameter):
                    yield header, function.name, parameter.name


def test_ignored_parameters_are_listed_with_a_reason() -> None:
    used = set()
    unknown = []
    for header, function, parameter in ignored_parameters():
        rules = [rule for rule in IGNORED if re.fullmatch(rule[0], parameter) and re.fullmatch(rule[1], function)]
        used.update(rules)
        if not rules:
            unknown.append(f"{header}: {function} takes {parameter} and does not use it")
    assert not unknown, "; ".join(unknown)
    assert not [rule for rule in IGNORED if rule not in used], "rules for parameters that no call ignores any more"
