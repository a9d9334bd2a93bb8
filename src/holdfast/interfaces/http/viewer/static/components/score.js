// The parts of a score: one bar for those that add up, and a table that says what each is.

import { h, s } from "../dom.js";
import { score, words } from "../format.js";

const BAR_WIDTH = 96;
const BAR_HEIGHT = 8;
const SHADES = 6;

/** The bar: its whole length is a score of 1. */
export function scoreBar(total, parts) {
  const adding = parts.filter((part) => part.adds && part.value > 0);
  let x = 0;
  const segments = adding.map((part, index) => {
    const width = Math.min(part.value, 1) * BAR_WIDTH;
    const segment = s("rect", { x, y: 0, width, height: BAR_HEIGHT, class: `shade-${index % SHADES}` });
    segment.append(s("title", {}, spoken(part)));
    x += width;
    return segment;
  });
  return s(
    "svg",
    {
      class: "score-bar",
      viewBox: `0 0 ${BAR_WIDTH} ${BAR_HEIGHT}`,
      width: BAR_WIDTH,
      height: BAR_HEIGHT,
      role: "img",
      "aria-label": `Score ${score(total)}: ${adding.map(spoken).join(", ")}`,
    },
    s("rect", { x: 0, y: 0, width: BAR_WIDTH, height: BAR_HEIGHT, class: "bar-ground" }),
    segments,
  );
}

const spoken = (part) => `${words(part.name)} ${score(part.value)}`;

/** Why it has this rank: every part with its sentence. */
export function whyRank(total, parts) {
  let shade = -1;
  const row = (part) => {
    const counts = part.adds && part.value > 0;
    if (counts) shade += 1;
    return h(
      "tr",
      {},
      h(
        "th",
        { scope: "row" },
        h("span", { class: counts ? `key shade-${shade % SHADES}` : "key" }),
        words(part.name),
      ),
      h("td", { class: "figure" }, part.adds ? score(part.value) : `(${score(part.value)})`),
      h("td", {}, part.says),
    );
  };
  return h(
    "details",
    { class: "why" },
    h("summary", {}, "Why this rank"),
    h(
      "table",
      {},
      h("tbody", {}, parts.filter((part) => part.value !== 0).map(row)),
      h(
        "tfoot",
        {},
        h("tr", {}, h("th", { scope: "row" }, "score"), h("td", { class: "figure" }, score(total)), h("td")),
      ),
    ),
  );
}
