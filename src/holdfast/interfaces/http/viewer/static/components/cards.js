// The cards of the inbox: a candidate, what an agent asks for, and two memories that disagree side by side.

import { h } from "../dom.js";
import { words } from "../format.js";
import { icon } from "../icons.js";
import { address } from "../router.js";
import { kindLabel, sourceName, statusLabel, trustLabel } from "./labels.js";
import { quotation } from "./quotation.js";
import { moment } from "./time.js";

const WISHES = {
  update: "change this memory",
  forget: "forget this memory",
  pin: "pin this memory",
  unpin: "unpin this memory",
  confirm: "confirm this memory",
  supersede: "let something newer take this memory's place",
  reinstate: "let this memory hold again",
  resolve: "settle a conflict about this memory",
};

/** `inbox` is null where whoever looks may not settle anything. */
export function candidateCard(item, inbox) {
  const [side] = item.sides;
  return card(
    item,
    h("header", {}, kindLabel(side.kind), h("span", { class: "muted" }, item.why)),
    text(side),
    side.quotations.map(quotation),
    provenance(side),
    inbox &&
      buttons(
        action("Accept", "a", () => inbox.accept(item), "primary"),
        action("Edit", "e", () => inbox.edit(item)),
        action("Drop", "d", () => inbox.settle(item, "drop")),
      ),
  );
}

export function proposalCard(item, inbox) {
  const [side] = item.sides;
  const wish = WISHES[item.verb] ?? item.verb;
  return card(
    item,
    h(
      "header",
      {},
      kindLabel("proposal"),
      h("span", {}, h("strong", {}, item.by?.replace(/^\w+:/, "") ?? "An agent"), ` asks to ${wish}`),
      h("span", { class: "muted" }, item.why),
    ),
    item.arguments.content
      ? h(
          "div",
          { class: "sides" },
          half("Now", text(side)),
          half("Would say", h("p", { class: "card-text" }, item.arguments.content)),
        )
      : text(side),
    otherArguments(item.arguments),
    side.quotations.map(quotation),
    provenance(side),
    inbox &&
      buttons(
        action("Accept", "a", () => inbox.accept(item), "primary"),
        item.choices.includes("edit") && action("Edit", "e", () => inbox.edit(item)),
        action("Drop", "d", () => inbox.settle(item, "drop")),
      ),
  );
}

export function conflictCard(item, inbox) {
  const column = (side, index) =>
    h(
      "div",
      { class: "side-of" },
      h("p", { class: "side-name" }, side.newer ? "Newer" : "Older", kindLabel(side.kind)),
      text(side),
      side.quotations.map(quotation),
      provenance(side),
      inbox && action("Keep this", String(index + 1), () => inbox.keep(item, side.id), "primary"),
    );
  return card(
    item,
    h(
      "header",
      {},
      h("span", { class: "kind", dataset: { kind: "conflict" } }, icon("conflict"), "conflict"),
      h("span", { class: "muted" }, item.why),
    ),
    h("div", { class: "sides" }, item.sides.map(column)),
    inbox &&
      buttons(
        action("Keep both", "b", () => inbox.keep(item, "both")),
        action("Edit", "e", () => inbox.edit(item)),
        action("Drop both", "d", () => inbox.settle(item, "drop")),
      ),
  );
}

function card(item, ...content) {
  return h(
    "article",
    {
      class: "card",
      tabindex: 0,
      dataset: { row: item.id, sort: item.sort },
      "aria-label": `${item.sort}: ${item.sides[0]?.title}`,
    },
    content,
  );
}

function half(name, content) {
  return h("div", { class: "side-of" }, h("p", { class: "side-name" }, name), content);
}

function text(side) {
  return h(
    "p",
    { class: "card-text" },
    h("a", { href: address("memory", side.id) }, side.content),
    side.cut && " …",
  );
}

function provenance(side) {
  return h(
    "p",
    { class: "meta" },
    moment(side.said_at),
    statusLabel(side.status),
    trustLabel(side.trust),
    h("span", {}, side.agent ?? side.user),
    side.source !== "manual" && h("span", {}, `from ${sourceName(side.source)}`),
  );
}

function otherArguments(all) {
  const pairs = Object.entries(all).filter(([name, value]) => name !== "content" && value != null);
  if (!pairs.length) return null;
  const show = (value) => (typeof value === "string" ? value : JSON.stringify(value));
  return h(
    "dl",
    { class: "facts" },
    pairs.map(([name, value]) => [h("dt", {}, words(name)), h("dd", {}, show(value))]),
  );
}

function action(label, key, run, look = "") {
  return h("button", { type: "button", class: look, onclick: run }, label, " ", h("kbd", {}, key));
}

function buttons(...content) {
  return h("div", { class: "actions" }, content);
}
