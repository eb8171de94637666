// Exercises in the page: a guess first, then the result; hints by and by; progress kept in the browser.
//
// mountExercises(element, data) shows what Python's exercise_data() wrote. The rules for answers are those of
// widgets/exercises_answers.py and widgets/exercises.py, sentence by sentence; a test runs many answers through both.
// The right answers are in the data, in base64: whether an answer is close enough cannot be told from a hash. That keeps
// them from the eye, not from somebody who looks for them.

const EXERCISE_NUMBER = /(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?/.source;
const EXERCISE_PLAIN = new RegExp(`^([-+]?)(${EXERCISE_NUMBER})\\s*(%?)$`);
const EXERCISE_PROGRAM = /^[-+<>,.[\]]*#$/;
const EXERCISE_SIGNS = { "−": "-", "·": "*", "×": "*", "÷": "/" };
const EXERCISE_CONSTANTS = { pi: Math.PI, π: Math.PI, e: Math.E };
const EXERCISE_FUNCTIONS = {
  exp: Math.exp, ln: Math.log, log2: Math.log2, log10: Math.log10, sqrt: Math.sqrt, abs: Math.abs, "√": Math.sqrt,
};
const EXERCISE_LONGEST = 100;
const EXERCISE_COARSE = 0.03;
const EXERCISE_FREE = 1e-4;
const EXERCISE_COMPUTED = 5e-4;
const EXERCISE_SAYS = {
  right: "Right.",
  empty: "No answer yet.",
  unreadable: "Not yet: that is not a number. Type 0.25, or an expression such as 1/4 or exp(0.6).",
  other: "Not yet: that is another one.",
  low: "Not yet: your answer is too low.",
  high: "Not yet: your answer is too high.",
  coarse: "Nearly: right as far as it goes. Give one more digit.",
  cut: "Nearly: round the last digit instead of cutting off what follows.",
  program: "Not yet: that is not a program. Use + - < > , . [ ] in pairs, and one # at the end.",
};

// -- answers -------------------------------------------------------------------------------------------------------

function exerciseFinite(value) {
  if (!Number.isFinite(value)) throw new RangeError("not finite");
  return value;
}

function exerciseParse(text) {
  const token = new RegExp(`\\s*(${EXERCISE_NUMBER}|[A-Za-z]+[0-9]*|\\*\\*|[-+*/^()%√π])\\s*`, "y");
  const tokens = [];
  while (token.lastIndex < text.length) {
    const match = token.exec(text);
    if (!match) throw new SyntaxError(text);
    tokens.push(match[1]);
  }
  tokens.push("");
  let at = 0;
  const take = (...wanted) => (wanted.length && !wanted.includes(tokens[at]) ? "" : tokens[at++]);
  const total = () => {
    let value = product();
    for (let sign; (sign = take("+", "-")); ) value = exerciseFinite(sign === "+" ? value + product() : value - product());
    return value;
  };
  const product = () => {
    let value = signed();
    for (let sign; (sign = take("*", "/")); ) value = exerciseFinite(sign === "*" ? value * signed() : value / signed());
    return value;
  };
  const signed = () => {
    const sign = take("+", "-");
    return sign === "-" ? -signed() : sign ? signed() : power();
  };
  const power = () => {
    let value = single();
    while (take("%")) value /= 100;
    return take("^", "**") ? exerciseFinite(Math.pow(value, signed())) : value;
  };
  const single = () => {
    const one = take();
    if (one === "(") {
      const value = total();
      if (!take(")")) throw new SyntaxError(text);
      return value;
    }
    if (Object.hasOwn(EXERCISE_CONSTANTS, one)) return EXERCISE_CONSTANTS[one];
    if (Object.hasOwn(EXERCISE_FUNCTIONS, one) && (one === "√" || tokens[at] === "(")) return exerciseFinite(EXERCISE_FUNCTIONS[one](single()));
    if (!one || !new RegExp(`^${EXERCISE_NUMBER}$`).test(one)) throw new SyntaxError(text);
    return exerciseFinite(Number(one.replace(",", ".")));
  };
  const value = total();
  if (tokens[at] !== "") throw new SyntaxError(text);
  return value;
}

// A number and half a unit of the last digit that was typed (null for an expression), or null.
export function exerciseTyped(given, percent = false) {
  let text = given.replace(/[−·×÷]/g, (sign) => EXERCISE_SIGNS[sign]).trim();
  if ([...text].length > EXERCISE_LONGEST) return null;
  if (percent && text.endsWith("%")) text = text.slice(0, -1).trimEnd();
  let value;
  try {
    value = exerciseParse(text);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return null;
    throw error;
  }
  const plain = EXERCISE_PLAIN.exec(text);
  if (!plain) return { value, half: null };
  const [digits, exponent = "0"] = plain[2].toLowerCase().split("e");
  const decimals = (digits.split(/[.,]/)[1] ?? "").length;
  return { value, half: 0.5 * 10 ** (Number(exponent) - decimals - (plain[3] ? 2 : 0)) };
}

export function exerciseAgreement(answer, truth) {
  const away = Math.abs(answer.value - truth);
  const size = Math.abs(truth);
  if (away <= 1e-9 * Math.max(1, size)) return "yes";
  if (answer.half === null) return away <= EXERCISE_COMPUTED * size ? "yes" : "no";
  if (away <= Math.max(answer.half * (1 + 1e-9), EXERCISE_FREE * size)) {
    return answer.half <= EXERCISE_COARSE * size || away <= EXERCISE_FREE * size ? "yes" : "coarse";
  }
  const short = Math.abs(answer.value) < size && answer.value * truth > 0;
  return short && away < 2 * answer.half && 2 * answer.half <= 2 * EXERCISE_COARSE * size ? "cut" : "no";
}

// The rewards that a program pays, cycle by cycle, as the machine of worlds/aiq/machine.py pays them; null where it is no program.
export function exercisePays(program, actions) {
  if (program.length > EXERCISE_LONGEST || !EXERCISE_PROGRAM.test(program)) return null;
  const jumps = {};
  const open = [];
  for (let k = 0; k < program.length; k++) {
    if (program[k] === "[") open.push(k);
    if (program[k] === "]") {
      if (!open.length) return null;
      jumps[k] = open.pop();
      jumps[jumps[k]] = k;
    }
  }
  if (open.length) return null;
  const middle = 2, symbols = 5;
  const work = new Map();
  const past = Array(25).fill(middle);
  const output = [middle, middle];
  let head = 0;
  const cell = () => work.get(head) ?? middle;
  return actions.map((action) => {
    past.unshift(action);
    let place = 0, reads = 0, writes = 0;
    for (let step = 0; step < 1000 && writes < 2 && program[place] !== "#"; step++, place++) {
      const sign = program[place];
      if (sign === "+") work.set(head, (cell() + 1) % symbols);
      else if (sign === "-") work.set(head, (cell() + symbols - 1) % symbols);
      else if (sign === ">") head++;
      else if (sign === "<") head--;
      else if (sign === ",") work.set(head, reads < 24 ? past[reads++] : middle);
      else if (sign === ".") output[writes++] = cell();
      else if ((sign === "[") === (cell() === middle)) place = jumps[place];
    }
    return (100 * (output[0] - 2)) / 2;
  });
}

export function exerciseSecret(task) {
  const bytes = Uint8Array.from(atob(task.secret), (one) => one.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes));
}

// {kind, said}: what Exercise.judge in Python says, without its hint.
export function exerciseJudge(task, given) {
  const { answer, mistakes, solution } = exerciseSecret(task);
  const text = given.trim();
  const say = (kind, said = EXERCISE_SAYS[kind]) => ({ kind, said });
  const right = () => say("right", `${EXERCISE_SAYS.right} ${solution}`);
  if (!text) return say("empty");
  if (task.words.length) {
    const word = task.words.find((one) => one.toLowerCase() === text.toLowerCase());
    if (word === undefined) return say("word", `Not yet: choose one of ${task.words.join(", ")}.`);
    if (word === answer) return right();
    const told = mistakes.find(([wrong]) => wrong === word);
    return told ? say("mistake", `Not yet: ${told[1]}`) : say("other");
  }
  if (typeof answer === "object") {
    const paid = exercisePays(text, answer.actions);
    if (!paid) return say("program");
    const at = answer.rewards.findIndex((reward, k) => reward !== null && reward !== paid[k]);
    if (at < 0) return right();
    const done = answer.actions.slice(0, at + 1).join(", ");
    return say("pays", `Not yet: after the actions ${done} it pays ${paid[at]}, not ${answer.rewards[at]}.`);
  }
  const typed = exerciseTyped(text, task.unit === "%");
  if (!typed) return say("unreadable");
  const found = exerciseAgreement(typed, answer);
  if (found === "yes") return right();
  const told = mistakes.find(([wrong]) => exerciseAgreement(typed, wrong) === "yes");
  if (told) return say("mistake", `Not yet: ${told[1]}`);
  return say(found !== "no" ? found : typed.value < answer ? "low" : "high");
}

// -- progress ------------------------------------------------------------------------------------------------------

const EXERCISE_KEY = "gindex_lab.exercises.1";

// What was done so far, in the browser's storage where it lets us; `kept` says whether it does. It is read again before each change:
// other exercises of the page, and other pages, write there too.
function exerciseStore() {
  let all = {};
  let kept = true;
  const read = () => {
    if (!kept) return;
    try {
      const found = JSON.parse(localStorage.getItem(EXERCISE_KEY) ?? "{}");
      all = found === null || typeof found !== "object" || Array.isArray(found) ? {} : found;
    } catch (error) {
      if (error instanceof SyntaxError) all = {};
      else kept = false; // a private window may refuse storage
    }
  };
  const change = (how) => {
    read();
    how();
    try {
      if (kept) localStorage.setItem(EXERCISE_KEY, JSON.stringify(all));
    } catch {
      kept = false;
    }
  };
  read();
  return {
    get kept() { return kept; },
    get: (name) => {
      const known = all[name];
      const sound = known !== null && typeof known === "object" && Number.isInteger(known.tries) && Number.isInteger(known.hints);
      return { first: "", answer: "", tries: 0, hints: 0, done: "", ...(sound ? known : {}) };
    },
    set: (name, state) => change(() => { all[name] = state; }),
    forget: (names) => change(() => { for (const name of names) delete all[name]; }),
  };
}

// Results stay hidden until their exercise was predicted (where it asks for that), answered or given up.
function exerciseOpen(task, state) {
  return Boolean(state.done || (task.predict && state.first));
}

// -- the page ------------------------------------------------------------------------------------------------------

function exerciseElement(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "onclick" || name === "onsubmit" || name === "oninput") made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

// Text with `code` in backquotes.
function exerciseText(text) {
  return text.split(/`([^`]+)`/).map((part, k) => (k % 2 ? exerciseElement("code", {}, part) : part));
}

let exerciseCount = 0;

function exerciseBox(task, number, store, changed) {
  const id = `gx-${++exerciseCount}-${task.name}`;
  let state = store.get(task.name);
  const status = exerciseElement("span", { class: "gx-state" });
  const verdict = exerciseElement("p", { class: "gx-verdict", role: "status", "aria-live": "polite", id: `${id}-said` });
  const hints = exerciseElement("ol", { class: "gx-hints", "aria-label": "Hints" });
  const check = exerciseElement("button", { type: "submit", class: "gx-check" });
  const hint = exerciseElement("button", { type: "button", onclick: () => more() });
  const show = exerciseElement("button", { type: "button", onclick: () => giveUp() }, "Show the solution");
  const buttons = exerciseElement("div", { class: "gx-buttons" }, check, hint, show);
  const field = task.words.length ? words() : line();
  const form = exerciseElement("form", { class: "gx-form", novalidate: true, autocomplete: "off" }, field, buttons);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    answered();
  });
  const heading = exerciseElement("h3", { id: `${id}-title` }, `Exercise ${number}`, " ", status);
  const question = exerciseElement("p", { class: "gx-question", id: `${id}-question` }, ...exerciseText(task.question));
  const box = exerciseElement(
    "section",
    { class: "gx-exercise", "data-exercise": task.name, "aria-labelledby": `${id}-title` },
    heading, question, form, verdict, hints,
  );

  function words() {
    const options = task.words.map((word, k) => {
      const input = exerciseElement("input", { type: "radio", name: id, value: word, id: `${id}-${k}` });
      input.checked = state.answer === word;
      return exerciseElement("label", { for: `${id}-${k}` }, input, " ", word);
    });
    return exerciseElement("fieldset", {}, exerciseElement("legend", {}, "Your answer"), ...options);
  }

  function line() {
    const program = typeof exerciseSecret(task).answer === "object";
    const unit = task.unit.trim();
    const label = program ? "Your program" : unit ? `Your answer (${unit})` : "Your answer";
    const input = exerciseElement("input", {
      type: "text", id: `${id}-field`, class: "gx-field", value: state.answer, spellcheck: "false", autocapitalize: "off",
      maxlength: EXERCISE_LONGEST, "aria-describedby": `${id}-question ${id}-said`,
    });
    const help = program ? [] : [exerciseElement("small", {}, "a number, or 1/4, exp(0.6), 2^3, sqrt(2)")];
    return exerciseElement("div", { class: "gx-line" }, exerciseElement("label", { for: `${id}-field` }, label), input, ...help);
  }

  const given = () => (task.words.length ? form.querySelector("input:checked")?.value ?? "" : form.querySelector(".gx-field").value);

  function keep(changes) {
    state = { ...state, ...changes };
    store.set(task.name, state);
    draw();
    changed(task, state);
  }

  function say(text, kind) {
    verdict.replaceChildren(...exerciseText(text));
    verdict.className = `gx-verdict gx-${kind}`;
  }

  function answered() {
    const answer = given().trim();
    const found = exerciseJudge(task, answer);
    if (["empty", "unreadable", "program", "word"].includes(found.kind)) return say(found.said, "open");
    if (task.predict && !state.first) {
      keep({ first: answer, answer });
      return say(`Your prediction is kept: ${answer}. Now see what happens; then check it, or change it first.`, "open");
    }
    if (found.kind === "right") {
      keep({ answer, first: state.first || answer, tries: state.tries + 1, done: state.done || "right" });
      return say(closing(found.said), "right");
    }
    const step = found.kind === "mistake" ? state.hints : Math.min(state.hints + 1, task.hints.length);
    keep({ answer, first: state.first || answer, tries: state.tries + 1, hints: step });
    return say(found.said, "wrong");
  }

  function closing(said) {
    const guessed = task.predict && state.first && state.first.toLowerCase() !== state.answer.toLowerCase();
    return guessed ? `${said} (You predicted ${state.first} at first.)` : said;
  }

  function more() {
    keep({ hints: Math.min(state.hints + 1, task.hints.length) });
    say(`Hint ${state.hints}: ${task.hints[state.hints - 1]}`, "open");
  }

  function giveUp() {
    keep({ done: state.done || "shown" });
    say(`Solution. ${exerciseSecret(task).solution}`, "open");
    form.querySelector("input").focus();
  }

  function draw() {
    const waits = task.predict && !state.first;
    check.textContent = waits ? "Keep my prediction" : "Check";
    hint.hidden = state.hints >= task.hints.length;
    hint.textContent = `Hint ${state.hints + 1} of ${task.hints.length}`;
    show.hidden = Boolean(state.done) || !state.first; // a guess comes first
    hints.replaceChildren(...task.hints.slice(0, state.hints).map((one) => exerciseElement("li", {}, ...exerciseText(one))));
    hints.hidden = !state.hints;
    const names = { right: "done", shown: "solution seen" };
    status.textContent = names[state.done] ?? (waits || !state.first ? "" : task.predict && !state.tries ? "predicted" : "tried");
    status.className = `gx-state gx-state-${state.done || "open"}`;
  }

  draw();
  if (state.done === "right") say(closing(`${EXERCISE_SAYS.right} ${exerciseSecret(task).solution}`), "right");
  if (state.done === "shown") say(`Solution. ${exerciseSecret(task).solution}`, "open");
  return { box, task, state: () => state };
}

// Show exercises in an element. `options.onchange(name, state)` hears of every change; `options.progress: false` leaves out the
// line that counts. Elements of the page with data-after="name" open when that exercise lets its result be seen.
export function mountExercises(element, data, options = {}) {
  const store = exerciseStore();
  const counted = exerciseElement("p", { class: "gx-progress" });
  const again = exerciseElement("button", { type: "button", class: "gx-again", onclick: () => restart() }, "Start again");
  let boxes = [];

  function changed(task, state) {
    const open = exerciseOpen(task, state);
    for (const part of element.ownerDocument.querySelectorAll("[data-after]")) {
      if (part.dataset.after === task.name) part.hidden = !open;
    }
    const done = boxes.filter((one) => one.state().done).length;
    const lost = store.kept ? "" : " This browser keeps nothing: progress ends with the page.";
    counted.textContent = `${done} of ${boxes.length} done.${lost}`;
    again.hidden = !boxes.some((one) => one.state().first || one.state().hints);
    options.onchange?.(task.name, { ...state, open });
  }

  function draw() {
    boxes = data.map((task, k) => exerciseBox(task, task.number ?? k + 1, store, changed));
    const head = options.progress === false ? [] : [exerciseElement("div", { class: "gx-head" }, counted, again)];
    element.replaceChildren(...head, ...boxes.map((one) => one.box));
    element.classList.add("gx-exercises");
    for (const one of boxes) changed(one.task, one.state());
  }

  function restart() {
    store.forget(data.map((task) => task.name));
    draw();
    element.querySelector("input")?.focus();
  }

  draw();
}
