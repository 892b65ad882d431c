# SPDX-License-Identifier: Apache-2.0
"""A stub has its phase's parameters and contract, and its body moves just the pages the contract names."""

from __future__ import annotations

import ast
import itertools

import pytest

from tests.workshop.stub_kernels import kept_then_popped
from tilewright._workshop.stubs import stub, stub_lines
from tilewright.kernels import phases
from tilewright.kernels.phases import Contract, Phase, Region

LIBRARY = [each for each in vars(phases).values() if isinstance(each, Phase)]
STUBBED = [each for each in LIBRARY if each.contract.waits and each.contract.pushes and stub(each) is not each]


def evaluate(node: ast.expr, values: dict[str, int]) -> int:
    """The number that an expression of a stub is, for given arguments."""
    return int(eval(ast.unparse(node), dict(values)))


@pytest.mark.parametrize("phase", STUBBED, ids=lambda phase: phase.name)
def test_a_stub_takes_and_promises_the_same(phase: Phase) -> None:
    made = stub(phase)
    assert made.parameters == phase.parameters
    assert made.contract == phase.contract
    assert stub(phase) is made  # one C++ function of this name in a kernel


def moved(contract: Contract, values: dict[str, int]) -> dict[str, dict[str, int]]:
    """Pages that the lines of a stub move."""
    pages: dict[str, dict[str, int]] = {"waits": {}, "pops": dict.fromkeys(contract.pops, 0)}
    pages["pushes"] = dict.fromkeys(contract.pushes, 0)
    for statement in ast.parse("\n".join(stub_lines(contract))).body:
        body = [statement]
        if isinstance(statement, ast.If):
            body = statement.body if evaluate(statement.test, values) else []
        for each in body:
            assert isinstance(each, ast.Expr)
            assert isinstance(each.value, ast.Call)
            name, arguments = ast.unparse(each.value.func), each.value.args
            kind = {"cb_wait_front": "waits", "cb_pop_front": "pops", "pass_through": "pushes"}[name]
            cb, count = (arguments[2], arguments[3]) if kind == "pushes" else (arguments[0], arguments[1])
            number = evaluate(count, values)
            assert number > 0, "a call that moves nothing"
            pages[kind][ast.unparse(cb)] = number
    return pages


@pytest.mark.parametrize("phase", STUBBED, ids=lambda phase: phase.name)
def test_pages_are_those_of_the_contract(phase: Phase) -> None:
    names = sorted(phase.contract.arguments)
    flags = [name for name in names if name.startswith(("keep", "is_", "partial"))]
    for choice in itertools.product((0, 1), repeat=len(flags)):
        values = {"num_tiles": 5, "inner_tiles": 2, "first": 3, **dict(zip(flags, choice, strict=True))}
        traffic = phase.contract.evaluate(**{name: values[name] for name in names})
        assert moved(phase.contract, values) == vars(traffic)


def test_tilizing_phase_is_no_stub() -> None:
    for phase in (phases.tilize, phases.tilize_sticks, phases.untilize, phases.untilize_sticks):
        assert stub(phase) is phase
    assert all(Region.ROWS not in each.contract.gives.values() for each in STUBBED)


def test_stub_kernel_is_marked_as_stub() -> None:
    cpp = kept_then_popped.cpp_source()
    assert "square_stub<true>(cb_a, cb_b, row_tiles" in cpp
    assert "// A stub of square: moves its pages, computes nothing." in cpp
    assert "void pass_through(" in cpp
