// What took whose place, as a line in time: a stroke for as long as each held, and the same in words below.

import { h, s } from "../dom.js";
import { date, fullTime } from "../format.js";
import { address } from "../router.js";
import { kindLabel } from "./labels.js";

const WIDTH = 640;
const ROW = 22;
const DOT = 5;
const EDGE = 10;

/** steps: oldest first, each with how long it held. */
export function historyLine(steps, here) {
  return [
    picture(steps, here),
    h(
      "ol",
      { class: "history" },
      steps.map((step) => stepLine(step, here)),
    ),
  ];
}

function picture(steps, here) {
  const first = Math.min(...steps.map((step) => step.valid_from));
  const span = Math.max(1, Date.now() - first);
  const x = (at) => EDGE + ((at - first) / span) * (WIDTH - 2 * EDGE);
  const height = ROW * steps.length;
  return s(
    "svg",
    {
      class: "plot history-plot",
      viewBox: `0 0 ${WIDTH} ${height}`,
      role: "img",
      "aria-label": "How long each of them held; the list below says it in words",
    },
    steps.map((step, index) => {
      const y = ROW * index + ROW / 2;
      const end = step.valid_until ?? Date.now();
      const next = steps[index + 1];
      return s(
        "g",
        { class: step.line.id === here ? "is-here" : "" },
        s("line", {
          class: step.valid_until ? "span is-over" : "span",
          x1: x(step.valid_from),
          x2: x(end),
          y1: y,
          y2: y,
        }),
        s("circle", { class: "point", cx: x(step.valid_from), cy: y, r: DOT }, s("title", {}, step.line.title)),
        step.valid_until && next && s("path", { class: "handover", d: `M${x(end)} ${y}V${y + ROW - DOT}` }),
      );
    }),
  );
}

function stepLine({ line, valid_from: from, valid_until: end }, here) {
  const held = end ? `${date(from)} to ${date(end)}` : `since ${date(from)}`;
  return h(
    "li",
    { class: line.id === here ? "is-here" : "" },
    h("span", { class: "held", title: fullTime(from) }, held),
    kindLabel(line.kind),
    line.id === here ? h("strong", {}, line.title) : h("a", { href: address("memory", line.id) }, line.title),
  );
}
