// Health: how memory grows, what it is made of, what will fade, how fast briefs are, and whether all is whole.

import { get } from "../api.js";
import { h } from "../dom.js";
import { bytes, count, date, number, percent, words } from "../format.js";
import { barList, chart, columnPicture, linePicture } from "../components/chart.js";
import { memoryLine } from "../components/lines.js";

export async function show(page) {
  page.title("Health");
  const load = async () => {
    const health = await get("/viewer/api/health", {}, { signal: page.signal });
    page.draw(
      h("header", { class: "page-head" }, h("h1", {}, "Health")),
      tiles(health),
      h("div", { class: "charts" }, growth(health), newByWeek(health), kinds(health), parts(health)),
      h("div", { class: "charts" }, fading(health), state(health)),
    );
  };
  await load();
  page.onChange(load);
}

function tiles(health) {
  const figures = [
    [
      "Memories",
      number(health.current),
      `${number(health.superseded)} superseded, ${number(health.faded + health.expired)} faded or expired`,
    ],
    ["Sessions", number(health.sessions), count(health.turns, "turn")],
    [
      "Findings",
      number(health.findings),
      `${count(health.conflicts, "conflict")}, ${count(health.proposals, "proposal")}`,
    ],
    [
      "Brief, p95",
      health.latency.p95_ms === null ? "–" : `${number(health.latency.p95_ms)} ms`,
      `limit ${number(health.latency.limit_ms)} ms`,
    ],
    [
      "Size",
      bytes(health.size.used),
      `${percent(health.size.used / health.size.max_bytes)} of ${bytes(health.size.max_bytes)}`,
    ],
  ];
  return h(
    "dl",
    { class: "tiles" },
    figures.map(([name, value, note]) =>
      h("div", {}, h("dt", {}, name), h("dd", {}, h("strong", {}, value), h("span", { class: "muted" }, note))),
    ),
  );
}

function growth({ growth: weeks }) {
  const points = weeks.map(({ week, total }) => ({ label: date(week), value: total }));
  return chart({
    title: "Growth",
    note: "memories, by week",
    picture: linePicture({
      says: `Memories by week, ${points.at(-1)?.value ?? 0} at the end`,
      points,
      format: number,
    }),
    columns: ["Week of", "New", "All"],
    rows: weeks.map(({ week, made: fresh, total }) => [date(week), number(fresh), number(total)]),
  });
}

function newByWeek({ growth: weeks }) {
  const points = weeks.map(({ week, made: fresh }) => ({ label: date(week), value: fresh }));
  return chart({
    title: "New",
    note: "memories a week",
    picture: columnPicture({
      says: `New memories by week, ${points.at(-1)?.value ?? 0} in the last`,
      points,
      format: number,
    }),
    columns: ["Week of", "New"],
    rows: points.map(({ label, value }) => [label, number(value)]),
  });
}

const kinds = (health) => shareChart("Kinds", "what memory is made of", health.kinds);

function parts(health) {
  return h(
    "div",
    { class: "stack" },
    shareChart("Statuses", "how sure it is", health.statuses),
    shareChart("Trust", "whose word it is", health.trusts),
    latency(health),
  );
}

function shareChart(title, note, shares) {
  const points = [...shares]
    .sort((first, second) => second.count - first.count)
    .map(({ name, count: value }) => ({ label: words(name), value }));
  const says = `${title}: ${points.map(({ label, value }) => `${label} ${value}`).join(", ")}`;
  return chart({
    title,
    note,
    picture: barList({ says, points, format: number }),
    columns: ["Name", "Memories"],
    rows: points.map(({ label, value }) => [label, number(value)]),
  });
}

function latency({ latency: { limit_ms: limit, p95_ms: p95, samples, degraded, briefs } }) {
  const points = briefs.map(({ took_ms: took }, index) => ({ label: briefNumber(index, briefs), value: took }));
  const judged =
    p95 === null ? `too few to judge (${samples})` : `95 % of ${number(samples)} took at most ${number(p95)} ms`;
  return chart({
    title: "Latency of briefs",
    note: degraded ? `${judged}; less is looked at until they are faster` : judged,
    picture: linePicture({
      says: `Milliseconds of the latest ${points.length} briefs, limit ${limit}`,
      points,
      limit,
      format: number,
    }),
    columns: ["Brief", "Milliseconds", "Cut short"],
    rows: briefs.map(({ took_ms: took, cut }, index) => [
      briefNumber(index, briefs),
      number(took),
      cut ? "yes" : "",
    ]),
  });
}

/** "the latest", "7 before": briefs are numbered from the end, where somebody looks first. */
function briefNumber(index, { length }) {
  const before = length - 1 - index;
  return before ? `${number(before)} before` : "the latest";
}

function fading({ fading: { in_7_days: week, in_30_days: month, soon } }) {
  return h(
    "section",
    { class: "chart" },
    h("h2", {}, "What fades"),
    h(
      "p",
      {},
      h("strong", {}, number(week)),
      " in 7 days, ",
      h("strong", {}, number(month)),
      " in 30 days. Reading, pinning or confirming a memory keeps it.",
    ),
    soon.length > 0
      ? h(
          "div",
          { class: "lines" },
          soon.map((line) => memoryLine(line, { isBrief: true })),
        )
      : h("p", { class: "muted" }, "Nothing fades soon."),
  );
}

function state({ index, size, audit, store, tombstones, user }) {
  const rows = [
    [
      "Index",
      index.indexed >= index.rows,
      `${number(index.indexed)} of ${number(index.rows)} rows are found by their words`,
    ],
    [
      "Vectors",
      !index.problem,
      index.problem ??
        (index.waiting
          ? `${count(index.waiting, "row waits", "rows wait")} for one`
          : `all there, ${index.model ?? "switched off"}`),
    ],
    index.notice && ["Model", false, index.notice],
    [
      "Audit chain",
      audit.whole,
      audit.whole
        ? `${count(audit.events, "event")}, none altered or taken out`
        : `does not fit at event ${audit.broken_at}: run holdfast doctor`,
    ],
    [
      "File",
      !store.read_only,
      store.read_only ??
        `${bytes(index.file_bytes)}, ${bytes(index.free_bytes)} free; schema ${store.schema}, ${store.journal}`,
    ],
    [
      "Limit",
      !size.warning,
      size.warning ?? `${percent(size.used / size.max_bytes)} of ${bytes(size.max_bytes)} is used`,
    ],
    [
      "Forgotten",
      !store.scrub_pending,
      store.scrub_pending
        ? "the last bytes wait for a reader to leave"
        : `${count(tombstones, "text", "texts")} that nothing brings back`,
    ],
    user && [
      "Yours",
      user.usable,
      user.usable
        ? `${count(user.memories, "memory", "memories")} in every project`
        : "it cannot be used: holdfast doctor",
    ],
  ].filter(Boolean);
  return h(
    "section",
    { class: "chart" },
    h("h2", {}, "State"),
    h(
      "table",
      { class: "state-table" },
      h(
        "tbody",
        {},
        rows.map(([name, isWell, says]) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, name),
            h("td", {}, h("span", { class: isWell ? "well" : "unwell" }, isWell ? "well" : "look")),
            h("td", {}, says),
          ),
        ),
      ),
    ),
  );
}
