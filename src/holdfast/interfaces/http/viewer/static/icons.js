// The few pictures there are, as lines on a field of 20 by 20.

import { s } from "./dom.js";

const PATHS = {
  today: ["M4 11.5 10 4l6 7.5", "M6 10v6h8v-6"],
  timeline: ["M5 3v14", "M9 6h7", "M9 10h5", "M9 14h7", "M5 6h.01", "M5 10h.01", "M5 14h.01"],
  search: ["M9 3.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11", "M13 13l4 4"],
  brief: ["M4 4h12v9H9l-4 3.5V13H4z", "M7 7.5h6", "M7 10h4"],
  health: ["M3 11h3l2-6 4 10 2-4h3"],
  pin: ["M7 3h6", "M8 3v5l-2.5 3.5h9L12 8V3", "M10 11.5V17"],
  light: [
    "M10 6.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7",
    "M10 2v1.5M10 16.5V18M2 10h1.5M16.5 10H18M4.4 4.4l1 1M14.6 14.6l1 1M4.4 15.6l1-1M14.6 5.4l1-1",
  ],
  dark: ["M16.5 11.7A7 7 0 0 1 8.3 3.5a7 7 0 1 0 8.2 8.2"],
  system: ["M3 4.5h14v9H3z", "M7.5 17h5", "M10 13.5V17"],
  conflict: ["M10 3.5 17.5 16h-15z", "M10 8v4", "M10 14h.01"],
  file: ["M5 2.5h6l4 4v11H5z", "M11 2.5v4h4"],
  session: ["M3.5 4.5h13v9h-13z", "M6 8l2 1.5L6 11", "M10 11h3"],
};

/** A picture; words beside it say what it means, so readers skip it. */
export function icon(name) {
  return s(
    "svg",
    { class: "icon", viewBox: "0 0 20 20", width: 18, height: 18, "aria-hidden": "true", focusable: "false" },
    PATHS[name].map((d) => s("path", { d })),
  );
}

/** The mark of holdfast: what holds kelp to the rock. */
export function logo() {
  return s(
    "svg",
    { class: "logo", viewBox: "0 0 32 32", width: 26, height: 26, "aria-hidden": "true", focusable: "false" },
    s("rect", { width: 32, height: 32, rx: 8, class: "logo-ground" }),
    ["M16 6v11", "M16 10c3 0 5-1 6-3M16 13c-3 0-5-1-6-3", "M16 17c0 4-2 6-7 8M16 17c0 4 2 6 7 8M16 17v9"].map(
      (d) => s("path", { d, class: "logo-line" }),
    ),
  );
}
