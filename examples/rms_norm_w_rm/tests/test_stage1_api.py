# SPDX-License-Identifier: Apache-2.0
"""Stage 1: the operation can be imported, called and read about."""

from __future__ import annotations

import inspect
from pathlib import Path

from tilewright.ops import Operation
from tilewright.workshop.spec import check_spec, read_spec

from rms_norm_w_rm.op import rms_norm_w_rm

SPEC = read_spec(Path(__file__).parents[1] / "spec.toml")


def test_the_spec_makes_sense() -> None:
    assert check_spec(SPEC) == []


def test_it_is_an_operation_of_this_name() -> None:
    assert isinstance(rms_norm_w_rm, Operation)
    assert rms_norm_w_rm.name == SPEC.name
    assert rms_norm_w_rm.formula == SPEC.formula


def test_it_takes_what_the_spec_says() -> None:
    parameters = inspect.signature(rms_norm_w_rm).parameters
    assert [*parameters][: 1 + len(SPEC.vectors)] == ["input_tensor", *(each.name for each in SPEC.vectors)]
    assert ("epsilon" in parameters) == SPEC.has_epsilon
    if SPEC.has_epsilon:
        assert parameters["epsilon"].default == SPEC.epsilon


def test_it_is_documented() -> None:
    assert rms_norm_w_rm.__doc__
    assert "Returns:" in (type(rms_norm_w_rm).__call__.__doc__ or "")
