// A place with nothing in it, and what to do about that.

import { h } from "../dom.js";

export function empty(title, ...rest) {
  return h(
    "div",
    { class: "empty" },
    h("p", { class: "empty-title" }, title),
    rest.map((part) => (part instanceof Node ? part : h("p", {}, part))),
  );
}

/** A command to type, in its own line. */
export const command = (text) => h("pre", { class: "command" }, h("code", {}, text));
