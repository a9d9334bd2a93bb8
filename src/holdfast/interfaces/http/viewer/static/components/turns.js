// The turns of a session, a page at a time, with what became of each.

import { get } from "../api.js";
import { h, replace } from "../dom.js";
import { clock, count } from "../format.js";
import { address } from "../router.js";
import { empty } from "./empty.js";
import { kindLabel } from "./labels.js";
import { focusRow } from "./rows.js";
import { pieces } from "./snippet.js";
import { moment } from "./time.js";

const PAGE = 60;
const FOLDED_LINES = 24;
const FOLDED_CHARS = 1_800;

export class Turns {
  constructor(page, session) {
    this._page = page;
    this._path = `/viewer/api/sessions/${session}/turns`;
    this._turns = [];
    this._next = null;
    this._previous = null;
    this._wanted = null;
    this._list = h("ol", { class: "turns" });
    this._earlier = this._button("Earlier turns", () => this._load({ before: this._previous }, true));
    this._later = this._button("More turns", () => this._load({ after: this._next }));
    this.element = h("div", {}, this._earlier, this._list, this._later);
  }

  /** Begin at the first turn, or around the one that somebody came for. */
  async open(wanted) {
    this._wanted = wanted;
    await this._load(wanted ? { around: wanted } : {});
  }

  /** Bring the turn that somebody came for into view. */
  reveal() {
    if (!this._wanted) return;
    const row = this._list.querySelector(`[data-row="${CSS.escape(this._wanted)}"]`);
    row?.classList.add("is-wanted");
    row?.scrollIntoView({ block: "center" });
    focusRow(row);
  }

  async _load(place, isEarlier = false) {
    const answer = await get(this._path, { limit: PAGE, ...place }, { signal: this._page.signal });
    const isFirst = !this._turns.length;
    this._turns = isEarlier ? [...answer.turns, ...this._turns] : [...this._turns, ...answer.turns];
    if (isEarlier || isFirst) this._previous = answer.previous ?? null;
    if (!isEarlier || isFirst) this._next = answer.next;
    this._draw();
  }

  _draw() {
    this._earlier.hidden = !this._previous;
    this._later.hidden = !this._next;
    replace(this._list, this._turns.length ? this._turns.map(turnRow) : h("li", {}, empty("No turn was kept.")));
  }

  _button(label, act) {
    return h(
      "button",
      { type: "button", class: "more", hidden: true, onclick: () => this._page.attempt(act) },
      label,
    );
  }
}

function turnRow(turn) {
  const isTool = turn.role === "tool" || turn.tool !== null;
  return h(
    "li",
    { class: "turn", dataset: { row: turn.id, role: isTool ? "tool" : turn.role }, tabindex: -1 },
    h(
      "p",
      { class: "meta" },
      h("strong", {}, turn.tool ?? turn.role),
      moment(turn.at, clock),
      turn.files.length > 0 && h("span", { class: "path" }, turn.files[0]),
    ),
    body(turn, isTool),
    turn.became.length > 0 &&
      h(
        "ul",
        { class: "became" },
        turn.became.map((outcome) => becameLine(outcome, textOf(turn))),
      ),
  );
}

function body(turn, isTool) {
  if (turn.masked) return h("p", { class: "muted" }, "All of it was forgotten.");
  const parts = turn.pieces;
  const text = textOf(turn);
  const content = h(
    "p",
    { class: isTool ? "prose is-output" : "prose" },
    pieces(parts, (piece) => piece.memory && address("memory", piece.memory)),
    turn.cut && " …",
  );
  const lines = text.split("\n").length;
  const isLong = text.length > FOLDED_CHARS || lines > FOLDED_LINES;
  if (!isLong || parts.some((part) => part.marked)) return content;
  const first = text.slice(0, 140).split("\n")[0];
  return h(
    "details",
    { class: "folded" },
    h("summary", {}, `${first} … `, h("span", { class: "muted" }, count(lines, "line"))),
    content,
  );
}

const textOf = (turn) => turn.pieces.map((piece) => piece.text).join("");

function becameLine({ kind, outcome, memory, title }, text) {
  const name = text.includes(title.replace(/…$/, "")) ? "this memory" : title;
  return h(
    "li",
    {},
    h("span", { class: "outcome", dataset: { outcome } }, outcome),
    kindLabel(kind),
    memory ? h("a", { href: address("memory", memory) }, name) : h("span", {}, title),
  );
}
