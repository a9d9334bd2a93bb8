// What just happened, in a line at the edge, with a way back where there is one.

import { h } from "../dom.js";

const STAYS_MS = 8_000;
let corner;
let undoLatest = null;

export function toastCorner() {
  corner = h("div", { class: "toasts", role: "status", "aria-live": "polite" });
  return corner;
}

/** Say something; `undo` gives it a button and the key u. Returns what takes the line away. */
export function toast(text, { undo = null, stays = STAYS_MS, isProblem = false } = {}) {
  const takeBack =
    undo &&
    (() => {
      leave();
      undo();
    });
  const line = h(
    "div",
    { class: isProblem ? "toast is-problem" : "toast" },
    h("span", {}, text),
    takeBack && h("button", { type: "button", class: "quiet", onclick: takeBack }, "Undo ", h("kbd", {}, "u")),
  );
  const leave = () => {
    clearTimeout(timer);
    line.remove();
    if (undoLatest === takeBack) undoLatest = null;
  };
  const timer = setTimeout(leave, stays);
  corner.append(line);
  if (takeBack) undoLatest = takeBack;
  return leave;
}

export const problem = (error) => toast(error.message, { isProblem: true });

/** Take back what the latest line offers to; false where none does. */
export function undoLast() {
  if (!undoLatest) return false;
  undoLatest();
  return true;
}
