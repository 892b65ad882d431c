// SPDX-License-Identifier: Apache-2.0
// Draws a report out of the data in the page. One launch is shown at a time; every section draws itself from it and is
// left out where the launch has nothing to show there.
"use strict";

const report = JSON.parse(document.getElementById("report").textContent);
const main = document.getElementById("main");
const state = { launch: 0, measure: null, core: null };

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

function drawing(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const whole = (value) => Math.round(value).toLocaleString("en");
const coreName = (core) => `(${core[0]},${core[1]})`;
const sameCore = (a, b) => a !== null && b !== null && a[0] === b[0] && a[1] === b[1];

function table(columns, rows) {
  return element("div", { class: "scroll" }, element("table", {},
    element("thead", {}, element("tr", {}, ...columns.map((column) => element("th", { scope: "col" }, column)))),
    element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map((cell) => element("td", {}, cell)))))));
}

// ---------------------------------------------------------------- who waits for whom

// Lines of at most so many characters; words stay whole.
function filled(text, most) {
  return text.split(/\s+/).reduce((lines, word) => {
    const last = lines.length - 1;
    if (last >= 0 && lines[last].length + 1 + word.length <= most) lines[last] += ` ${word}`;
    else lines.push(word);
    return lines;
  }, []);
}

function waitPicture(group) {
  const rowHeight = 84, boxHeight = 64, boxWidth = 430, left = 20, height = group.kernels.length * rowHeight + 10;
  const svg = drawing("svg", { viewBox: `0 0 720 ${height}`, role: "img", "aria-label": group.reason, width: "100%" });
  const middle = (index) => 10 + index * rowHeight + boxHeight / 2;
  group.kernels.forEach((kernel, index) => {
    const y = 10 + index * rowHeight;
    const box = drawing("rect", { x: left, y, width: boxWidth, height: boxHeight, rx: 8,
      class: index === group.root ? "box root" : "box" });
    const name = drawing("text", { x: left + 12, y: y + 21 });
    name.textContent = kernel.name;
    svg.append(box, name);
    filled(kernel.doing, 68).slice(0, 2).forEach((line, number) => {
      const doing = drawing("text", { x: left + 12, y: y + 39 + 15 * number, class: "small" });
      doing.textContent = line;
      svg.append(doing);
    });
  });
  group.waits.forEach((wait, number) => {
    const from = middle(wait.from), right = left + boxWidth, reach = right + 34 + number * 30;
    const to = wait.to === null ? from : middle(wait.to) + (wait.to === wait.from ? 14 : 6);
    const path = wait.to === null ? `M ${right} ${from} H ${reach}` :
      `M ${right} ${from - 6} H ${reach} V ${to} H ${right + 8}`;
    svg.append(drawing("path", { d: path, class: "arrow" }));
    if (wait.to !== null) {
      svg.append(drawing("path", { d: `M ${right} ${to} l 10 -5 v 10 z`, class: "head" }));
    }
    const label = drawing("text", { x: reach + 6, y: from - 2 + (wait.to === null ? 6 : 0), class: "small" });
    label.textContent = wait.label;
    svg.append(label);
  });
  return svg;
}

function waitSection(launch) {
  if (!launch.waits.length) return null;
  const parts = launch.waits.flatMap((group) => [
    element("h3", {}, group.cores), element("div", { class: "scroll" }, waitPicture(group)),
    element("p", { class: "error" }, group.reason)]);
  return section("waits", "Who waits for whom", ...parts);
}

// ---------------------------------------------------------------- findings and errors

function sourceLines(lines) {
  if (!lines.length) return null;
  const block = element("pre", {});
  for (const line of lines) {
    const text = `${String(line.number).padStart(5)}  ${line.text}\n`;
    block.append(line.hit ? element("span", { class: "hit" }, text) : text);
  }
  return block;
}

function findingSection(launch) {
  const found = launch.findings.map((finding) => element("article", { class: `finding is-${finding.severity}` },
    element("h3", {}, `${finding.severity}: ${finding.rule}`), element("p", { class: "mono" }, finding.where),
    element("p", {}, finding.numbers), sourceLines(finding.source),
    finding.cause === finding.numbers ? null : element("p", {}, element("b", {}, "Cause: "), finding.cause),
    element("p", {}, element("b", {}, "Cure: "), finding.cure)));
  if (launch.error && !launch.waits.length) {
    found.unshift(element("pre", { class: "error wrap" }, launch.error.message));
  }
  if (!found.length) found.push(element("p", { class: "ok" }, "Nothing found."));
  return section("findings", "Findings", ...found);
}

// ---------------------------------------------------------------- the grid of cores

function shade(share) {
  return `color-mix(in srgb, var(--busy) ${Math.round(share * 90)}%, var(--cold))`;
}

function gridSection(launch) {
  if (!launch.cores.length) return null;
  const measures = launch.measures;
  if (!measures.some((measure) => measure.key === state.measure)) state.measure = measures[0].key;
  const measure = measures.find((each) => each.key === state.measure);
  const largest = Math.max(...launch.cores.map((core) => core.values[measure.key] || 0), 1e-30);
  const byPlace = new Map(launch.cores.map((core) => [coreName(core.at), core]));
  const grid = element("div", { class: "grid", role: "group", "aria-label": `${measure.name} by core`,
    style: `grid-template-columns: repeat(${launch.grid[0]}, minmax(0, 4rem))`, onkeydown: moveInGrid });
  for (let y = 0; y < launch.grid[1]; y++) {
    for (let x = 0; x < launch.grid[0]; x++) {
      const core = byPlace.get(coreName([x, y]));
      const value = core ? core.values[measure.key] || 0 : 0;
      const words = core ? `core (${x},${y}): ${measure.name} ${whole(value)}${measure.unit}, ${core.state}`
        : `core (${x},${y}): not used`;
      grid.append(element("button", { class: `core ${core && core.state !== "finished" ? "stuck" : ""}`, title: words,
        "aria-label": words, "aria-pressed": String(sameCore(state.core, [x, y])), "data-x": x, "data-y": y,
        tabindex: sameCore(state.core || [0, 0], [x, y]) ? 0 : -1,
        style: `background: ${core ? shade(value / largest) : "transparent"}; border: 1px solid var(--line)`,
        onclick: () => choose({ core: sameCore(state.core, [x, y]) ? null : [x, y] }) }));
    }
  }
  const choices = element("div", { class: "choices" }, ...measures.map((each) => element("button", {
    "aria-pressed": String(each.key === measure.key), onclick: () => choose({ measure: each.key }) }, each.name)));
  const chosen = state.core && byPlace.get(coreName(state.core));
  const words = chosen ? `core ${coreName(state.core)}: ` + measures.map((each) =>
    `${each.name} ${whole(chosen.values[each.key] || 0)}${each.unit}`).join(", ")
    : `largest: ${whole(largest)}${measure.unit}. Choose a core to see its timeline and buffers.`;
  return section("cores", "Cores", choices, grid, element("p", { class: "quiet" }, words));
}

function moveInGrid(event) {
  const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  if (!step) return;
  const x = Number(event.target.dataset.x) + step[0], y = Number(event.target.dataset.y) + step[1];
  const next = event.currentTarget.querySelector(`[data-x="${x}"][data-y="${y}"]`);
  if (next) { event.preventDefault(); next.focus(); }
}

// ---------------------------------------------------------------- the timeline

// Spans are [begin, end, kind, label]; kinds are work and wait. Tracks of the chosen core, else of the first ones.
class Timeline {
  constructor(timeline, core) {
    this.timeline = timeline;
    this.tracks = timeline.tracks.filter((track) => core === null || sameCore(track.core, core)).slice(0, 40);
    this.begin = 0;
    this.end = timeline.end;
    this.canvas = element("canvas", { tabindex: 0, role: "img",
      "aria-label": "timeline; plus and minus zoom, arrows move", onkeydown: (event) => this.key(event),
      onwheel: (event) => this.wheel(event), onpointermove: (event) => this.point(event) });
    this.says = element("p", { class: "mono quiet", "aria-live": "polite" }, " ");
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  get rowHeight() { return 22; }

  draw() {
    const ratio = window.devicePixelRatio || 1, width = this.canvas.clientWidth;
    const height = this.tracks.length * this.rowHeight + 24;
    this.canvas.style.height = `${height}px`;
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    const pen = this.canvas.getContext("2d");
    pen.scale(ratio, ratio);
    pen.font = "11px system-ui, sans-serif";
    this.left = Math.min(190, width * 0.35);
    this.scale = (width - this.left) / (this.end - this.begin);
    this.drawAxis(pen, width, height);
    this.tracks.forEach((track, row) => this.drawTrack(pen, track, row * this.rowHeight, width));
  }

  drawAxis(pen, width, height) {
    const step = 10 ** Math.floor(Math.log10((this.end - this.begin) / 3));
    pen.fillStyle = color("--quiet");
    pen.strokeStyle = color("--line");
    for (let at = Math.ceil(this.begin / step) * step; at <= this.end; at += step) {
      const x = this.left + (at - this.begin) * this.scale;
      pen.beginPath(); pen.moveTo(x, 0); pen.lineTo(x, height - 16); pen.stroke();
      if (x < width - 40) pen.fillText(`${whole(at)} ${this.timeline.unit}`, x + 3, height - 4);
    }
  }

  drawTrack(pen, track, top, width) {
    pen.fillStyle = color("--ink");
    pen.fillText(`${coreName(track.core)} ${track.name}`.slice(0, 30), 4, top + 15);
    const colors = { work: color("--busy"), wait: color("--wait") };
    let drawnTo = -1;
    for (let index = firstAfter(track.spans, this.begin); index < track.spans.length; index++) {
      const [begin, end, kind] = track.spans[index];
      if (begin > this.end) break;
      const from = Math.max(this.left, this.left + (begin - this.begin) * this.scale);
      const to = Math.min(width, this.left + (end - this.begin) * this.scale);
      if (to - drawnTo < 0.4) continue;  // smaller than a point, beside one that is drawn
      pen.fillStyle = colors[kind] || colors.work;
      pen.fillRect(from, top + 3, Math.max(to - from, 0.6), this.rowHeight - 6);
      drawnTo = to;
    }
  }

  zoom(factor, at) {
    const middle = at ?? (this.begin + this.end) / 2;
    const span = Math.min(Math.max((this.end - this.begin) * factor, this.timeline.end / 1e5), this.timeline.end);
    const share = (middle - this.begin) / (this.end - this.begin);
    this.move(middle - share * span, span);
  }

  move(begin, span = this.end - this.begin) {
    this.begin = Math.min(Math.max(begin, 0), this.timeline.end - span);
    this.end = this.begin + span;
    this.draw();
  }

  key(event) {
    const span = this.end - this.begin;
    const actions = { "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2),
      "0": () => this.move(0, this.timeline.end), ArrowLeft: () => this.move(this.begin - span / 5),
      ArrowRight: () => this.move(this.begin + span / 5) };
    if (actions[event.key]) { event.preventDefault(); actions[event.key](); }
  }

  wheel(event) {
    if (!event.ctrlKey && !event.shiftKey) return;
    event.preventDefault();
    this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.begin + (event.offsetX - this.left) / this.scale);
  }

  point(event) {
    const track = this.tracks[Math.floor(event.offsetY / this.rowHeight)];
    if (!track) return;
    const at = this.begin + (event.offsetX - this.left) / this.scale;
    const span = track.spans[firstAfter(track.spans, at)];
    const hit = span && span[0] <= at ? span : null;
    this.says.textContent = hit ? `${coreName(track.core)} ${track.name}: ${hit[3]}  ` +
      `${whole(hit[0])} to ${whole(hit[1])} ${this.timeline.unit} (${whole(hit[1] - hit[0])})` : " ";
  }
}

// Index of the first span that ends after a time; spans are in order.
function firstAfter(spans, time) {
  let low = 0, high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spans[middle][1] < time) low = middle + 1; else high = middle;
  }
  return low;
}

function timelineSection(launch) {
  if (!launch.timeline) return null;
  const timeline = new Timeline(launch.timeline, state.core);
  const buttons = element("div", { class: "choices" },
    element("button", { onclick: () => timeline.zoom(0.5) }, "zoom in"),
    element("button", { onclick: () => timeline.zoom(2) }, "zoom out"),
    element("button", { onclick: () => timeline.move(0, launch.timeline.end) }, "all"));
  return section("timeline", "Timeline on the modelled clock", buttons, timeline.canvas, timeline.says,
    element("p", { class: "quiet" }, "Blue works, amber waits. Ctrl and the wheel zoom; + - and arrows do too." +
      (launch.timeline.left_out ? ` The last ${whole(launch.timeline.left_out)} events are left out.` : "")));
}

// ---------------------------------------------------------------- circular buffers, traffic, L1, errors of a result

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
        whole(row.left), row.why ? element("span", { class: "error" }, row.why) : "yes"]))]));
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
    `${whole(used)} of ${whole(launch.l1.bytes)} bytes`), table(["what", "from", "bytes"],
    launch.l1.regions.map((region) => [region.label, `0x${region.begin.toString(16)}`,
      whole(region.end - region.begin)])));
}

function differenceSection(launch) {
  const difference = launch.difference;
  if (!difference) return null;
  const rows = difference.cells.length, columns = difference.cells[0].length, size = Math.min(640 / columns, 24);
  const svg = drawing("svg", { viewBox: `0 0 ${columns * size} ${rows * size}`, width: columns * size,
    style: "max-width: 100%", role: "img", "aria-label": difference.words });
  difference.cells.forEach((row, y) => row.forEach((share, x) => {
    const cell = drawing("rect", { x: x * size, y: y * size, width: size, height: size,
      fill: share === null || share > 1 ? "var(--bad)" : shade(share) });
    const title = drawing("title");
    title.textContent = `rows from ${y * difference.step[0]}, columns from ${x * difference.step[1]}: ` +
      (share === null ? "not a number" : `${(100 * share).toFixed(1)} % of what is allowed`);
    cell.append(title);
    svg.append(cell);
  }));
  return section("errors", "Errors over the result", svg, element("p", { class: "quiet" }, difference.words));
}

// ---------------------------------------------------------------- the page

function section(id, title, ...children) {
  return element("section", { id, "aria-labelledby": `${id}-title` }, element("h2", { id: `${id}-title` }, title),
    ...children.filter((child) => child !== null));
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
  const sections = [waitSection(launch), launch.waits.length || launch.findings.length ? findingSection(launch) : null,
    gridSection(launch), timelineSection(launch), differenceSection(launch), bufferSection(launch), syncSection(launch),
    l1Section(launch), launch.waits.length || launch.findings.length ? null : findingSection(launch)];
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

const failed = report.launches.findIndex((launch) => launch.waits.length || launch.error);
state.launch = Math.max(failed, 0);
draw();
