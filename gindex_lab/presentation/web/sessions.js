// The exercises of the whole course on one page.
import { mountExercises } from "./exercises.js";

/** Each session's exercises below its title, with the pages that help to answer them. */
export function mountSessions(element, data) {
  for (const session of new Set(data.map((task) => task.session))) {
    const tasks = data.filter((task) => task.session === session);
    const [heading, part] = ["h2", "div"].map((tag) => document.createElement(tag));
    heading.textContent = `Session ${session}: ${tasks[0].title}`;
    element.append(heading);
    const pages = tasks[0].pages ?? [];
    if (pages.length) {
      const links = document.createElement("p");
      links.append("Look at: ");
      pages.forEach(([href, title], k) => {
        const link = Object.assign(document.createElement("a"), { href, textContent: title });
        links.append(k ? ", " : "", link);
      });
      element.append(links);
    }
    element.append(part);
    mountExercises(part, tasks);
  }
}
