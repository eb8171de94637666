// Five live demos: what each shows (numbers, sentence, line of Python, pictures) as a function of its controls,
// and one way to mount them, in a page or in a notebook's widget. The controls themselves and the equations
// come from Python (`spec` of a demo in gindex_lab/presentation/widgets/front.py).
import { deviation, gIndex, generalFactorShare, generalisationLevel, generality, guttmanResponses, logisticIndicators, mean, populationResponses } from "./measures.js";
import { barsPanel, curvePanel, line, panel, plane, responsesPanel, ticksOf } from "./draw.js";

// -- numbers in words, as gindex_lab/presentation/widgets/live.py writes them ---------------------------------

/** Python's format(value, ".{digits}g"). */
export function general(value, digits = 6) {
  const rounded = Number(value.toPrecision(digits));
  const power = rounded === 0 ? 0 : Math.floor(Math.log10(Math.abs(rounded)) + 1e-12);
  if (power >= -4 && power < digits) return String(rounded);
  const [head, tail] = rounded.toExponential().split("e");
  return `${head}e${tail[0]}${tail.slice(1).padStart(2, "0")}`;
}

/** A number as a demo shows it. */
export function textOf(value) {
  if (typeof value === "string") return value;
  if (typeof value === "object") return String(value.whole);
  const number = Math.abs(value) < 1e-9 ? 0 : value;
  const size = Math.abs(number);
  const sign = number < 0 ? "−" : "";
  if (size === Infinity) return "∞";
  if (size >= 1000) return sign + size.toLocaleString("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  if (size >= 0.001 && size < 1) return sign + size.toFixed(3);
  if (size >= 0.1 || size === 0) return sign + size.toFixed(2);
  if (size >= 1e-4) return sign + size.toPrecision(2);
  const [digits, power] = size.toExponential(1).split("e-");
  const raised = [...power].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("");
  return `${digits === "1.0" ? sign : `${sign}${Number(digits)} × `}10⁻${raised}`;
}

/** A length of time: seconds, minutes, hours or days. */
export function lengthText(minutes) {
  for (const [size, unit, least] of [[1440, "d", 2], [60, "h", 1], [1, "min", 1]]) {
    if (minutes >= 0.9995 * size * least) return `${general(minutes / size, 3)} ${unit}`;
  }
  return `${general(minutes * 60, 3)} s`;
}

const whole = (value) => ({ whole: value }); // a count: shown without decimals
const indicatorNumbers = (row) => [
  ["capability Ψ", row.capability], ["spread S", row.spread], ["generality Γ", row.generality],
  ["normalised generality γ", row.normalised_generality], ["expected difficulty H", row.expected_difficulty],
];

// -- what each demo shows ----------------------------------------------------------------------------------------

function curveDemo(values) {
  const heights = Object.values(values);
  const difficulty = heights.map((_, k) => k + 1);
  const interval = [0, heights.length + 1];
  const [row] = generality([heights], difficulty, interval);
  const gamma = row.normalised_generality;
  const notes = [
    [gamma > 0.9, "Nearly a step: all up to the capability, hardly anything beyond. A generalist."],
    [gamma > 0.2, "More is solved of the easy than of the hard: more general than a constant curve."],
    [gamma >= -0.05, "Difficulty hardly matters: no more general than a constant curve."],
    [true, "Hard items are solved better than easy ones: abstruse, less general than a constant curve."],
  ];
  const listed = heights.map((value) => general(value)).join(", ");
  return {
    numbers: indicatorNumbers(row),
    note: notes.find(([holds]) => holds)[1],
    code: `gl.generality([[${listed}]], difficulty=[${difficulty.join(", ")}], interval=(0.0, ${interval[1]}.0))`,
    pictures: () => {
      const alt = `Mean responses at difficulties 1 to ${heights.length}: ${listed}.`;
      const curve = curvePanel("The curve ψ", heights, difficulty, interval, alt);
      return [{ ...curve, dragged: heights.length }, { root: plane("Its place", [row], interval) }];
    },
  };
}

function guttmanDemo({ specialists, topics, seed }) {
  const { rows, difficulty, interval } = guttmanResponses(specialists, { topics, seed });
  const table = generality(rows, difficulty, interval);
  const of = (name) => mean(table.map((row) => row[name]));
  const gamma = of("normalised_generality");
  const abstruse = table.filter((row) => row.abstruse).length;
  const notes = [
    [gamma > 0.99, "A Guttman table: who solves a hard item solves all easier ones. All are generalists."],
    [gamma > 0.4, "Some easy items are failed, some hard ones solved: the spread has grown, the score has not."],
    [true, "Everybody has a topic, difficulty hardly matters: specialists, with the scores they had before."],
  ];
  return {
    numbers: [
      ["mean score", mean(rows.flat())], ["mean capability Ψ", of("capability")], ["mean spread S", of("spread")],
      ["mean γ", gamma], ["abstruse agents", whole(abstruse)],
    ],
    note: notes.find(([holds]) => holds)[1],
    code: `gl.generality(gl.widgets.guttman_responses(${general(specialists)}, topics=${topics}, seed=${seed}))`,
    pictures: () => {
      const solved = rows.map((row, j) => `agent ${j + 1} ${row.filter(Boolean).length}`).join(", ");
      const names = rows.map((_, j) => `agent ${j + 1}`);
      const alt = `Items solved of ${rows[0].length}, the same at every setting: ${solved}.`;
      return [
        { root: responsesPanel("Who solves what", rows, names, alt) },
        { root: plane("Twelve agents", table, interval) },
      ];
    },
  };
}

function individualsDemo({ steepness, variation, seed }) {
  const { rows, difficulty, interval } = populationResponses(steepness, variation, { seed });
  const table = generality(rows, difficulty, interval);
  const share = generalFactorShare(rows, { seed });
  const capability = table.map((row) => row.capability);
  const gamma = mean(table.map((row) => row.normalised_generality));
  const factor = share > 0.5 ? "A strong general factor" : "Hardly any general factor";
  const inPart = gamma > 0.8 ? "the agents are general" : "the agents are general in part";
  const agents = gamma < 0.25 ? "the agents are not general" : inPart;
  const link = share > 0.5 === gamma > 0.8 ? "and" : "yet";
  const population = `gl.widgets.population_responses(${general(steepness)}, ${general(variation)}, seed=${seed})`;
  return {
    numbers: [
      ["variance of one factor (%)", Math.round(1000 * share) / 10], ["mean γ", gamma],
      ["mean capability Ψ", mean(capability)], ["sd of capability", deviation(capability)],
    ],
    note: `${factor} in the population, ${link} one by one ${agents}.`,
    code: `population = ${population}\ngl.generality(population), gl.widgets.general_factor_share(population, seed=${seed})`,
    pictures: () => {
      const order = rows.map((_, j) => j).sort((a, b) => capability[a] - capability[b]);
      const title = `${rows.length} agents, the least capable on top`;
      const alt = `Each row is an agent; mean capability ${mean(capability).toFixed(1)} of ${interval[1]}.`;
      return [
        { root: responsesPanel(title, order.map((j) => rows[j]), null, alt) },
        { root: plane("Their places", table, interval) },
      ];
    },
  };
}

function sensitivities(given, mode) {
  const start = gIndex(given, mode).value;
  const changed = [
    ["θ + 0.05", { performance: given.performance + 0.05 }], ["samples × 2", { samples: 2 * given.samples }],
    ["compute × 2", { compute: 2 * given.compute }], ["one domain more", { domains: given.domains + 1 }],
    ["Ω own + 0.05", { own: given.own + 0.05 }], ["Ω others + 0.05", { other: given.other + 0.05 }],
  ];
  return changed
    .filter(([, change]) => ["performance", "own", "other"].every((name) => (change[name] ?? 0) <= 1))
    .map(([name, change]) => [name, 100 * (gIndex({ ...given, ...change }, mode).value / start - 1)]);
}

function calculatorDemo({ mode, ...given }) {
  const found = gIndex(given, mode);
  const changes = sensitivities(given, mode);
  const [name, value] = changes.reduce((most, one) => (Math.abs(one[1]) > Math.abs(most[1]) ? one : most));
  const listed = Object.entries(given).map(([key, number]) => `${key}=${general(number)}`).join(", ");
  return {
    numbers: [
      ["g-index", found.value], ["weight W of a domain", found.weight], ["experience E", found.experience],
      ["difficulty GD, own domain", found.difficulty], ["share of the own domain", found.own_share],
      ["level of generalisation", generalisationLevel(found.domain_distance)],
    ],
    note: `The most telling of these changes: ${name} takes g ${value > 0 ? "up" : "down"} by ${Math.abs(value).toFixed(0)} percent.`,
    code: `gl.g_index(gl.widgets.system(${listed}), '${mode}')`,
    pictures: () => {
      const words = changes.map(([cause, by]) => `${cause} ${by.toFixed(1)} percent`).join("; ");
      const line21 = Array.from({ length: 21 }, (_, k) => [k / 20, gIndex({ ...given, performance: k / 20 }, mode).value]);
      const logs = line21.map(([theta, g]) => [theta, Math.log10(Math.max(g, 1e-3))]);
      const [low, high] = [Math.floor(logs[0][1]), Math.ceil(logs[20][1])];
      const ticks = ticksOf(low, high, 6).filter(([at]) => Number.isInteger(at));
      const growth = panel({
        title: "g grows exponentially with θ", x: [0, 1], y: [low, high], xlabel: "performance θ", ylabel: "g-index",
        yticks: ticks.map(([at]) => [at, (10 ** at).toLocaleString("en")]), left: 66,
        alt: `g is ${textOf(line21[0][1])} at θ = 0 and ${textOf(line21[20][1])} at θ = 1; now ${textOf(found.value)}.`,
      });
      line(growth, logs, { stroke: "#0B5FA5", "stroke-width": 2.2 });
      const at = { cx: growth.x(given.performance), cy: growth.y(Math.log10(Math.max(found.value, 1e-3))) };
      growth.add("circle", { ...at, r: 6, fill: "#D55E00", stroke: "#fff" });
      return [{ root: barsPanel("What would change g, by how much?", changes, "change of g (%)", words) }, growth];
    },
  };
}

const TESTED = [-2, 11]; // log2 minutes: from a quarter of a minute to a day and a half

function horizonDemo({ theta, beta }) {
  const found = logisticIndicators(theta, beta, TESTED);
  const [low, high] = TESTED;
  let note = `From 90% to 10% success the tasks get ${general(2 ** ((2 * Math.log(9)) / beta), 3)} times longer.`;
  if (!(low < theta && theta < high)) note += " The 50% horizon lies outside the tested lengths: it is extrapolated.";
  else if (Math.abs(found.capability - theta) > 0.25) note += " Part of the curve is cut off, so that capability and θ differ.";
  const [h50, h80] = [found.horizon_50, found.horizon_80].map(lengthText);
  return {
    numbers: [
      ["50% horizon", h50], ["80% horizon", h80], ["capability Ψ (doublings of a minute)", found.capability],
      ["spread S", found.spread_logistic], ["spread on the tested lengths", found.spread],
      ["γ on the tested lengths", found.normalised_generality],
    ],
    note,
    code: `gl.logistic_indicators(${general(theta)}, ${general(beta)}, (-2.0, 11.0))`,
    pictures: (narrow) => {
      const [from, to] = [low - 2, high + 2];
      const on = panel({
        title: "Success by the length of a task", x: [from, to], y: [0, 1.02], wide: narrow ? 1 : 1.6, ylabel: "share solved ψ",
        xlabel: "length for a person (tested lengths shaded)", yticks: [0, 0.2, 0.4, 0.5, 0.6, 0.8, 1].map((at) => [at, String(at)]),
        xticks: (narrow ? [0.25, 4, 60, 960] : [0.25, 1, 4, 15, 60, 240, 960]).map((m) => [Math.log2(m), lengthText(m)]),
        alt: `A falling curve: half of the tasks of ${h50} are solved, and 80 percent of those of ${h80}.`,
      });
      on.add("rect", { x: on.x(low), y: on.y(1.02), width: on.x(high) - on.x(low), height: on.y(0) - on.y(1.02), fill: "#0072B2", "fill-opacity": 0.06 });
      const points = Array.from({ length: 201 }, (_, k) => from + ((to - from) * k) / 200);
      line(on, points.map((h) => [h, 1 / (1 + Math.exp(beta * (h - theta)))]), { stroke: "#0072B2", "stroke-width": 2.4 });
      for (const [level, minutes, words] of [[0.5, found.horizon_50, h50], [0.8, found.horizon_80, h80]]) {
        const at = Math.log2(minutes);
        if (at < from || at > to) continue;
        line(on, [[at, 0], [at, level], [from, level]], { stroke: "#222222", "stroke-dasharray": "2 3" });
        on.add("circle", { cx: on.x(at), cy: on.y(level), r: 5, fill: "#222222" });
        const near = at > high - 1;
        on.text(on.x(at) + (near ? -9 : 9), on.y(level) - 5, `${100 * level}%: ${words}`, { "text-anchor": near ? "end" : "start" });
      }
      return [on];
    },
  };
}

const DEMOS = { curve: curveDemo, guttman: guttmanDemo, individuals: individualsDemo, calculator: calculatorDemo, horizon: horizonDemo };

/** Numbers, sentence, code and pictures of a demo for the values of its controls. */
export const demoView = (name, values) => DEMOS[name](values);

// -- the page ------------------------------------------------------------------------------------------------------

/** An element with attributes and children. */
export function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** A table of names and numbers. */
export function numbersTable(numbers, caption) {
  const rows = numbers.map(([name, value]) => make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, textOf(value))));
  return make("table", { class: "gl-numbers" }, make("caption", { class: "gl-hidden" }, caption), make("tbody", {}, ...rows));
}

/** A block of code with a button that copies it. */
export function codeBlock(summary = "The same in Python") {
  const code = make("pre", { class: "gl-code", tabindex: 0, "aria-label": summary });
  const copy = make("button", { type: "button", class: "gl-copy" }, "Copy");
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      copy.textContent = "Copied";
    } catch { // no clipboard without https: select it instead
      getSelection().selectAllChildren(code);
      copy.textContent = "Selected";
    }
  });
  const show = (text) => { code.textContent = text; copy.textContent = "Copy"; };
  return { root: make("div", { class: "gl-same" }, make("p", {}, `${summary}:`), copy, code), show };
}

let mounted = 0;

/** One control: a slider, or a choice between words. Gives {root, read, write}. */
function controlOf(control, changed) {
  const id = `gl-${mounted}-${control.name}`;
  const label = make("label", { for: id }, control.label);
  if (control.options?.every((option) => typeof option === "string")) {
    const select = make("select", { id, name: control.name }, ...control.options.map((option) => make("option", {}, option)));
    select.addEventListener("change", changed);
    return { root: make("div", { class: "gl-control" }, label, select), read: () => select.value, write: (value) => { select.value = value; } };
  }
  const [options, step] = [control.options, control.step];
  const range = options ? { min: 0, max: options.length - 1, step: 1 } : { min: control.min, max: control.max, step };
  const slider = make("input", { type: "range", id, name: control.name, ...range });
  const shown = make("output", { for: id });
  const decimals = options || Number.isInteger(step) ? 0 : 2;
  const read = () => (options ? options[Number(slider.value)] : Number(Number(slider.value).toFixed(10)));
  const tell = () => {
    shown.textContent = options ? read().toLocaleString("en") : read().toFixed(decimals);
    slider.setAttribute("aria-valuetext", shown.textContent);
  };
  slider.addEventListener("input", () => { tell(); changed(); });
  const write = (value) => { slider.value = options ? options.indexOf(value) : value; tell(); };
  return { root: make("div", { class: "gl-control" }, label, slider, shown), read, write };
}

/** Let a finger or mouse pull the points of a curve up and down. */
function draggable({ root, x, y, dragged }, pull) {
  const move = (event) => {
    const box = root.getBoundingClientRect();
    const scale = root.viewBox.baseVal.width / box.width;
    const [left, down] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    const level = Math.round((left - x(0)) / (x(1) - x(0)));
    const height = Math.round(20 * ((down - y(0)) / (y(1) - y(0)))) / 20;
    if (level >= 1 && level <= dragged) pull(level, Math.min(Math.max(height, 0), 1));
  };
  root.classList.add("gl-drag");
  root.addEventListener("pointerdown", (event) => { event.preventDefault(); move(event); });
  root.addEventListener("pointermove", (event) => { if (event.buttons) move(event); });
}

/** Put a demo into `element`. Gives {set, values, view, milliseconds}: the time of the last redraw. */
export function mountDemo(element, spec, { values = {}, changed = () => {} } = {}) {
  mounted += 1;
  const state = { milliseconds: 0, view: null };
  const picture = make("div", { class: "gl-picture" });
  const numbers = make("div", { class: "gl-facts" });
  const note = make("p", { class: "gl-note" });
  const said = make("p", { class: "gl-said gl-hidden", "aria-live": "polite", role: "status" });
  const problem = make("p", { class: "gl-problem", role: "alert", hidden: "" });
  const code = codeBlock();
  const controls = new Map();
  const read = () => Object.fromEntries([...controls].map(([name, control]) => [name, control.read()]));
  let waiting = null;
  let asked = false;
  const narrow = () => element.clientWidth > 0 && element.clientWidth < 560;

  function redraw() {
    const start = performance.now();
    try {
      state.view = demoView(spec.name, read());
    } catch (error) {
      problem.textContent = error.message;
      problem.hidden = false;
      return;
    }
    problem.hidden = true;
    const drawn = state.view.pictures(narrow());
    for (const one of drawn) if (one.dragged) draggable(one, (level, height) => { controls.get(`h${level}`).write(height); update(); });
    picture.replaceChildren(...drawn.map(({ root }) => root));
    numbers.replaceChildren(numbersTable(state.view.numbers, spec.title));
    note.textContent = state.view.note;
    code.show(state.view.code);
    state.milliseconds = performance.now() - start;
    element.dataset.milliseconds = state.milliseconds.toFixed(1);
    clearTimeout(waiting); // spoken once the hand rests
    waiting = setTimeout(() => {
      said.textContent = `${state.view.numbers.map(([name, value]) => `${name} ${textOf(value)}`).join(", ")}. ${state.view.note}`;
    }, 400);
  }
  function update() {
    changed(read());
    if (asked) return;
    asked = true; // many moves, one picture
    requestAnimationFrame(() => { asked = false; redraw(); });
  }
  for (const control of spec.controls) controls.set(control.name, controlOf(control, update));
  function set(given) {
    for (const [name, value] of Object.entries(given)) controls.get(name)?.write(value);
    redraw();
  }
  const presets = Object.entries(spec.presets ?? {}).map(([name, given]) => {
    const button = make("button", { type: "button" }, name);
    button.addEventListener("click", () => { set(given); changed(read()); });
    return button;
  });
  const panelOf = make("fieldset", { class: "gl-controls" }, make("legend", {}, "Move these"), ...[...controls.values()].map(({ root }) => root));
  if (presets.length) panelOf.append(make("div", { class: "gl-presets", role: "group", "aria-label": "shapes to start from" }, ...presets));
  const equations = make("div", { class: "gl-equation", tabindex: 0, role: "group", "aria-label": "the formulas" });
  for (const markup of spec.equations) equations.append(...new DOMParser().parseFromString(markup, "text/html").body.childNodes);
  element.classList.add("gl-demo");
  element.dataset.demo = spec.name;
  element.replaceChildren(equations, make("div", { class: "gl-body" }, panelOf, make("div", { class: "gl-main" }, picture, note, problem), numbers), said, code.root);
  for (const one of element.querySelectorAll("input, select, button, [tabindex]")) {
    one.dataset.lmSuppressShortcuts = "true"; // JupyterLab would take their arrow and Enter keys for its own
  }
  set({ ...Object.fromEntries(spec.controls.map(({ name, value }) => [name, value])), ...values });
  let small = narrow();
  new ResizeObserver(() => { if (narrow() !== small) { small = narrow(); redraw(); } }).observe(element);
  return Object.assign(state, { set, values: read });
}
