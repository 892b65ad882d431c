# SPDX-License-Identifier: Apache-2.0
"""Every function of the table exists in the headers with the arguments the table says."""

from __future__ import annotations

import pytest

from tilewright import ttnn
from tilewright.kernels import api
from tilewright.kernels.api import FUNCTIONS
from tilewright.kernels.signatures import Argument, Signature

VALUES = {
    "uint32": "n",
    "uint64": "noc",
    "float32": "1.5",
    "bool": "True",
    "cb": "cb.input",
    "tensor": "x",
    "pointer": "sem",
    "format": "DataFormat.Float32",
    "DataFormat": "DataFormat.Float16_b",
}


def written_value(argument: Argument, is_template: bool = False) -> str:
    if is_template and argument.kind == "uint32":
        return "4"
    if argument.kind in VALUES:
        return VALUES[argument.kind]
    members = list(getattr(api, argument.kind))
    return f"{argument.kind}.{members[-1].name}"


def calls(name: str, signature: Signature) -> list[str]:
    """A call with everything, and one with what is required only."""
    texts = []
    for keep in (True, False):
        template = [written_value(each, True) for each in signature.template if keep or not each.is_optional]
        arguments = [written_value(each) for each in signature.arguments if keep or not each.is_optional]
        brackets = f"[{', '.join(template)}]" if template else ""
        texts.append(f"{name}{brackets}({', '.join(arguments)})")
    return list(dict.fromkeys(texts))


@pytest.mark.parametrize("is_compute", [True, False], ids=["compute", "dataflow"])
def test_every_function_compiles(written, device: ttnn.Device, is_compute: bool) -> None:
    head = "@compute_kernel\ndef kernel(n: RuntimeArg, cb: Buffers) -> None:\n"
    if not is_compute:
        head = (
            "@reader_kernel\ndef kernel(n: RuntimeArg, x: TensorArg, cb: Buffers) -> None:\n"
            "    sem = l1_ptr[uint32](get_semaphore(0))\n    noc = x.get_noc_addr(0)\n"
            "    size = x.get_aligned_page_size()\n"
        )
    body = ["    if n > 0:"]
    for function in FUNCTIONS.values():
        if function.header(is_compute) is not None:
            body += [f"        {call}" for each in function.signatures for call in calls(function.name, each)]
    kernel = written(head + "\n".join(body)).kernel
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))])
    tensor = ttnn.empty([32, 32], dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    descriptor = kernel.descriptor(cores, runtime_args={"n": 0}, tensors={} if is_compute else {"x": tensor})
    buffer = ttnn.CBDescriptor(
        total_size=2048, core_ranges=cores, format_descriptors=[ttnn.CBFormatDescriptor(0, ttnn.bfloat16, 2048)]
    )
    semaphore = ttnn.SemaphoreDescriptor(id=0, core_ranges=cores, initial_value=0)
    program = ttnn.ProgramDescriptor(kernels=[descriptor], cbs=[buffer], semaphores=[semaphore])
    ttnn.generic_op([tensor], program)
    assert len(body) > 30


def test_names_that_do_not_exist() -> None:
    with pytest.raises(AttributeError, match="the kernel API has no add_tile; did you mean add_tiles"):
        _ = api.add_tile
    with pytest.raises(ImportError):
        from tilewright.kernels.api import add_tiles_init  # noqa: F401
