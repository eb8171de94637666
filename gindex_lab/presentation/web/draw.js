// Figures as SVG, by hand: a panel with axes, the plane of capability and spread, a table of responses.
import { characteristicCurve, spreadAt } from "./measures.js";

const INK = "#222222";
const AXIS = "#444444";
const BLUE = "#0072B2";
const MARK = "#D55E00";
const [WIDTH, HEIGHT] = [440, 330];

/** An element in the SVG name space; children may be text. */
export function shape(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Round numbers between two ends, about `most` of them. */
export function ticksOf(low, high, most = 6) {
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k += 1) found.push(k * step);
  return found.map((value) => [value, String(Number(value.toPrecision(6))).replace("-", "−")]);
}

/** A figure with axes. Gives {root, x, y, add}: x and y turn data into places, add draws on top. */
export function panel({ title, alt, x, y, xlabel, ylabel, xticks, yticks, wide = 1, left = 50 }) {
  const [width, right, top, bottom] = [WIDTH * wide, 12, 30, 46];
  const scale = ([low, high], from, to) => (value) => from + ((value - low) / (high - low)) * (to - from);
  const [placeX, placeY] = [scale(x, left, width - right), scale(y, HEIGHT - bottom, top)];
  const root = shape("svg", {
    viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": `${title}. ${alt}`,
    "font-family": "system-ui, 'DejaVu Sans', sans-serif", "font-size": 13, fill: INK,
  });
  const text = (at, down, words, more = {}) => shape("text", { x: at, y: down, ...more }, words);
  root.append(text(left, 18, title, { "font-weight": 700, "font-size": 14 }));
  const floor = HEIGHT - bottom;
  root.append(shape("path", { d: `M${left} ${top}V${floor}H${width - right}`, fill: "none", stroke: AXIS }));
  for (const [value, words] of xticks ?? ticksOf(...x)) {
    root.append(shape("path", { d: `M${placeX(value)} ${floor}v4`, stroke: AXIS }));
    root.append(text(placeX(value), floor + 18, words, { "text-anchor": "middle", "font-size": 12 }));
  }
  for (const [value, words] of yticks ?? ticksOf(...y, 5)) {
    root.append(shape("path", { d: `M${left} ${placeY(value)}h-4`, stroke: AXIS }));
    root.append(text(left - 7, placeY(value) + 4, words, { "text-anchor": "end", "font-size": 12 }));
  }
  root.append(text((left + width - right) / 2, HEIGHT - 8, xlabel, { "text-anchor": "middle" }));
  if (ylabel) {
    const place = { transform: `translate(13 ${(top + floor) / 2}) rotate(-90)`, "text-anchor": "middle" };
    root.append(text(0, 0, ylabel, place));
  }
  const add = (tag, attributes, ...children) => root.appendChild(shape(tag, attributes, ...children));
  return { root, x: placeX, y: placeY, add, text: (...given) => root.appendChild(text(...given)) };
}

/** A line through points in data units. */
export function line(on, points, attributes) {
  const places = points.map(([a, b]) => `${on.x(a).toFixed(2)} ${on.y(b).toFixed(2)}`);
  return on.add("path", { d: `M${places.join("L")}`, fill: "none", ...attributes });
}

const HALO = { "paint-order": "stroke", stroke: "#fff", "stroke-width": 4, "stroke-linejoin": "round" };
const ISOMETRICS = [ // γ, its colour, its dashes, its name
  [0.95, "#9A9A9A", "", "γ = 0.95"], [0.8, "#9A9A9A", "", "γ = 0.8"], [0.5, "#9A9A9A", "", "γ = 0.5"],
  [1, "#009E73", "2 2.4", "a step, γ = 1"], [0, "#0B5FA5", "", "constant curve, γ = 0"],
  [-1, "#B2182B", "6 2.5", "maximum, γ = −1"],
];
// where the name of a curve may stand: at which share of the capabilities, so many pixels above its curve
const LABEL_SPOTS = [5, 12, 18, 24].flatMap((up) => [0.5, 0.42, 0.58, 0.34, 0.66].map((share) => [share, up]));
const INKS = { "#9A9A9A": "#6A6A6A", "#009E73": "#00694C" };

/** Agents in the plane of capability and spread, over the curves of equal γ. */
export function plane(title, agents, [low, high]) {
  const q = high - low;
  const words = agents.length === 1 ? "the agent" : `${agents.length} agents`;
  const listed = agents.slice(0, 12).map((a) => `(${a.capability.toFixed(2)}, ${a.spread.toFixed(2)})`);
  const alt = `Capability and spread of ${words}: ${listed.join(", ")}${agents.length > 12 ? " and so on" : ""}.`;
  const roof = (1.12 * q) / Math.SQRT2;
  const on = panel({ title, alt, x: [low, high], y: [0, roof], xlabel: "capability Ψ", ylabel: "spread S" });
  for (const [gamma, stroke, dashes] of ISOMETRICS) {
    const points = Array.from({ length: 91 }, (_, k) => {
      const capability = low + (q * (1 - Math.cos((Math.PI * k) / 90))) / 2;
      return [capability, spreadAt(capability, gamma, [low, high])];
    });
    line(on, points, { stroke, "stroke-width": stroke === "#9A9A9A" ? 1 : 1.8, "stroke-dasharray": dashes });
  }
  const places = agents.map((agent) => [on.x(agent.capability), on.y(agent.spread)]);
  const radius = agents.length > 40 ? 3 : 5.5;
  for (const [cx, cy] of places) {
    on.add("circle", { cx: cx.toFixed(2), cy: cy.toFixed(2), r: radius, fill: MARK, stroke: "#fff", "stroke-width": 0.8 });
  }
  for (const [gamma, stroke, , name] of ISOMETRICS) {
    const half = 3 * name.length;
    const covered = ([x, y]) => places.filter(([cx, cy]) => Math.abs(cx - x) < half + radius && cy > y - 10 - radius && cy < y + 2 + radius).length;
    const spots = LABEL_SPOTS.map(([share, up]) => {
      const capability = low + q * share;
      return [on.x(capability), on.y(spreadAt(capability, gamma, [low, high])) - up];
    });
    const [x, y] = spots.reduce((best, spot) => (covered(spot) < covered(best) ? spot : best)); // the first of the freest
    on.text(x, y, name, { "text-anchor": "middle", "font-size": 11, fill: INKS[stroke] ?? stroke, ...HALO });
  }
  return on.root;
}

/** One curve ψ on its interval; `points` are shown as handles. */
export function curvePanel(title, row, difficulty, [low, high], alt) {
  const { levels, psi } = characteristicCurve(row, difficulty);
  const on = panel({
    title, alt, x: [low, high], y: [0, 1.02], xlabel: "difficulty h", ylabel: "response ψ",
    yticks: ticksOf(0, 1, 5),
  });
  const known = levels.map((level, k) => [level, psi[k]]).filter(([, value]) => !Number.isNaN(value));
  const solved = [[low, 1], [levels[0], 1], ...known];
  const path = [...solved, [known.at(-1)[0], 0], [high, 0]];
  line(on, [[low, 0], ...path], { fill: "#0072B2", "fill-opacity": 0.13, stroke: "none" });
  line(on, path, { stroke: BLUE, "stroke-width": 2.2 });
  for (const [level, value] of known) {
    on.add("circle", { cx: on.x(level), cy: on.y(value), r: known.length > 30 ? 2.5 : 5, fill: BLUE, stroke: "#fff" });
  }
  return on;
}

/** Who solved what: one path for all solved cells, a row per agent. */
export function responsesPanel(title, rows, names, alt) {
  const on = panel({
    title, alt, x: [0, rows[0].length], y: [rows.length, 0], left: names ? 70 : 50,
    xlabel: "item, easy to hard", ylabel: names ? "" : "agent", xticks: [],
    yticks: names ? names.map((name, j) => [j + 0.5, name]) : [],
  });
  const [wide, tall] = [on.x(1) - on.x(0), on.y(1) - on.y(0)];
  on.add("rect", {
    x: on.x(0), y: on.y(0), width: wide * rows[0].length, height: tall * rows.length, fill: "#EEF1F4",
  });
  const gap = rows.length > 40 ? 0 : 0.8;
  const lefts = rows[0].map((_, k) => (on.x(k) + gap / 2).toFixed(2));
  const cell = `h${(wide - gap).toFixed(2)}v${(tall - gap).toFixed(2)}h${(gap - wide).toFixed(2)}z`;
  const d = [];
  rows.forEach((row, j) => {
    const top = (on.y(j) + gap / 2).toFixed(2);
    for (let k = 0; k < row.length; k += 1) {
      let end = k; // a run of solved cells is one piece where there is no gap between them
      while (row[k] && !gap && row[end + 1]) end += 1;
      if (row[k]) d.push(`M${lefts[k]} ${top}`, end === k ? cell : `h${((end - k + 1) * wide).toFixed(2)}v${tall.toFixed(2)}H${lefts[k]}z`);
      k = end;
    }
  });
  on.add("path", { d: d.join(""), fill: "#0B5FA5" });
  return on.root;
}

/** Changes in percent as bars. */
export function barsPanel(title, changes, xlabel, alt) {
  const values = changes.map(([, value]) => value);
  const reach = [Math.min(0, ...values), Math.max(0, ...values)];
  const room = 0.24 * (reach[1] - reach[0] || 1);
  const on = panel({
    title, alt, x: [reach[0] - room, reach[1] + room], y: [changes.length, 0], left: 118, xlabel,
    xticks: ticksOf(reach[0] - room / 2, reach[1] + room / 2, 4),
    yticks: changes.map(([name], k) => [k + 0.5, name]),
  });
  changes.forEach(([, value], k) => {
    const [from, to] = [on.x(Math.min(0, value)), on.x(Math.max(0, value))];
    const tall = (on.y(1) - on.y(0)) * 0.62;
    const fill = value >= 0 ? "#009E73" : "#D55E00";
    on.add("rect", { x: from, y: on.y(k + 0.5) - tall / 2, width: Math.max(to - from, 0.5), height: tall, fill });
    const side = value >= 0 ? [to + 4, "start"] : [from - 4, "end"];
    const words = Math.abs(value) < 0.05 ? "0%" : `${value > 0 ? "+" : "−"}${Math.abs(value).toFixed(1)}%`;
    on.text(side[0], on.y(k + 0.5) + 4, words, { "text-anchor": side[1], "font-size": 11 });
  });
  line(on, [[0, 0], [0, changes.length]], { stroke: AXIS });
  return on.root;
}

/** A figure as a file of its own. */
export function svgText(pictures) {
  const root = shape("svg", { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${WIDTH * pictures.length} ${HEIGHT}` });
  root.append(shape("rect", { width: "100%", height: "100%", fill: "#fff" }));
  pictures.forEach((picture, k) => {
    const copy = picture.cloneNode(true);
    for (const [name, value] of [["x", k * WIDTH], ["width", WIDTH], ["height", HEIGHT]]) copy.setAttribute(name, value);
    root.append(copy);
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(root)}\n`;
}
