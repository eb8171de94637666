// Search the gallery by words, figure ("fig S22", "table 1"), paper or claim (N395).
const cards = [...document.querySelectorAll(".card")], groups = [...document.querySelectorAll("section.paper")];
const words = document.getElementById("words"), shown = document.getElementById("shown");

function filter() {
  const asked = words.value.toLowerCase().replace(/\bfig(?:ure|\.)?\s*(s?\d+)/g, "figure-$1")
    .replace(/\b(table|equation|definition|proposition)\s*(s?\d+)/g, "$1-$2").replace(/\beq\.?\s*(\d+)/g, "equation-$1");
  const wanted = asked.split(/\s+/).filter(Boolean);
  let count = 0;
  for (const card of cards) {
    const find = card.dataset.find, whole = new Set(find.split(" "));
    const fits = wanted.every(word => /-s?\d+$|^[a-z]\d+$/.test(word) ? whole.has(word) : find.includes(word));
    card.hidden = !fits;
    count += fits;
  }
  groups.forEach(group => group.hidden = ![...group.querySelectorAll(".card")].some(card => !card.hidden));
  shown.textContent = wanted.length ? `${count} found` : "";
}

document.querySelector("form.filters").addEventListener("submit", event => event.preventDefault());
words.addEventListener("input", filter);
if (location.hash.startsWith("#words=")) words.value = decodeURIComponent(location.hash.slice(7));
filter();
