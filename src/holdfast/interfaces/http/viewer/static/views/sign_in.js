// Who it is: on one's own machine a code that `holdfast view` opens the browser with, at a server a token.

import { signIn } from "../api.js";
import { h, replace } from "../dom.js";
import { logo } from "../icons.js";
import { command } from "../components/empty.js";

export function showSignIn(root, { local, error, done }) {
  document.title = "Sign in · holdfast";
  const token = h("input", {
    type: "password",
    id: "token",
    autocomplete: "off",
    spellcheck: "false",
    required: true,
  });
  const project = h("input", { type: "text", id: "project", autocomplete: "off", spellcheck: "false" });
  const problem = h("p", { class: "problem", role: "alert" }, error?.message);
  const submit = async (event) => {
    event.preventDefault();
    problem.textContent = "";
    try {
      await done(await signIn({ token: token.value.trim() }, project.value.trim()));
    } catch (refusal) {
      problem.textContent = refusal.message;
      token.select();
    }
  };
  replace(
    root,
    h(
      "main",
      { id: "main", class: "sign-in", tabindex: -1 },
      h("h1", {}, logo(), "holdfast"),
      local && [
        h("p", {}, "This page is opened with a code that counts once. For a new one:"),
        command("holdfast view"),
      ],
      problem,
      h(
        "form",
        { onsubmit: submit },
        local && h("p", { class: "muted" }, "Or with a token of the server:"),
        h("label", { for: "token" }, "Token"),
        token,
        !local && [
          h(
            "label",
            { for: "project" },
            "Project ",
            h("span", { class: "muted" }, "(if the token is for several)"),
          ),
          project,
        ],
        h("button", { class: "primary", type: "submit" }, "Sign in"),
      ),
      !local && [
        h("p", { class: "muted" }, "Whoever runs the server makes one with"),
        command("holdfast token create --name you --scope admin"),
      ],
    ),
  );
  if (!local) token.focus();
}
