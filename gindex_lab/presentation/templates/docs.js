// Search every public name: names before explanations, the beginning of a name before its middle.
const entries = [...document.querySelectorAll("dt[data-name]")].map(dt => ({
  dt, name: dt.dataset.name, plain: dt.dataset.name.replace(/^gl\./, "").replace(/[._]/g, " "), text: dt.nextElementSibling.querySelector(".says").textContent.toLowerCase(),
}));
const words = document.getElementById("words"), results = document.getElementById("results");

function score(entry, asked, wanted) {
  if (entry.plain === asked) return 0;
  if (entry.plain.startsWith(asked)) return 1;
  if (wanted.every(word => entry.plain.includes(word))) return 2;
  if (wanted.every(word => entry.plain.includes(word) || entry.text.includes(word))) return 3;
  return 9;
}

function search() {
  const asked = words.value.toLowerCase().trim().replace(/^gl\./, "").replace(/[()]/g, "").replace(/[._]/g, " ").trim();
  const wanted = asked.split(/\s+/).filter(Boolean);
  const found = wanted.length ? entries.map(e => [score(e, asked, wanted), e]).filter(([s]) => s < 9) : [];
  found.sort(([a, x], [b, y]) => a - b || x.plain.length - y.plain.length);
  results.replaceChildren(...found.slice(0, 12).map(([, entry]) => {
    const item = document.createElement("li");
    item.append(entry.dt.firstElementChild.cloneNode(true), " ", entry.dt.nextElementSibling.querySelector(".says").textContent);
    return item;
  }));
  document.getElementById("shown").textContent = wanted.length ? `${found.length} found` : "";
}

document.querySelector("form.filters").addEventListener("submit", event => {
  event.preventDefault();
  results.querySelector("a")?.focus();
});
words.addEventListener("input", search);
search();
