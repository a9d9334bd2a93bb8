// Memory: what it says, what it rests on, what came before and after it, whom it was told, and what one can do.

import { get } from "../api.js";
import { h } from "../dom.js";
import { fullTime, score } from "../format.js";
import { address } from "../router.js";
import { endLabel, kindLabel, sourceName, stateLabel, statusLabel, trustLabel } from "../components/labels.js";
import { beginsWith, memoryLine } from "../components/lines.js";
import { historyLine } from "../components/history_line.js";
import { MemoryActions } from "../components/memory_actions.js";
import { pieces } from "../components/snippet.js";
import { moment } from "../components/time.js";

const SHORT = 200;
const FILE_WORDS = {
  same: "as it was then",
  changed: "changed since",
  missing: "gone",
  unknown: "not compared",
};

export async function show(page) {
  let id = page.route.id; // in the address it may be a short one
  const load = async () => {
    const shown = await get(
      `/viewer/api/memories/${encodeURIComponent(page.route.id)}`,
      {},
      { signal: page.signal },
    );
    id = shown.memory.id;
    page.title(shown.memory.title);
    const actions = new MemoryActions(page, shown, load);
    page.draw(...whole(shown, actions));
    page.keys(actions.keys);
  };
  await load();
  page.onChange((changes) => {
    const related = changes.some(({ action, ids }) => action === "gap" || ids.includes(id));
    return related ? load() : null;
  });
}

function whole(shown, actions) {
  const { memory, line } = shown;
  return [
    h(
      "header",
      { class: "page-head" },
      h("p", { class: "crumb" }, kindLabel(memory.kind), h("code", {}, line.short)),
      h("h1", { class: beginsWith(memory.content, memory.title) ? "unseen" : "" }, memory.title),
    ),
    actions.notice(),
    actions.bar(),
    h(
      "div",
      { class: "memory" },
      h(
        "div",
        { class: "memory-main" },
        said(memory),
        context(memory),
        evidence(shown.evidence),
        conflicts(shown.conflicts),
        proposals(shown.proposals),
        history(shown),
      ),
      h(
        "aside",
        { class: "memory-side", "aria-label": "About this memory" },
        facts(shown),
        files(shown.files),
        told(shown.told),
        log(shown.log),
      ),
    ),
  ];
}

function said(memory) {
  return h(
    "section",
    { class: "text-box", "aria-label": "Text" },
    h("p", { class: memory.content.length <= SHORT ? "prose is-short" : "prose" }, memory.content),
  );
}

function context(memory) {
  return memory.context ? part("Context", h("p", { class: "prose" }, memory.context)) : null;
}

function evidence(items) {
  if (!items.length) return null;
  return part(
    "Evidence",
    items.map((item) =>
      h(
        "blockquote",
        { class: "evidence" },
        h("p", { class: "prose" }, item.before && "… ", pieces(item.pieces), item.after && " …"),
        h(
          "footer",
          { class: "meta" },
          h("span", {}, item.role),
          h(
            "a",
            { href: address("session", item.session, { turn: item.turn }) },
            `${item.agent} session ${item.session_short}`,
          ),
          moment(item.at),
          item.signals.map((signal) => h("span", { class: "tag" }, signal)),
        ),
      ),
    ),
  );
}

function conflicts(items) {
  if (!items.length) return null;
  return part(
    "Conflicts",
    items.map((item) =>
      h(
        "div",
        { class: "conflict-row" },
        h(
          "p",
          { class: "meta" },
          h("span", { class: "kind", dataset: { kind: "conflict" } }, item.kind),
          h("span", {}, item.resolved_at ? "settled " : "since "),
          moment(item.resolved_at ?? item.detected_at),
          !item.resolved_at && h("a", { href: "#/today" }, "settle it"),
        ),
        item.other ? memoryLine(item.other) : h("p", { class: "muted" }, "The other one was forgotten."),
      ),
    ),
  );
}

function proposals(items) {
  if (!items.length) return null;
  return part(
    "Proposals",
    h(
      "ul",
      { class: "plain" },
      items.map((item) =>
        h(
          "li",
          {},
          `${item.agent ?? item.actor} asked to ${item.verb} it, `,
          moment(item.at),
          ": ",
          item.outcome ?? h("a", { href: "#/today" }, "waits for you"),
        ),
      ),
    ),
  );
}

function history({ history: steps, memory }) {
  return steps.length > 1 ? part("History", historyLine(steps, memory.id)) : null;
}

function facts({ memory, line, thread, act }) {
  const pairs = [
    ["Status", statusLabel(memory.status)],
    ["Holds", stateLabel(line.state) ?? h("span", {}, "yes")],
    ["Trust", trustLabel(memory.trust)],
    ["Said", h("span", { title: fullTime(memory.created_at) }, moment(memory.created_at))],
    memory.updated_at !== memory.created_at && ["Changed", moment(memory.updated_at)],
    ["By", memory.agent ?? memory.user],
    ["From", memory.sources.map(sourceName).join(", ")],
    memory.session && ["Session", h("a", { href: address("session", memory.session) }, "where it was said")],
    thread && ["Thread", thread],
    memory.branch && ["Branch", h("code", {}, memory.branch)],
    memory.commit && ["Commit", h("code", {}, memory.commit.slice(0, 10))],
    memory.tags.length > 0 && ["Tags", memory.tags.map((tag) => h("span", { class: "tag" }, tag))],
    ["Importance", score(memory.importance)],
    memory.confidence < 1 && ["Confidence", score(memory.confidence)],
    ["Read", `${memory.reads} ×`],
    (memory.fades || memory.expires) &&
      line.state === "current" && ["Leaves", endLabel(line) ?? moment(memory.expires ?? memory.fades)],
    line.scope === "user" && ["Scope", "yours, in every project"],
    ...Object.entries(act).map(([name, text]) => [name[0].toUpperCase() + name.slice(1), text]),
  ].filter(Boolean);
  return part(
    "About",
    h(
      "dl",
      { class: "facts" },
      pairs.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
    ),
  );
}

function files(items) {
  if (!items.length) return null;
  return part(
    "Files",
    h(
      "ul",
      { class: "plain" },
      items.map(({ path, state }) =>
        h(
          "li",
          {},
          h("a", { class: "path", href: address("timeline", "", { file: path }) }, path),
          " ",
          h("span", { class: "file-state", dataset: { state } }, FILE_WORDS[state] ?? state),
        ),
      ),
    ),
  );
}

function told({ times, receipts }) {
  if (!times) return part("Told", h("p", { class: "muted" }, "To nobody yet."));
  return part(
    "Told",
    h("p", { class: "muted" }, `${times} ×${receipts.length < times ? `, the latest ${receipts.length}:` : ""}`),
    h(
      "ul",
      { class: "plain receipts" },
      receipts.map((receipt) =>
        h(
          "li",
          {},
          h("a", { href: address("told", receipt.id) }, moment(receipt.at)),
          ` ${receipt.agent}, ${receipt.prompted ? "on a prompt" : "at the start"} `,
          receipt.fetched_at && h("span", { class: "tag", title: fullTime(receipt.fetched_at) }, "fetched"),
        ),
      ),
    ),
  );
}

function log(events) {
  if (!events.length) return null;
  return part(
    "Log",
    h(
      "ul",
      { class: "plain" },
      events.map(({ action, actor, at }) => h("li", {}, `${action} by ${actor}, `, moment(at))),
    ),
  );
}

function part(title, ...content) {
  return h("section", { class: "part" }, h("h2", {}, title), content);
}
