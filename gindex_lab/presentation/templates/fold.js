// The button "show all code" opens every folded cell, or closes them all.
document.getElementById("show-code").addEventListener("click", () => {
  const all = document.querySelectorAll("details.code"), open = ![...all].every(d => d.open);
  all.forEach(d => d.open = open);
});
// On a narrow screen a wide table or figure is cut off at the edge: say that there is more.
addEventListener("load", () => document.querySelectorAll(".output_area, .gl-scroll").forEach(
  area => area.classList.toggle("wider", area.scrollWidth > area.clientWidth + 4)));
