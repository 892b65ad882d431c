// SPDX-License-Identifier: Apache-2.0
// Draws a report out of the data in the page. One launch is shown at a time; every section draws itself from it and
// is left out where the launch has nothing to show there.

function fillPicture(buffer, timeline) {
  const fill = timeline && timeline.fills.find((each) => each.cb === buffer.index &&
    (state.core === null || sameCore(each.core, state.core)));
  if (!fill || !fill.points.length) {
    return element("div", { class: "bar", title: `at most ${buffer.peak} of ${buffer.pages} pages` },
      element("i", { style: `width: ${100 * buffer.peak / buffer.pages}%` }));
  }
  const width = 240, height = 28, across = (time) => width * time / timeline.end;
  const up = (pages) => height - height * pages / buffer.pages;
  const path = fill.points.map(([time, pages], index) =>
    `${index ? "H" : "M 0 " + height + " H"} ${across(time).toFixed(1)} V ${up(pages).toFixed(1)}`).join(" ");
  return drawing("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
    "aria-label": `fill of ${buffer.label} over time` },
    drawing("path", { d: `${path} H ${width} V ${height} Z`, fill: "var(--busy)", opacity: "0.7" }));
}

function bufferSection(launch) {
  if (!launch.buffers.length) return null;
  return section("buffers", "Circular buffers", table(
    ["CB", "pages", "page bytes", "most in use", "filled"],
    launch.buffers.map((buffer) => [buffer.label, whole(buffer.pages), whole(buffer.pageBytes), whole(buffer.peak),
      fillPicture(buffer, launch.timeline)])));
}

function syncSection(launch) {
  if (!launch.sync.length) return null;
  return section("sync", "Who pushes and pops what", ...launch.sync.flatMap((group) => [
    element("h3", {}, group.title), table(["CB", "from", "to", "pages", "pushed", "popped", "left", "balanced"],
      group.rows.map((row) => [row.cb, row.from, row.to, whole(row.pages), whole(row.pushed), whole(row.popped),
        whole(row.left), row.why ? element("span", { class: row.kept ? "quiet" : "error" }, row.why) : "yes"]))]));
}

function l1Section(launch) {
  if (!launch.l1.regions.length) return null;
  const place = (bytes) => `${100 * bytes / launch.l1.bytes}%`;
  const map = element("div", { class: "map", role: "img", "aria-label": "map of a core's L1" });
  launch.l1.regions.forEach((region, index) => map.append(element("span", {
    style: `left: ${place(region.begin)}; width: ${place(region.end - region.begin)}; ` +
      `background: ${shade(0.25 + 0.5 * (index % 2))}`,
    title: `${region.label}: ${whole(region.end - region.begin)} bytes from 0x${region.begin.toString(16)}` },
    region.label)));
  const used = launch.l1.regions.reduce((sum, region) => sum + region.end - region.begin, 0);
  return section("l1", "L1 of a core", map, element("p", { class: "quiet" },
    `${whole(used)} of ${whole(launch.l1.bytes)} bytes. ${launch.tensorMemory || ""}`), table(["what", "from", "bytes"],
    launch.l1.regions.map((region) => [region.label, `0x${region.begin.toString(16)}`,
      whole(region.end - region.begin)])));
}

function choose(changes) {
  const focused = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset : {};
  Object.assign(state, changes);
  draw();
  if (focused.x !== undefined) {
    const again = document.querySelector(`[data-x="${focused.x}"][data-y="${focused.y}"]`);
    if (again) again.focus();
  }
}

function draw() {
  const launch = report.launches[state.launch];
  const hasFindings = launch.waits.length || launch.findings.length;
  const isWrong = launch.difference && launch.difference.wrong;
  const sections = [waitSection(launch), hasFindings ? findingSection(launch) : null,
    isWrong ? differenceSection(launch) : null, meshSection(launch), gridSection(launch), timelineSection(launch), phaseSection(launch),
    nocSection(launch), isWrong ? null : differenceSection(launch), bufferSection(launch), syncSection(launch),
    l1Section(launch), hasFindings ? null : findingSection(launch)];
  main.replaceChildren(...sections.filter((each) => each !== null));
  document.getElementById("summary").textContent = launch.summary;
  const links = [...main.querySelectorAll("section")].map((each) =>
    element("a", { href: `#${each.id}` }, each.querySelector("h2").textContent));
  const launches = report.launches.length < 2 ? [] : [element("select", { "aria-label": "launch",
    onchange: (event) => choose({ launch: Number(event.target.value), core: null }) },
    ...report.launches.map((each, index) => element("option", { value: index,
      selected: index === state.launch ? "" : null }, `${index + 1}. ${each.name}: ${each.status}`)))];
  document.getElementById("contents").replaceChildren(...launches, ...links);
}

const failed = report.launches.findIndex((launch) => launch.waits.length || launch.error ||
  (launch.difference && launch.difference.wrong));
state.launch = Math.max(failed, 0);
draw();
