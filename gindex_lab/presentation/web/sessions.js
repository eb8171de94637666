// The exercises of the whole course on one page.
import { mountExercises } from "./exercises.js";

/** Each session's exercises below its title. */
export function mountSessions(element, data) {
  for (const session of new Set(data.map((task) => task.session))) {
    const tasks = data.filter((task) => task.session === session);
    const [heading, part] = ["h2", "div"].map((tag) => document.createElement(tag));
    heading.textContent = `Session ${session}: ${tasks[0].title}`;
    element.append(heading, part);
    mountExercises(part, tasks);
  }
}
