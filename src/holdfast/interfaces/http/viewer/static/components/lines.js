// What stands in a list: its kind, its title, and what else is worth knowing before it is opened.

import { h } from "../dom.js";
import { clock, count } from "../format.js";
import { address } from "../router.js";
import { endLabel, kindLabel, stateLabel, statusLabel, trustLabel } from "./labels.js";
import { moment } from "./time.js";

const SUMMARY_GOAL = /^(?:Goal: )?(.+?)(?=\s(?:Decided|Changed|Fixed|Errors|Open): |\n|$)/;
const LONGEST_TITLE = 140;
const USUAL_BRANCHES = ["main", "master"];

/** One line of a list. `href` opens it; `aside` stands at the end of its first row. */
export function listLine({ id, kind, title, href, look = "", aside = null, tag = "article" }, ...rest) {
  const name = href ? h("a", { class: "line-title", href }, title) : h("span", { class: "line-title" }, title);
  return h(
    tag,
    { class: `line ${look}`.trim(), dataset: id ? { row: id } : {} },
    h("div", { class: "line-kind" }, kindLabel(kind)),
    h("div", { class: "line-body" }, h("div", { class: "line-head" }, name, aside), rest),
  );
}

/** A memory in a list. `when` says how its time is shown. */
export function memoryLine(line, { when = undefined, isBrief = false } = {}) {
  const title = wholeTitle(line);
  const hasMore = !isBrief && line.excerpt && !sameWords(line.excerpt, title);
  return listLine(
    {
      id: line.id,
      kind: line.kind,
      title: title || "(no text any more)",
      href: address("memory", line.id),
      look: line.state === "current" ? "" : "is-history",
    },
    hasMore && h("p", { class: "line-excerpt" }, line.excerpt),
    h(
      "p",
      { class: "meta" },
      moment(line.at, when),
      statusLabel(line.status),
      trustLabel(line.trust),
      line.agent && h("span", {}, line.agent),
      line.scope === "user" && h("span", { title: "In every project of yours" }, "yours everywhere"),
      line.branch && !USUAL_BRANCHES.includes(line.branch) && h("span", { class: "branch" }, line.branch),
      line.files?.[0] && h("span", { class: "path" }, fileNames(line.files)),
      stateLabel(line.state),
      endLabel(line),
      line.forgets_at && h("span", { class: "state" }, "being forgotten"),
    ),
  );
}

/** A session in a list. */
export function sessionLine(line, { when = undefined } = {}) {
  return listLine(
    {
      id: line.id,
      kind: "session",
      title: sessionTitle(line),
      href: address("session", line.id),
      look: "is-session",
    },
    h(
      "p",
      { class: "meta" },
      moment(line.at, when),
      line.status === "active" && statusLabel("active"),
      h("span", {}, line.agent),
      h("span", {}, count(line.turns, "turn")),
      line.tool_calls > 0 && h("span", {}, count(line.tool_calls, "tool call")),
      line.forked && h("span", {}, "forked"),
    ),
  );
}

/** What a session was about, in a line: the goal of its summary, else how it began. */
export function sessionTitle({ summary, opening, agent, at }) {
  const goal = (summary || "").match(SUMMARY_GOAL)?.[1];
  return goal || opening || `${agent}, ${clock(at)}`;
}

function fileNames(files) {
  return files.length > 1 ? `${files[0]} + ${files.length - 1}` : files[0];
}

/** A title that was cut though all there is to say is hardly longer is shown whole. */
function wholeTitle({ title, excerpt }) {
  return excerpt.length <= LONGEST_TITLE && beginsWith(excerpt, title) ? excerpt : title;
}

/** Whether a text begins with a title, which may be cut. */
export const beginsWith = (text, title) => Boolean(title) && text.startsWith(title.replace(/…$/, ""));

/** Whether an excerpt says no more than the title. */
export function sameWords(excerpt, title) {
  const plain = (text) => text.replace(/[\s.…?!]+$/u, "").trim();
  return plain(excerpt) === plain(title);
}
