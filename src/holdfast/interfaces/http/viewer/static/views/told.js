// A brief as a session got it: word for word, and why each entry was in it.

import { get } from "../api.js";
import { h } from "../dom.js";
import { count, number } from "../format.js";
import { address } from "../router.js";
import { briefEntries } from "../components/brief_entries.js";
import { moment } from "../components/time.js";

const GONE = {
  forgotten: "It told of something that was forgotten since, so its text was removed.",
  old: "Only the texts of the latest briefs are kept; the record of what was in it is below.",
};

export async function show(page) {
  const { receipt, text, gone, entries } = await get(
    `/viewer/api/briefs/${encodeURIComponent(page.route.id)}`,
    {},
    { signal: page.signal },
  );
  page.title("A brief");
  page.draw(
    h(
      "header",
      { class: "page-head" },
      h("p", { class: "crumb" }, h("span", { class: "kind", dataset: { kind: "brief" } }, "brief")),
      h("h1", {}, `What ${receipt.agent} was told ${receipt.prompted ? "on a prompt" : "at the start"}`),
      h(
        "p",
        { class: "meta" },
        moment(receipt.at),
        h("span", {}, `${number(receipt.tokens)} of ${number(receipt.budget)} tokens`),
        h("span", {}, `${number(receipt.took_ms)} ms`),
        receipt.cut && h("span", { class: "tag" }, "cut short by time"),
        receipt.degraded && h("span", { class: "tag" }, "less was looked at"),
        receipt.session && h("a", { href: address("session", receipt.session) }, "the session"),
      ),
    ),
    h(
      "section",
      { class: "part" },
      h("h2", {}, "Word for word"),
      text
        ? h("pre", { class: "brief-text", tabindex: 0 }, text)
        : h("p", { class: "muted" }, GONE[gone] ?? "Its text was not kept."),
    ),
    h(
      "section",
      { class: "part" },
      h("h2", {}, "What was in it", h("span", { class: "count" }, entries.length)),
      entries.length ? briefEntries(entries) : h("p", { class: "muted" }, count(0, "entry", "entries")),
    ),
  );
}
