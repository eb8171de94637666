// Filter by words, paper, status and, where the page has them, grades; sort by a column (numbers as numbers) with a click on its head.
const rows = [...document.querySelectorAll("#claims tbody tr")];
const [words, paper, status, grade, shown] = ["words", "paper", "status", "grade", "shown"].map(id => document.getElementById(id));

function filter() {
  const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    const fits = (!paper.value || row.dataset.paper === paper.value)
      && (!status.value || row.dataset.status === status.value)
      && (!grade?.value || row.dataset.grade === grade.value)
      && wanted.every(word => text.includes(word));
    row.hidden = !fits;
    count += fits;
  }
  shown.textContent = `${count} shown`;
}

function compare(a, b) {
  const x = parseFloat(a), y = parseFloat(b);
  if (!Number.isNaN(x) && !Number.isNaN(y)) return x - y;
  return a.localeCompare(b, "en", { numeric: true });
}

document.querySelectorAll("#claims th").forEach((head, column, heads) => head.firstChild.addEventListener("click", () => {
  const up = head.getAttribute("aria-sort") !== "ascending";
  heads.forEach(other => other.setAttribute("aria-sort", "none"));
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
  const text = row => row.cells[column].textContent.trim();
  rows.sort((a, b) => {
    if (!text(a) || !text(b)) return !text(a) - !text(b);
    return up ? compare(text(a), text(b)) : compare(text(b), text(a));
  });
  document.querySelector("#claims tbody").append(...rows);
}));
document.querySelector("form.filters").addEventListener("submit", event => event.preventDefault());
[words, paper, status, grade].filter(Boolean).forEach(control => control.addEventListener("input", filter));
if (location.hash.startsWith("#status=")) status.value = decodeURIComponent(location.hash.slice(8));
if (location.hash.startsWith("#words=")) words.value = decodeURIComponent(location.hash.slice(7));
filter();
