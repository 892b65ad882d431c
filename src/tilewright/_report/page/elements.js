// SPDX-License-Identifier: Apache-2.0
// What every part of the page is made of.
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
// Rows of several chips follow each other.
function coreName(core) {
  const mesh = report.launches[state.launch].mesh, rows = mesh ? mesh.rowsOfChip : 0;
  return rows ? `(${core[0]},${core[1] % rows}) of chip ${Math.floor(core[1] / rows)}` : `(${core[0]},${core[1]})`;
}
const sameCore = (a, b) => a !== null && b !== null && a[0] === b[0] && a[1] === b[1];

function table(columns, rows) {
  return element("div", { class: "scroll" }, element("table", {},
    element("thead", {}, element("tr", {}, ...columns.map((column) => element("th", { scope: "col" }, column)))),
    element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map((cell) => element("td", {}, cell)))))));
}

function shade(share) {
  return `color-mix(in srgb, var(--busy) ${Math.round(share * 90)}%, var(--cold))`;
}


const percent = (share) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;

function share(bytes, largest) {
  return element("div", { class: "bar" }, element("i", { style: `width: ${100 * bytes / (largest || 1)}%` }));
}

function section(id, title, ...children) {
  return element("section", { id, "aria-labelledby": `${id}-title` }, element("h2", { id: `${id}-title` }, title),
    ...children.filter((child) => child !== null));
}
