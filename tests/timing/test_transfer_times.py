# SPDX-License-Identifier: Apache-2.0
"""Transfers of one core against cycles measured on cards.

The figures are rows of tt-metal's published tables of data-movement latencies: so many transactions on NoC 0, one
barrier at the end. The model's constants come from the ends of these tables (one transaction, many); what lies between
follows. 15 % is what the tables themselves scatter: the same transfer differs by that between neighbouring rows.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import pytest

from tests.timing.transfers import Transfers
from tilewright import ttnn
from tilewright._launch.open_devices import close_device, open_device
from tilewright.timing import Change, replay

_SCATTER = 0.15
_MEASURED = {
    "wormhole_b0": [
        (Transfers(1, 2048), 479),
        (Transfers(4, 2048), 725),
        (Transfers(16, 2048), 1465),
        (Transfers(64, 1024), 2647),
        (Transfers(256, 2048), 17249),
        (Transfers(16, 2048, writes=True), 1573),
        (Transfers(64, 4096, writes=True), 9562),
        (Transfers(64, 2048, one_bank=True), 6266),
        (Transfers(16, 2048, dram=False), 1460),
        (Transfers(64, 256, dram=False), 1874),
        (Transfers(16, 4096, dram=False, writes=True), 2522),
    ],
    "blackhole": [
        (Transfers(1, 2048), 539),
        (Transfers(4, 2048), 649),
        (Transfers(16, 8192), 2640),
        (Transfers(64, 2048), 2669),
        (Transfers(256, 1024), 7400),
        (Transfers(16, 2048, writes=True), 934),
        (Transfers(64, 4096, writes=True), 4663),
        (Transfers(64, 2048, one_bank=True), 3602),
        (Transfers(16, 2048, dram=False), 929),
        (Transfers(64, 4096, dram=False), 4705),
        (Transfers(16, 4096, dram=False, writes=True), 1443),
    ],
}


@pytest.fixture(params=list(_MEASURED))
def device(request: pytest.FixtureRequest) -> Iterator[ttnn.Device]:
    opened = open_device(0, request.param)
    yield opened
    close_device(opened)


def test_transfers_take_as_long_as_measured(device: ttnn.Device) -> None:
    wrong = {}
    for transfers, measured in _MEASURED[device.description.name]:
        modelled = transfers.cycles(device)
        if abs(modelled / measured - 1) > _SCATTER:
            wrong[transfers] = (round(modelled), measured)
    assert not wrong


# GB/s by bytes of one read, in the tables of tt-metal's planner of convolutions.
_OWN_L1 = {"wormhole_b0": {16: 0.868, 1024: 27.84}, "blackhole": {16: 1.124, 4096: 80.48}}


def test_reads_of_the_own_l1_are_as_fast_as_published(device: ttnn.Device) -> None:
    for size, published in _OWN_L1[device.description.name].items():
        few, many = (
            Transfers(count, size, dram=False, own=True, with_state=True).cycles(device) for count in (16, 256)
        )
        rate = 240 * size / (many - few) * device.description.clock_hz * 1e-9
        assert rate == pytest.approx(published, rel=_SCATTER), size


# Cycles of 256 small transfers less those of 16, a 240th of it: what each costs its processor.
_ISSUE = {
    "wormhole_b0": [
        (Transfers(0, 64), 36),
        (Transfers(0, 128, writes=True), 40),
        (Transfers(0, 64, one_bank=True), 21.2),
        (Transfers(0, 64, dram=False), 25.4),
        (Transfers(0, 64, dram=False, with_state=True), 17.3),
    ],
    "blackhole": [
        (Transfers(0, 64), 27),
        (Transfers(0, 64, writes=True), 31),
        (Transfers(0, 64, one_bank=True), 22.1),
        (Transfers(0, 64, dram=False), 35),
        (Transfers(0, 64, dram=False, with_state=True), 34),
    ],
}


def test_each_way_to_an_address_has_its_cost(device: ttnn.Device) -> None:
    """Pages that go round all banks cost more than transfers of one: a division on a Wormhole, which has twelve.

    7 %: the planner of convolutions has 6 % more for a read of the own L1 than the tables have for any other's.
    """
    for kind, measured in _ISSUE[device.description.name]:
        few, many = (dataclasses.replace(kind, count=count).cycles(device) for count in (16, 256))
        assert (many - few) / 240 == pytest.approx(measured, rel=0.07), kind


def test_a_barrier_of_one_transaction_id_waits_for_that_one(device: ttnn.Device) -> None:
    one_by_one, tagged = (
        Transfers(16, 64, one_bank=True, at_once=1, tagged=tagged).cycles(device) for tagged in (False, True)
    )
    assert tagged < 0.7 * one_by_one


def test_a_barrier_after_each_read_costs_its_latency(device: ttnn.Device) -> None:
    one, two, many = (Transfers(count, 64, one_bank=True, at_once=1).cycles(device) for count in (1, 2, 16))
    together = Transfers(16, 64, one_bank=True).cycles(device)
    assert many == pytest.approx(one + 15 * (two - one))
    assert together < many / 3


def test_reads_ahead_hide_the_latency_of_single_reads(device: ttnn.Device) -> None:
    record = Transfers(16, 64, at_once=1).record(device)
    plain, ahead = replay(record), replay(record, Change(reads_ahead=True))
    assert ahead.cycles < 0.7 * plain.cycles


def test_the_answer_is_the_same_every_time(device: ttnn.Device) -> None:
    first, second = (replay(Transfers(64, 2048).record(device)) for _ in range(2))
    assert first.cycles == second.cycles
    assert first.processors == second.processors


def test_bytes_are_counted(device: ttnn.Device) -> None:
    time = replay(Transfers(16, 2048).record(device))
    assert (time.dram_read_bytes, time.dram_write_bytes, time.noc_bytes) == (16 * 2048, 0, 0)


def test_a_constant_the_model_has_not_is_refused(device: ttnn.Device) -> None:
    with pytest.raises(ValueError, match="the model has no constant 'speed_of_light'"):
        replay(Transfers(1, 64).record(device), Change(constants={"speed_of_light": 1.0}))
