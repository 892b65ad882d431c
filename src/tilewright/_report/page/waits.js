// SPDX-License-Identifier: Apache-2.0
// Waits between the kernels of a deadlock, and findings.

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
  return section("waits", "Waits between kernels", ...parts);
}

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
