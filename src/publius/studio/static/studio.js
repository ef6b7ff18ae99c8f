"use strict";
// Small conveniences; nothing is stored in the browser and nothing is sent elsewhere.
const one = (id) => document.getElementById(id);

function dial(range) {
  const values = range.dataset.values.split(" ");
  range.setAttribute("aria-valuetext", "epsilon " + values[range.value]);
}

function ask(word) {
  const form = one("ask");
  if (!form || (form.elements.word.value === word.dataset.word && form.elements.out.value === word.dataset.out)) return;
  form.elements.word.value = word.dataset.word;
  form.elements.out.value = word.dataset.out;
  htmx.trigger(form, "ask");
}

function move(word, step) {
  const words = [...document.querySelectorAll("#preview .word[data-word]")];
  const next = words[words.indexOf(word) + step];
  if (!next) return;
  word.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

let waiting = 0;
document.addEventListener("mouseover", (event) => {
  const word = event.target.closest("[data-word]");
  clearTimeout(waiting);
  if (word) waiting = setTimeout(() => ask(word), 250);
});
document.addEventListener("focusin", (event) => {
  const word = event.target.closest(".word[data-word]");
  clearTimeout(waiting);
  if (word) waiting = setTimeout(() => ask(word), 250);
});
document.addEventListener("keydown", (event) => {
  const word = event.target.closest(".word[data-word]");
  if (!word) return;
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (step) { event.preventDefault(); move(word, step); }
  if (event.key === "Enter" || event.key === " ") { event.preventDefault(); ask(word); }
});
document.addEventListener("input", (event) => {
  if (event.target.dataset.values) dial(event.target);
});
document.addEventListener("change", async (event) => {
  const into = event.target.dataset.into, file = event.target.files && event.target.files[0];
  if (!into || !file) return;
  one(into).value = await file.text();
  event.target.value = "";
  htmx.trigger(one(into), "input");
});
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-mend],[data-copy],[data-print]");
  if (!button) return;
  if (button.dataset.mend) {
    const box = one(button.dataset.mend);
    box.checked = true;
    box.focus();
    box.dispatchEvent(new Event("input", { bubbles: true }));
  } else if (button.dataset.copy) {
    const area = one(button.dataset.copy);
    area.select();
    try { await navigator.clipboard.writeText(area.value); } catch { document.execCommand("copy"); }
    one("copied").textContent = "Copied.";
  } else {
    window.print();
  }
});

function alertOf(text) {
  const line = one("alert");
  line.textContent = text;
  line.hidden = !text;
}
document.addEventListener("htmx:sendError", () => alertOf("The studio does not answer. Start it again and open the address it prints."));
document.addEventListener("htmx:responseError", (event) => {
  let detail = "The request was refused.";
  try { detail = JSON.parse(event.detail.xhr.responseText).detail || detail; } catch { /* no problem document */ }
  alertOf(detail);
});
document.addEventListener("htmx:afterRequest", (event) => { if (event.detail.successful) alertOf(""); });
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target.id === "preview" && one("ask")) { one("ask").elements.word.value = ""; one("ask").elements.out.value = ""; }
  const words = document.querySelectorAll("#preview .word[data-word]");
  if (words.length && ![...words].some((word) => word.tabIndex === 0)) words[0].tabIndex = 0;
});
document.querySelectorAll("[data-values]").forEach(dial);
// htmx notes the path of the page for a history that is switched off here.
document.addEventListener("DOMContentLoaded", () => sessionStorage.clear());
document.addEventListener("htmx:afterSettle", () => sessionStorage.clear());
