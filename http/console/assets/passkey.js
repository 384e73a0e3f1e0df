// Lets a device make a passkey, or sign with one: what the server asks for comes from the address in
// data-begin, and what the device answers goes into the form, which is then sent.
"use strict";

function complain(form, text) {
  const place = form.querySelector("[role=alert]");
  place.textContent = text;
  place.hidden = false;
  for (const field of form.querySelectorAll("[type=password]")) {
    field.value = "";
    field.focus();
  }
}

const device = {
  async "passkey-add"(options) {
    return navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) });
  },
  async "passkey-sign-in"(options) {
    return navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
  },
};

// What devices refuse, by the name of the error. Browsers do not say more, for privacy.
const refusals = {
  NotAllowedError: "The device did not do it: it was cancelled, took too long, or has no passkey for this console.",
  InvalidStateError: "This device has a passkey for you already.",
  SecurityError: "Browsers allow no passkeys at this address.",
};

async function ask(form) {
  form.querySelector("[role=alert]").hidden = true;
  const fields = new URLSearchParams(new FormData(form));
  fields.delete("response");
  const answer = await fetch(form.dataset.begin, { method: "POST", body: fields, redirect: "error" });
  const said = answer.headers.get("Content-Type") === "application/json" ? await answer.json() : {};
  if (!answer.ok) {
    complain(form, said.wrong || "That did not work. Load the page again and try once more.");
    return;
  }
  const made = await device[form.id](said);
  form.elements.response.value = JSON.stringify(made.toJSON());
  for (const field of form.querySelectorAll("[type=password]")) {
    field.disabled = true;
  }
  form.submit();
}

for (const id of Object.keys(device)) {
  const form = document.getElementById(id);
  if (form === null || !window.PublicKeyCredential || !PublicKeyCredential.parseCreationOptionsFromJSON) {
    continue;
  }
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    button.disabled = true;
    ask(form)
      .catch((error) => complain(form, refusals[error.name] || "That did not work. Load the page again and try once more."))
      .finally(() => { button.disabled = false; });
  });
}
