// What can be done to a memory: pin, confirm, edit, replace, forget; each can be taken back.

import { get, patch, post, Proposed } from "../api.js";
import { h } from "../dom.js";
import { count } from "../format.js";
import { go, address } from "../router.js";
import { askText, openDialog } from "./dialog.js";
import { problem, toast, undoLast } from "./toast.js";

export class MemoryActions {
  constructor(page, { memory, line, may }, reload) {
    this._page = page;
    this._memory = memory;
    this._line = line;
    this._may = may;
    this._reload = reload;
    this._path = `/api/memories/${memory.id}`;
  }

  get keys() {
    return this._offered()
      .map(({ key, says, run }) => ({ keys: key, says, run }))
      .concat({ keys: "u", says: "Undo", run: () => undoLast() || (this._line.forgets_at && this._undoForget()) });
  }

  bar() {
    return h(
      "div",
      { class: "actions", role: "group", "aria-label": "What can be done" },
      this._offered().map(({ key, says, run, look = "" }) =>
        h("button", { type: "button", class: look, onclick: run }, says, " ", h("kbd", {}, key)),
      ),
    );
  }

  /** A line above everything while it is on its way out. */
  notice() {
    if (!this._line.forgets_at) return null;
    return h(
      "p",
      { class: "notice", role: "status" },
      "This memory is being forgotten. ",
      h(
        "button",
        { type: "button", class: "quiet", onclick: () => this._undoForget() },
        "Undo ",
        h("kbd", {}, "u"),
      ),
    );
  }

  _offered() {
    if (this._line.forgets_at) return [];
    return [
      this._may.pin && {
        key: "p",
        says: "Pin",
        run: () => this._pin(),
      },
      this._may.unpin && { key: "p", says: "Unpin", run: () => this._turn("unpin", "pin", "Unpinned") },
      this._may.confirm && {
        key: "c",
        says: "Confirm",
        look: "primary",
        run: () => this._turn("confirm", null, "Confirmed"),
      },
      this._may.edit && { key: "e", says: "Edit", run: () => this._edit() },
      this._may.supersede && { key: "s", says: "Replace", run: () => this._replace() },
      this._may.reinstate && {
        key: "r",
        says: "Let it hold again",
        run: () => this._turn("reinstate", null, "It holds again"),
      },
      this._may.forget && { key: "f", says: "Forget", look: "danger", run: () => this._askForget() },
    ].filter(Boolean);
  }

  _pin() {
    // taking a pin back leaves a memory confirmed, so that only one that was can be put back as it stood
    const inverse = this._memory.status === "confirmed" ? "unpin" : null;
    return this._turn("pin", inverse, "Pinned: every session is told it");
  }

  _turn(verb, inverse, says) {
    return this._do(
      () => post(`${this._path}/${verb}`),
      says,
      inverse && (() => this._do(() => post(`${this._path}/${inverse}`), "Taken back")),
    );
  }

  _edit() {
    const before = this._memory.content;
    // putting words back says them again: only a person's own words may come back as a person's
    const isOwn = this._memory.trust === "user" && this._memory.status !== "candidate";
    const save = (content) =>
      this._do(
        () => patch(this._path, this._own({ content })),
        "Changed",
        isOwn && (() => this._do(() => patch(this._path, this._own({ content: before })), "Taken back")),
        true,
      );
    askText({
      title: "Edit",
      text: before,
      hint: "The same memory in better words. If something new holds instead, replace it.",
      action: "Save",
      save,
    });
  }

  _replace() {
    const save = async (content) => {
      const added = await this._allowed(() =>
        post("/api/memories", this._own({ content, kind: this._memory.kind, supersedes: this._memory.id })),
      );
      if (!added) return;
      toast("Replaced; the old one is its history", {
        undo: () => this._do(() => post(`${this._path}/reinstate`), "It holds again", null),
      });
      if (added.id) go(address("memory", added.id));
    };
    askText({
      title: "What holds now?",
      text: this._memory.content,
      hint: "The memory there is becomes history, and this takes its place.",
      action: "Replace",
      save,
    });
  }

  async _askForget() {
    const button = (says, look, act) => h("button", { type: "button", class: look, onclick: act }, says);
    try {
      const plan = await get(`/viewer/api/memories/${this._memory.id}/forget`);
      openDialog({
        title: "Forget it?",
        body: forgetPlan(plan, this._page.me),
        actions: (close) => [
          this._page.me.person && button("Forget at once", "quiet", () => (close(), this._forget(true))),
          button("Keep it", "", close),
          button("Forget", "danger", () => (close(), this._forget(false))),
        ],
      });
    } catch (error) {
      problem(error);
    }
  }

  async _forget(atOnce) {
    const path = `/viewer/api/memories/${this._memory.id}/forget`;
    const answer = await this._allowed(() => post(path, { at_once: atOnce }));
    if (!answer) return;
    if (answer.done) {
      toast("Forgotten");
      go("#/timeline");
      return;
    }
    const stays = Math.max(1000, answer.forgets_at - Date.now());
    toast(`Being forgotten: ${answer.title}`, { stays, undo: () => this._undoForget() });
    await this._page.attempt(this._reload);
  }

  _undoForget() {
    return this._do(() => post(`/viewer/api/memories/${this._memory.id}/forget/undo`), "It stays");
  }

  /** Whose word a change is: a person's where a person is signed in. */
  _own(fields) {
    return this._page.me.person ? { ...fields, trust: "user" } : fields;
  }

  async _do(act, says, undo = null, raises = false) {
    if (!(await this._allowed(act, raises))) return;
    toast(says, { undo });
    if (!this._page.signal.aborted) await this._page.attempt(this._reload);
  }

  /** What an act returns, or null where it only became a proposal or was refused. */
  async _allowed(act, raises = false) {
    try {
      return (await act()) ?? {};
    } catch (error) {
      if (error instanceof Proposed) toast(error.message);
      else if (raises) throw error;
      else problem(error);
      return null;
    }
  }
}

function forgetPlan(plan, me) {
  return [
    h(
      "p",
      {},
      `${plan.account} will go: its bytes leave the store, and nothing brings it back. `,
      me.person ? `For ${me.undo_s} seconds it can be undone.` : "It goes at once.",
    ),
    plan.excerpts.length > 0 && [
      h("h3", {}, "Words that go with it"),
      h(
        "ul",
        { class: "plain excerpts" },
        plan.excerpts.map((excerpt) =>
          h("li", {}, `“${excerpt.text}”`, h("span", { class: "muted" }, ` ${excerpt.role}`)),
        ),
      ),
    ],
    plan.similar.length > 0 &&
      h(
        "p",
        {},
        `${count(plan.similar.length, "other memory says", "other memories say")} nearly the same and will stay.`,
      ),
    plan.backups > 0 &&
      h(
        "p",
        { class: "muted" },
        `${count(plan.backups, "backup still holds", "backups still hold")} it; `,
        "“holdfast forget --backups” takes it out of them.",
      ),
  ];
}
