// Bring your own data: a small table of responses becomes capability, spread and generality, in the page.
// Nothing leaves the machine. The line of Python below repeats it.
import { generality, mean, ranksFromTop } from "./measures.js";
import { curvePanel, plane, svgText } from "./draw.js";
import { codeBlock, make, textOf } from "./demos.js";

const MOST_CELLS = 200000;
const MISSING = new Set(["", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "<NA>", "#N/A"]);

/** Something in the file that a person can put right. */
class BadTable extends Error {}

/** The cells of a CSV text; quoted cells may hold the separator, quotes ("") and line ends. */
export function cellsOf(text, separator) {
  const [rows, row] = [[], []];
  let [cell, quoted] = ["", false];
  const endCell = () => { row.push(cell); cell = ""; };
  const endRow = () => { endCell(); if (row.length > 1 || row[0].trim() !== "") rows.push([...row]); row.length = 0; };
  for (let k = 0; k < text.length; k += 1) {
    const sign = text[k];
    if (quoted && sign === '"' && text[k + 1] === '"') { cell += '"'; k += 1; }
    else if (sign === '"' && (quoted || cell === "")) quoted = !quoted;
    else if (quoted) cell += sign;
    else if (sign === separator) endCell();
    else if (sign === "\n") endRow();
    else if (sign !== "\r") cell += sign;
  }
  if (quoted) throw new BadTable("A quotation mark is opened and never closed: the file may be cut off.");
  endRow();
  return rows;
}

function separatorOf(text) {
  const first = text.split(/\r?\n/, 1)[0].replace(/"[^"]*"/g, "");
  return [",", ";", "\t"].reduce((best, one) => (first.split(one).length > first.split(best).length ? one : best));
}

function numberOf(text, agent, item) {
  const plain = text.trim();
  if (MISSING.has(plain)) return NaN;
  const value = Number(plain);
  if (!Number.isNaN(value) && !/^0[xob]/i.test(plain)) return value;
  const comma = /^-?\d+,\d+$/.test(plain) ? " Write decimals with a point." : "";
  throw new BadTable(`"${plain.slice(0, 40)}" (${agent}, ${item}) is not a number.${comma}`);
}

function refuseTwice(names, what) {
  const twice = names.find((name, k) => names.indexOf(name) !== k);
  if (twice !== undefined) throw new BadTable(`The ${what} "${twice}" stands there twice: give each a name of its own.`);
}

/** A CSV of agents x items as {agents, items, rows, difficulty, separator, label}; `label` names the row of difficulties. */
export function parseTable(text) {
  const plain = text.replace(/^\uFEFF/, "");
  if (plain.includes("\u0000")) throw new BadTable("This is not a text file: save the table as CSV first.");
  if (!plain.trim()) throw new BadTable("The file is empty.");
  const separator = separatorOf(plain);
  const [head, ...body] = cellsOf(plain, separator);
  const items = head.slice(1).map((name) => name.trim());
  if (items.length < 2) throw new BadTable("Fewer than two items: the first line names them, the first column names the agents.");
  if (!body.length) throw new BadTable("There is a first line, but no agent below it.");
  refuseTwice(items, "item");
  if (items.length * body.length > MOST_CELLS) throw new BadTable(`More than ${MOST_CELLS.toLocaleString("en")} cells are too many for a page: use the Python package.`);
  for (const [k, row] of body.entries()) {
    if (row.length !== head.length) throw new BadTable(`Line ${k + 2} has ${row.length} cells, the first line ${head.length}.`);
  }
  const names = body.map((row) => row[0].trim());
  refuseTwice(names, "agent");
  const at = names.findIndex((name) => name.toLowerCase() === "difficulty");
  const numbers = body.map((row, j) => row.slice(1).map((cell, k) => numberOf(cell, names[j], items[k])));
  const rows = numbers.filter((_, j) => j !== at);
  const agents = names.filter((_, j) => j !== at);
  if (!agents.length) throw new BadTable("There are difficulties, but no agent.");
  rows.forEach((row, j) => row.forEach((value, k) => {
    if (value < 0 || value > 1) throw new BadTable(`${value} (${agents[j]}, ${items[k]}) is not between 0 and 1. Raw scores need a reference first: gl.rank(scores) in Python.`);
  }));
  const empty = rows.findIndex((row) => row.every(Number.isNaN));
  if (empty >= 0) throw new BadTable(`${agents[empty]} has no response at all: leave the agent out.`);
  const difficulty = at >= 0 ? numbers[at] : ranksFromTop(items.map((_, k) => mean(rows.map((row) => row[k]).filter((v) => !Number.isNaN(v)))));
  const unknown = difficulty.findIndex((value) => !Number.isFinite(value));
  if (unknown >= 0) throw new BadTable(`Item "${items[unknown]}" has no difficulty.`);
  if (new Set(difficulty).size < 2) throw new BadTable("All items are equally difficult: one point makes no curve.");
  return { agents, items, rows, difficulty, separator, label: at >= 0 ? body[at][0] : null };
}

/** The Python that gives the same table. */
export function dataCode(name, { separator, label, rows }) {
  const quoted = (text) => JSON.stringify(text);
  const sep = separator === "," ? "" : `, sep=${quoted(separator)}`;
  const gaps = rows.flat().some(Number.isNaN) ? ', missing="drop"' : "";
  const given = label === null
    ? `gl.generality(table, table.mean().rank(ascending=False)${gaps})`
    : `gl.generality(table.drop(${quoted(label)}), table.loc[${quoted(label)}]${gaps})`;
  return `table = pd.read_csv(${quoted(name)}, index_col=0${sep})\n${given}`;
}

/** What a text says: the table of indicators, or the reason why there is none. */
export function dataView(name, text) {
  try {
    const table = parseTable(text);
    return { table, found: generality(table.rows, table.difficulty), code: dataCode(name, table) };
  } catch (error) {
    if (!(error instanceof BadTable)) throw error;
    return { problem: error.message };
  }
}

export const EXAMPLE_TABLE = `agent,a,b,c,d,e,f
difficulty,1,2,3,4,5,6
Ann,1,1,1,1,0,0
Bob,1,0.5,1,0,1,0.5
Cleo,1,1,0.75,0.5,0.25,0
Dan,0,1,0,1,1,1
`;

const COLUMNS = [["capability Ψ", "capability"], ["spread S", "spread"], ["γ", "normalised_generality"], ["mean", "mean"]];

function agentsTable({ agents }, found) {
  const head = ["agent", ...COLUMNS.map(([name]) => name)].map((name) => make("th", { scope: "col" }, name));
  const rows = agents.map((name, j) => make("tr", {}, make("th", { scope: "row" }, name), ...COLUMNS.map(([, column]) => make("td", {}, textOf(found[j][column])))));
  const caption = make("caption", { class: "gl-hidden" }, "Capability, spread and generality of each agent");
  return make("table", { class: "gl-agents" }, caption, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows));
}

function download(name, text) {
  const link = make("a", { href: URL.createObjectURL(new Blob([text], { type: "image/svg+xml" })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** The page: choose or drop a file, see the agents, take picture and code with you. */
export function mountData(element) {
  const input = make("input", { type: "file", id: "gl-file", accept: ".csv,.tsv,.txt,text/csv" });
  const example = make("button", { type: "button" }, "Try an example");
  const label = make("label", { for: "gl-file" }, "A CSV file: one line per agent, one column per item, responses from 0 to 1. A line called ‘difficulty’ gives the items’ difficulties; without it they are ranked by their mean score. Choose a file, or drop it here.");
  const drop = make("div", { class: "gl-drop" }, make("p", {}, label), make("div", { class: "gl-row" }, input, example));
  const problem = make("p", { class: "gl-problem", role: "alert", hidden: "" });
  const said = make("p", { class: "gl-note", role: "status", "aria-live": "polite" });
  const which = make("select", { id: "gl-agent" });
  const save = make("button", { type: "button" }, "Download the picture (SVG)");
  const picture = make("div", { class: "gl-picture" });
  const listed = make("div", { class: "gl-scroll", tabindex: 0, role: "group", "aria-label": "the agents" });
  const code = codeBlock("The same in Python (import gindex_lab as gl, pandas as pd)");
  const results = make("div", { hidden: "" }, make("div", { class: "gl-row" }, make("label", { for: "gl-agent" }, "The curve of"), which, save), picture, listed, code.root);
  let shown = null;

  function draw() {
    const { table, found } = shown;
    const j = which.selectedIndex;
    const interval = [Math.min(...table.difficulty), Math.max(...table.difficulty)];
    const alt = `γ = ${textOf(found[j].normalised_generality)}, capability ${textOf(found[j].capability)}.`;
    const curve = curvePanel(`The curve of ${table.agents[j]}`, table.rows[j], table.difficulty, interval, alt);
    picture.replaceChildren(curve.root, plane("All agents", found, interval));
  }
  function show(name, text) {
    shown = dataView(name, text);
    problem.hidden = !shown.problem;
    results.hidden = Boolean(shown.problem);
    problem.textContent = shown.problem ?? "";
    said.textContent = "";
    if (shown.problem) return;
    const { table, found } = shown;
    const order = found.map((_, j) => j).sort((a, b) => found[b].normalised_generality - found[a].normalised_generality);
    const source = table.label === null ? "Difficulties are ranks by mean score." : "Difficulties are those of the file.";
    const [first, last] = [order[0], order.at(-1)].map((j) => `${table.agents[j]} (γ = ${textOf(found[j].normalised_generality)})`);
    said.textContent = `${table.agents.length} agents, ${table.items.length} items. ${source} Highest γ: ${first}; lowest: ${last}. These are estimates without intervals: gl.generality(..., ci=0.95) adds them.`;
    which.replaceChildren(...table.agents.map((agent) => make("option", {}, agent)));
    listed.replaceChildren(agentsTable(table, found));
    code.show(shown.code);
    draw();
  }
  const take = async (file) => { if (file) show(file.name, await file.text()); };
  input.addEventListener("change", () => take(input.files[0]));
  which.addEventListener("change", draw);
  example.addEventListener("click", () => show("example.csv", EXAMPLE_TABLE));
  save.addEventListener("click", () => download("generality.svg", svgText([...picture.children])));
  for (const kind of ["dragover", "dragleave", "drop"]) {
    drop.addEventListener(kind, (event) => {
      event.preventDefault();
      drop.classList.toggle("gl-over", kind === "dragover");
      if (kind === "drop") take(event.dataTransfer.files[0]);
    });
  }
  element.classList.add("gl-demo");
  element.replaceChildren(drop, problem, said, results);
}
