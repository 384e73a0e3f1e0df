// Keys, and what a field for questions does beyond sending its form.
"use strict";
const prompt = document.getElementById("prompt");
const help = document.getElementById("help");
const writes = (element) => element instanceof HTMLElement && (element.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName));

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || writes(event.composedPath()[0]) || help.open) return;
  if (event.key === "/" && prompt) {
    event.preventDefault();
    prompt.focus();
  } else if (event.key === "?") {
    event.preventDefault();
    help.showModal();
  }
});

if (prompt) {
  const fit = () => {
    prompt.rows = Math.min(12, Math.max(Number(prompt.dataset.rows), prompt.value.split("\n").length));
  };
  prompt.dataset.rows = prompt.rows;
  prompt.addEventListener("input", fit);
  prompt.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    const lines = /[:{\n]/.test(prompt.value.trim().replace(/\d:\d/g, "")); // values in lines, of which more may come
    if (event.ctrlKey || event.metaKey || !lines) {
      event.preventDefault();
      prompt.form.requestSubmit();
    }
  });
  fit();
}

// Sliders move the fields that they stand below, which ask the server.
for (const slider of document.querySelectorAll("input[type=range][data-field]")) {
  const field = document.getElementById(slider.dataset.field);
  slider.hidden = false;
  slider.addEventListener("input", () => {
    field.value = (slider.value + " " + slider.dataset.unit).trim();
  });
  field.addEventListener("input", () => {
    const [number, unit = ""] = field.value.trim().split(/\s+/, 2);
    if (unit === slider.dataset.unit && Number.isFinite(Number(number))) slider.value = number;
  });
}

for (const select of document.querySelectorAll("select[data-reloads]")) {
  select.addEventListener("change", () => {
    select.form.submit();
  });
}
