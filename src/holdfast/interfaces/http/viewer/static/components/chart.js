// Charts as inline SVG, each with the table of its figures: whoever cannot see the picture reads that.

import { h, s } from "../dom.js";

const WIDTH = 480;
const HEIGHT = 170;
const MARGIN = { top: 12, right: 12, bottom: 24, left: 44 };
const PLOT_WIDTH = WIDTH - MARGIN.left - MARGIN.right;
const PLOT_HEIGHT = HEIGHT - MARGIN.top - MARGIN.bottom;
const BAR_GAP = 0.2;
const GRID_LINES = 3;

/** A figure: caption, picture, and the same as a table.
 *  columns: [heading, …]; rows: [[cell, …], …] as people read them. */
export function chart({ title, note, picture, columns, rows }) {
  return h(
    "figure",
    { class: "chart" },
    h("figcaption", {}, h("strong", {}, title), note && h("span", { class: "muted" }, note)),
    picture,
    h(
      "details",
      {},
      h("summary", {}, "Figures"),
      h(
        "div",
        { class: "scroll", tabindex: 0, role: "region", "aria-label": `${title}: figures` },
        table(columns, rows),
      ),
    ),
  );
}

export function table(columns, rows) {
  return h(
    "table",
    {},
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        columns.map((name) => h("th", { scope: "col" }, name)),
      ),
    ),
    h(
      "tbody",
      {},
      rows.map(([first, ...rest]) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, first),
          rest.map((cell) => h("td", { class: "figure" }, cell)),
        ),
      ),
    ),
  );
}

/** A line over time with the area below it. points: [{ label, value }]; `limit` draws a line across. */
export function linePicture({ says, points, limit = null, format = String }) {
  const most = nice(Math.max(1, limit ?? 0, ...points.map((point) => point.value)));
  const x = (index) =>
    MARGIN.left + (points.length > 1 ? (index / (points.length - 1)) * PLOT_WIDTH : PLOT_WIDTH / 2);
  const y = (value) => MARGIN.top + PLOT_HEIGHT * (1 - value / most);
  const path = points
    .map((point, index) => `${index ? "L" : "M"}${x(index).toFixed(1)} ${y(point.value).toFixed(1)}`)
    .join("");
  const ground = MARGIN.top + PLOT_HEIGHT;
  return frame(
    says,
    grid(most, y, format),
    points.length > 1 &&
      s("path", { class: "area", d: `${path}L${x(points.length - 1)} ${ground}L${x(0)} ${ground}Z` }),
    s("path", { class: "stroke", d: path }),
    points.length <= 60 &&
      points.map((point, index) =>
        s(
          "circle",
          { class: "point", cx: x(index), cy: y(point.value), r: 2.5 },
          s("title", {}, `${point.label}: ${format(point.value)}`),
        ),
      ),
    limit !== null && [
      s("line", { class: "limit", x1: MARGIN.left, x2: WIDTH - MARGIN.right, y1: y(limit), y2: y(limit) }),
      s(
        "text",
        { class: "limit-label", x: WIDTH - MARGIN.right, y: y(limit) - 4, "text-anchor": "end" },
        `limit ${format(limit)}`,
      ),
    ],
    ends(points),
  );
}

/** Upright bars over time. */
export function columnPicture({ says, points, format = String }) {
  const most = nice(Math.max(1, ...points.map((point) => point.value)));
  const step = PLOT_WIDTH / Math.max(points.length, 1);
  const y = (value) => MARGIN.top + PLOT_HEIGHT * (1 - value / most);
  return frame(
    says,
    grid(most, y, format),
    points.map((point, index) =>
      s(
        "rect",
        {
          class: "bar",
          x: MARGIN.left + step * (index + BAR_GAP / 2),
          width: step * (1 - BAR_GAP),
          y: y(point.value),
          height: MARGIN.top + PLOT_HEIGHT - y(point.value),
        },
        s("title", {}, `${point.label}: ${format(point.value)}`),
      ),
    ),
    ends(points),
  );
}

/** Lying bars with their names, the longest first: a list that needs no axis. */
export function barList({ says, points, format = String }) {
  const most = Math.max(1, ...points.map((point) => point.value));
  return h(
    "div",
    { class: "bar-list", role: "img", "aria-label": says },
    points.map((point) => [
      h("span", { class: "bar-name" }, point.label),
      s(
        "svg",
        {
          viewBox: "0 0 100 10",
          preserveAspectRatio: "none",
          height: 10,
          "aria-hidden": "true",
          focusable: "false",
        },
        s("rect", { class: "bar-ground", x: 0, y: 0, width: 100, height: 10 }),
        s("rect", { class: "bar", x: 0, y: 0, width: (100 * point.value) / most, height: 10 }),
      ),
      h("span", { class: "figure" }, format(point.value)),
    ]),
  );
}

function frame(says, ...content) {
  return s("svg", { class: "plot", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": says }, content);
}

function grid(most, y, format) {
  return Array.from({ length: GRID_LINES + 1 }, (_, index) => {
    const value = (most / GRID_LINES) * index;
    return [
      s("line", { class: "grid", x1: MARGIN.left, x2: WIDTH - MARGIN.right, y1: y(value), y2: y(value) }),
      s("text", { x: MARGIN.left - 6, y: y(value) + 3.5, "text-anchor": "end" }, format(value)),
    ];
  });
}

function ends(points) {
  if (!points.length) return null;
  const label = (text, x, anchor) => s("text", { x, y: HEIGHT - 6, "text-anchor": anchor }, text);
  return [
    label(points[0].label, MARGIN.left, "start"),
    points.length > 1 && label(points.at(-1).label, WIDTH - MARGIN.right, "end"),
  ];
}

/** The next number that divides well into the lines of the grid. */
function nice(value) {
  const step = 10 ** Math.floor(Math.log10(value / GRID_LINES || 1));
  const units = [1, 2, 5, 10].map((factor) => factor * step);
  const unit = units.find((width) => width * GRID_LINES >= value) ?? value / GRID_LINES;
  return Math.max(unit, 1) * GRID_LINES;
}
