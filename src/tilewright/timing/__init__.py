# SPDX-License-Identifier: Apache-2.0
"""Time model: replay a launch's recorded calls on a card's clock."""

from tilewright.timing._device_time import DeviceTime, Processor, ProcessorTime, Wait, WaitFor
from tilewright.timing._replay import Change, replay

__all__ = ["Change", "DeviceTime", "Processor", "ProcessorTime", "Wait", "WaitFor", "replay"]
