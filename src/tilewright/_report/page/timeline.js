// SPDX-License-Identifier: Apache-2.0
// The grid of cores, and what their processors do in time.

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
    if (launch.mesh && y % launch.mesh.rowsOfChip === 0) {
      grid.append(element("div", { class: "chip-name" }, `chip ${y / launch.mesh.rowsOfChip}`));
    }
    for (let x = 0; x < launch.grid[0]; x++) {
      const core = byPlace.get(coreName([x, y]));
      const value = core ? core.values[measure.key] || 0 : 0;
      const words = core ? `core ${coreName([x, y])}: ${measure.name} ${whole(value)}${measure.unit}, ${core.state}`
        : `core ${coreName([x, y])}: not used`;
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

const MOST_TRACKS = 40;

// Spans are [begin, end, label]; a label is [kind, words], kinds are work and wait. Tracks of the chosen core, else of the first ones.
class Timeline {
  constructor(timeline, core) {
    this.timeline = timeline;
    const wanted = timeline.tracks.filter((track) => core === null || sameCore(track.core, core));
    this.tracks = wanted.slice(0, MOST_TRACKS);
    this.hidden = wanted.length - this.tracks.length;
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
    const least = 90 / this.scale, power = 10 ** Math.floor(Math.log10(least));  // points that a label needs
    const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= least);
    pen.fillStyle = color("--quiet");
    pen.strokeStyle = color("--line");
    for (let at = Math.ceil(this.begin / step) * step; at <= this.end; at += step) {
      const x = this.left + (at - this.begin) * this.scale;
      pen.beginPath(); pen.moveTo(x, 0); pen.lineTo(x, height - 16); pen.stroke();
      if (x < width - 80) pen.fillText(`${whole(at)} ${this.timeline.unit}`, x + 3, height - 4);
    }
  }

  drawTrack(pen, track, top, width) {
    pen.fillStyle = color("--ink");
    pen.fillText(`${coreName(track.core)} ${track.name}`.slice(0, 30), 4, top + 15);
    const colors = { work: color("--busy"), wait: color("--wait") };
    let drawnTo = -1;
    for (let index = firstAfter(track.spans, this.begin); index < track.spans.length; index++) {
      const [begin, end, label] = track.spans[index];
      if (begin > this.end) break;
      const from = Math.max(this.left, this.left + (begin - this.begin) * this.scale);
      const to = Math.min(width, this.left + (end - this.begin) * this.scale);
      if (to - drawnTo < 0.4) continue;  // smaller than a point, beside one that is drawn
      pen.fillStyle = colors[this.timeline.labels[label][0]];
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
    this.says.textContent = hit ? `${coreName(track.core)} ${track.name}: ${this.timeline.labels[hit[2]][1]}  ` +
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
      (timeline.hidden ? ` ${whole(timeline.hidden)} more rows: choose a core to see its own.` : "") +
      (launch.timeline.left_out ? ` The last ${whole(launch.timeline.left_out)} events are left out.` : "")));
}
