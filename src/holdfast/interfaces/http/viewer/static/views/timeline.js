// Timeline: memories and sessions, newest first, a page at a time and live.

import { get } from "../api.js";
import { h, replace } from "../dom.js";
import { clock, date, dayOrMonth, isThisWeek } from "../format.js";
import { address } from "../router.js";
import { command, empty } from "../components/empty.js";
import { choice, dateField, filterForm, flag, textField } from "../components/filters.js";
import { memoryLine, sessionLine } from "../components/lines.js";
import { keepingFocus, rowKeys } from "../components/rows.js";

const PAGE = 50;
const MOST = 200; // that the server gives at once
const FIELDS = [
  "what",
  "kind",
  "status",
  "trust",
  "agent",
  "branch",
  "file",
  "contains",
  "since",
  "until",
  "history",
];

export async function show(page) {
  page.title("Timeline");
  const list = new TimelineList(page);
  const values = Object.fromEntries(FIELDS.map((name) => [name, page.route.query.get(name) ?? ""]));
  const form = filterForm(page, "Filter the timeline", fields(page.me, values), (filters) => {
    page.amend(address("timeline", "", filters));
    page.attempt(() => list.filter(filters));
  });
  await list.filter(values);
  const isOpen = Object.values(values).some(Boolean) || matchMedia("(min-width: 721px)").matches;
  page.draw(
    h("header", { class: "page-head" }, h("h1", {}, "Timeline")),
    h("details", { class: "filter-box", open: isOpen }, h("summary", {}, "Filters"), form),
    list.element,
  );
  page.keys(rowKeys(list.element));
  page.onChange(() => list.refresh());
}

function fields(me, values) {
  return [
    choice("what", "Show", ["memories", "sessions"], values.what),
    choice("kind", "Kind", me.kinds, values.kind),
    choice("status", "Status", me.statuses, values.status),
    choice("trust", "Trust", me.trusts, values.trust),
    choice("agent", "Agent", me.seen_agents, values.agent),
    choice("branch", "Branch", me.branches, values.branch),
    textField("file", "File", values.file, { placeholder: "src/…" }),
    textField("contains", "Says", values.contains, { placeholder: "words" }),
    dateField("since", "From", values.since),
    dateField("until", "To", values.until),
    flag("history", "with history", values.history === "true"),
  ];
}

/** The list, as long as somebody wants it: more comes when its end is near. */
class TimelineList {
  constructor(page) {
    this._page = page;
    this._filters = {};
    this._items = [];
    this._next = null;
    this._appending = false;
    this._asking = null;
    this._rows = h("div", { class: "timeline" });
    this._more = h(
      "button",
      { type: "button", class: "more", hidden: true, onclick: () => page.attempt(() => this._append()) },
      "More",
    );
    this.element = h("section", { "aria-label": "Memories and sessions" }, this._rows, this._more);
    const nearEnd = new IntersectionObserver(
      (entries) => entries.some((entry) => entry.isIntersecting) && page.attempt(() => this._append()),
      { rootMargin: "600px" },
    );
    nearEnd.observe(this._more);
    page.signal.addEventListener("abort", () => nearEnd.disconnect());
  }

  /** Show what fits; an answer to filters that were there before is not waited for. */
  async filter(filters) {
    this._asking?.abort();
    this._asking = new AbortController();
    this._filters = filters;
    const { items, next } = await this._fetch({ limit: PAGE });
    this._show(items, next);
  }

  /** The same, as it is now: the newest are read anew, what is further down stays as it was read. */
  async refresh() {
    const { items, next } = await this._fetch({ limit: Math.min(Math.max(PAGE, this._items.length), MOST) });
    const fresh = new Set(items.map((item) => item.id));
    const end = next ? items.at(-1).at : -Infinity;
    const further = next ? this._items.filter((item) => item.at <= end && !fresh.has(item.id)) : [];
    this._show([...items, ...further], further.length ? this._next : next);
  }

  async _append() {
    if (!this._next || this._appending) return;
    this._appending = true;
    try {
      const { items, next } = await this._fetch({ limit: PAGE, cursor: this._next });
      this._show([...this._items, ...items], next);
    } finally {
      this._appending = false;
    }
  }

  _show(items, next) {
    this._items = items;
    this._next = next;
    keepingFocus(this.element, () => this._draw());
  }

  _fetch(position) {
    const signal = AbortSignal.any([this._page.signal, this._asking.signal]);
    return get("/viewer/api/timeline", { ...parametersOf(this._filters), ...position }, { signal });
  }

  _draw() {
    this._more.hidden = !this._next;
    if (!this._items.length) {
      replace(this._rows, this._nothing());
      return;
    }
    const spans = Map.groupBy(this._items, (item) => dayOrMonth(item.at));
    replace(
      this._rows,
      [...spans].map(([name, items]) =>
        h("section", { class: "day" }, h("h2", {}, name), h("div", { class: "lines" }, items.map(line))),
      ),
    );
  }

  _nothing() {
    return Object.values(this._filters).some(Boolean)
      ? empty("Nothing fits these filters.", "Take one away, or tick “with history” to see what no longer holds.")
      : empty("Nothing is remembered yet.", command('holdfast add "…"'));
  }
}

function line(item) {
  const when = isThisWeek(item.at) ? clock : date;
  return item.type === "session" ? sessionLine(item, { when }) : memoryLine(item, { when });
}

/** The filters as the server takes them: days are this browser's, and the last one counts whole. */
function parametersOf({ since, until, ...filters }) {
  return { ...filters, since: since && midnight(since), until: until && midnight(until, 1) };
}

/** When a day begins here, or one some days later; two of the year are not 24 hours long. */
function midnight(day, later = 0) {
  const begin = new Date(`${day}T00:00`);
  return begin.setDate(begin.getDate() + later);
}
