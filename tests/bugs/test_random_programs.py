# SPDX-License-Identifier: Apache-2.0
"""Random legal programs end right, page for page; random faulty ones end as their fault says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from corpus.host import Host
from corpus.running import difference, run_launch
from hypothesis import given, settings
from hypothesis import strategies as st
from random_programs import FAULTS, Chain, Fault, build, chains, faulty_chains, places, same_every_time

import tilewright
from tilewright import ttnn


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    device = ttnn.open_device(device_id=0)
    yield Host(device, fixed=True)
    ttnn.close_device(device)


@settings(same_every_time, max_examples=1000)
@given(chain=chains())
def test_a_legal_program_ends_right(host: Host, chain: Chain) -> None:
    launch = build(host, chain)
    run = tilewright.run_program(launch.io_tensors, launch.program)
    assert difference(launch) == ""
    used = [0, *(2, 3)[: len(chain.stages) - 1], 16]
    for use in run.circular_buffers:
        pages = chain.tiles if use.index in used else int(use.index == 1)
        assert (use.pushed, use.popped) == (pages, pages)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name.lower())
@settings(same_every_time, max_examples=50)
@given(data=st.data())
def test_a_fault_ends_as_stated(host: Host, fault: Fault, data: st.DataObject) -> None:
    chain, seeded = data.draw(faulty_chains(fault))
    outcome = run_launch(build(host, chain, seeded))
    assert outcome.plain in seeded.plain, outcome.text


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name.lower())
def test_a_fault_has_a_line_to_be_named(fault: Fault) -> None:
    assert places(fault)


def test_all_faults_are_tried() -> None:
    assert {*FAULTS, Fault.NONE} == set(Fault)
