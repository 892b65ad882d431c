# SPDX-License-Identifier: Apache-2.0
"""How long a launch takes on a card, and where it waits: a record of its calls, replayed on a model's clock."""

from tilewright.timing._device_time import DeviceTime, Processor, ProcessorTime, Wait, WaitFor
from tilewright.timing._replay import Change, replay

__all__ = ["Change", "DeviceTime", "Processor", "ProcessorTime", "Wait", "WaitFor", "replay"]
