// SPDX-License-Identifier: Apache-2.0
// What each phase takes of the time, and what a result is off by, and where.

const PROCESSORS = ["unpack", "maths", "pack"];

function phaseTable(phases) {
  const processor = PROCESSORS[phases[0].busiest];
  const rows = phases.map((phase) => [phase.name, share(phase.share, 1), percent(phase.share),
    ...phase.busy.map(whole), whole(phase.waiting[phase.busiest])]);
  return [table(["phase", "share", "", ...PROCESSORS.map((name) => `${name} ns`), `${processor} waits ns`], rows),
    element("p", { class: "quiet" }, `The share is that of ${processor}, the busiest of the three processors of ` +
      `${phases[0].kernel}; times are the mean of its cores. Calls count for the circular buffer they fill.`)];
}

function phaseSection(launch) {
  const phases = launch.phases.filter((phase) => Math.max(...phase.busy, ...phase.waiting) > 0);
  if (!phases.length) return null;
  const kernels = [...new Set(phases.map((phase) => phase.kernel))];
  return section("phases", "Phases on the modelled clock",
    ...kernels.flatMap((kernel) => phaseTable(phases.filter((phase) => phase.kernel === kernel))));
}

function differenceSection(launch) {
  const difference = launch.difference;
  if (!difference) return null;
  const rows = difference.cells.length, columns = difference.cells[0].length;
  const size = Math.min(640 / Math.max(columns, rows), 24);
  const svg = drawing("svg", { viewBox: `0 0 ${columns * size} ${rows * size}`, width: columns * size,
    style: "max-width: 100%", role: "img", "aria-label": difference.words });
  difference.cells.forEach((row, y) => row.forEach((part, x) => {
    const cell = drawing("rect", { x: x * size, y: y * size, width: size, height: size,
      fill: part === null || part > 1 ? "var(--bad)" : shade(part) });
    const title = drawing("title");
    title.textContent = `rows from ${y * difference.step[0]}, columns from ${x * difference.step[1]}: ` +
      (part === null ? "not a number" : `${(100 * part).toFixed(1)} % of what is allowed`);
    cell.append(title);
    svg.append(cell);
  }));
  const list = difference.elements.length ? table(["element", "is", "should be", "of what is allowed"],
    difference.elements.map((each) => [`[${each.at.join(", ")}]`, each.got, each.wanted,
      each.share === null ? "beyond all bounds" : percent(each.share)])) : null;
  return section("errors", "Errors over the result", element("div", { class: "scroll" }, svg),
    element("p", { class: difference.wrong ? "error" : "ok" }, difference.words),
    element("p", { class: "quiet" }, `A cell is ${difference.step[0]} rows by ${difference.step[1]} columns and shows ` +
      "its worst element; red ones are wrong."), list);
}
