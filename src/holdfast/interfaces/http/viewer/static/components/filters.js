// The filters of a list: each is a field of a form, and together they stand in the address.

import { h } from "../dom.js";
import { words } from "../format.js";

const TYPING_MS = 200;

/** A choice among words; `""` is everything. */
export function choice(name, label, options, value) {
  const select = h(
    "select",
    { name },
    h("option", { value: "" }, "any"),
    options.map((option) => h("option", { value: option, selected: option === value }, words(option))),
  );
  return field(label, select);
}

export function textField(name, label, value, attributes = {}) {
  return field(
    label,
    h("input", { type: "text", name, value, autocomplete: "off", spellcheck: "false", ...attributes }),
  );
}

export function dateField(name, label, value) {
  return field(label, h("input", { type: "date", name, value }));
}

export function flag(name, label, isOn) {
  return h(
    "label",
    { class: "flag" },
    h("input", { type: "checkbox", name, value: "true", checked: isOn }),
    label,
  );
}

/** Fields that call `change` with their values, a little after the last stroke of a key. */
export function filterForm(page, label, fields, change) {
  const tell = () => change(Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== "")));
  const form = h(
    "form",
    {
      class: "filters",
      role: "search",
      "aria-label": label,
      onsubmit: (event) => (event.preventDefault(), tell()),
    },
    fields,
  );
  const tellSoon = page.soon(tell);
  form.addEventListener("input", () => tellSoon(TYPING_MS));
  return form;
}

function field(label, control) {
  return h("label", { class: "field" }, h("span", {}, label), control);
}
