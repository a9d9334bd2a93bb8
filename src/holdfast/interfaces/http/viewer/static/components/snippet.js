// Words around a match: the marks of a snippet, the pieces of a turn.

import { h } from "../dom.js";

/** A snippet, what stands between ** and ** marked. */
export function snippet(text) {
  return text.split("**").map((part, index) => (index % 2 ? h("mark", {}, part) : part));
}

/** The pieces of a turn; `link(piece)` gives the address of what a marked one became. */
export function pieces(parts, link = () => null) {
  return parts.map((piece) => {
    if (!piece.marked) return piece.text;
    const target = link(piece);
    return h("mark", {}, target ? h("a", { href: target }, piece.text) : piece.text);
  });
}
