// Words of a turn that something rests on, and where they stand.

import { h } from "../dom.js";
import { address } from "../router.js";
import { moment } from "./time.js";

export function quotation({ text, role, at, session, agent, turn }) {
  return h(
    "blockquote",
    { class: "quotation" },
    h("p", {}, `“${text}”`),
    h(
      "footer",
      {},
      role,
      " in ",
      h("a", { href: address("session", session, { turn }) }, `a ${agent} session`),
      ", ",
      moment(at),
    ),
  );
}
