// SPDX-License-Identifier: Apache-2.0
// The NoC: the die with its cores, banks and links, and tables of who moves how many bytes where.

const NOC_STEP = 44, NOC_CELL = 22;

// Where the middle of a router lies in the picture.
const nocPlace = (at) => [NOC_STEP * at[0] + NOC_STEP / 2, NOC_STEP * at[1] + NOC_STEP / 2];

// A link as a line beside the one of the other NoC. Links that go around the edge are drawn as a stub on both sides.
function nocLines(link) {
  const [x0, y0] = nocPlace(link.begin), [x1, y1] = nocPlace(link.end), aside = link.noc ? -4 : 4;
  const isRow = link.begin[1] === link.end[1], forward = link.noc ? -1 : 1;
  const goesAround = Math.abs(isRow ? x1 - x0 : y1 - y0) > NOC_STEP;
  const ends = goesAround ?
    [[x0, y0, x0 + (isRow ? forward * NOC_STEP / 2 : 0), y0 + (isRow ? 0 : forward * NOC_STEP / 2)],
      [x1 - (isRow ? forward * NOC_STEP / 2 : 0), y1 - (isRow ? 0 : forward * NOC_STEP / 2), x1, y1]] :
    [[x0, y0, x1, y1]];
  return ends.map((end) => isRow ? [end[0], end[1] + aside, end[2], end[3] + aside]
    : [end[0] + aside, end[1], end[2] + aside, end[3]]);
}

function nocPicture(noc) {
  const svg = drawing("svg", { viewBox: `0 0 ${noc.size[0] * NOC_STEP} ${noc.size[1] * NOC_STEP}`, role: "img",
    width: noc.size[0] * NOC_STEP, style: "max-width: 100%; height: auto",
    "aria-label": "cores, DRAM banks and links of the die, thicker and redder the more bytes a link carries" });
  const largest = noc.links.length ? noc.links[0].bytes : 1;
  for (const link of [...noc.links].reverse()) {
    const share = link.bytes / largest;
    const words = drawing("title");
    words.textContent = `NoC ${link.noc}, ${link.words}: ${whole(link.bytes)} bytes`;
    const group = drawing("g", { class: "link", stroke: heat(share), "stroke-width": (1 + 5 * share).toFixed(1) },
      words);
    for (const [x1, y1, x2, y2] of nocLines(link)) group.append(drawing("line", { x1, y1, x2, y2 }));
    svg.append(group);
  }
  const chosen = noc.cores.find((core) => sameCore(core.at, state.core));
  const partners = new Map((chosen ? chosen.with : []).map((row) => [row[0], row]));
  for (const place of noc.places) {
    const [x, y] = nocPlace(place.at), name = place.core ? `core ${coreName(place.core)}` : `bank ${place.bank}`;
    const kind = place.core ? (sameCore(place.core, state.core) ? "node chosen" : "node") : "node bank";
    const words = drawing("title"), label = drawing("text", { x, y: y + 4, "text-anchor": "middle", class: "tiny" });
    const moved = partners.get(name);
    words.textContent = moved ? `${name}: ${whole(moved[1])} bytes read, ${whole(moved[2])} written` : name;
    label.textContent = place.core ? `${place.core[0]},${place.core[1]}` : `D${place.bank}`;
    svg.append(drawing("g", { class: moved ? `${kind} partner` : kind }, words, drawing("rect", {
      x: x - NOC_CELL / 2, y: y - NOC_CELL / 2, width: NOC_CELL, height: NOC_CELL, rx: 4 }), label));
  }
  return svg;
}

const heat = (share) => `color-mix(in srgb, var(--bad) ${Math.round(100 * share)}%, var(--busy))`;

function nocSection(launch) {
  const noc = launch.noc;
  if (!noc || !noc.kernels.length) return null;
  const chosen = noc.cores.find((core) => sameCore(core.at, state.core));
  const most = Math.max(...noc.banks.map((bank) => bank.read + bank.written), 1);
  const carried = noc.links.length ? `The busiest link carries ${whole(noc.links[0].bytes)} bytes, ` +
    `${percent(noc.links[0].share)} of what it could in the modelled time. ` : "";
  return section("noc", "NoC", element("div", { class: "scroll" }, nocPicture(noc)),
    element("p", { class: "quiet" }, `${carried}NoC 0 goes right and down, NoC 1 left and up; both go around at the ` +
      "edge. D is a DRAM bank. Multicasts are in their table, not on the links. Choose a core above to see with whom " +
      "it deals."),
    chosen ? element("h3", {}, `core ${coreName(chosen.at)} deals with`) : null,
    chosen ? table(["whom", "bytes read", "bytes written"],
      chosen.with.map((row) => [row[0], whole(row[1]), whole(row[2])])) : null,
    element("h3", {}, "By kernel, in bytes"), table(
      ["kernel", "NoC", "from DRAM", "to DRAM", "from L1", "to L1", "multicast", "signals", "transfers"],
      noc.kernels.map((row) => [row.kernel, `${row.noc}`, ...["dramRead", "dramWrite", "l1Read", "l1Write", "multicast",
        "signals", "transfers"].map((name) => whole(row[name]))])),
    element("h3", {}, "DRAM banks"), table(["bank", "bytes read", "bytes written", "of the busiest bank"],
      noc.banks.map((bank) => [`${bank.bank}`, whole(bank.read), whole(bank.written),
        share(bank.read + bank.written, most)])),
    noc.links.length ? element("h3", {}, "Busiest links") : null,
    noc.links.length ? table(["link", "NoC", "bytes", "of what it could carry"], noc.links.slice(0, 10).map((link) =>
      [link.words, `${link.noc}`, whole(link.bytes), percent(link.share)])) : null,
    noc.multicasts.length ? element("h3", {}, "Multicasts") : null,
    noc.multicasts.length ? table(["from", "kernel", "NoC", "to cores", "bytes", "times"], noc.multicasts.map((each) =>
      [`core ${coreName(each.core)}`, each.kernel, `${each.noc}`, `${coreName(each.to[0])} to ${coreName(each.to[1])}`,
        whole(each.bytes), whole(each.times)])) : null);
}
