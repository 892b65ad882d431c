# SPDX-License-Identifier: Apache-2.0
"""Notebook views of tensors, programs, runs, findings and timings, as IPython's own formatter asks them."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser

import numpy as np
from IPython.core.formatters import DisplayFormatter

import tilewright
from tilewright import ttnn
from tilewright._display.notebook import heat_map, table

NAME = "<script>alert('x')</script>"
KERNEL = "void kernel_main() { cb_reserve_back(0, 1); cb_push_back(0, 1); }"
WAITS = "void kernel_main() { cb_wait_front(0, 1); }"


class _Tags(HTMLParser):
    """The tags of a text, and those that were not closed in their order."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        if tag not in ("rect", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def shown(thing: object) -> str:
    """A notebook's view of an object."""
    data, _ = DisplayFormatter().format(thing)
    text = data["text/html"]
    tags = _Tags()
    tags.feed(text)
    assert tags.open == []
    assert "script" not in tags.seen
    assert "#000" not in text  # the page's colours, which may be dark
    assert len(text) < 250_000
    if "image/svg+xml" in data:
        ElementTree.fromstring(data["image/svg+xml"])
    return str(text)


def program(source: str) -> ttnn.ProgramDescriptor:
    core = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))])
    kernel = ttnn.KernelDescriptor(
        kernel_source=source,
        source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=core,
        config=ttnn.ReaderConfigDescriptor(),
        name=NAME,
    )
    buffer = ttnn.CBDescriptor(
        total_size=4096, core_ranges=core, format_descriptors=[ttnn.CBFormatDescriptor(0, ttnn.bfloat16, 2048)]
    )
    return ttnn.ProgramDescriptor(kernels=[kernel], cbs=[buffer])


def tensor(device: ttnn.Device) -> ttnn.Tensor:
    values = np.linspace(-1, 1, 64 * 96, dtype=np.float32).reshape(64, 96)
    return ttnn.from_numpy(values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


def test_tensors(device: ttnn.Device) -> None:
    text = shown(tensor(device))
    assert "ttnn.Tensor 64 x 96, bfloat16, TILE, DRAM" in text
    assert "-1 to 1, mean" in text
    odd = np.array([[1.0, np.nan, np.inf]], np.float32)
    assert "1 to 1, mean 1, 2 NaN or infinite" in shown(ttnn.from_numpy(odd))
    assert "no numbers, 4 NaN or infinite" in shown(ttnn.from_numpy(np.full((2, 2), np.nan, np.float32)))
    assert "3 to 3" in shown(ttnn.from_numpy(np.array([3], np.uint32)))
    assert "4 x 0" in shown(ttnn.from_numpy(np.empty((4, 0), np.float32)))


def test_programs_and_runs(device: ttnn.Device) -> None:
    x = tensor(device)
    described = program(KERNEL)
    assert "&lt;script&gt;" in shown(described)
    text = shown(tilewright.run_program([x, x], described))
    assert "Run OK" in text
    assert "1 of 2" in text


def test_findings(device: ttnn.Device) -> None:
    x = tensor(device)
    text = shown(tilewright.check_program([x, x], program(WAITS)))
    assert "Checked: 1 finding" in text
    assert "cb_wait_front(c_0, 1)" in text
    assert "cure:" in text
    (finding,) = tilewright.check_program([x, x], program(WAITS)).findings
    assert finding.rule in shown(finding)


def test_timings(device: ttnn.Device) -> None:
    x = tensor(device)
    text = shown(tilewright.time_program([x, x], program(KERNEL)))
    assert "by the model" in text
    assert "us on 1 cores of wormhole_b0" in text


def test_long_and_odd_things_stay_short() -> None:
    assert "... and 976 more" in table(("a",), ((number,) for number in range(1000)))
    picture = heat_map(np.arange(1000 * 3000).reshape(1000, 3000), 'a "label" & more')
    assert picture.count("<rect") <= 48 * 48 + 1
    ElementTree.fromstring(picture)
