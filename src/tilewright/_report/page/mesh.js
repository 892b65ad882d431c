// SPDX-License-Identifier: Apache-2.0
// The mesh of chips, and the bytes that packets carried over the links between them.

const MESH_STEP = 120, MESH_CELL = 64, MESH_ASIDE = 7;

const meshPlace = (mesh, chip) => [
  MESH_STEP * (chip % mesh.columns) + MESH_STEP / 2, MESH_STEP * Math.floor(chip / mesh.columns) + MESH_STEP / 2];

// All links from one chip to another, as one arrow beside that of the other direction.
function meshArrows(mesh) {
  const arrows = new Map();
  for (const link of mesh.links) {
    const key = `${link.from}-${link.to}`;
    const known = arrows.get(key) || { from: link.from, to: link.to, bytes: 0, packets: 0 };
    arrows.set(key, { ...known, bytes: known.bytes + link.bytes, packets: known.packets + link.packets });
  }
  return [...arrows.values()].sort((one, other) => one.bytes - other.bytes);
}

// A link that closes a ring is drawn as a stub at both chips.
function meshLines(mesh, arrow) {
  const [x0, y0] = meshPlace(mesh, arrow.from), [x1, y1] = meshPlace(mesh, arrow.to);
  const isRow = y0 === y1, forward = Math.sign(isRow ? x1 - x0 : y1 - y0), aside = forward * MESH_ASIDE;
  const goesAround = Math.abs(isRow ? x1 - x0 : y1 - y0) > MESH_STEP, stub = -forward * MESH_STEP / 2;
  const ends = goesAround ?
    [[x0, y0, x0 + (isRow ? stub : 0), y0 + (isRow ? 0 : stub)],
      [x1 - (isRow ? stub : 0), y1 - (isRow ? 0 : stub), x1, y1]] : [[x0, y0, x1, y1]];
  return ends.map((end) => isRow ? [end[0], end[1] + aside, end[2], end[3] + aside]
    : [end[0] + aside, end[1], end[2] + aside, end[3]]);
}

function meshPicture(mesh) {
  const width = mesh.columns * MESH_STEP;
  const svg = drawing("svg", { viewBox: `0 0 ${width} ${mesh.rows * MESH_STEP}`, role: "img", width,
    style: "max-width: 100%; height: auto",
    "aria-label": "chips of the mesh and links between them, thicker and redder the more bytes a link carries" });
  const arrows = meshArrows(mesh), largest = arrows.length ? arrows[arrows.length - 1].bytes : 1;
  for (const arrow of arrows) {
    const part = arrow.bytes / largest, words = drawing("title");
    words.textContent = `chip ${arrow.from} to chip ${arrow.to}: ${whole(arrow.bytes)} bytes in ` +
      `${whole(arrow.packets)} packets`;
    const group = drawing("g", { class: "link", stroke: heat(part), "stroke-width": (2 + 8 * part).toFixed(1) }, words);
    for (const [x1, y1, x2, y2] of meshLines(mesh, arrow)) group.append(drawing("line", { x1, y1, x2, y2 }));
    svg.append(group);
  }
  for (const each of mesh.chips) {
    const [x, y] = meshPlace(mesh, each.chip), words = drawing("title");
    const label = drawing("text", { x, y: y + 4, "text-anchor": "middle" });
    words.textContent = `chip ${each.chip}: kernels on ${whole(each.cores)} cores moved pages`;
    label.textContent = `chip ${each.chip}`;
    svg.append(drawing("g", { class: "node" }, words, drawing("rect", { x: x - MESH_CELL / 2, y: y - MESH_CELL / 2,
      width: MESH_CELL, height: MESH_CELL, rx: 6 }), label));
  }
  return svg;
}

function meshSection(launch) {
  const mesh = launch.mesh;
  if (!mesh) return null;
  const total = mesh.links.reduce((sum, link) => sum + link.bytes, 0), most = mesh.links.length ? mesh.links[0].bytes : 0;
  const words = mesh.links.length ?
    `Packets carried ${whole(total)} bytes over ${mesh.links.length} links, each direction counted by itself.`
    : "No packet crossed a link.";
  return section("mesh", "Chips", element("div", { class: "scroll" }, meshPicture(mesh)),
    element("p", { class: "quiet" }, words),
    mesh.links.length ? table(["link", "packets", "bytes", "of the busiest link"], mesh.links.map((link) =>
      [link.words, whole(link.packets), whole(link.bytes), share(link.bytes, most)])) : null);
}
