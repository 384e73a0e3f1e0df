// Keys, and what a field for questions does beyond sending its form.
"use strict";
const prompt = document.getElementById("prompt");
const help = document.getElementById("help");
const writes = (element) => element instanceof HTMLElement && (element.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName)) && !/^(checkbox|radio|range)$/.test(element.type);

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
    prompt.rows = Number(prompt.dataset.rows);
    while (prompt.rows < 12 && prompt.scrollHeight > prompt.clientHeight) prompt.rows++;
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
  const point = slider.dataset.point ?? ".";
  slider.addEventListener("input", () => {
    field.value = (slider.value.replace(".", point) + " " + slider.dataset.unit).trim();
  });
  field.addEventListener("input", () => {
    const [number, unit = ""] = field.value.trim().split(/\s+/, 2);
    const value = point === "." ? number : number.replace(/\.(?=\d{3}(\D|$))/g, "").replace(point, ".");
    if (unit === slider.dataset.unit && Number.isFinite(Number(value))) slider.value = value;
  });
}

for (const select of document.querySelectorAll("select[data-reloads]")) {
  select.addEventListener("change", () => {
    select.form.submit();
  });
}

// A conversation is looked at again when something becomes of it. Without a stream that is open the page
// asks each second, as long as it waits for an answer. What somebody is at in it is left alone. A page
// that is not seen keeps no stream: browsers have few connections to a server.
const messages = () => document.querySelector("#messages[data-events]");
if (messages()) {
  let stream;
  const look = () => {
    const shown = messages();
    const busy = shown.contains(document.activeElement) || shown.querySelector("details[open]");
    if (busy && !("waits" in shown.dataset)) document.getElementById("news").hidden = false;
    else htmx.trigger(shown, "look");
  };
  const listen = () => {
    stream?.close();
    if (document.hidden) return;
    stream = new EventSource(messages().dataset.events);
    for (const kind of ["message.started", "message.completed", "message.failed"]) stream.addEventListener(kind, look);
    stream.addEventListener("conversation.erased", () => {
      stream.close();
      location.reload();
    });
  };
  listen();
  document.addEventListener("visibilitychange", listen);
  setInterval(() => {
    if (stream?.readyState !== EventSource.OPEN && !document.hidden && "waits" in messages().dataset) look();
  }, 1000);
}

// The fields of a what-if stay where they are while its answers come and go: what an answer says of
// them is said at them here, as the server says it where it sends the whole page.
const whatIf = document.getElementById("what-if");
if (whatIf) {
  document.addEventListener("htmx:after:swap", () => {
    for (const told of whatIf.querySelectorAll(".fault")) told.remove();
    for (const field of whatIf.querySelectorAll("[aria-invalid]")) {
      field.removeAttribute("aria-invalid");
      field.removeAttribute("aria-describedby");
    }
    for (const link of whatIf.querySelectorAll("#answer .problem a")) {
      const field = document.getElementById(link.hash.slice(1)), told = document.createElement("p");
      [told.className, told.id, told.textContent] = ["fault", field.id + "-fault", link.textContent];
      field.after(told);
      field.setAttribute("aria-invalid", "true");
      field.setAttribute("aria-describedby", told.id);
    }
  });
}
