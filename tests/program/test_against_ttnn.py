# SPDX-License-Identifier: Apache-2.0
"""The same questions put to the real ttnn and to ours.

No card is needed: a description of a card that does not exist is enough for ttnn and for everything on the host.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.program import ttnn_probe
from tilewright import ttnn as ours
from tilewright._tensor.ttnn_names import TTNN_RELEASE

# A cluster of one n150, in the form ttnn reads instead of looking for cards.
BOARD_ID = 0x18 << 36
CLUSTER = f"""
arch: {{
   0: wormhole_b0,
}}
chips: {{
   0: [0,0,0,0],
}}
ethernet_connections: [
]
ethernet_connections_to_remote_devices: [
]
chips_with_mmio: [
   0: 0,
]
io_device_type: PCIe
harvesting: {{
   0: {{noc_translation: true, harvest_mask: 1, dram_harvesting_mask: 0, eth_harvesting_mask: 0,
       pcie_harvesting_mask: 0, l2cpu_harvesting_mask: 0}},
}}
chip_to_boardtype: {{
   0: n150,
}}
chip_to_bus_id: {{
   0: 0x1,
}}
boards: [
   [
      board_id: {BOARD_ID},
      board_type: n150,
      chips: [
         0,
      ]
   ]
]
asic_locations:
  0: 0
chip_unique_ids:
  0: {BOARD_ID}
"""


@pytest.fixture(scope="module")
def real_answers(real_ttnn, tmp_path_factory):
    cluster = tmp_path_factory.mktemp("ttnn") / "cluster.yaml"
    cluster.write_text(CLUSTER)
    environment = {**os.environ, "TT_METAL_MOCK_CLUSTER_DESC_PATH": str(cluster), "TT_LOGGER_LEVEL": "FATAL"}
    environment.pop("PYTHONPATH", None)
    probe = Path(ttnn_probe.__file__)
    command = [real_ttnn, str(probe), *ttnn_probe.SECTIONS]
    result = subprocess.run(
        command, capture_output=True, text=True, env=environment, cwd=cluster.parent, timeout=300, check=False
    )
    if result.returncode:
        pytest.fail(f"the real ttnn did not answer: {result.stderr[-2000:]}")
    return json.loads(result.stdout)


@pytest.mark.parametrize("section", ttnn_probe.SECTIONS)
def test_answers_are_those_of_ttnn(section, real_answers):
    expected = real_answers[section]
    got = ttnn_probe.SECTIONS[section](ours)
    different = {name: (got[name], expected[name]) for name in expected if got[name] != expected[name]}
    assert different == {}


def test_every_name_of_ttnn_is_known(real_answers):
    """Nothing of ttnn's is called a misspelling."""
    for name in real_answers["names"]["all"]:
        if not hasattr(ours, name):
            with pytest.raises(AttributeError, match=f"ttnn.{name} exists in ttnn {TTNN_RELEASE} but"):
                getattr(ours, name)
