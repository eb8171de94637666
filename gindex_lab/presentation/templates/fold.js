// The button "show all code" opens every folded cell, or closes them all.
document.getElementById("show-code").addEventListener("click", () => {
  const all = document.querySelectorAll("details.code"), open = ![...all].every(d => d.open);
  all.forEach(d => d.open = open);
});
