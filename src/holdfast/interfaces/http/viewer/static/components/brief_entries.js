// The entries of a brief, and why each is there: the factors its score is made of.

import { h } from "../dom.js";
import { fullTime, number, score, words } from "../format.js";
import { address } from "../router.js";
import { listLine } from "./lines.js";

export function briefEntries(entries) {
  return h("ul", { class: "lines" }, entries.map(entryLine));
}

/** Where an entry of a brief is shown: a memory or a session on its own page, a turn nowhere by itself. */
export function entryAddress({ id, kind, title }) {
  if (!title || kind === "turn" || kind === "finding") return null;
  return kind === "session" ? address("session", id) : address("memory", id);
}

function entryLine(entry) {
  return listLine(
    {
      tag: "li",
      kind: entry.kind,
      title: entry.title || "(forgotten since)",
      href: entryAddress(entry),
      aside: entry.score > 0 && h("span", { class: "figure line-aside" }, score(entry.score)),
    },
    h(
      "p",
      { class: "meta" },
      entry.says ? h("span", { class: "reason" }, entry.says) : h("span", {}, words(entry.tier)),
      entry.tokens > 0 && h("span", {}, `${number(entry.tokens)} tokens`),
      entry.shortened && h("span", {}, "shortened"),
      entry.marks?.map((mark) => h("span", { class: "tag" }, mark)),
      entry.fetched_at && h("span", { class: "tag", title: fullTime(entry.fetched_at) }, "fetched"),
      factors(entry.why),
    ),
  );
}

function factors(why) {
  const parts = Object.entries(why ?? {}).filter(([, value]) => value !== 1 && value !== 0);
  if (!parts.length) return null;
  return h(
    "span",
    { class: "figure" },
    parts.map(([name, value]) => `${words(name)} ${score(value)}`).join(" × "),
  );
}
