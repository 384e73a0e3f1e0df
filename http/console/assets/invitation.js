// Takes the secret of the link out of the address, where it would stay in the history, and into
// the form.
"use strict";
const field = document.getElementById("link");
if (location.hash.startsWith("#reckon_link_")) {
  field.value = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
}
if (field.value !== "") {
  document.getElementById("link-field").hidden = true;
  document.getElementById("password").focus();
}
