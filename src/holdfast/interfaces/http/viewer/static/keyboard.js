// Keys: those of the whole viewer, and those of the page that stands. None counts while somebody types.

import { h } from "./dom.js";
import { openDialog } from "./components/dialog.js";

const SEQUENCE_MS = 1200;
const everywhere = [];
/** Keys that go on while they are held down. */
const REPEATING = new Set(["j", "k", "ArrowDown", "ArrowUp"]);
let ofPage = [];
let prefix = "";
let prefixAt = 0;

/** Let keys do something on every page: [{ keys: "g t", says: "Today", run }]. */
export function addKeys(bindings) {
  everywhere.push(...bindings);
}

/** Let keys do something while a page stands; those of the page before it go. */
export function setPageKeys(bindings) {
  ofPage = bindings;
}

export function listenToKeys() {
  document.addEventListener("keydown", pressed);
}

/** Show every key there is now. */
export function showKeys() {
  const table = (bindings) => h("dl", { class: "keys" }, bindings.filter(({ says }) => says).map(line));
  openDialog({
    title: "Keys",
    body: [
      ofPage.some(({ says }) => says) && [h("h3", {}, "On this page"), table(ofPage)],
      h("h3", {}, "Everywhere"),
      table(everywhere),
    ],
  });
}

function line({ keys, says }) {
  return h(
    "div",
    {},
    h(
      "dt",
      {},
      keys.split(" ").map((key) => h("kbd", {}, key)),
    ),
    h("dd", {}, says),
  );
}

function pressed(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (document.querySelector("dialog[open]") || isTyping(event.target)) return;
  const sequence = event.timeStamp - prefixAt < SEQUENCE_MS && prefix ? `${prefix} ${event.key}` : "";
  const bindings = [...ofPage, ...everywhere];
  const binding =
    bindings.find(({ keys }) => sequence && keys === sequence) ?? bindings.find(({ keys }) => keys === event.key);
  prefix = bindings.some(({ keys }) => keys.startsWith(`${event.key} `)) ? event.key : "";
  prefixAt = event.timeStamp;
  if (!binding || (event.key === "Enter" && actsItself(event.target))) return;
  if (event.repeat && !REPEATING.has(event.key)) return; // a key held down settles one thing, not all of them
  event.preventDefault();
  prefix = "";
  binding.run(event);
}

function isTyping(target) {
  return target instanceof HTMLElement && target.closest("input:not([type=checkbox]), textarea, select") !== null;
}

function actsItself(target) {
  return target instanceof HTMLElement && target.closest("a, button, summary, label") !== null;
}
