// One dialog at a time, the browser's own: it keeps the focus inside and gives it back.

import { h } from "../dom.js";

/** Open a dialog. `actions(close)` gives its buttons; Escape and the cross close it. */
export function openDialog({ title, body, actions = () => [], wide = false }) {
  const dialog = h(
    "dialog",
    { class: wide ? "dialog wide" : "dialog", "aria-labelledby": "dialog-title" },
    h(
      "header",
      {},
      h("h2", { id: "dialog-title" }, title),
      h("button", { class: "quiet", type: "button", "aria-label": "Close", onclick: () => dialog.close() }, "×"),
    ),
    h("div", { class: "dialog-body" }, body),
    h(
      "footer",
      {},
      actions(() => dialog.close()),
    ),
  );
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Ask for a text; `save` gets it, and the dialog stays open with the reason where it is refused. */
export function askText({ title, text, hint, action, save }) {
  const area = h("textarea", { rows: 7, "aria-label": title });
  area.value = text;
  const problem = h("p", { class: "problem", role: "alert" });
  const submit = async () => {
    try {
      await save(area.value);
      dialog.close();
    } catch (error) {
      problem.textContent = error.message;
    }
  };
  area.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit();
  });
  const dialog = openDialog({
    title,
    wide: true,
    body: [hint && h("p", { class: "muted" }, hint), area, problem],
    actions: (close) => [
      h("button", { type: "button", onclick: close }, "Cancel"),
      h("button", { type: "button", class: "primary", onclick: submit }, action, h("kbd", {}, "Ctrl ⏎")),
    ],
  });
  area.focus();
  return dialog;
}
