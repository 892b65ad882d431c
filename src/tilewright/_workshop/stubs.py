# SPDX-License-Identifier: Apache-2.0
"""Stub phases: they move pages as their contracts state and compute nothing.

A stub waits for everything its phase waits for, passes its first operand through to its output, and pops what its phase
pops. So a kernel of stubs cannot hang where the kernel of real phases would not, and what comes out is what went in.
"""

from __future__ import annotations

import ast
import functools
import linecache

from tilewright.kernels._language import kernel_function
from tilewright.kernels._types import CB, uint32
from tilewright.kernels.api import (
    cb_pop_front,
    cb_push_back,
    cb_reserve_back,
    cb_wait_front,
    copy_init,
    copy_tile,
    pack_reconfig_data_format,
    pack_tile,
    reconfig_data_format_srca,
    tile_regs_acquire,
    tile_regs_commit,
    tile_regs_release,
    tile_regs_wait,
)
from tilewright.kernels.phases import Contract, Phase, Region


@kernel_function
def pass_through(cb_in: CB, num_in: uint32, cb_out: CB, num_out: uint32) -> None:
    """num_out pages of out = the first pages of in; where in has fewer, its last one again.

    The num_in pages of cb_in must be there already, and stay. Pushes num_out pages of cb_out.
    """
    cb_reserve_back(cb_out, num_out)
    reconfig_data_format_srca(cb_in)
    pack_reconfig_data_format(cb_out)
    copy_init(cb_in)
    for page in range(num_out):
        tile_regs_acquire()
        copy_tile(cb_in, min(page, num_in - 1), 0)
        tile_regs_commit()
        tile_regs_wait()
        pack_tile(0, cb_out)
        tile_regs_release()
    cb_push_back(cb_out, num_out)


# How the "file" of a stub begins.
STUB_PATH = "<stub of "

_NAMES = {
    "cb_wait_front": cb_wait_front,
    "cb_pop_front": cb_pop_front,
    "pass_through": pass_through,
}


@functools.cache
def stub(phase: Phase) -> Phase:
    """A phase with the same parameters and contract that computes nothing.

    Phases that turn rows into tiles or back are no stubs' business: they move data only, and are returned as they are.

    Example::

        mean = stub(phases.reduce_row_mean)
    """
    contract = phase.contract
    if Region.ROWS in (*contract.needs.values(), *contract.gives.values()):
        return phase
    name = f"{phase.name}_stub"
    lines = [f"def {name}({ast.unparse(phase.tree.args)}) -> None:"]
    lines += [f'    """A stub of {phase.name}: moves its pages, computes nothing."""']
    lines += [f"    {line}" for line in stub_lines(contract)]
    source = "\n".join(lines) + "\n"
    path = f"{STUB_PATH}{phase.name}>"
    names = {**phase.function.__globals__, **_NAMES}
    linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)
    exec(compile(source, path, "exec", dont_inherit=True), names)
    return Phase(names[name], contract)


def stub_lines(contract: Contract) -> list[str]:
    """The body of a stub, in the kernel language; it calls ``pass_through``."""
    lines = [f"cb_wait_front({cb}, {count})" for cb, count in contract.waits.items()]
    first, count = next(iter(contract.waits.items()))
    for cb, pushed in contract.pushes.items():
        lines += _unless_zero(f"pass_through({first}, {count}, {cb}, {{count}})", pushed)
    for cb, popped in contract.pops.items():
        lines += _unless_zero(f"cb_pop_front({cb}, {{count}})", popped)
    return lines


def _unless_zero(call: str, count: str) -> list[str]:
    """A call with a page count, not made where there are none: ``0 if keep else n`` becomes ``if not keep``."""
    tree = ast.parse(count, mode="eval").body
    if isinstance(tree, ast.Constant):
        return [call.format(count=count)] if tree.value else []
    if isinstance(tree, ast.IfExp):
        test = ast.unparse(tree.test)
        for condition, some, none in ((test, tree.body, tree.orelse), (f"not {test}", tree.orelse, tree.body)):
            if isinstance(none, ast.Constant) and none.value == 0:
                return [f"if {condition}:", f"    {call.format(count=ast.unparse(some))}"]
    return [call.format(count=count)]
