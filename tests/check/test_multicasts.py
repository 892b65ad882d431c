# SPDX-License-Identifier: Apache-2.0
"""Rectangles, receivers and addresses of multicasts. Every bug has a twin without it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pytest

from tests.check.noc_program import multicast, rules, run_pair
from tilewright import ttnn
from tilewright._errors import KernelError
from tilewright._launch.plain_warnings import RuleWarning


@pytest.fixture(scope="module", params=["wormhole_b0", "blackhole"])
def device(request: pytest.FixtureRequest) -> Iterator[ttnn.Device]:
    device = ttnn.open_device(device_id=0, arch=request.param)
    yield device
    ttnn.close_device(device)


@pytest.mark.parametrize("include_sender", [False, True])
def test_the_number_of_receivers_of_a_multicast(include_sender: bool, device) -> None:
    call = "noc_async_write_multicast_loopback_src" if include_sender else "noc_async_write_multicast"
    sender = f"""
    {call}(get_write_ptr(0), get_noc_multicast_addr(here_x, here_y, there_x, there_y, get_write_ptr(0)), 2048, %d);
    noc_async_write_barrier();
    """
    right = 2 if include_sender else 1
    assert not rules(run_pair(device, sender % right, ""))
    wrong = run_pair(device, sender % (3 - right), "")
    assert rules(wrong) == {"noc-multicast-count"}
    assert f"says {3 - right} receivers" in wrong.notes[0].text


def test_the_corners_of_a_multicast(device) -> None:
    corners = "here_x, here_y, there_x, there_y", "there_x, there_y, here_x, here_y"
    for noc, right, wrong in ((0, *corners), (1, *reversed(corners))):
        for order, fires in ((right, False), (wrong, True)):
            address = f"get_noc_multicast_addr({order}, get_write_ptr(0), {noc})"
            sender = f"noc_async_write_multicast(get_write_ptr(0), {address}, 2048, 1, false, {noc});"
            run = run_pair(device, sender + f"noc_async_write_barrier({noc});", "")
            assert rules(run) == ({"noc-multicast-rectangle"} if fires else set()), (noc, order)


@pytest.mark.parametrize("checked", [True, False])
@pytest.mark.parametrize(
    "call",
    [
        "noc_async_read({address}, get_write_ptr(0), 32); noc_async_read_barrier();",
        "noc_async_write(get_write_ptr(0), {address}, 32); noc_async_write_barrier();",
        "noc_semaphore_inc({address}, 1); noc_async_atomic_barrier();",
        "noc_inline_dw_write({address}, 1); noc_async_write_barrier();",
    ],
)
def test_a_multicast_address_in_a_call_for_one_core_is_refused(device, call: str, checked: bool) -> None:
    place = "get_semaphore(0)" if "semaphore" in call or "inline" in call else "get_write_ptr(0)"
    one_core = f"get_noc_addr(there_x, there_y, {place})"
    receiver = "cb_push_back(0, 1);" if "async_read" in call else ""
    rectangle = f"get_noc_multicast_addr(there_x, there_y, there_x, there_y, {place})"
    with pytest.raises(
        KernelError, match="is for one core, and the address is a multicast's, of the rectangle"
    ) as error:
        run_pair(device, call.format(address=rectangle), receiver, checked=checked)
    assert error.value.rule == "noc-multicast-address"
    assert "noc-multicast-address" not in rules(run_pair(device, call.format(address=one_core), receiver))


@pytest.mark.parametrize("checked", [True, False])
def test_a_multicast_to_the_address_of_one_core_is_refused(device, checked: bool) -> None:
    sender = "noc_async_write_multicast(get_write_ptr(0), get_noc_addr(there_x, there_y, get_write_ptr(0)), 2048, 1);"
    with pytest.raises(KernelError, match=r"the address is that of core \(\d+,\d+\) alone") as error:
        run_pair(device, sender + "noc_async_write_barrier();", "", checked=checked)
    assert error.value.rule == "noc-multicast-address"


@pytest.mark.parametrize("checked", [True, False])
def test_logical_corners_of_a_multicast_are_named_with_their_noc_coordinates(device, checked: bool) -> None:
    address = "get_noc_multicast_addr(1, 0, 1, 0, get_write_ptr(0))"
    with pytest.raises(KernelError, match=r"cores \(1,0\)-\(1,0\) have NoC coordinates \(\d+,\d+\)-") as error:
        run_pair(device, f"noc_async_write_multicast(get_write_ptr(0), {address}, 2048, 1);", "", checked=checked)
    assert error.value.rule == "noc-multicast-no-receiver"


def test_a_plain_run_warns_of_a_wrong_number_of_receivers(device) -> None:
    right = multicast() + "noc_async_write_barrier();"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run_pair(device, right, "", checked=False)
    with pytest.warns(RuleWarning, match=r"multicast says 3 receivers, .*noc-multicast-count"):
        run_pair(device, right.replace("2048, 1", "2048, 3"), "", checked=False)


@pytest.mark.parametrize("checked", [True, False])
def test_a_multicast_one_core_too_far_is_named(checked: bool, device) -> None:
    """The number of receivers is right for the rectangle, and the program has nothing on its last core."""
    page = "get_write_ptr(0)"
    for columns, fires in ((1, False), (2, True)):
        end = device.worker_core_from_logical_core((columns, 0))
        rectangle = f"get_noc_multicast_addr(there_x, there_y, {end.x}, {end.y}, {page})"
        body = f"noc_async_write_multicast({page}, {rectangle}, 2048, {columns}); noc_async_write_barrier();"
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            run = run_pair(device, body, "", checked=checked)
        assert rules(run) == ({"noc-multicast-outside"} if fires else set())
        assert all("has nothing on 1 of 2 cores, first on core (2,0)" in each.text for each in run.notes)
        assert [each.category for each in said] == ([RuleWarning] if fires and not checked else [])
