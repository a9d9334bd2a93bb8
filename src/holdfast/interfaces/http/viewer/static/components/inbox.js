// What waits for a person, one card each: accepted, edited, dropped or kept with one key, and taken back with u.

import { get, post } from "../api.js";
import { h, replace } from "../dom.js";
import { count, number } from "../format.js";
import { showWaiting } from "../shell.js";
import { conflictCard, candidateCard, proposalCard } from "./cards.js";
import { askText, openDialog } from "./dialog.js";
import { empty } from "./empty.js";
import { focusRow, focusedRow, keepingFocus, rowKeys, rows } from "./rows.js";
import { problem, toast, undoLast } from "./toast.js";

const SHOWN = 20;
const CARDS = { conflict: conflictCard, proposal: proposalCard, candidate: candidateCard };
const OUTCOMES = { accepted: "Accepted", edited: "Reworded", dropped: "Dropped", kept: "Kept" };

export class Inbox {
  constructor(page) {
    this._page = page;
    this._items = [];
    this._undoable = [];
    this._imported = false;
    this._busy = false;
    this._list = h("div", { class: "cards" });
    this._head = h("div", { class: "section-head" });
    this.element = h("section", { class: "inbox", "aria-labelledby": "inbox-title" }, this._head, this._list);
  }

  async load() {
    const parameters = { limit: SHOWN, imported: this._imported };
    const inbox = await get("/viewer/api/inbox", parameters, { signal: this._page.signal });
    this._items = inbox.items;
    this._undoable = inbox.undoable;
    showWaiting(inbox.total);
    keepingFocus(this._list, () => this._draw(inbox));
  }

  get keys() {
    const on = (choice, act) => () => this._withCurrent(choice, act);
    return [
      ...rowKeys(this._list),
      { keys: "a", says: "Accept", run: on("accept", (item) => this.accept(item)) },
      { keys: "e", says: "Edit, then accept", run: on("edit", (item) => this.edit(item)) },
      { keys: "d", says: "Drop", run: on("drop", (item) => this.settle(item, "drop")) },
      {
        keys: "1",
        says: "Keep the first of a conflict",
        run: on("keep", (item) => this.keep(item, item.sides[0].id)),
      },
      { keys: "2", says: "Keep the second", run: on("keep", (item) => this.keep(item, item.sides[1].id)) },
      { keys: "b", says: "Keep both", run: on("keep", (item) => this.keep(item, "both")) },
      { keys: "u", says: "Undo", run: () => undoLast() || this.undo() },
    ];
  }

  keep(item, side) {
    return this.settle(item, "keep", { keep: side });
  }

  accept(item) {
    return item.verb === "forget" ? this._confirmForget(item) : this.settle(item, "accept");
  }

  /** Say something about an item; the next one has the focus then. */
  async settle(item, verb, body = {}) {
    if (this._busy) return;
    this._busy = true;
    try {
      const settlement = await post(`/api/review/${item.id}/${verb}`, body);
      await this._after(settlement);
    } catch (error) {
      problem(error);
      await this.load();
    } finally {
      this._busy = false;
    }
  }

  /** Ask for other words. What was too long for the list is fetched whole first. */
  async edit(item) {
    const side = item.sides.find(({ newer }) => newer) ?? item.sides.at(-1);
    const text = item.arguments?.content ?? (await this._wholeText(side));
    if (text === null) return;
    askText({
      title: "In your words",
      text,
      hint: "What you write is your own word, and confirmed.",
      action: "Save",
      save: async (content) => this._after(await post(`/api/review/${item.id}/edit`, { content })),
    });
  }

  /** What a side says, to its end; null where that cannot be had, which is said. */
  async _wholeText(side) {
    if (!side.cut) return side.content;
    try {
      return (await get(`/viewer/api/memories/${side.id}`)).memory.content;
    } catch (error) {
      problem(error);
      return null;
    }
  }

  /** Take back the latest answer, or the one about an item. */
  async undo(id = this._undoable[0]?.id) {
    if (!id) {
      toast("There is nothing to take back.");
      return;
    }
    try {
      const settlement = await post("/api/undo-review", { id });
      toast(`It waits again: ${settlement.title}`);
    } catch (error) {
      problem(error);
    }
    await this.load();
    focusRow(rows(this._list).find((row) => row.dataset.row === id));
  }

  async _after(settlement) {
    const position = Math.max(
      0,
      rows(this._list).findIndex((row) => row.dataset.row === settlement.id),
    );
    const hadFocus = focusedRow(this._list) !== null;
    await this.load();
    if (hadFocus) focusRow(rows(this._list)[Math.min(position, this._items.length - 1)]);
    toast(`${OUTCOMES[settlement.outcome] ?? settlement.outcome}: ${settlement.title}`, {
      undo: settlement.undoable ? () => this.undo(settlement.id) : null,
    });
  }

  _withCurrent(choice, act) {
    const row = focusedRow(this._list);
    if (!row) {
      // what stands first may have come this very moment: it is looked at before it is answered
      focusRow(rows(this._list)[0]);
      return;
    }
    const item = this._items.find(({ id }) => id === row.dataset.row);
    if (!item || !this._page.me.person) return;
    if (!item.choices.includes(choice)) toast(`A ${item.sort} is not settled that way.`);
    else act(item);
  }

  _confirmForget(item) {
    openDialog({
      title: "Forget it for good?",
      body: [
        h("p", {}, item.sides[0].content),
        h("p", { class: "muted" }, "Its bytes leave the store. This cannot be taken back."),
      ],
      actions: (close) => [
        h("button", { type: "button", onclick: close }, "Keep it"),
        h(
          "button",
          { type: "button", class: "danger", onclick: () => (close(), this.settle(item, "accept")) },
          "Forget",
        ),
      ],
    });
  }

  _draw({ items, total, imported }) {
    replace(
      this._head,
      h("h2", { id: "inbox-title" }, "Waiting for you", total > 0 && h("span", { class: "count" }, total)),
      this._undoable.length > 0 &&
        h(
          "button",
          { type: "button", class: "quiet", onclick: () => this.undo() },
          "Undo last ",
          h("kbd", {}, "u"),
        ),
    );
    replace(
      this._list,
      items.length ? items.map((item) => this._card(item)) : this._nothing(imported),
      total > items.length &&
        h("p", { class: "muted" }, `${number(total - items.length)} more after these.`),
      items.length > 0 && imported > 0 && this._importedButton(imported),
    );
  }

  _card(item) {
    return CARDS[item.sort](item, this._page.me.person ? this : null);
  }

  _nothing(imported) {
    return empty(
      "Nothing waits.",
      "Conflicts, wishes of agents and unconfirmed notes come here; one key settles each.",
      imported > 0 ? this._importedButton(imported) : "",
    );
  }

  _importedButton(imported) {
    const show = () => {
      this._imported = true;
      this._page.attempt(() => this.load());
    };
    return h(
      "button",
      { type: "button", class: "quiet", onclick: show },
      `Also ${count(imported, "unconfirmed memory", "unconfirmed memories")} from files and imports`,
    );
  }
}
