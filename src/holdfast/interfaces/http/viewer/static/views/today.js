// Today: what waits for a person, and what the last sessions were told and learnt.

import { get } from "../api.js";
import { h, replace } from "../dom.js";
import { count, longDate, number } from "../format.js";
import { address } from "../router.js";
import { entryAddress } from "../components/brief_entries.js";
import { command, empty } from "../components/empty.js";
import { Inbox } from "../components/inbox.js";
import { sessionTitle } from "../components/lines.js";
import { kindLabel, statusLabel } from "../components/labels.js";
import { moment } from "../components/time.js";

const SESSIONS = 12;
const REFRESH_MS = 60_000;

export async function show(page) {
  page.title("Today");
  const inbox = new Inbox(page);
  const head = h("header", { class: "page-head" });
  const recent = h("section", { class: "recent", "aria-labelledby": "recent-title" });
  const load = async () => {
    const [today] = await Promise.all([
      get("/viewer/api/today", { sessions: SESSIONS }, { signal: page.signal }),
      inbox.load(),
    ]);
    replace(head, h("h1", {}, "Today"), h("p", { class: "muted" }, `${longDate(today.now)} · ${overview(today)}`));
    replace(recent, ...lately(today));
  };
  await load();
  page.draw(head, h("div", { class: "today" }, inbox.element, recent));
  page.keys(inbox.keys);
  page.onChange(load);
  const lookAgain = () => document.visibilityState === "visible" && page.attempt(load);
  const timer = setInterval(lookAgain, REFRESH_MS); // new turns and briefs make no event
  page.signal.addEventListener("abort", () => clearInterval(timer));
}

function overview({ memories, sessions_total: sessions, rules }) {
  const all = `${count(memories, "memory", "memories")}, ${count(sessions, "session")}`;
  const kept = `rules at the act today: ${rules.told} told, ${rules.kept} kept, ${rules.broken} broken`;
  return rules.told ? `${all} · ${kept}` : all;
}

function lately({ agents, sessions, elsewhere, memories }) {
  const title = h("h2", { id: "recent-title" }, "Told and learnt lately");
  if (!sessions.length && !elsewhere.learnt.length) return [title, memories ? quiet() : beginning()];
  return [
    title,
    agents.length > 0 && h("ul", { class: "agents" }, agents.map(agentLine)),
    sessions.map(sessionCard),
    elsewhere.learnt.length > 0 &&
      h(
        "article",
        { class: "session-card" },
        h("h3", {}, "Outside sessions"),
        h("div", { class: "learnt" }, h("h4", {}, "Learnt"), h("ul", {}, elsewhere.learnt.map(learntLine))),
      ),
  ];
}

function agentLine({ agent, sessions, told, learnt, last_at: lastAt }) {
  return h(
    "li",
    {},
    h("strong", {}, agent),
    h("span", { class: "meta" }, h("span", {}, count(sessions, "session")), lastAt && moment(lastAt)),
    h("span", { class: "figure", title: "Entries of its briefs" }, h("b", {}, number(told)), " told"),
    h("span", { class: "figure", title: "Memories from its sessions" }, h("b", {}, number(learnt)), " learnt"),
  );
}

function sessionCard({ session, told, learnt, learnt_more: more }) {
  return h(
    "article",
    { class: "session-card" },
    h("h3", {}, h("a", { href: address("session", session.id) }, sessionTitle(session))),
    h(
      "p",
      { class: "meta" },
      h("span", {}, session.agent),
      moment(session.last_turn_at ?? session.at),
      session.status === "active" && statusLabel("active"),
      h("span", {}, count(session.turns, "turn")),
    ),
    learnt.length > 0 &&
      h(
        "div",
        { class: "learnt" },
        h("h4", {}, "Learnt"),
        h("ul", {}, learnt.map(learntLine)),
        more > 0 && h("p", { class: "muted" }, `and ${number(more)} more`),
      ),
    told.entries.length > 0 && toldPart(told),
  );
}

function learntLine(line) {
  return h("li", {}, kindLabel(line.kind), h("a", { href: address("memory", line.id) }, line.title));
}

function toldPart({ briefs, tokens, entries, more }) {
  return h(
    "details",
    { class: "told" },
    h(
      "summary",
      {},
      h("h4", {}, "Told"),
      h(
        "span",
        { class: "muted" },
        `${count(entries.length + more, "entry", "entries")} in ${count(briefs, "brief")}`,
        `, ${number(tokens)} tokens`,
      ),
    ),
    h("ul", {}, entries.map(toldLine)),
    more > 0 && h("p", { class: "muted" }, `and ${number(more)} more`),
  );
}

function toldLine({ id, kind, title, fetched_at: fetchedAt }) {
  const name = title || "(forgotten since)";
  const target = entryAddress({ id, kind, title });
  return h(
    "li",
    {},
    kindLabel(kind),
    target ? h("a", { href: target }, name) : h("span", {}, name),
    fetchedAt && h("span", { class: "tag", title: "An agent read it in full afterwards" }, "fetched"),
  );
}

function quiet() {
  return empty(
    "No session yet.",
    "With holdfast installed in an agent, its sessions come here: what each was told and learnt.",
    command("holdfast install"),
  );
}

function beginning() {
  return empty(
    "Memory is empty.",
    "Let your agents fill it:",
    command("holdfast install"),
    "or say something yourself:",
    command('holdfast add "We deploy from main on Tuesdays"'),
    "or take in what the project's history says:",
    command("holdfast ingest git"),
  );
}
