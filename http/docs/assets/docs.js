// Pages are whole without this. It opens the menu where there is room beside the text, copies code,
// and has / lead to the search.
"use strict";

const menu = document.getElementById("menu");
const room = matchMedia("(min-width: 64rem)");
const fit = () => { if (menu) menu.open = room.matches; };
fit();
room.addEventListener("change", fit);

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select, [contenteditable]");
  if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  const field = document.getElementById("q");
  field.focus();
  field.select();
});

if (navigator.clipboard) {
  for (const code of document.querySelectorAll("pre")) {
    const block = document.createElement("div");
    block.className = "block";
    code.replaceWith(block);
    const copy = document.createElement("button");
    copy.type = "button";
    copy.className = "copy";
    copy.textContent = "Copy";
    copy.setAttribute("aria-label", "Copy: " + code.getAttribute("aria-label"));
    copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText(code.textContent);
      copy.textContent = "Copied";
      setTimeout(() => { copy.textContent = "Copy"; }, 2000);
    });
    block.append(code, copy);
  }
}
