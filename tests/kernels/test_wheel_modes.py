# SPDX-License-Identifier: Apache-2.0
"""Modes of the wheel's own kernel API: macros it looks at, and template arguments of calls.

A macro that is unknown here may change what a call does; a template argument in another place is another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.kernel_headers import INCLUDE, Function, functions_of, headers_below

FOLDERS = [
    "tt_metal/hw/inc/api/compute",
    "tt_metal/hw/inc/api/dataflow",
    "tt_metal/hw/inc/api/tensor",
    "tt_metal/tt-llk/common",
    "ttnn/cpp/ttnn/kernel_lib",
    *(f"tt_metal/{folder}/{name}" for name in ("wormhole_b0", "blackhole") for folder in ("hw/ckernels",)),
    *(f"tt_metal/tt-llk/tt_llk_{name}" for name in ("wormhole_b0", "blackhole")),
]
# Patterns of names, and what becomes of them here.
KNOWN = {
    "TOPK_UINT16_FP32_DEST": "obeyed (tests/conformance/test_topk_modes.py)",
    "REDUCE_OP|REDUCE_DIM|SFPU_OP_.*_INCLUDE|CKL_.*": "which calls a kernel sees; obeyed, or there in any case",
    "WELFORD_SFPU_(LOCAL|LEAF)_COMBINE|NOC_API_V1": "which calls a kernel sees; there in any case",
    "ARCH_.*|COMPILE_FOR_.*|TRISC_.*|UCK_CHLKC_.*|KERNEL_BUILD|FW_BUILD": "the build's own, defined here as there",
    "DST_SYNC_MODE|DST_SYNC_FULL|ENABLE_FP32_DEST_ACC": "what the host sets (test_modes_of_compute_config.py)",
    ".*_DEFINED|DFB_.*|__has_include|chlkc_descriptors|COMPUTE_SEMAPHORE_MAX": "headers among themselves",
    "INP_FLOAT32|RANGE_REDUCTION_.*|LOG_EXPAND_CONSTANT|FUSE_SQRT_RECIP": "which approximation; all are accurate here",
    "DISABLE_.*SFPLOADMACRO|TOPK_XL_.*|WELFORD_SFPU_.*|LLK_ZEROFLAG_OUTLINE|HF": "other instructions, the same result",
    "MM_THROTTLE|MM_STAGGER_TYPE|ENABLE_GATHERING|ENABLE_L1_DATA_CACHE|LOCAL_MEM_EN": "time, not results",
    "EN_DEST_DOUBLE_BUFFERING|SFPU_OP_PARAM": "defaults that no host of the wheel changes",
    "TT_METAL_COMPUTE_KERNEL_SENTINEL_.*|WATCHER_.*|PROFILE_.*|(GPR_)?DEBUG_.*|.*LLK_ASSERT.*": "checks of tt-metal's",
    "ENV_LLK_INFRA|LLK_BOOT_BRISC|TT_EMULE_.*|TT_METAL_TTSIM|PREFETCHER_PIPE_TEST_HELPERS": "other ways to run kernels",
    "TT_TA_ADDRGEN_.*|NOC_ATT_ENABLED": "how addresses are computed",
    "__.*": "compilers",
}


def macros_of(wheel: Path) -> set[str]:
    """Every name in a condition of the preprocessor."""
    found = set()
    for path in (path for folder in FOLDERS for path in (wheel / folder).rglob("*")):
        if path.suffix in (".h", ".hpp", ".inl"):
            text = path.read_text(encoding="utf-8", errors="replace").replace("\\\n", " ")
            for condition in re.findall(r"^\s*#\s*(?:el)?if(?:n?def)?\b([^\n]*)", text, re.MULTILINE):
                found.update(re.findall(r"\b[A-Za-z_]\w+", re.sub(r"//.*|/\*.*", "", condition)))
    return found - {"defined", "and", "or", "not"}


def test_every_macro_of_the_api_is_known(wheel: Path) -> None:
    found = macros_of(wheel)
    assert found, "no headers found"
    unknown = sorted(name for name in found if not any(re.fullmatch(known, name) for known in KNOWN))
    assert not unknown, f"what do these change? {unknown}"
    gone = [known for known in KNOWN if not any(re.fullmatch(known, name) for name in found)]
    assert not gone, f"no header tests these any more: {gone}"


def template_of(function: Function) -> tuple[str, ...]:
    """Types and names of template parameters, without what makes no difference to who gives them."""
    written = [parameter.type for parameter in function.parameters if parameter.is_template]
    plain = [re.sub(r"\b(std|ckernel)::|^(auto|VectorMode)(?= vec_mode)", "", text) for text in written]
    return tuple(text.replace("size_t", "uint32_t").strip() for text in plain)


def templates(root: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    for header in headers_below(["api/compute"], root):
        for function in functions_of(header, root):
            # Operands as objects are calls of their own (docs/limits.md: api/compute/experimental/2_0).
            if not any("LLKOperand" in parameter.type for parameter in function.parameters):
                yield function.name, template_of(function)


def test_template_arguments_are_in_the_same_places(wheel: Path) -> None:
    ours: dict[str, list[tuple[str, ...]]] = {}
    for name, template in templates(INCLUDE):
        ours.setdefault(name, []).append(template)
    different = []
    for name, template in sorted(set(templates(wheel / "tt_metal/hw/inc"))):
        if name in ours and not any(each[: len(template)] == template for each in ours[name]):
            different.append(f"{name}<{', '.join(template)}>, here {ours[name]}")
    assert not different, different
