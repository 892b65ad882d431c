# SPDX-License-Identifier: Apache-2.0
"""Kernels that call every function of the kernel API, in every form it may be called."""

from __future__ import annotations

import re

from tilewright.kernels import api
from tilewright.kernels._api_table import ENUMERATIONS, FUNCTIONS
from tilewright.kernels._signatures import Argument, Signature

_VALUES = {
    "uint32": "n",
    "uint64": "noc",
    "int32": "int32(n)",
    "float32": "1.5",
    "bool": "True",
    "cb": "cb.input",
    "tensor": "x",
    "pointer": "sem",
    "format": "DataFormat.Float32",
    "DataFormat": "DataFormat.Float16_b",
    "EltwiseBinaryType": "EltwiseBinaryType.ELWSUB",
    "PoolType": "PoolType.MAX",
    "VectorMode": "VectorMode.RC",
}
_OF_INTEGERS = re.compile(r"_int|bitwise|shift")
_COMPUTE_HEAD = "@compute_kernel\ndef kernel(n: RuntimeArg, cb: Buffers) -> None:\n"
_DATAFLOW_HEAD = (
    "@reader_kernel\ndef kernel(n: RuntimeArg, x: TensorArg, cb: Buffers) -> None:\n"
    "    sem = l1_ptr[uint32](get_semaphore(0))\n    noc = x.get_noc_addr(0)\n"
    "    size = x.get_aligned_page_size()\n    near = x.get_noc_addr(0, n, noc=1)\n"
    "    zeros = get_noc_addr(MEM_ZEROS_BASE) + MEM_ZEROS_SIZE\n"
)


def _written(argument: Argument, is_template: bool = False) -> str:
    if is_template and argument.kind in ("uint32", "int32"):
        return "4"
    if argument.kind in _VALUES:
        return _VALUES[argument.kind]
    members = list(getattr(api, argument.kind))
    return f"{argument.kind}.{members[-1].name}"


def _calls(name: str, signature: Signature) -> list[str]:
    """A call with everything, one with what is required only, and ones with each optional argument alone."""
    required = [_written(each) for each in signature.arguments if not each.is_optional]
    optional = [f"{each.name}={_written(each)}" for each in signature.arguments if each.is_optional]
    texts = []
    for template in (signature.template, [each for each in signature.template if not each.is_optional]):
        brackets = f"[{', '.join(_written(each, True) for each in template)}]" if template else ""
        brackets = brackets.replace("Float16_b", "Int32") if _OF_INTEGERS.search(name) else brackets
        for some in ([], optional, *([each] for each in optional)):
            texts.append(f"{name}{brackets}({', '.join([*required, *some])})")
    return list(dict.fromkeys(texts))


def every_call(is_compute: bool) -> list[str]:
    """Calls of every function that such kernels have."""
    return [
        call
        for function in FUNCTIONS.values()
        if function.header(is_compute) is not None
        for signature in function.signatures
        for call in _calls(function.name, signature)
    ]


def _enumerators(is_compute: bool) -> list[str]:
    """Every member of every enumeration, assigned."""
    kept = [each for each in ENUMERATIONS.values() if is_compute or each is api.DataFormat]
    return [f"{each.__name__}_{member.name} = {each.__name__}.{member.name}" for each in kept for member in each]


def kernel_text(is_compute: bool) -> str:
    """The Python of one kernel that calls everything, if its argument is not 0."""
    head = _COMPUTE_HEAD if is_compute else _DATAFLOW_HEAD
    body = [*_enumerators(is_compute), *every_call(is_compute)]
    return head + "    if n > 0:\n" + "".join(f"        {each}\n" for each in body)
