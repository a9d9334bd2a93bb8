// A moment in a line of text: short for reading, whole on hover and for machines.

import { h } from "../dom.js";
import { ago, fullTime } from "../format.js";

export function moment(at, show = ago) {
  return h("time", { datetime: new Date(at).toISOString(), title: fullTime(at) }, show(at));
}
