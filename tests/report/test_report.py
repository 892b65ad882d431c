# SPDX-License-Identifier: Apache-2.0
"""The report: what it says about a launch, and what a browser makes of it."""

from __future__ import annotations

import itertools
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from examples.softmax.program import softmax_program
from tilewright import check_program, ttnn
from tilewright._cli.main import main
from tilewright._display.error_map import error_map
from tilewright._report.html_page import html_page
from tilewright._report.launch_view import SeenLaunch, View, launch_view, source_lines
from tilewright.check._check_program import CheckResult

GRID = (2, 2)
PICTURES = Path(__file__).resolve().parents[2] / ".pictures"


def checked_softmax(device: ttnn.Device, broken: bool) -> CheckResult:
    """Softmax of two tile-rows on each core; the broken one keeps the row maximum and stops at the second."""
    values = np.random.default_rng(0).standard_normal((32 * 2 * GRID[0] * GRID[1], 64), np.float32)
    x = ttnn.from_numpy(values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    y = ttnn.allocate_tensor_on_device(x.shape, ttnn.bfloat16, ttnn.TILE_LAYOUT, device)
    return check_program([x, y], softmax_program(x, y, broken=broken))


@pytest.fixture(scope="module")
def views() -> list[View]:
    device = ttnn.open_device(device_id=0, grid=GRID)
    views = [
        launch_view(SeenLaunch.of_check(checked_softmax(device, broken=False))),
        launch_view(SeenLaunch.of_check(checked_softmax(device, broken=True))),
    ]
    ttnn.close_device(device)
    return views


def embedded(page: str) -> dict[str, Any]:
    found = re.search(r'type="application/json">\n(.*)\n</script>', page)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def test_a_launch_that_ends_well(views: list[View]) -> None:
    good = views[0]
    assert good["summary"] == "compute: ok on 4 cores of wormhole_b0; kernels reader, compute, writer"
    assert (good["waits"], good["findings"], good["error"]) == ([], [], None)
    assert [core["at"] for core in good["cores"]] == [[0, 0], [1, 0], [0, 1], [1, 1]]
    assert {core["state"] for core in good["cores"]} == {"finished"}
    # Two tile-rows of two tiles: c_0 and c_16 take four pages each, in and out.
    (row,) = [row for row in good["sync"][0]["rows"] if row["cb"].startswith("c_16")]
    assert (row["from"], row["to"], row["pushed"], row["popped"], row["why"]) == ("compute", "writer", 4, 4, "")
    regions = good["l1"]["regions"]
    assert all(one["end"] <= two["begin"] for one, two in itertools.pairwise(regions))


def test_deadlock_names_waiting_kernels_and_their_partners(views: list[View]) -> None:
    (group,) = views[1]["waits"]
    names = [kernel["name"] for kernel in group["kernels"]]
    arrows = {
        (names[wait["from"]], names[wait["to"]], wait["label"]) for wait in group["waits"] if wait["to"] is not None
    }
    assert ("writer", "compute (pack)", "pages in c_16 out") in arrows
    assert names[group["root"]] == "compute (pack)"
    assert {core["state"] for core in views[1]["cores"]} == {"stuck"}
    (finding,) = views[1]["findings"]
    (hit,) = [line for line in finding["source"] if line["hit"]]
    assert "cb_reserve_back" in hit["text"]


def test_lines_of_a_file_that_is_gone_or_too_short(tmp_path: Path) -> None:
    kernel = tmp_path / "kernel.cpp"
    kernel.write_text("one\ntwo\n")
    assert [line["number"] for line in source_lines(str(kernel), 1)] == [1, 2]
    assert source_lines(str(kernel), 9) == source_lines(str(tmp_path / "gone.cpp"), 1) == source_lines("", 0) == []


def test_report_data_cannot_end_its_script_element(views: list[View]) -> None:
    hostile = {**views[0], "name": "</script><script>alert(1)</script>{{script}}"}
    page = html_page("<b>title</b>", [hostile])
    assert page.count("</script>") == 2
    assert embedded(page)["launches"][0]["name"] == hostile["name"]
    assert "<title>&lt;b&gt;title&lt;/b&gt;</title>" in page


def test_command_writes_a_page_or_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "nothing.py"
    script.write_text("print('hello')\n")
    assert main(["report", str(script), "-o", str(tmp_path / "run.html")]) == 2
    assert f"tilewright report: {script} launched no program" in capsys.readouterr().err
    with pytest.raises(SystemExit) as ended:
        main(["report", str(script), "-o", str(tmp_path / "no" / "run.html")])
    assert ended.value.code == 2
    assert f"there is no directory {tmp_path / 'no'}" in capsys.readouterr().err.replace("\n", " ")
    assert main(["report", "centralize_w_rm", "--shape", "32x32", "-o", str(tmp_path / "run.html")]) == 0
    assert capsys.readouterr().out.startswith("2 launches checked: nothing found; ")
    launch, _ = embedded((tmp_path / "run.html").read_text())["launches"]
    timeline = launch["timeline"]
    assert [(track["core"], track["name"].split()[0]) for track in timeline["tracks"]] == [
        ([0, 0], name) for name in ("BRISC", "NCRISC", "UNPACK", "MATH", "PACK")
    ]
    for track in timeline["tracks"]:  # one thing after the other, all of it within the launch
        times = [time for span in track["spans"] for time in span[:2]]
        assert times == sorted(times)
        assert 0 <= times[0] <= times[-1] <= timeline["end"] + 0.1
    assert all(fill["points"][-1][1] == 0 for fill in timeline["fills"] if fill["cb"] == 16)  # drained
    for measure in ("busy", "waiting"):  # of one processor: never longer than the launch
        assert 0 < launch["cores"][0]["values"][measure] <= timeline["end"] + 1
    (kept,) = [row for row in launch["sync"][0]["rows"] if row["why"]]
    assert "scaler" in kept["cb"]
    assert kept["kept"]
    # 32 rows of 32 elements of bfloat16 come and go; the formula has a mean and a result, and nothing is wrong.
    reader, writer = launch["noc"]["kernels"]
    assert (reader["dramRead"], reader["dramWrite"], writer["dramRead"], writer["dramWrite"]) == (2048, 0, 0, 2048)
    assert sum(bank["read"] + bank["written"] for bank in launch["noc"]["banks"]) == 4096
    assert launch["cores"][0]["values"]["noc"] == 4096 + 2048  # the reader copies zeros into the scaler's tile
    assert [phase["name"] for phase in launch["phases"]] == [
        *("start-up", "tilize_x = x", "mean = mean(x)", "result = x - mean")
    ]
    assert sum(phase["share"] for phase in launch["phases"]) == pytest.approx(1, abs=1e-3)
    assert (launch["difference"]["wrong"], len(launch["difference"]["cells"])) == (0, 32)


def test_map_of_errors_shows_their_places() -> None:
    share = np.full((2, 100, 70), 0.25)
    share[1, 99, 69], share[0, 3, 0] = 7.0, np.inf
    view = error_map(share, share, np.zeros_like(share), "zeros")
    assert view["step"] == [4, 2]  # 200 rows and 70 columns in at most 64 cells each way
    assert (len(view["cells"]), len(view["cells"][0])) == (50, 35)
    cells = [(y, x) for y, row in enumerate(view["cells"]) for x, cell in enumerate(row) if cell is None or cell > 1]
    assert cells == [(0, 0), (49, 34)]
    assert [each["at"] for each in view["elements"]] == [[0, 3, 0], [1, 99, 69]]
    assert view["words"].startswith("2 of 14,000 elements are wrong, beside zeros. The worst, at [0, 3, 0], is inf")


def made_up_timeline(view: View, tracks: int, spans: int) -> View:
    """A timeline as a model gives it, of the size asked for."""
    names = ("BRISC", "TRISC0", "TRISC1", "TRISC2", "NCRISC")
    made = [
        {
            "core": [number // 5 % GRID[0], number // 5 // GRID[0] % GRID[1]],
            "name": names[number % 5],
            "spans": [[10 * i, 10 * i + 9, i % 2] for i in range(spans)],
        }
        for number in range(tracks)
    ]
    fills = [{"core": [0, 0], "cb": buffer["index"], "points": [[0, 1], [50, 0]]} for buffer in view["buffers"]]
    labels = [["work", "BinaryTiles"], ["wait", "waits for pages of c_0"]]
    timeline = {"unit": "ns", "end": 10 * spans, "labels": labels, "tracks": made, "fills": fills}
    return {**view, "timeline": timeline}


@pytest.fixture(scope="module")
def browser() -> Iterator[webdriver.Chrome]:
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if binary is None or driver is None:
        pytest.skip("no Chromium here: apt install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    quiet = "--disable-background-networking --disable-component-update --disable-sync --no-first-run --disable-quic"
    for flag in ("--headless", "--no-sandbox", "--disable-gpu", *quiet.split()):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chrome = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield chrome
    chrome.quit()


def opened(browser: webdriver.Chrome, directory: Path, views: list[View]) -> None:
    page = directory / "run.html"
    page.write_text(html_page("softmax", views), encoding="utf-8")
    browser.get(page.as_uri())
    assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []


def keep_picture(browser: webdriver.Chrome, name: str) -> None:
    """A screenshot of the page, kept after the tests."""
    PICTURES.mkdir(exist_ok=True)
    assert browser.save_screenshot(str(PICTURES / f"{name}.png"))


def headings(browser: webdriver.Chrome) -> list[str]:
    return [each.text for each in browser.find_elements(By.TAG_NAME, "h2")]


def test_a_deadlock_opens_on_its_picture(browser: webdriver.Chrome, tmp_path: Path, views: list[View]) -> None:
    opened(browser, tmp_path, views)
    assert headings(browser)[:2] == ["Waits between kernels", "Findings"]
    words = [each.text for each in browser.find_elements(By.CSS_SELECTOR, "#waits svg text")]
    assert "pages in c_16 out" in words
    assert len(browser.find_elements(By.CSS_SELECTOR, "#waits .box.root")) == 1
    # No text leaves its box, and small grids have no huge cores.
    boxes, texts = (
        browser.execute_script(f"return [...document.querySelectorAll('#waits {what}')].map(e => {{"
                               "const b = e.getBoundingClientRect(); return [b.left, b.right, b.top] })")
        for what in ("rect.box", "svg text")
    )  # fmt: skip
    inside = [text for text in texts if text[0] < boxes[0][1]]
    assert len(inside) >= 2 * len(boxes)
    assert max(text[1] for text in inside) < boxes[0][1]
    keep_picture(browser, "deadlock")
    browser.find_element(By.CSS_SELECTOR, "nav select").send_keys(Keys.ARROW_UP)
    assert headings(browser)[0] == "Cores"
    assert browser.find_element(By.CSS_SELECTOR, ".core").size["width"] <= 70
    keep_picture(browser, "launch")


MESH = {
    "columns": 2,
    "rows": 2,
    "rowsOfChip": 1,
    "chips": [{"chip": number, "cores": 1} for number in range(4)],
    "links": [
        {"from": 0, "to": 1, "words": "chip 0 channel 0 to chip 1 channel 0", "packets": 9, "bytes": 9000},
        {"from": 1, "to": 0, "words": "chip 1 channel 0 to chip 0 channel 0", "packets": 1, "bytes": 48},
        {"from": 1, "to": 3, "words": "chip 1 channel 2 to chip 3 channel 2", "packets": 2, "bytes": 2000},
    ],
}


def test_chips_of_a_mesh_are_drawn_with_the_bytes_on_their_links(
    browser: webdriver.Chrome, tmp_path: Path, views: list[View]
) -> None:
    opened(browser, tmp_path, [{**views[0], "grid": [2, 4], "mesh": MESH}])
    assert headings(browser)[0] == "Chips"
    labels = [each.text for each in browser.find_elements(By.CSS_SELECTOR, "#mesh svg .node text")]
    assert labels == ["chip 0", "chip 1", "chip 2", "chip 3"]
    links = browser.find_elements(By.CSS_SELECTOR, "#mesh svg .link")
    widths = [float(each.get_attribute("stroke-width")) for each in links]
    assert widths == sorted(widths)
    assert widths[-1] == 10
    titles = [each.find_element(By.TAG_NAME, "title").get_attribute("textContent") for each in links]
    assert titles[-1] == "chip 0 to chip 1: 9,000 bytes in 9 packets"
    assert "Packets carried 11,048 bytes over 3 links" in browser.find_element(By.ID, "mesh").text
    # The two directions of a link lie beside each other, and cores are named by their chip.
    ends = [each.find_element(By.TAG_NAME, "line").get_attribute("y1") for each in links if "chip 2" not in each.text]
    assert len(set(ends)) > 1
    names = [each.get_attribute("aria-label") for each in browser.find_elements(By.CSS_SELECTOR, ".core")]
    assert names[2].startswith("core (0,0) of chip 1")
    keep_picture(browser, "mesh")


def test_cores_are_chosen_with_the_keyboard(browser: webdriver.Chrome, tmp_path: Path, views: list[View]) -> None:
    opened(browser, tmp_path, [made_up_timeline(views[0], 20, 100)])
    first = browser.find_element(By.CSS_SELECTOR, ".core")
    first.send_keys(Keys.ARROW_RIGHT)
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    chosen = browser.find_element(By.CSS_SELECTOR, '.core[aria-pressed="true"]')
    assert chosen.get_attribute("aria-label").startswith("core (1,0): pages moved")
    assert "core (1,0): pages moved" in browser.find_element(By.ID, "cores").text


def test_report_is_readable_on_a_phone_and_draws_100000_events(
    browser: webdriver.Chrome, tmp_path: Path, views: list[View]
) -> None:
    browser.set_window_size(390, 844)
    opened(browser, tmp_path, [made_up_timeline(views[0], 20, 5000)])
    width = browser.execute_script("return document.documentElement.scrollWidth")
    assert width <= browser.execute_script("return window.innerWidth")
    drawn = browser.execute_script(
        "const c = document.querySelector('canvas');"
        "return [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data].some((v) => v > 0)"
    )
    assert drawn
    keep_picture(browser, "phone")
    canvas = browser.find_element(By.TAG_NAME, "canvas")
    before = canvas.screenshot_as_base64
    canvas.send_keys("+++")
    assert canvas.screenshot_as_base64 != before


@pytest.fixture(scope="module")
def large_view(tmp_path_factory: pytest.TempPathFactory) -> View:
    """All 130 cores of a Blackhole, made to have 100,000 events, with one element of the result made wrong."""
    page = tmp_path_factory.mktemp("large") / "run.html"
    assert main(["report", "centralize_w_rm", "--arch", "blackhole", "--shape", "4160x32", "-o", str(page)]) == 0
    view: View = embedded(page.read_text())["launches"][0]
    timeline = view["timeline"]
    assert len({tuple(track["core"]) for track in timeline["tracks"]}) == 130
    step = timeline["end"] / 154
    for track in timeline["tracks"]:
        track["spans"] = [[i * step, (i + 0.9) * step, i % 2] for i in range(154)]
    assert sum(len(track["spans"]) for track in timeline["tracks"]) >= 100_000
    view["difference"]["cells"][20][5] = None
    return {**view, "difference": {**view["difference"], "wrong": 1}}


def test_130_cores_and_100000_events_open_and_zoom_fast(
    browser: webdriver.Chrome, tmp_path: Path, large_view: View
) -> None:
    browser.set_window_size(1200, 900)
    opened(browser, tmp_path, [large_view])
    assert headings(browser)[0] == "Errors over the result"  # what is wrong comes first
    assert len(browser.find_elements(By.CSS_SELECTOR, ".core")) == 130
    assert len(browser.find_elements(By.CSS_SELECTOR, "#noc .node")) == 130 + 2 * 8  # a bank has a port on each NoC
    assert len(browser.find_elements(By.CSS_SELECTOR, '#errors rect[fill="var(--bad)"]')) == 1
    milliseconds = browser.execute_script(
        "const timed = (act) => { const begin = performance.now(); act(); return performance.now() - begin; };"
        "const press = (key) => canvas.dispatchEvent(new KeyboardEvent('keydown', { key }));"
        "const canvas = document.querySelector('canvas');"
        "const opening = performance.getEntriesByType('navigation')[0].domComplete;"
        "return [opening, ...['+', '+', 'ArrowRight', '-', '0'].map((key) => timed(() => press(key))),"
        "        timed(() => document.querySelectorAll('.core')[77].click())]"
    )
    # A tenth of a second is what people take for at once; machines that run tests are busy, so ten times that.
    assert max(milliseconds[1:]) < 1000
    assert milliseconds[0] < 10_000
    assert "core (12,5) deals with" in browser.find_element(By.ID, "noc").text
    for name in ("noc", "phases", "errors"):
        PICTURES.mkdir(exist_ok=True)
        assert browser.find_element(By.ID, name).screenshot(str(PICTURES / f"{name}.png"))
    browser.set_window_size(390, 844)
    assert browser.execute_script("return document.documentElement.scrollWidth <= window.innerWidth")


def test_report_follows_the_dark_colour_scheme(browser: webdriver.Chrome, tmp_path: Path, views: list[View]) -> None:
    browser.set_window_size(1000, 900)
    media = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    opened(browser, tmp_path, [made_up_timeline(views[0], 20, 100)])
    background, text = browser.execute_script(
        "const s = getComputedStyle(document.body); return [s.backgroundColor, s.color]"
    )
    keep_picture(browser, "dark")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    brightness = [sum(map(int, re.findall(r"\d+", colour)[:3])) for colour in (background, text)]
    assert brightness[0] < 200
    assert brightness[1] > 500
