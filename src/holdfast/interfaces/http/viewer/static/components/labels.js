// What a memory is, in a word each: its kind, how sure it is, whose word it is, whether it still holds.

import { h } from "../dom.js";
import { date, until, words } from "../format.js";
import { icon } from "../icons.js";

const STATUS_WORDS = {
  candidate: "nobody has confirmed it",
  confirmed: "a person stands behind it",
  pinned: "told at the start of every session",
  active: "still going on",
  completed: "over",
};
const TRUST_WORDS = {
  user: "a person said it",
  agent: "an agent said it",
  tool: "a tool printed it",
  imported: "taken in from files, history or an import",
};
/** How long before it fades a memory says so: a month, as Health counts it. */
const FADES_SOON_MS = 30 * 86_400_000;
const STATE_WORDS = {
  superseded: "something newer took its place",
  dropped: "a person dropped it",
  expired: "its time is over",
  faded: "hidden by its age",
};

export const kindLabel = (kind) => h("span", { class: "kind", dataset: { kind } }, words(kind));

export function statusLabel(status) {
  return h(
    "span",
    { class: "status", dataset: { status }, title: STATUS_WORDS[status] },
    status === "pinned" ? icon("pin") : h("span", { class: "status-dot", "aria-hidden": "true" }),
    status,
  );
}

export const trustLabel = (trust) => h("span", { class: "trust", title: TRUST_WORDS[trust] }, trust);

/** Where it came from, in words. */
export const sourceName = (source) => (source === "promoted" ? "a session" : source);

/** Nothing for what holds, else why it is history. */
export function stateLabel(state) {
  if (!state || state === "current") return null;
  return h("span", { class: "state", title: STATE_WORDS[state] }, state);
}

/** When a memory will leave by itself, where that is known. */
export function endLabel({ fades, expires, state }) {
  if (state !== "current") return null;
  if (expires) return h("span", { title: `Expires on ${date(expires)}` }, `expires ${until(expires)}`);
  if (fades && fades - Date.now() < FADES_SOON_MS) {
    return h("span", { title: `Hidden by its age from ${date(fades)} on` }, `fades ${until(fades)}`);
  }
  return null;
}
