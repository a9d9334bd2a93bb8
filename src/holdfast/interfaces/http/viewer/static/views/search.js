// Search as you type: memories, what was said, and sessions, each with the parts of its score.

import { get } from "../api.js";
import { h, replace } from "../dom.js";
import { count, score } from "../format.js";
import { address } from "../router.js";
import { empty } from "../components/empty.js";
import { choice, textField, dateField } from "../components/filters.js";
import { sourceName, statusLabel, trustLabel } from "../components/labels.js";
import { listLine, sameWords } from "../components/lines.js";
import { rowKeys, rows, focusRow } from "../components/rows.js";
import { scoreBar, whyRank } from "../components/score.js";
import { snippet } from "../components/snippet.js";
import { moment } from "../components/time.js";

const LIMIT = 30;
const TYPING_MS = 60;
const TARGETS = [
  ["known", "Memories and talk"],
  ["memories", "Memories"],
  ["turns", "What was said"],
  ["tool", "Tool output"],
  ["sessions", "Sessions"],
];
const FIELDS = ["q", "within", "kind", "status", "file", "since"];

export async function show(page) {
  page.title("Search");
  new SearchPage(page).open();
}

class SearchPage {
  constructor(page) {
    this._page = page;
    this._values = Object.fromEntries(FIELDS.map((name) => [name, page.route.query.get(name) ?? ""]));
    this._asking = null;
    this._input = h("input", {
      type: "search",
      name: "q",
      id: "q",
      value: this._values.q,
      placeholder: "What do you want to know?",
      autocomplete: "off",
      spellcheck: "false",
      "aria-label": "Search memory",
    });
    this._summary = h("p", { class: "muted search-summary", role: "status" });
    this._hits = h("div");
  }

  open() {
    const form = this._form();
    this._page.draw(h("header", { class: "page-head" }, h("h1", {}, "Search")), form, this._summary, this._hits);
    this._page.keys([
      { keys: "/", says: "Type a question", run: () => this._input.select() },
      ...rowKeys(this._hits),
      { keys: "w", says: "Why this rank", run: () => this._toggleWhy() },
    ]);
    this._input.focus();
    this._ask();
  }

  _form() {
    const askSoon = this._page.soon(() => {
      this._values = Object.fromEntries(new FormData(form));
      this._page.amend(
        address("search", "", {
          ...this._values,
          within: this._values.within === "known" ? "" : this._values.within,
        }),
      );
      this._ask();
    });
    const form = h(
      "form",
      {
        class: "search-form",
        role: "search",
        onsubmit: (event) => (event.preventDefault(), focusRow(rows(this._hits)[0])),
      },
      this._input,
      h(
        "fieldset",
        { class: "tabs" },
        h("legend", { class: "unseen" }, "Where to look"),
        TARGETS.map(([value, label]) => this._tab(value, label)),
      ),
      h(
        "details",
        { class: "filter-box" },
        h("summary", {}, "Filters"),
        h("div", { class: "filters" }, this._filters()),
      ),
    );
    form.addEventListener("input", ({ target: field }) => {
      askSoon(field.type === "search" || field.type === "text" ? TYPING_MS : 0);
    });
    this._input.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown") focusRow(rows(this._hits)[0]);
      if (event.key === "Escape" && !this._input.value) this._input.blur();
    });
    return form;
  }

  _tab(value, label) {
    const isChosen = value === (this._values.within || "known");
    return h(
      "label",
      {},
      h("input", { type: "radio", name: "within", value, checked: isChosen }),
      h("span", {}, label),
    );
  }

  _filters() {
    const { me } = this._page;
    return [
      choice("kind", "Kind", me.kinds, this._values.kind),
      choice("status", "Status", me.statuses, this._values.status),
      textField("file", "File", this._values.file, { placeholder: "src/…" }),
      dateField("since", "From", this._values.since),
    ];
  }

  /** Ask; an answer to an older question is not waited for. */
  async _ask() {
    this._asking?.abort();
    const query = this._values.q.trim();
    if (!query) {
      this._show(null);
      return;
    }
    const asking = (this._asking = new AbortController());
    this._page.signal.addEventListener("abort", () => asking.abort());
    try {
      this._show(
        await get("/viewer/api/search", { ...this._values, q: query, limit: LIMIT }, { signal: asking.signal }),
      );
    } catch (error) {
      if (error.name === "AbortError") return;
      replace(this._hits);
      this._summary.textContent = error.message;
    }
  }

  _show(answer) {
    if (!answer) {
      this._summary.textContent = "";
      replace(
        this._hits,
        empty(
          "Ask in your own words.",
          "Words and meaning both count: “why do jobs stall” finds what was decided about the queue.",
          "Names inside identifiers are found, too.",
        ),
      );
    } else if (!answer.hits.length) {
      this._summary.textContent = "Nothing found.";
      replace(
        this._hits,
        empty(
          "Memory knows nothing about this.",
          "It says so rather than show the least bad. Other words may help, or another place to look.",
        ),
      );
    } else {
      this._summary.textContent = `${count(answer.hits.length, "hit")} in ${Math.round(answer.took_ms)} ms`;
      replace(this._hits, h("div", { class: "lines" }, answer.hits.map(hitRow)));
    }
  }

  _toggleWhy() {
    const row = document.activeElement?.closest("[data-row]") ?? rows(this._hits)[0];
    const why = row?.querySelector("details.why");
    if (why) why.open = !why.open;
  }
}

function hitRow(hit) {
  const aside = h(
    "span",
    { class: "line-aside" },
    scoreBar(hit.score, hit.parts),
    h("span", { class: "figure" }, score(hit.score)),
  );
  const name = hit.title || hit.short;
  const isAllOfIt = sameWords(hit.snippet.replaceAll("**", ""), name);
  return listLine(
    { id: hit.id, kind: hit.kind, title: isAllOfIt ? snippet(hit.snippet) : name, href: target(hit), aside },
    hit.snippet && !isAllOfIt && h("p", { class: "line-excerpt" }, snippet(hit.snippet)),
    h(
      "p",
      { class: "meta" },
      moment(hit.created_at),
      hit.status && statusLabel(hit.status),
      hit.kind === "turn" ? h("span", {}, `said by ${hit.source}`) : trustLabel(hit.trust),
      hit.kind !== "turn" && hit.source !== "manual" && h("span", {}, `from ${sourceName(hit.source)}`),
      hit.file && h("span", { class: "path" }, hit.file),
      hit.place && h("span", { class: "path" }, hit.place),
    ),
    whyRank(hit.score, hit.parts),
  );
}

function target(hit) {
  if (hit.kind === "turn") return address("session", hit.session, { turn: hit.id });
  if (hit.kind === "session") return address("session", hit.id);
  return address("memory", hit.id);
}
