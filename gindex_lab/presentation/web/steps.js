// A recorded walk-through: states that the package computed when the site was built, one at a time.
import { codeBlock, make, numbersTable } from "./demos.js";

/** Put the steps into `element`: {caption, picture, alt, wide, numbers, note, code} each; buttons, a slider, arrow keys. */
export function mountSteps(element, steps) {
  const slider = make("input", { type: "range", id: "gl-step", min: 1, max: steps.length, value: 1 });
  const shown = make("output", { for: "gl-step" });
  const [back, next] = ["Back", "Next"].map((name) => make("button", { type: "button" }, name));
  const image = make("img", {});
  const frame = make("div", { class: "gl-scroll", tabindex: 0, role: "group", "aria-label": "the picture" }, image);
  const aside = make("p", { class: "gl-aside" }, "Move the picture sideways to see all of it.");
  const sideways = () => { aside.hidden = frame.scrollWidth <= frame.clientWidth + 1; };
  image.addEventListener("load", sideways);
  new ResizeObserver(sideways).observe(frame);
  const caption = make("p", { class: "gl-note", role: "status", "aria-live": "polite" });
  const note = make("p", {});
  const facts = make("div", { class: "gl-facts" });
  const code = codeBlock();
  function show(at) {
    const k = Math.min(Math.max(at, 1), steps.length);
    const step = steps[k - 1];
    slider.value = k;
    shown.textContent = `${k} of ${steps.length}`;
    slider.setAttribute("aria-valuetext", shown.textContent);
    image.src = step.picture;
    image.alt = step.alt;
    image.style.setProperty("--wide", `${step.wide}px`);
    caption.textContent = step.caption;
    note.textContent = step.note;
    facts.replaceChildren(numbersTable(step.numbers, step.caption));
    code.show(step.code);
    [back.disabled, next.disabled] = [k === 1, k === steps.length];
  }
  slider.addEventListener("input", () => show(Number(slider.value)));
  back.addEventListener("click", () => show(Number(slider.value) - 1));
  next.addEventListener("click", () => show(Number(slider.value) + 1));
  const control = make("div", { class: "gl-control" }, make("label", { for: "gl-step" }, "step"), slider, shown);
  const panel = make("fieldset", { class: "gl-controls" }, make("legend", {}, "Go through it"), control, make("div", { class: "gl-presets" }, back, next));
  element.classList.add("gl-demo", "gl-step");
  element.replaceChildren(make("div", { class: "gl-body" }, panel, make("div", { class: "gl-main" }, caption, frame, aside, note), facts), code.root);
  show(1);
}
