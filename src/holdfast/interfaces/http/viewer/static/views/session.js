// Session: what came of it, what was said, where it forked, and the briefs it got.

import { get } from "../api.js";
import { h } from "../dom.js";
import { clock, count, length, number, words } from "../format.js";
import { address } from "../router.js";
import { empty } from "../components/empty.js";
import { statusLabel } from "../components/labels.js";
import { beginsWith, listLine, sessionTitle } from "../components/lines.js";
import { rowKeys } from "../components/rows.js";
import { Turns } from "../components/turns.js";
import { moment } from "../components/time.js";

export async function show(page) {
  const session = await get(
    `/viewer/api/sessions/${encodeURIComponent(page.route.id)}`,
    {},
    { signal: page.signal },
  );
  const turns = new Turns(page, session.session.id);
  await turns.open(page.route.query.get("turn"));
  page.title(sessionTitle(session.line));
  page.draw(
    heading(session),
    h(
      "div",
      { class: "session" },
      h(
        "div",
        { class: "session-main" },
        summary(session),
        findings(session),
        h("section", { class: "part" }, h("h2", {}, "What was said"), turns.element),
      ),
      h(
        "aside",
        { class: "session-side", "aria-label": "About this session" },
        briefs(session.briefs),
        tree(session.tree),
      ),
    ),
  );
  page.keys(rowKeys(turns.element));
  turns.reveal();
}

function heading({ line, session }) {
  const end = line.ended_at ?? line.last_turn_at;
  return h(
    "header",
    { class: "page-head" },
    h(
      "p",
      { class: "crumb" },
      h("span", { class: "kind", dataset: { kind: "session" } }, "session"),
      h("code", {}, line.short),
    ),
    h("h1", {}, sessionTitle(line)),
    h(
      "p",
      { class: "meta" },
      h("span", {}, line.agent),
      moment(line.at),
      end && end > line.at && h("span", {}, length(end - line.at)),
      statusLabel(line.status),
      h("span", {}, count(line.turns, "turn")),
      line.tool_calls > 0 && h("span", {}, count(line.tool_calls, "tool call")),
      session.parent && h("a", { href: address("session", session.parent) }, "forked from another"),
    ),
  );
}

function summary({ summary: text }) {
  if (!text) return null;
  return h(
    "section",
    { class: "part" },
    h("h2", {}, "Summary"),
    h("div", { class: "text-box" }, h("p", { class: "prose" }, text)),
  );
}

function findings({ findings: items, findings_more: more }) {
  if (!items.length) {
    return h(
      "section",
      { class: "part" },
      h("h2", {}, "Findings"),
      h("p", { class: "muted" }, "Nothing in it asked to be remembered."),
    );
  }
  return h(
    "section",
    { class: "part" },
    h("h2", {}, "Findings", h("span", { class: "count" }, items.length + more)),
    h("ul", { class: "lines findings" }, items.map(findingLine)),
    more > 0 && h("p", { class: "muted" }, `and ${number(more)} more`),
  );
}

function findingLine({ kind, content, outcome, memory, signals }) {
  const name = memory && (beginsWith(content, memory.title) ? `as ${memory.short}` : memory.title);
  return listLine(
    { tag: "li", kind, title: content, href: memory && address("memory", memory.id) },
    h(
      "p",
      { class: "meta" },
      h("span", { class: "outcome", dataset: { outcome } }, outcome),
      name && h("span", {}, name),
      signals.map((signal) => h("span", { class: "tag" }, words(signal))),
    ),
  );
}

function briefs(items) {
  return h(
    "section",
    { class: "part" },
    h("h2", {}, "Briefs it got"),
    items.length
      ? h(
          "ul",
          { class: "plain briefs" },
          items.map((brief) =>
            h(
              "li",
              {},
              h(
                "a",
                { href: address("told", brief.id) },
                `${clock(brief.at)} ${brief.prompted ? "on a prompt" : "at the start"}`,
              ),
              h(
                "p",
                { class: "meta" },
                h("span", {}, count(brief.entries, "entry", "entries")),
                h("span", {}, `${number(brief.tokens)} of ${number(brief.budget)} tokens`),
                h("span", {}, `${number(brief.took_ms)} ms`),
                brief.fetched > 0 && h("span", { class: "tag" }, `${brief.fetched} fetched`),
                brief.cut && h("span", { class: "tag" }, "cut short"),
              ),
            ),
          ),
        )
      : empty("None that is still on record."),
  );
}

function tree(root) {
  if (!root || !root.children.length) return null;
  return h("section", { class: "part" }, h("h2", {}, "Forks"), h("ul", { class: "tree plain" }, branch(root)));
}

function branch(node) {
  const label = `${node.agent} ${node.short}`;
  return h(
    "li",
    {},
    node.here
      ? h("strong", { "aria-current": "true" }, label)
      : h("a", { href: address("session", node.id) }, label),
    " ",
    h("span", { class: "muted" }, moment(node.at)),
    node.children.length > 0 && h("ul", {}, node.children.map(branch)),
  );
}
