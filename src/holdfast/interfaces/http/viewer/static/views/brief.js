// Brief preview: exactly what an agent would be told for a prompt, what each part of the budget was used for, and
// what was left out and why. Nothing of it is recorded.

import { post } from "../api.js";
import { h, replace, s } from "../dom.js";
import { count, number, words } from "../format.js";
import { address } from "../router.js";
import { briefEntries } from "../components/brief_entries.js";
import { table } from "../components/chart.js";
import { empty } from "../components/empty.js";

const TYPING_MS = 350;
const BUDGETS = [300, 800, 1500, 3000, 6000];
const SHADES = 6;

export async function show(page) {
  page.title("Brief preview");
  const preview = new Preview(page);
  page.draw(
    h(
      "header",
      { class: "page-head" },
      h("h1", {}, "Brief preview"),
      h(
        "p",
        { class: "muted" },
        "What an agent would be told. Without a prompt: what it is told when a session starts.",
      ),
    ),
    preview.form,
    preview.result,
  );
  page.keys([{ keys: "/", says: "Type a prompt", run: () => preview.focus() }]);
  await preview.ask();
}

class Preview {
  constructor(page) {
    this._page = page;
    const { query } = page.route;
    this._prompt = h("textarea", {
      name: "prompt",
      rows: 3,
      placeholder: "Type a prompt as you would to the agent…",
      "aria-label": "Prompt",
    });
    this._prompt.value = query.get("prompt") ?? "";
    this._agent = select(
      "agent",
      page.me.agents,
      query.get("agent") ?? page.me.seen_agents[0] ?? page.me.agents[0],
    );
    this._budget = select("budget", budgets(page.me), query.get("budget") ?? "");
    this.form = h(
      "form",
      { class: "brief-form", onsubmit: (event) => event.preventDefault() },
      this._prompt,
      h("div", { class: "filters" }, labelled("Agent", this._agent), labelled("Budget, tokens", this._budget)),
    );
    this.result = h("div", { class: "brief-result" });
    const askSoon = page.soon(() => page.attempt(() => this.ask()));
    this.form.addEventListener("input", () => askSoon(TYPING_MS));
  }

  focus() {
    this._prompt.focus();
  }

  async ask() {
    this._asking?.abort();
    this._asking = new AbortController();
    const request = {
      prompt: this._prompt.value.trim() || null,
      agent: this._agent.value,
      budget: Number(this._budget.value) || null,
    };
    this._page.amend(address("brief", "", request));
    try {
      this._show(await post("/viewer/api/preview", request, { signal: this._asking.signal }));
    } catch (error) {
      if (error.name === "AbortError") return;
      replace(this.result, h("p", { class: "problem", role: "alert" }, error.message));
    }
  }

  _show(brief) {
    replace(
      this.result,
      h(
        "p",
        { class: "meta", role: "status" },
        h("span", {}, `${number(brief.tokens)} of ${number(brief.budget)} tokens`),
        h("span", {}, count(brief.entries.length, "entry", "entries")),
        h("span", {}, `${number(brief.took_ms)} ms`),
        brief.cut && h("span", { class: "tag" }, "cut short by time"),
        brief.degraded && h("span", { class: "tag" }, "less was looked at"),
      ),
      brief.tokens > 0 && budgetPicture(brief),
      h(
        "section",
        { class: "part" },
        h("h2", {}, "What the agent gets"),
        brief.text ? h("pre", { class: "brief-text", tabindex: 0 }, brief.text) : this._silence(brief),
      ),
      brief.entries.length > 0 &&
        h(
          "section",
          { class: "part" },
          h("h2", {}, "Why each is there", h("span", { class: "count" }, brief.entries.length)),
          briefEntries(brief.entries),
        ),
      brief.left_out.length > 0 &&
        h(
          "section",
          { class: "part" },
          h("h2", {}, "Left out", h("span", { class: "count" }, brief.left_out.length + brief.left_out_more)),
          briefEntries(brief.left_out),
          brief.left_out_more > 0 && h("p", { class: "muted" }, `and ${number(brief.left_out_more)} more`),
        ),
    );
  }

  _silence(brief) {
    if (brief.failure) return h("p", { class: "problem" }, brief.failure);
    return empty(
      "Nothing.",
      "Nothing in memory clearly applies, so nothing is said: an agent reads no word for it.",
    );
  }
}

/** What each part of the brief used of the budget, as one bar and a table. */
function budgetPicture({ tiers, tokens, budget }) {
  const used = tiers.filter((tier) => tier.used > 0);
  const frame = Math.max(0, tokens - used.reduce((sum, tier) => sum + tier.used, 0));
  const segments = [...used.map((tier) => [words(tier.tier), tier.used]), ["frame", frame]];
  const whole = Math.max(budget, tokens, 1);
  let x = 0;
  const bars = segments.map(([name, size], index) => {
    const width = (100 * size) / whole;
    const bar = s(
      "rect",
      { x, y: 0, width, height: 10, class: `shade-${index % SHADES}` },
      s("title", {}, `${name}: ${size} tokens`),
    );
    x += width;
    return bar;
  });
  const rows = [
    ...tiers.map((tier) => [words(tier.tier), number(tier.used), number(tier.share), number(tier.entries)]),
    ["frame", number(frame), "", ""],
  ];
  return h(
    "figure",
    { class: "chart budget" },
    h(
      "figcaption",
      {},
      h("strong", {}, "The budget"),
      h(
        "span",
        { class: "legend" },
        segments.map(([name, size], index) =>
          h("span", {}, h("span", { class: `key shade-${index % SHADES}` }), `${name} ${number(size)}`),
        ),
      ),
    ),
    s(
      "svg",
      {
        viewBox: "0 0 100 10",
        preserveAspectRatio: "none",
        height: 14,
        role: "img",
        "aria-label": `${number(tokens)} of ${number(budget)} tokens are used`,
      },
      s("rect", { class: "bar-ground", x: 0, y: 0, width: 100, height: 10 }),
      bars,
    ),
    h("details", {}, h("summary", {}, "Figures"), table(["Part", "Used", "Share", "Entries"], rows)),
  );
}

function budgets(me) {
  return ["", ...new Set([...BUDGETS, me.prompt_budget])].sort((first, second) => first - second);
}

function select(name, options, value) {
  return h(
    "select",
    { name },
    options.map((option) =>
      h(
        "option",
        { value: option, selected: String(option) === String(value) },
        option === "" ? "as set" : option,
      ),
    ),
  );
}

function labelled(label, control) {
  return h("label", { class: "field" }, h("span", {}, label), control);
}
